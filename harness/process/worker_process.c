#include "process/worker_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "results/message.h"

extern char **environ;

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

static enum sg_code open_turn(int *ours, int *its, struct sg_err *err)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return sg_fail(err, SG_SYSTEM, NULL, "cannot open a socket: %s", strerror(errno));
    *ours = ends[0];
    *its = ends[1];
    return SG_SUCCESS;
}

/* Descriptors that the worker gets; turn -1: /dev/null. */
struct ends {
    int output, messages, turn;
};

static int spawn(const char *const *argv, const struct ends *ends, struct sg_worker_process *process)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    static const int reset[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ, SIGCHLD};
    for (size_t i = 0; i < sizeof(reset) / sizeof(reset[0]); i++)
        sigaddset(&defaults, reset[i]);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    if (ends->turn >= 0)
        posix_spawn_file_actions_adddup2(&files, ends->turn, STDIN_FILENO);
    else
        posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, ends->output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, ends->output, STDERR_FILENO);
    // Last, because `output` may itself be descriptor 3.
    posix_spawn_file_actions_adddup2(&files, ends->messages, SG_PROTOCOL_FD);
    posix_spawnattr_setpgroup(&how, process->group);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setsigdefault(&how, &defaults);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    // posix_spawn takes char *const[] for historical reasons and does not write to it.
    int failed = posix_spawn(&process->pid, argv[0], &files, &how, (char *const *)(uintptr_t)argv, environ);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    return failed;
}

static void close_ends(struct sg_worker_process *process)
{
    sg_close_end(&process->output);
    sg_close_end(&process->messages);
    sg_close_end(&process->turn);
    sg_close_end(&process->alive);
}

enum sg_code sg_worker_process_start(const char *const *argv, bool has_turn, const struct sg_lifeline *lifeline,
                                     struct sg_worker_process *process, struct sg_err *err)
{
    struct ends ends = {-1, -1, -1};
    *process = (struct sg_worker_process){.output = -1, .messages = -1, .alive = -1, .turn = -1};
    if (open_pipe(&process->output, &ends.output, err) != SG_SUCCESS || open_pipe(&process->messages, &ends.messages, err) != SG_SUCCESS ||
        (has_turn && open_turn(&process->turn, &ends.turn, err) != SG_SUCCESS) ||
        sg_group_reaper_start(lifeline, &process->group, err) != SG_SUCCESS)
        goto out;
    int failed = spawn(argv, &ends, process);
    if (failed)
        sg_fail(err, SG_SYSTEM, argv[0], "cannot be started: %s", strerror(failed));
    else if ((process->alive = (int)syscall(SYS_pidfd_open, process->pid, 0)) < 0)
        sg_fail(err, SG_SYSTEM, argv[0], "cannot be waited for: %s", strerror(errno));
    if (err->code != SG_SUCCESS)
        sg_group_reaper_end(process->group);
out:
    sg_close_end(&ends.output);
    sg_close_end(&ends.messages);
    sg_close_end(&ends.turn);
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
    sg_close_end(&process->turn);
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
