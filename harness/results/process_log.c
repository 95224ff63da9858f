#include "results/process_log.h"

#include <math.h>
#include <string.h>

#include "stats/run_limits.h"

const char *const sg_moment_words[] = {[SG_AT_START] = "start", [SG_AT_END] = "end", NULL};
const char *const sg_figure_words[] = {SG_FIGURE_TABLE(SG_WORD)[SG_FIGURE_COUNT] = NULL};

struct sg_process sg_process_new(unsigned process, unsigned attempt)
{
    struct sg_process made = {.process = process, .attempt = attempt};
    for (size_t m = 0; m < SG_MOMENTS; m++)
        for (size_t f = 0; f < SG_FIGURE_COUNT; f++)
            made.figure[m][f] = NAN;
    return made;
}

void sg_process_log_add(struct sg_process_log *all, const struct sg_process *process)
{
    *SG_APPEND(all->items, all->count, all->capacity) = *process;
}

unsigned sg_process_log_attempt(const struct sg_process_log *all, unsigned process)
{
    unsigned attempt = 0;
    for (size_t i = 0; i < all->count; i++) {
        const struct sg_process *p = &all->items[i];
        if (p->process == process && p->dropped[0] && p->attempt >= attempt)
            attempt = p->attempt + 1;
    }
    return attempt;
}

bool sg_process_log_is_unseen(const struct sg_process_log *all, unsigned process)
{
    bool unseen = false;
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].process == process)
            unseen = !all->items[i].ended[0] && !all->items[i].dropped[0];
    return unseen;
}

void sg_process_log_forget(struct sg_process_log *all, unsigned process)
{
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].dropped[0] || all->items[i].process != process)
            all->items[kept++] = all->items[i];
    all->count = kept;
}

/* ---- the columns ---- */

#define FIELD(type, title, member, ...) \
    SG_FIELD(type, title, struct sg_process, member, __VA_ARGS__)
#define FIGURE(moment, title, constant, minimum)                                            \
    FIELD(REAL, title, figure[moment][constant], .least = (minimum), .most = SG_FIGURE_MAX, \
          .expected =                                                                       \
              (minimum) > 0 ? "a time above 0" : "a number of at least 0 that a GPU can have")
#define AT_START(constant, word, minimum) FIGURE(SG_AT_START, "start_" word, constant, minimum),
#define AT_END(constant, word, minimum)   FIGURE(SG_AT_END, "end_" word, constant, minimum),

static const struct sg_field columns[] = {
    FIELD(COUNT, "process", process, .most = SG_PROCESSES_MAX - 1),
    FIELD(COUNT, "attempt", attempt, .most = UINT16_MAX),
    FIELD(CHARS, "began", began),
    FIELD(CHARS, "ended", ended),
    FIELD(COUNT, "events", events, .take = sg_events_take, .add = sg_events_add),
    FIELD(CHARS, "dropped", dropped),
    SG_FIGURE_TABLE(AT_START) SG_FIGURE_TABLE(AT_END)};
const struct sg_record sg_process_record = SG_RECORD(columns);

enum sg_code sg_process_take_figure(struct sg_process *process, enum sg_moment moment,
                                    enum sg_figure figure, double value, struct sg_err *err)
{
    const size_t column =
        sg_process_record.count - (size_t)(SG_MOMENTS - moment) * SG_FIGURE_COUNT + figure;
    const struct sg_record one = {.fields = &columns[column], .count = 1};
    struct sg_process read = {.figure = {{0}}};
    read.figure[moment][figure] = value;
    if (sg_record_check(&one, &read, err) == SG_SUCCESS)
        process->figure[moment][figure] = value;
    return err->code;
}

enum sg_code sg_process_take_events(struct sg_process *process, const char *words,
                                    struct sg_err *err)
{
    const struct sg_ini_entry entry = {.key = "events", .value = words};
    struct sg_err bad = {0};
    return sg_events_take(NULL, &process->events, &entry, &bad) == SG_SUCCESS
               ? SG_SUCCESS
               : sg_fail(err, bad.code, NULL, "events: %s", bad.message);
}

void sg_process_log_format(struct sg_text *out, const struct sg_process_log *all)
{
    sg_record_add_header(out, &sg_process_record);
    sg_text_add(out, "\n");
    for (size_t i = 0; i < all->count; i++) {
        sg_record_add(out, &sg_process_record, &all->items[i], NULL);
        sg_text_add(out, "\n");
    }
}
