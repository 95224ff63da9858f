#include "results/process_log.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "results/throttle_reasons.h"
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

static struct sg_process *process_of(const void *events)
{
    return (struct sg_process *)((uintptr_t)events - offsetof(struct sg_process, events));
}

static enum sg_code take_events(const struct sg_field *field, void *place,
                                const struct sg_ini_entry *entry, struct sg_err *err)
{
    struct sg_process *process = process_of(place);
    uint64_t events = 0;
    (void)field;
    if (!*entry->value)
        return SG_SUCCESS;
    if (!sg_throttle_reasons_parse(entry->value, &events))
        return sg_refuse_value(entry, "words of events joined by +, or none", err);
    process->events |= events;
    process->events_known = true;
    return SG_SUCCESS;
}

static void add_events(struct sg_text *out, const void *place)
{
    if (process_of(place)->events_known)
        sg_throttle_reasons_words(process_of(place)->events, out);
}

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
    FIELD(COUNT, "events", events, .take = take_events, .add = add_events),
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
    return take_events(NULL, &process->events, &entry, &bad) == SG_SUCCESS
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
