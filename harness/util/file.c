#include "util/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SAME_SECOND 100 /* folders that are made in one second */

#define CHUNK_BYTES   ((size_t)64 << 10)
#define LOCK_PAUSE_MS 100
#define LOCK_MOST_MS  30000
#define HOLD_MOST_MS  2000

static const char *kind_of(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFREG:
        return "a file";
    case S_IFDIR:
        return "a folder";
    case S_IFIFO:
        return "a pipe";
    case S_IFSOCK:
        return "a socket";
    default:
        return "a device";
    }
}

enum sg_code sg_open_to_read(const char *path, int *descriptor, struct sg_err *err)
{
    struct stat facts;
    /* Without O_NONBLOCK, opening a pipe without a writer would block. */
    *descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*descriptor < 0)
        return sg_fail(err, sg_code_of_errno(errno, SG_BAD_INPUT), path, "cannot be opened: %s",
                       strerror(errno));
    if (fstat(*descriptor, &facts) == 0 && !S_ISREG(facts.st_mode)) {
        close(*descriptor);
        *descriptor = -1;
        return sg_fail(err, SG_BAD_INPUT, path, "expected a file, found %s",
                       kind_of(facts.st_mode));
    }
    return SG_SUCCESS;
}

enum sg_code sg_read_file(const char *path, struct sg_text *bytes, struct sg_err *err)
{
    int descriptor;
    if (sg_open_to_read(path, &descriptor, err) != SG_SUCCESS)
        return err->code;
    ssize_t got;
    do {
        const size_t room = bytes->length > CHUNK_BYTES ? bytes->length : CHUNK_BYTES;
        bytes->data = sg_grow(bytes->data, &bytes->capacity, bytes->length + room + 1, 1);
        got = read(descriptor, bytes->data + bytes->length, room);
        if (got < 0 && errno != EINTR)
            sg_fail(err, SG_SYSTEM, path, "cannot be read: %s", strerror(errno));
        bytes->length += got > 0 ? (size_t)got : 0;
        bytes->data[bytes->length] = '\0';
    } while (got != 0 && err->code == SG_SUCCESS);
    close(descriptor);
    return err->code;
}

enum sg_code sg_read_text(const char *path, struct sg_text *text, struct sg_err *err)
{
    static const char mark[] = "\xEF\xBB\xBF";
    if (sg_read_file(path, text, err) != SG_SUCCESS)
        return err->code;
    const char *from =
        text->data + (strncmp(text->data, mark, strlen(mark)) == 0 ? strlen(mark) : 0);
    const char *end = text->data + text->length;
    char *to = text->data;
    for (; from < end; from++)
        if (from[0] != '\r' || from[1] != '\n')
            *to++ = *from;
    *to = '\0';
    text->length = (size_t)(to - text->data);
    return SG_SUCCESS;
}

enum sg_code sg_write_bytes(const char *path, int descriptor, const char *bytes, size_t count,
                            struct sg_err *err)
{
    size_t done = 0;
    while (done < count) {
        ssize_t part = write(descriptor, bytes + done, count - done);
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0)
            return sg_fail(err, SG_SYSTEM, path, "cannot be written: %s, after %zu of %zu bytes",
                           strerror(errno), done, count);
        done += (size_t)part;
    }
    return SG_SUCCESS;
}

/* -1: the folder cannot be opened. */
static int open_folder_of(const char *path)
{
    SG_SCOPED(sg_text) folder = {0};
    const char *slash = strrchr(path, '/');
    if (slash)
        sg_text_add_bytes(&folder, path, (size_t)(slash - path) + 1);
    else
        sg_text_add(&folder, ".");
    return open(folder.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* A new name is on disk only after its folder is synced. A file system that cannot sync a folder
 * is not an error. */
static void sync_folder_of(const char *path)
{
    const int descriptor = open_folder_of(path);
    if (descriptor >= 0) {
        fsync(descriptor);
        close(descriptor);
    }
}

/* Waits at most `most_ms`; returns false if another process still holds the lock. A file system
 * that has no locks is used without one. */
static bool hold(int descriptor, unsigned most_ms)
{
    for (unsigned waited_ms = 0; flock(descriptor, LOCK_EX | LOCK_NB) != 0;
         waited_ms += LOCK_PAUSE_MS) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return true;
        if (waited_ms >= most_ms)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = LOCK_PAUSE_MS * 1000000L}, NULL);
    }
    return true;
}

enum sg_code sg_lock(const char *path, int flags, const char *busy, int *lock, struct sg_err *err)
{
    *lock = open(path, O_RDONLY | O_CLOEXEC | flags, 0644);
    if (*lock < 0)
        return sg_fail(err, sg_code_of_errno(errno, SG_BAD_USAGE), path, "cannot be opened%s: %s",
                       flags & O_DIRECTORY ? " as a folder" : "", strerror(errno));
    if (hold(*lock, HOLD_MOST_MS))
        return SG_SUCCESS;
    close(*lock);
    *lock = -1;
    return sg_fail(err, SG_BAD_USAGE, path, "%s", busy);
}

