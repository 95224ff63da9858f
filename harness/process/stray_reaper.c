#include "process/stray_reaper.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "process/process_state.h"
#include "util/text.h"

#define ROUNDS   1000 /* of looking: who is killed may have started another one meanwhile */
#define PAUSE_NS 2000000L

/* Calls `each` for every child of this process; the sum of what it returns. */
static size_t for_children(struct sg_strays *strays, size_t (*each)(struct sg_strays *, pid_t))
{
    DIR *all = opendir("/proc");
    size_t count = 0;
    for (const struct dirent *entry; all && (entry = readdir(all));) {
        const pid_t process = (pid_t)strtol(entry->d_name, NULL, 10); /* 0: not that of a process */
        if (process > 0 && sg_process_state_of(process).parent == getpid())
            count += each(strays, process);
    }
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
