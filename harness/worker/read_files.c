#define _GNU_SOURCE /* RTLD_NEXT, dladdr, O_TMPFILE */
/* The functions below are defined here, so no other declarations of them are wanted. */
#undef _FORTIFY_SOURCE
#include "worker/read_files.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/digest.h"
#include "util/file.h"
#include "util/names.h"
#include "util/paths.h"

#define KEPT_BYTES_MIN (16 << 20)
/* a younger file may change again within the clock tick of its ctime, which then stays the same */
#define SETTLED_S 2

static struct {
    pthread_mutex_t lock;
    bool recording;
    struct sg_names own;  /* mapped by the worker itself, or its device */
    struct sg_names read; /* paths in the order of reading, each once */
    long children;        /* page faults of the worker's own children */
} reads = {.lock = PTHREAD_MUTEX_INITIALIZER};
static _Thread_local bool is_paused;

/* ---- files that are read ---- */

/* True for files of the system, which are not inputs of a variant. */
static bool is_of_system(const char *path)
{
    const char *cache = getenv("CUDA_CACHE_PATH");
    const bool is_device = strncmp(path, "/dev/", 5) == 0 && strncmp(path, "/dev/shm/", 9) != 0;
    return is_device || strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/sys/", 5) == 0 ||
           strncmp(path, "/anon_hugepage", 14) == 0 || strstr(path, "/.nv/ComputeCache/") ||
           (cache && *cache && strncmp(path, cache, strlen(cache)) == 0);
}

static void note(struct sg_names *names, const char *path)
{
    if (!is_of_system(path) && !sg_names_have(names, path))
        sg_names_add(names, path);
}

/* True if the code at this address belongs to the worker. */
static bool is_worker(void *address)
{
    Dl_info caller, worker;
    return dladdr(address, &caller) && dladdr((void *)&reads, &worker) &&
           caller.dli_fbase == worker.dli_fbase;
}

static void note_open(int descriptor, void *caller)
{
    char link[64], path[4096];
    struct stat facts;
    snprintf(link, sizeof(link), "/proc/self/fd/%d", descriptor);
    if (!reads.recording || is_paused || fstat(descriptor, &facts) != 0 ||
        !S_ISREG(facts.st_mode) || is_worker(caller))
        return;
    const ssize_t length = readlink(link, path, sizeof(path) - 1);
    if (length <= 0)
        return;
    path[length] = '\0';
    pthread_mutex_lock(&reads.lock);
    note(&reads.read, path);
    pthread_mutex_unlock(&reads.lock);
}

/* ---- the C library's functions ---- */

static bool is_to_read(int flags)
{
    return (flags & O_ACCMODE) != O_WRONLY && !(flags & (O_TRUNC | O_PATH)) &&
           (flags & (O_CREAT | O_EXCL)) != (O_CREAT | O_EXCL) && (flags & O_TMPFILE) != O_TMPFILE;
}

static bool has_mode(int flags)
{
    return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
}

/* Calls the next definition of `name`; the caller handles its result. */
#define NEXT(name, type) ((type)(uintptr_t)dlsym(RTLD_NEXT, name))
#define EXPORTED         __attribute__((visibility("default")))

static int noted(int descriptor, int flags, void *caller)
{
    const int error = errno;
    if (descriptor >= 0 && is_to_read(flags))
        note_open(descriptor, caller);
    errno = error;
    return descriptor;
}