enum sg_code sg_lock_folder_of(const char *path, int *descriptor, struct sg_err *err)
{
    *descriptor = open_folder_of(path);
    if (*descriptor < 0)
        return sg_fail(err, SG_SYSTEM, path, "its folder cannot be opened: %s", strerror(errno));
    if (hold(*descriptor, LOCK_MOST_MS))
        return SG_SUCCESS;
    close(*descriptor);
    *descriptor = -1;
    return sg_fail(err, SG_SYSTEM, path, "another solgate has been writing to its folder for %d s",
                   LOCK_MOST_MS / 1000);
}

/* Checks that the place holds a file or nothing. */
static enum sg_code check_place(const char *path, struct sg_err *err)
{
    struct stat facts;
    if (stat(path, &facts) != 0 || S_ISREG(facts.st_mode))
        return SG_SUCCESS;
    return sg_fail(err, SG_SYSTEM, path,
                   "cannot be replaced: expected a file, or nothing, found %s",
                   kind_of(facts.st_mode));
}

enum sg_code sg_move_file(const char *from, const char *path, struct sg_err *err)
{
    if (check_place(path, err) == SG_SUCCESS && rename(from, path) != 0)
        sg_fail(err, SG_SYSTEM, path, "cannot be replaced: %s", strerror(errno));
    if (err->code == SG_SUCCESS)
        sync_folder_of(path);
    return err->code;
}

/* `path` names the file in messages. */
static enum sg_code write_new(const char *temporary, const char *path, const char *bytes,
                              size_t count, struct sg_err *err)
{
    const int descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return sg_fail(err, SG_SYSTEM, path, "cannot be created: %s", strerror(errno));
    if (sg_write_bytes(path, descriptor, bytes, count, err) == SG_SUCCESS && fsync(descriptor) != 0)
        sg_fail(err, SG_SYSTEM, path, "cannot be written to the disk (fsync): %s", strerror(errno));
    if (close(descriptor) != 0)
        sg_fail(err, SG_SYSTEM, path, "cannot be written to the disk (close): %s", strerror(errno));
    return err->code;
}

enum sg_code sg_write_file(const char *path, const char *bytes, size_t count, struct sg_err *err)
{
    SG_FREED char *linked = realpath(path, NULL); /* NULL: no such file yet */
    const char *place = linked ? linked : path;
    SG_FORMATTED(temporary, "%s.%ld.tmp", place, (long)getpid());
    if (check_place(place, err) == SG_SUCCESS &&
        (write_new(temporary.data, place, bytes, count, err) != SG_SUCCESS ||
         sg_move_file(temporary.data, place, err) != SG_SUCCESS))
        unlink(temporary.data);
    return err->code;
}

static enum sg_code make_folder(const char *path, struct sg_err *err)
{
    struct stat facts;
    if (mkdir(path, 0777) == 0)
        return SG_SUCCESS;
    const int why = errno; /* errno of mkdir; stat would overwrite it */
    if (stat(path, &facts) != 0)
        return sg_fail(err, SG_SYSTEM, path, "this folder cannot be created: %s", strerror(why));
    if (!S_ISDIR(facts.st_mode))
        return sg_fail(err, SG_SYSTEM, path, "expected a folder, or nothing, found %s",
                       kind_of(facts.st_mode));
    return SG_SUCCESS;
}

enum sg_code sg_make_folders(const char *path, struct sg_err *err)
{
    char *part = sg_copy_string(path);
    /* Creates parents first. The leading slash of an absolute path ends no folder name. */
    for (char *slash = part;
         slash[0] && (slash = strchr(slash + 1, '/')) != NULL && err->code == SG_SUCCESS;
         *slash = '/') {
        *slash = '\0';
        make_folder(part, err);
    }
    free(part);
    return err->code == SG_SUCCESS ? make_folder(path, err) : err->code;
}

enum sg_code sg_choose_folder(const char *given, const char *before, struct sg_text *path,
                              struct sg_err *err)
{
    SG_SCOPED(sg_text) above = {0}, first = {0};
    if (given) {
        sg_text_add(path, given);
        return SG_SUCCESS;
    }
    sg_text_add_bytes(&above, before,
                      strrchr(before, '/') ? (size_t)(strrchr(before, '/') - before) : 0);
    sg_text_addf(&first, "%s%s", before, sg_utc_now(SG_UTC_FOLDER).text);
    sg_text_add(path, first.data);
    if (above.length > 0 && sg_make_folders(above.data, err) != SG_SUCCESS)
        return err->code;
    for (int n = 2; mkdir(path->data, 0777) != 0; n++) {
        if (errno != EEXIST || n > SAME_SECOND)
            return sg_fail(err, SG_SYSTEM, path->data, "cannot be created: %s", strerror(errno));
        sg_text_release(path);
        sg_text_addf(path, "%s-%d", first.data, n);
    }
    return SG_SUCCESS;
}

enum sg_code sg_file_mark(const char *path, struct sg_text *mark, struct sg_err *err)
{
    struct stat facts;
    if (stat(path, &facts) != 0)
        return sg_fail(err, SG_SYSTEM, path, "cannot be inspected: %s", strerror(errno));
    sg_text_addf(mark, "%ju.%ju.%jd.%jd.%09ld", (uintmax_t)facts.st_dev, (uintmax_t)facts.st_ino,
                 (intmax_t)facts.st_size, (intmax_t)facts.st_ctim.tv_sec, facts.st_ctim.tv_nsec);
    return SG_SUCCESS;
}
