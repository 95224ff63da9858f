#define _GNU_SOURCE /* pipe2, posix_spawn_file_actions_addchdir_np */
#include "util/start_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/text.h"
#include "util/names.h"

static const struct sg_environment_change *change_of(const struct sg_process_start *start,
                                                     const char *variable)
{
    for (size_t i = 0; i < start->change_count; i++) {
        const size_t length = strlen(start->changes[i].name);
        if (strncmp(variable, start->changes[i].name, length) == 0 && variable[length] == '=')
            return &start->changes[i];
    }
    return NULL;
}

static void changed_environment(const struct sg_process_start *start, struct sg_names *variables)
{
    for (char **variable = environ; *variable; variable++)
        if (!change_of(start, *variable))
            sg_names_add(variables, *variable);
    for (size_t i = 0; i < start->change_count; i++)
        if (start->changes[i].value)
            sg_names_addf(variables, "%s=%s", start->changes[i].name, start->changes[i].value);
}

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
        /* A signal that the caller inherited as ignored stays ignored, as nohup requires.
         * Exceptions: SIGPIPE, which solgate ignores for itself, and SIGCHLD, without which no
         * program can wait for another. */
        const bool is_solgates = number == SIGPIPE || number == SIGCHLD;
        if (sigaction(number, NULL, &now) == 0 && (now.sa_handler != SIG_IGN || is_solgates))
            sigaddset(&handled, number);
    }
    int failed = posix_spawnattr_setsigmask(how, &none);
    if (!failed)
        failed = posix_spawnattr_setsigdefault(how, &handled);
    if (!failed && start->group != SG_CALLERS_GROUP)
        failed = posix_spawnattr_setpgroup(how, start->group);
    const int group = start->group == SG_CALLERS_GROUP ? 0 : POSIX_SPAWN_SETPGROUP;
    return failed ? failed
                  : posix_spawnattr_setflags(
                        how, (short)(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group));
}

/* A file without a #! line is a script for sh. execvp runs it with sh, posix_spawnp does not. */
static int spawn_script(char *const *argv, const posix_spawn_file_actions_t *files,
                        const posix_spawnattr_t *how, char *const *variables, pid_t *process)
{
    SG_SCOPED(sg_names) words = {0};
    sg_names_add(&words, "/bin/sh");
    for (size_t i = 0; argv[i]; i++)
        sg_names_add(&words, argv[i]);
    return posix_spawn(process, words.items[0], files, how, words.items, variables);
}

enum sg_code sg_process_start(const struct sg_process_start *start, pid_t *process,
                              struct sg_err *err)
{
    SG_SCOPED(sg_names) variables = {0};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    if (start->change_count > 0)
        changed_environment(start, &variables);
    char *const *environment = start->change_count > 0 ? variables.items : environ;
    int failed = plan_files(start, &files);
    if (!failed)
        failed = plan_signals(start, &how);
    if (!failed)
        failed = posix_spawnp(process, start->argv[0], &files, &how, start->argv, environment);
    if (failed == ENOEXEC)
        failed = spawn_script(start->argv, &files, &how, environment, process);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    if (failed)
        sg_fail(err, SG_SYSTEM, start->argv[0], "cannot be started: %s", strerror(failed));
    errno = failed;
    return err->code;
}

FILE *sg_process_open(struct sg_process_start start, pid_t *process, struct sg_err *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        sg_fail(err, SG_SYSTEM, start.argv[0], "cannot open a pipe: %s", strerror(errno));
        return NULL;
    }
    start.descriptors[1] = ends[1];
    sg_process_start(&start, process, err);
    close(ends[1]);
    if (err->code == SG_SUCCESS)
        return fdopen(ends[0], "r");
    close(ends[0]);
    return NULL;
}

int sg_process_wait(pid_t process)
{
    int status = 0;
    while (waitpid(process, &status, 0) < 0)
        if (errno != EINTR)
            return 255;
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}
