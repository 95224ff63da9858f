#include "process/group_reaper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum sg_code sg_lifeline_open(struct sg_lifeline *lifeline, struct sg_err *err)
{
    int ends[2];
    if (pipe(ends) != 0)
        return sg_fail(err, SG_SYSTEM, NULL, "cannot open a pipe: %s", strerror(errno));
    *lifeline = (struct sg_lifeline){.reading = ends[0], .writing = ends[1]};
    // A worker that inherited the writing end would keep the pipe open, and its guard would not
    // notice.
    fcntl(lifeline->reading, F_SETFD, FD_CLOEXEC);
    fcntl(lifeline->writing, F_SETFD, FD_CLOEXEC);
    return SG_SUCCESS;
}

void sg_lifeline_close(struct sg_lifeline *lifeline)
{
    close(lifeline->reading);
    close(lifeline->writing);
}

/* Makes only async-signal-safe calls, because this child of a fork never execs. */
static _Noreturn void stand_guard(const struct sg_lifeline *lifeline)
{
    enum { OWN = 3 };
    setpgid(0, 0);
    /* The fork copied all descriptors, including the lifeline's writing end and those of other
     * pools. */
    dup2(lifeline->reading, OWN);
    if (syscall(SYS_close_range, OWN + 1, ~0U, 0) != 0)
        close(lifeline->writing);
    struct pollfd pipe_end = {.fd = OWN, .events = POLLIN};
    while (poll(&pipe_end, 1, -1) < 0 && errno == EINTR)
        continue;
    kill(0, SIGKILL);
    _exit(0);
}

enum sg_code sg_group_reaper_start(const struct sg_lifeline *lifeline, pid_t *group,
                                   struct sg_err *err)
{
    // The guard keeps this mask: a signal meant for its group's worker (SIGTERM, a terminal's
    // SIGINT) must not end the guard first.
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    int why = errno;
    if (pid == 0)
        stand_guard(lifeline);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (pid < 0)
        return sg_fail(err, SG_SYSTEM, NULL, "cannot start a process: %s", strerror(why));
    // Both sides call setpgid, because either may run first and the worker needs the group at once.
    setpgid(pid, pid);
    *group = pid;
    return SG_SUCCESS;
}

void sg_group_reaper_end(pid_t group)
{
    kill(-group, SIGKILL);
    while (waitpid(group, NULL, 0) < 0 && errno == EINTR)
        continue;
}
