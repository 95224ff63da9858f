#include "process/worker_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/start_process.h"

/* Both ends are close-on-exec. */
static enum sg_code open_pipe(int *reading, int *writing, struct sg_err *err)
{
    int ends[2];
    if (pipe(ends) != 0)
        return sg_fail(err, SG_SYSTEM, NULL, "cannot open a pipe: %s", strerror(errno));
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    *reading = ends[0];
    *writing = ends[1];
    return SG_SUCCESS;
}

enum sg_code sg_lifeline_open(struct sg_lifeline *lifeline, struct sg_err *err)
{
    // A worker that inherited the writing end would keep the pipe open, and its guard would not
    // notice.
    return open_pipe(&lifeline->reading, &lifeline->writing, err);
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

/* *group: pid of the guard and number of its group. SG_SYSTEM if no process can be started. */
static enum sg_code start_guard(const struct sg_lifeline *lifeline, pid_t *group,
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

/* Also reaps the guard. */
static void end_group(pid_t group)
{
    kill(-group, SIGKILL);
    while (waitpid(group, NULL, 0) < 0 && errno == EINTR)
        continue;
}

void sg_close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static enum sg_code open_begin(int *ours, int *its, struct sg_err *err)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return sg_fail(err, SG_SYSTEM, NULL, "cannot open a socket: %s", strerror(errno));
    *ours = ends[0];
    *its = ends[1];
    return SG_SUCCESS;
}

/* Descriptors that the worker gets. */
struct ends {
    int output, messages, begin;
};

static void close_ends(struct sg_worker_process *process)
{
    sg_close_end(&process->output);
    sg_close_end(&process->messages);
    sg_close_end(&process->begin);
    sg_close_end(&process->alive);
}

enum sg_code sg_worker_process_start(const char *const *argv, bool is_standby,
                                     const struct sg_lifeline *lifeline,
                                     struct sg_worker_process *process, struct sg_err *err)
{
    struct ends ends = {SG_FROM_NOTHING, SG_FROM_NOTHING, SG_FROM_NOTHING};
    *process = (struct sg_worker_process){.output = -1, .messages = -1, .alive = -1, .begin = -1};
    if (open_pipe(&process->output, &ends.output, err) != SG_SUCCESS ||
        open_pipe(&process->messages, &ends.messages, err) != SG_SUCCESS ||
        (is_standby && open_begin(&process->begin, &ends.begin, err) != SG_SUCCESS) ||
        start_guard(lifeline, &process->group, err) != SG_SUCCESS)
        goto out;
    fcntl(process->output, F_SETFL, O_NONBLOCK);
    fcntl(process->messages, F_SETFL, O_NONBLOCK);
    const struct sg_process_start start = {
        .argv =
            (char *const *)(uintptr_t)argv, /* exec takes char *const[] and does not write to it */
        .descriptors = {ends.begin, ends.output, ends.output, ends.messages},
        .group = process->group,
    };
    if (sg_process_start(&start, &process->pid, err) == SG_SUCCESS &&
        (process->alive = (int)syscall(SYS_pidfd_open, process->pid, 0)) < 0)
        sg_fail(err, SG_SYSTEM, argv[0], "cannot be waited for: %s", strerror(errno));
    if (err->code != SG_SUCCESS)
        end_group(process->group);
out:
    sg_close_end(&ends.output);
    sg_close_end(&ends.messages);
    sg_close_end(&ends.begin);
    if (err->code != SG_SUCCESS)
        close_ends(process);
    return err->code;
}

int sg_worker_process_reap(struct sg_worker_process *process)
{
    int how = 0;
    while (waitpid(process->pid, &how, 0) < 0 && errno == EINTR)
        continue;
    end_group(process->group);
    sg_close_end(&process->alive);
    sg_close_end(&process->begin);
    return how;
}

int sg_worker_process_kill(struct sg_worker_process *process)
{
    kill(-process->group, SIGKILL);
    kill(process->pid, SIGKILL);
    const int how = sg_worker_process_reap(process);
    close_ends(process);
    return how;
}
