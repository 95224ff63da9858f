#include "process/worker_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/start_process.h"

void sg_close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Non-blocking reading end for us, blocking writing end for the worker, both close-on-exec. */
static enum sg_code open_pipe(int *reading, int *writing, struct sg_err *err)
{
    int ends[2];
    if (pipe(ends) != 0)
        return sg_fail(err, SG_SYSTEM, NULL, "cannot open a pipe: %s", strerror(errno));
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    *reading = ends[0];
    *writing = ends[1];
    return SG_SUCCESS;
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
        sg_group_reaper_start(lifeline, &process->group, err) != SG_SUCCESS)
        goto out;
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
        sg_group_reaper_end(process->group);
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
    sg_group_reaper_end(process->group);
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
