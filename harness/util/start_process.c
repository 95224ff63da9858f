#define _GNU_SOURCE /* posix_spawn_file_actions_addchdir_np */
#include "util/start_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int plan_files(const struct sg_process_start *start, posix_spawn_file_actions_t *files)
{
    int failed = start->folder ? posix_spawn_file_actions_addchdir_np(files, start->folder) : 0;
    /* In ascending order: a source may have the number of a later target, such as 3. */
    for (int i = 0; i < SG_PROCESS_DESCRIPTORS && !failed; i++)
        if (start->descriptors[i] >= 0)
            failed = posix_spawn_file_actions_adddup2(files, start->descriptors[i], i);
        else if (start->descriptors[i] == SG_FROM_NOTHING)
            failed = posix_spawn_file_actions_addopen(files, i, "/dev/null", O_RDWR, 0);
    return failed;
}

static int plan_signals(const struct sg_process_start *start, posix_spawnattr_t *how)
{
    sigset_t none, handled;
    sigemptyset(&none);
    sigemptyset(&handled);
    for (int number = 1; number < SIGRTMIN; number++) {
        struct sigaction now;
        /* A signal that the caller inherited as ignored stays ignored, as nohup wants. These three
         * solgate ignores for itself, or a program cannot do with ignored. */
        const bool is_solgates = number == SIGPIPE || number == SIGXFSZ || number == SIGCHLD;
        if (sigaction(number, NULL, &now) == 0 && (now.sa_handler != SIG_IGN || is_solgates))
            sigaddset(&handled, number);
    }
    int failed = posix_spawnattr_setsigmask(how, &none);
    if (!failed)
        failed = posix_spawnattr_setsigdefault(how, &handled);
    if (!failed && start->group != SG_CALLERS_GROUP)
        failed = posix_spawnattr_setpgroup(how, start->group);
    const int group = start->group == SG_CALLERS_GROUP ? 0 : POSIX_SPAWN_SETPGROUP;
    return failed ? failed : posix_spawnattr_setflags(how, (short)(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group));
}

enum sg_code sg_process_start(const struct sg_process_start *start, pid_t *process, struct sg_err *err)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    int failed = plan_files(start, &files);
    if (!failed)
        failed = plan_signals(start, &how);
    if (!failed)
        failed = posix_spawnp(process, start->argv[0], &files, &how, start->argv, environ);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    if (failed)
        sg_fail(err, SG_SYSTEM, start->argv[0], "cannot be started: %s", strerror(failed));
    return err->code;
}

int sg_process_wait(pid_t process)
{
    int status = 0;
    while (waitpid(process, &status, 0) < 0)
        if (errno != EINTR)
            return 255;
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}
