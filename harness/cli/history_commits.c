#define _GNU_SOURCE /* pipe2, environ */
#include "cli/history_commits.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/escape.h"
#include "util/paths.h"

#define INDENT "               "

bool sg_is_commit(const char *word)
{
    return *word && word[strspn(word, "0123456789abcdef")] == '\0';
}

static int start_git(const char *program, const char *repository, const char *range, int output, pid_t *child)
{
    char most[16];
    snprintf(most, sizeof(most), "-n%d", SG_COMMITS_MAX);
    const char *const argv[] = {"git", "-C", repository, "log", "--format=%h %s", most, range, "--", NULL};
    posix_spawn_file_actions_t actions;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed)
        return failed;
    failed = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!failed)
        failed = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (!failed)
        failed = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    if (!failed)
        failed = posix_spawn(child, program, &actions, NULL, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* What git prints, to its end; false: it did not end with 0. */
static bool read_log(const char *repository, const char *range, struct sg_text *log)
{
    struct sg_text program = {0};
    int pipe_ends[2], status = -1;
    pid_t child = 0;
    char chunk[4096];
    bool is_read = false;
    if (!sg_program_path(&program, "git") || pipe2(pipe_ends, O_CLOEXEC) != 0)
        goto out;
    const int failed = start_git(program.data, repository, range, pipe_ends[1], &child);
    close(pipe_ends[1]);
    for (ssize_t got; !failed && (got = read(pipe_ends[0], chunk, sizeof(chunk))) != 0;)
        if (got > 0)
            sg_text_add_bytes(log, chunk, (size_t)got);
        else if (errno != EINTR)
            break;
    close(pipe_ends[0]);
    while (!failed && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    is_read = !failed && WIFEXITED(status) && WEXITSTATUS(status) == 0;
out:
    sg_text_release(&program);
    return is_read;
}

void sg_add_commits(struct sg_text *out, const char *repository, const struct sg_history *history, const struct sg_series_step *step)
{
    const char *before = step->earliest > 0 ? sg_env_get(&history->nights[step->earliest - 1].facts, SG_NIGHT_COMMIT) : NULL;
    const char *after = sg_env_get(&history->nights[step->latest].facts, SG_NIGHT_COMMIT);
    if (!before || !after || !sg_is_commit(before) || !sg_is_commit(after) || strcmp(before, after) == 0)
        return;
    struct sg_text range = {0}, log = {0};
    sg_text_addf(&range, "%s..%s", before, after);
    if (!read_log(repository, range.data, &log))
        sg_text_addf(out, INDENT "git lists no commits %s in %s\n", range.data, sg_show(repository, strlen(repository)).text);
    char *rest = log.data;
    for (const char *line; rest && (line = strsep(&rest, "\n")) != NULL;) {
        if (!*line)
            continue;
        sg_text_add(out, INDENT);
        sg_add_terminal(out, line);
        sg_text_add(out, "\n");
    }
    sg_text_release(&range);
    sg_text_release(&log);
}
