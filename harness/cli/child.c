#define _GNU_SOURCE /* pipe2 */
#include "cli/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "util/paths.h"

static volatile sig_atomic_t stopped_by;      /* signal number; 0: none */
static volatile sig_atomic_t group_under_way; /* process group of the running program; 0: none */

static void on_stop(int number)
{
    stopped_by = number;
    if (group_under_way > 0)
        kill(-(pid_t)group_under_way, number);
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

int sg_child_run(const struct sg_names *argv, struct sg_text *output)
{
    const struct sg_process_start as_it_is = {.descriptors = {[3] = SG_FROM_CALLER}};
    return sg_child_run_with(argv, &as_it_is, output);
}

int sg_child_run_with(const struct sg_names *argv, const struct sg_process_start *with,
                      struct sg_text *output)
{
    static const int stopping[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction before[sizeof(stopping) / sizeof(stopping[0])],
        stop = {.sa_handler = on_stop, .sa_flags = SA_RESTART};
    sigset_t stops, mask;
    int ends[2] = {-1, STDERR_FILENO};
    if (output && pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    stopped_by = 0;
    sigemptyset(&stops);
    for (size_t i = 0; i < sizeof(stopping) / sizeof(stopping[0]); i++) {
        sigaction(stopping[i], &stop, &before[i]);
        sigaddset(&stops, stopping[i]);
        /* Signals ignored at our start, as by nohup, stay ignored. */
        if (before[i].sa_handler == SIG_IGN)
            sigaction(stopping[i], &before[i], NULL);
    }
    /* A run blocks them until it measures. */
    sigprocmask(SIG_UNBLOCK, &stops, &mask);
    pid_t child = 0;
    /* A process group, so that a signal sent only to solgate can be forwarded to every process of
     * the program. */
    const struct sg_process_start start = {
        .argv = argv->items,
        .folder = with->folder,
        .changes = with->changes,
        .change_count = with->change_count,
        .descriptors = {SG_FROM_NOTHING, ends[1], SG_FROM_CALLER, with->descriptors[3]},
        .group = SG_NEW_GROUP};
    sg_process_start(&start, &child, SG_IGNORED);
    group_under_way = child;
    if (stopped_by && child > 0)
        kill(-child, stopped_by);
    if (output) {
        close(ends[1]);
        read_all(ends[0], output);
        close(ends[0]);
    }
    const int ended = child > 0 ? sg_process_wait(child) : -1, status = ended < 0 ? -1 : ended;
    group_under_way = 0;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    for (size_t i = 0; i < sizeof(stopping) / sizeof(stopping[0]); i++)
        sigaction(stopping[i], &before[i], NULL);
    return stopped_by ? SG_EXIT_INTERRUPTED : status;
}

enum sg_code sg_commits_begin(const struct sg_commit_builder *builder, const char *verb,
                              struct sg_names *argv, struct sg_err *err)
{
    SG_SCOPED(sg_text) script = {0};
    sg_path_in_home(&script, "scripts/commits/commits.sh", err);
    const char *const words[] = {"sh",
                                 sg_text_string(&script),
                                 verb,
                                 builder->repository,
                                 builder->folder,
                                 builder->family,
                                 builder->build ? builder->build : "",
                                 builder->module ? builder->module : ""};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        sg_names_add(argv, words[i]);
    return err->code;
}
