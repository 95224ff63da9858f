#include "process/stray_reaper.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/text.h"

#define ROUNDS   1000 /* of looking: who is killed may have started another one meanwhile */
#define PAUSE_NS 2000000L

/* 0: it is gone, or is not shown. */
static pid_t parent_of(const char *process)
{
    char path[64], facts[512] = "";
    snprintf(path, sizeof(path), "/proc/%.20s/stat", process);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = fd >= 0 ? read(fd, facts, sizeof(facts) - 1) : -1;
    if (fd >= 0)
        close(fd);
    facts[length > 0 ? length : 0] = '\0';
    // Behind ") S ". The name of the program stands before it, in brackets, and may hold brackets
    // itself.
    const char *bracket = strrchr(facts, ')');
    return bracket && strlen(bracket) > 4 ? (pid_t)strtol(bracket + 4, NULL, 10) : 0;
}

/* Calls `each` for every child of this process; the sum of what it returns. */
static size_t for_children(struct sg_strays *strays, size_t (*each)(struct sg_strays *, pid_t))
{
    DIR *all = opendir("/proc");
    size_t count = 0;
    for (const struct dirent *entry; all && (entry = readdir(all));)
        if (isdigit((unsigned char)entry->d_name[0]) && parent_of(entry->d_name) == getpid())
            count += each(strays, (pid_t)strtol(entry->d_name, NULL, 10));
    if (all)
        closedir(all);
    return count;
}

static size_t remember(struct sg_strays *strays, pid_t child)
{
    *SG_APPEND(strays->before, strays->count, strays->capacity) = child;
    return 1;
}

/* A number stays taken until its process is reaped, which for those that were there before nobody
 * does here: so a number of theirs is never a stray's. */
static size_t end_stray(struct sg_strays *strays, pid_t child)
{
    for (size_t i = 0; i < strays->count; i++)
        if (strays->before[i] == child)
            return 0;
    kill(child, SIGKILL);
    waitpid(child, NULL, WNOHANG | __WALL);
    return 1;
}

enum sg_code sg_strays_open(struct sg_strays *strays, struct sg_err *err)
{
    int was = 0;
    *strays = (struct sg_strays){0};
    if (prctl(PR_GET_CHILD_SUBREAPER, &was) != 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        return sg_fail(err, SG_SYSTEM, NULL, "cannot become the parent of orphans of workers: %s", strerror(errno));
    strays->was_subreaper = was != 0;
    for_children(strays, remember);
    return SG_SUCCESS;
}

void sg_strays_end(struct sg_strays *strays)
{
    for (int round = 0; round < ROUNDS && for_children(strays, end_stray) > 0; round++)
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    prctl(PR_SET_CHILD_SUBREAPER, strays->was_subreaper ? 1 : 0);
    free(strays->before);
    *strays = (struct sg_strays){0};
}
