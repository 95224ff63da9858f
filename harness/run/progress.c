#include "run/progress.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "util/escape.h"

#define CLEAR_LINE "\r\033[K"
#define SAID_MAX   4096 /* bytes of a line */

double sg_progress_left_s(const struct sg_progress *p, double at_s)
{
    const struct sg_progress_mark *from = &p->mark[0];
    if (p->done == 0 || p->done == p->total || p->done * SG_PROGRESS_LEAST < p->total)
        return NAN;
    return (at_s - from->at_s) / (double)(p->done - from->done) * (double)(p->total - p->done);
}

void sg_progress_count(struct sg_progress *p, double at_s)
{
    p->done++;
    if (p->done >= 2 * p->mark[1].done) {
        p->mark[0] = p->mark[1];
        p->mark[1] = (struct sg_progress_mark){p->done, at_s};
    }
}

/* Prints "verify 12/58, about 3 s left". */
static void print_state(const struct sg_progress *p)
{
    const double left_s = sg_progress_left_s(p, sg_monotonic_s());
    fprintf(stderr, "%s %zu/%zu", p->phase, p->done, p->total);
    if (left_s >= 90)
        fprintf(stderr, ", about %.0f min left", left_s / 60);
    else if (!isnan(left_s))
        fprintf(stderr, ", about %.0f s left", left_s);
}

static void draw(struct sg_progress *p)
{
    const double now = sg_monotonic_s();
    if (!p->phase || (!p->terminal && now - p->shown_s < p->log_interval_s))
        return;
    if (p->terminal)
        fputs(CLEAR_LINE, stderr);
    print_state(p);
    if (!p->terminal)
        fputc('\n', stderr);
    p->shown_s = now;
    fflush(stderr);
}

void sg_progress_init(struct sg_progress *progress)
{
    *progress = (struct sg_progress){.terminal = isatty(STDERR_FILENO),
                                     .log_interval_s = SG_PROGRESS_LOG_S};
}

void sg_progress_phase(struct sg_progress *progress, const char *phase, size_t total,
                       const char *what)
{
    progress->phase = phase;
    progress->done = 0;
    progress->total = total;
    progress->shown_s = sg_monotonic_s();
    progress->mark[0] = progress->mark[1] = (struct sg_progress_mark){0, progress->shown_s};
    if (progress->terminal)
        draw(progress);
    else
        fprintf(stderr, "%s\n", what);
}

void sg_progress_expect(struct sg_progress *progress, size_t left)
{
    progress->total = progress->done + left;
    draw(progress);
}

void sg_progress_step(struct sg_progress *progress)
{
    sg_progress_count(progress, sg_monotonic_s());
    draw(progress);
}

void sg_progress_print(struct sg_progress *progress, const char *format, ...)
{
    if (progress->terminal && progress->phase)
        fputs(CLEAR_LINE, stderr);
    char said[SAID_MAX];
    SG_SCOPED(sg_text) line = {0};
    va_list args;
    va_start(args, format);
    vsnprintf(said, sizeof(said), format, args);
    va_end(args);
    sg_add_terminal(&line, said);
    fprintf(stderr, "%s\n", sg_text_string(&line));
    if (progress->terminal)
        draw(progress);
}

void sg_progress_end(struct sg_progress *progress)
{
    if (progress->terminal && progress->phase)
        fputs(CLEAR_LINE, stderr);
    progress->phase = NULL;
}
