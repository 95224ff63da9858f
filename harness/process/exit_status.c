#include "process/pool.h"

#include <signal.h>
#include <string.h>

#define LAST_LINE_MAX 160

const char *sg_signal_name(int number)
{
    static const struct {
        int number;
        const char *name;
    } names[] = {
        {SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"}, {SIGKILL, "SIGKILL"}, {SIGBUS, "SIGBUS"},
        {SIGFPE, "SIGFPE"},   {SIGILL, "SIGILL"},   {SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT"},
        {SIGHUP, "SIGHUP"},   {SIGQUIT, "SIGQUIT"}, {SIGTRAP, "SIGTRAP"}, {SIGPIPE, "SIGPIPE"},
        {SIGXCPU, "SIGXCPU"}, {SIGXFSZ, "SIGXFSZ"}, {SIGSYS, "SIGSYS"},   {SIGALRM, "SIGALRM"},
        {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"},
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i].number == number)
            return names[i].name;
    return "a signal without a common name";
}

static void add_last_line(const char *output, struct sg_text *out)
{
    size_t end = strlen(output);
    while (end > 0 && strchr(" \t\n", output[end - 1]))
        end--;
    size_t begin = end;
    while (begin > 0 && output[begin - 1] != '\n')
        begin--;
    if (end == begin)
        return;
    size_t count = end - begin;
    sg_text_add(out, "; last printed: ");
    sg_text_add_bytes(out, output + begin, count > LAST_LINE_MAX ? LAST_LINE_MAX : count);
    if (count > LAST_LINE_MAX)
        sg_text_add(out, "...");
}

void sg_worker_describe_fate(const struct sg_worker_job *job, struct sg_text *out)
{
    const struct sg_worker_end *end = &job->end;
    switch (end->fate) {
    case SG_WORKER_FINISHED:
        sg_text_add(out, "finished");
        break;
    case SG_WORKER_EXITED:
        sg_text_addf(out, "exited with status %d%s", end->exit_status,
                     end->said_bye ? "" : " before finishing");
        break;
    case SG_WORKER_SIGNALLED:
        sg_text_addf(out, "killed by %s", sg_signal_name(end->signal));
        break;
    case SG_WORKER_LATE:
        sg_text_addf(out, "no message for %g s: killed", job->deadline_s);
        break;
    case SG_WORKER_BROKE_PROTOCOL:
        sg_text_addf(out, "broke the protocol (%s): killed", end->violation);
        break;
    case SG_WORKER_STOPPED:
        sg_text_add(out, "stopped together with solgate");
        break;
    }
}

void sg_worker_describe(const struct sg_worker_job *job, struct sg_text *out)
{
    sg_worker_describe_fate(job, out);
    if (job->end.fate != SG_WORKER_FINISHED)
        add_last_line(job->end.output, out);
}
