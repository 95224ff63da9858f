#include "process/stray_reaper.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/text.h"

#define MARK   "SOLGATE_STARTED_BY"
#define ROUNDS 5 /* of looking: who is killed may have started another one meanwhile */

enum sg_code sg_strays_mark(struct sg_err *err)
{
    uint64_t number = 0;
    char value[48];
    if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
        return sg_fail(err, SG_SYSTEM, NULL, "the system draws no number to mark processes with: %s", strerror(errno));
    snprintf(value, sizeof(value), "%ld-%016" PRIx64, (long)getpid(), number);
    if (setenv(MARK, value, 1) != 0)
        return sg_fail(err, SG_SYSTEM, NULL, "cannot mark processes: %s", strerror(errno));
    return SG_SUCCESS;
}

/* What a process of this user was started with. */
static void read_environment(const char *process, struct sg_text *out)
{
    char path[64], bytes[4096];
    struct stat facts;
    out->length = 0;
    snprintf(path, sizeof(path), "/proc/%.20s/environ", process);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fstat(fd, &facts) == 0 && facts.st_uid == geteuid())
        for (ssize_t count; (count = read(fd, bytes, sizeof(bytes))) > 0;)
            sg_text_add_bytes(out, bytes, (size_t)count);
    close(fd);
}

/* Strings that end in NUL, one behind the other. */
static bool holds(const struct sg_text *environment, const char *string)
{
    const size_t length = strlen(string) + 1;
    for (size_t at = 0; at + length <= environment->length;) {
        if (memcmp(environment->data + at, string, length) == 0)
            return true;
        const char *end = memchr(environment->data + at, '\0', environment->length - at);
        at = end ? (size_t)(end - environment->data) + 1 : environment->length;
    }
    return false;
}

static size_t kill_marked(const char *mark)
{
    DIR *all = opendir("/proc");
    struct sg_text environment = {0};
    size_t killed = 0;
    for (const struct dirent *entry; all && (entry = readdir(all));) {
        const long process = isdigit((unsigned char)entry->d_name[0]) ? strtol(entry->d_name, NULL, 10) : 0;
        if (process <= 1 || process == getpid())
            continue;
        read_environment(entry->d_name, &environment);
        if (holds(&environment, mark))
            killed += kill((pid_t)process, SIGKILL) == 0;
    }
    if (all)
        closedir(all);
    sg_text_release(&environment);
    return killed;
}

void sg_strays_end(void)
{
    const char *value = getenv(MARK);
    struct sg_text mark = {0};
    sg_text_addf(&mark, MARK "=%s", value ? value : "");
    for (int round = 0; value && round < ROUNDS && kill_marked(mark.data) > 0; round++)
        continue;
    sg_text_release(&mark);
    unsetenv(MARK);
}