/* `parameters` and `arguments` come before the flags; each ends in COMMA. */
#define DEFINE_OPEN(name, parameters, arguments)                                              \
    EXPORTED int name(parameters int flags, ...);                                             \
    EXPORTED int name(parameters int flags, ...)                                              \
    {                                                                                         \
        va_list more;                                                                         \
        va_start(more, flags);                                                                \
        const mode_t mode = has_mode(flags) ? va_arg(more, mode_t) : 0;                       \
        va_end(more);                                                                         \
        return noted(NEXT(#name, int (*)(parameters int, ...))(arguments flags, mode), flags, \
                     __builtin_return_address(0));                                            \
    }
/* For callers compiled with _FORTIFY_SOURCE. */
#define DEFINE_OPEN_2(name, parameters, arguments)                                 \
    EXPORTED int name(parameters int flags);                                       \
    EXPORTED int name(parameters int flags)                                        \
    {                                                                              \
        return noted(NEXT(#name, int (*)(parameters int))(arguments flags), flags, \
                     __builtin_return_address(0));                                 \
    }
#define DEFINE_FOPEN(name)                                                                        \
    EXPORTED FILE *name(const char *path, const char *mode);                                      \
    EXPORTED FILE *name(const char *path, const char *mode)                                       \
    {                                                                                             \
        FILE *file = NEXT(#name, FILE * (*)(const char *, const char *))(path, mode);             \
        if (file)                                                                                 \
            noted(fileno(file), *mode == 'r' ? O_RDONLY : O_WRONLY, __builtin_return_address(0)); \
        return file;                                                                              \
    }

#define COMMA       ,
#define PATH        const char *path COMMA
#define FOLDER_PATH int folder COMMA const char *path COMMA

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): of the system's headers */
DEFINE_OPEN(open, PATH, path COMMA)
DEFINE_OPEN(open64, PATH, path COMMA)
DEFINE_OPEN(openat, FOLDER_PATH, folder COMMA path COMMA)
DEFINE_OPEN(openat64, FOLDER_PATH, folder COMMA path COMMA)
DEFINE_OPEN_2(__open_2, PATH, path COMMA)
DEFINE_OPEN_2(__open64_2, PATH, path COMMA)
DEFINE_OPEN_2(__openat_2, FOLDER_PATH, folder COMMA path COMMA)
DEFINE_OPEN_2(__openat64_2, FOLDER_PATH, folder COMMA path COMMA)
DEFINE_FOPEN(fopen)
DEFINE_FOPEN(fopen64)
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */

/* ---- mapped files ---- */

/* The path in a line of /proc/self/maps, after five other fields; NULL: none. */
static char *path_of(char *line)
{
    line[strcspn(line, "\n")] = '\0';
    return strchr(line, '/');
}

/* Sorted by name, because addresses are random. */
static void add_mapped(struct sg_names *mapped)
{
    SG_FREED char *line = NULL;
    size_t room = 0;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && getline(&line, &room, maps) > 0) {
        const char *path = path_of(line);
        if (path)
            note(mapped, path);
    }
    if (maps)
        fclose(maps);
    sg_names_sort(mapped);
}

/* Adds mapped files that are not the worker's own to the files read. */
static void note_mapped(void)
{
    SG_SCOPED(sg_names) mapped = {0};
    add_mapped(&mapped);
    for (size_t i = 0; i < mapped.count; i++)
        if (!sg_names_have(&reads.own, mapped.items[i]))
            note(&reads.read, mapped.items[i]);
}

/* ---- start and end ---- */

/* Page faults of ended children, above 0 if any child ran. */
static long faults_of_children(void)
{
    struct rusage children = {.ru_minflt = 0};
    getrusage(RUSAGE_CHILDREN, &children);
    return children.ru_minflt;
}

void sg_reads_begin(void)
{
    add_mapped(&reads.own);
    reads.children = faults_of_children();
    reads.recording = true;
}

void sg_reads_pause(void)
{
    pthread_mutex_lock(&reads.lock);
    if (reads.recording)
        note_mapped();
    pthread_mutex_unlock(&reads.lock);
    is_paused = true;
}

void sg_reads_resume(void)
{
    pthread_mutex_lock(&reads.lock);
    if (reads.recording)
        add_mapped(&reads.own);
    reads.children = faults_of_children();
    pthread_mutex_unlock(&reads.lock);
    is_paused = false;
}

/* Cache file for the digest of a large file, named by the file's mark, because hashing 0.5 GB takes
 * a second. NULL: not cached, because the file is small or changed so recently that its mark is not
 * reliable. */
static char *place_of(const char *path)
{
    struct stat facts;
    struct sg_text place = {0};
    struct sg_err none = {0};
    if (stat(path, &facts) != 0 || facts.st_size < KEPT_BYTES_MIN ||
        time(NULL) - facts.st_ctime < SETTLED_S ||
        sg_cache_folder(&place, "digests", &none) != SG_SUCCESS ||
        sg_make_folders(place.data, &none) != SG_SUCCESS) {
        sg_text_release(&place);
        return NULL;
    }
    sg_text_add(&place, "/");
    sg_file_mark(path, &place, &none);
    return place.data;
}

static bool is_kept(const char *place, struct sg_digest *digest)
{
    SG_SCOPED(sg_text) word = {0};
    const bool is = place && access(place, R_OK) == 0 &&
                    sg_read_file(place, &word, SG_IGNORED) == SG_SUCCESS && sg_is_digest(word.data);
    if (is)
        digest->state = strtoull(word.data, NULL, 16);
    return is;
}

static enum sg_code digest_file(const char *path, struct sg_digest *digest, struct sg_err *err)
{
    SG_FREED char *place = place_of(path);
    if (!is_kept(place, digest) && sg_digest_add_file(digest, path, err) == SG_SUCCESS && place)
        sg_write_file(place, sg_digest_word(digest).text, strlen(sg_digest_word(digest).text),
                      &(struct sg_err){0});
    return err->code;
}

static bool add_file(struct sg_digest *all, const char *path, struct sg_text *why)
{
    struct sg_digest one = SG_DIGEST_EMPTY;
    struct sg_err err = {0};
    if (digest_file(path, &one, &err) != SG_SUCCESS) {
        sg_text_addf(why, "%s: %s", path, err.message);
        return false;
    }
    sg_digest_add_string(all, strrchr(path, '/') + 1);
    sg_digest_add_string(all, sg_digest_word(&one).text);
    return true;
}

bool sg_reads_add(const char *module, struct sg_text *out)
{
    struct sg_digest all = SG_DIGEST_EMPTY;
    SG_FREED char *own = realpath(module, NULL);
    size_t count = 0;
    if (faults_of_children() != reads.children) {
        sg_text_add(out, "it ran another program, and files that another program reads are "
                         "unknown");
        return false;
    }
    bool is_known = true;
    pthread_mutex_lock(&reads.lock);
    note_mapped();
    for (size_t i = 0; i < reads.read.count && is_known; i++) {
        if (own && strcmp(reads.read.items[i], own) == 0)
            continue;
        is_known = add_file(&all, reads.read.items[i], out);
        count++;
    }
    if (is_known && count > 0)
        sg_text_add(out, sg_digest_word(&all).text);
    pthread_mutex_unlock(&reads.lock);
    return is_known;
}
