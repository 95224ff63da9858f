#define _GNU_SOURCE /* pipe2, environ */
#include "cli/script.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t stopped_by;      /* a signal; 0: none */
static volatile sig_atomic_t group_under_way; /* of the script; 0: none */

static void on_stop(int number)
{
    stopped_by = number;
    if (group_under_way > 0)
        kill(-(pid_t)group_under_way, number);
}

/* In a group of its own, so that a signal reaches the programs that it
 * runs, whoever of us was sent it. */
static pid_t start(const char *script, int output, const sigset_t *mask)
{
    const char *const argv[] = {"sh", "-c", script, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t child = 0;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return 0;
    if (posix_spawnattr_init(&attributes) == 0) {
        if (posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK) != 0 ||
            posix_spawnattr_setsigmask(&attributes, mask) != 0 ||
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) != 0 ||
            posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) != 0 ||
            posix_spawn(&child, "/bin/sh", &actions, &attributes, (char *const *)argv, environ) != 0)
            child = 0;
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return child;
}

static void read_all(int descriptor, struct sg_text *output)
{
    char chunk[4096];
    for (ssize_t got; (got = read(descriptor, chunk, sizeof(chunk))) != 0;)
        if (got > 0)
            sg_text_add_bytes(output, chunk, (size_t)got);
        else if (errno != EINTR)
            break;
}

static int wait_for(pid_t child)
{
    int status = -1;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int sg_script_run(const char *script, struct sg_text *output)
{
    static const int stopping[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction before[sizeof(stopping) / sizeof(stopping[0])], stop = {.sa_handler = on_stop};
    sigset_t blocked, mask;
    int ends[2] = {-1, STDERR_FILENO};
    if (output && pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    sigemptyset(&blocked);
    for (size_t i = 0; i < sizeof(stopping) / sizeof(stopping[0]); i++)
        sigaddset(&blocked, stopping[i]);
    sigprocmask(SIG_BLOCK, &blocked, &mask);
    stopped_by = 0;
    for (size_t i = 0; i < sizeof(stopping) / sizeof(stopping[0]); i++) {
        sigaction(stopping[i], NULL, &before[i]);
        /* What whoever started us ignores, as nohup does, stays ignored. */
        if (before[i].sa_handler != SIG_IGN)
            sigaction(stopping[i], &stop, NULL);
    }
    const pid_t child = start(script, ends[1], &mask);
    group_under_way = child;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    if (output) {
        close(ends[1]);
        read_all(ends[0], output);
        close(ends[0]);
    }
    const int status = wait_for(child);
    group_under_way = 0;
    for (size_t i = 0; i < sizeof(stopping) / sizeof(stopping[0]); i++)
        sigaction(stopping[i], &before[i], NULL);
    return stopped_by ? SG_EXIT_INTERRUPTED : status;
}

/*
 * Hooks are the repository's, for the work of people. A git that runs us must not
 * choose the repository, and a clone that somebody removed must not be looked for in a
 * folder above, which may be theirs.
 */
void sg_script_add_git(struct sg_text *script, const char *repository, const char *folder)
{
    sg_text_add(script, "unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE\nfolder=");
    sg_text_add_word(script, folder);
    sg_text_add(script, "\nexport GIT_CEILING_DIRECTORIES=\"$folder\"\nrepository=");
    sg_text_add_word(script, repository);
    sg_text_add(script, "\ngit_at() { where=$1; shift; git -c core.hooksPath=/dev/null -C \"$where\" \"$@\"; }\n");
}

/* No `git worktree`: a git that is killed while it adds one leaves what every later git
 * in that repository stumbles over. */
void sg_script_add_clone(struct sg_text *script)
{
    sg_text_add(script, "common=$(cd \"$repository\" && cd \"$(git rev-parse --git-common-dir)\" && pwd) &&\n"
                        "  git clone --quiet --shared --no-checkout \"$common\" \"$folder/source\"\n");
}

/* "sm_90a compute_90" as CMake has it: 90a-real;90-virtual. */
static void add_architectures(struct sg_text *script, const char *images)
{
    char *words = sg_copy_string(images), *rest = words;
    const char *before = " -DCMAKE_CUDA_ARCHITECTURES='";
    for (const char *word; (word = strsep(&rest, " ")) != NULL; before = ";") {
        const char *number = strchr(word, '_');
        if (number && number[1 + strspn(number + 1, "0123456789af")] == '\0')
            sg_text_addf(script, "%s%s-%s", before, number + 1, word[0] == 's' ? "real" : "virtual");
    }
    sg_text_add(script, *before == ';' ? "'" : "");
    free(words);
}

void sg_script_add_build(struct sg_text *script, const char *family, const char *images)
{
    sg_text_addf(script,
                 "rm -rf ../build\n"
                 "cuda=OFF\n"
                 "! ls kernels/%s | grep -q '\\.cu$' || cuda=ON\n"
                 "cmake -S . -B ../build -G Ninja -DSOLGATE_TESTS=OFF -DSOLGATE_CUDA=\"$cuda\"",
                 family);
    if (images)
        add_architectures(script, images);
    sg_text_addf(script, " &&\n  ninja -C ../build sg_%s\n", family);
}

void sg_script_add_module(struct sg_text *path, const char *family)
{
    sg_text_addf(path, "../build/bin/libsg_%s.so", family);
}
