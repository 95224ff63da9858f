#include "results/process_log.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/message.h"
#include "results/throttle_reasons.h"
#include "stats/run_limits.h"
#include "util/csv_fields.h"

#define FIGURE_MAX 1e15

enum { PROCESS, ATTEMPT, BEGAN, ENDED, EVENTS, DROPPED, FIGURES };

static const char *const moments[SG_MOMENTS] = {[SG_AT_START] = "start", [SG_AT_END] = "end"};
static const char *const figures[SG_FIGURE_COUNT] = {SG_FIGURE_TABLE(SG_WORD)};

const char *sg_moment_word(enum sg_moment moment)
{
    return moments[moment];
}

const char *sg_figure_word(enum sg_figure figure)
{
    return figures[figure];
}

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

void sg_process_log_release(struct sg_process_log *all)
{
    free(all->items);
    *all = (struct sg_process_log){0};
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

static size_t find(const char *const *words, size_t count, const char *word)
{
    size_t i = 0;
    while (i < count && strcmp(words[i], word) != 0)
        i++;
    return i;
}

static enum sg_code set_figure(struct sg_process *process, size_t moment, size_t figure,
                               double value, struct sg_err *err)
{
    const bool is_time = figure == SG_FIGURE_CHAIN_NS || figure == SG_FIGURE_COPY_NS;
    if (!(fabs(value) <= FIGURE_MAX) || (value < 0 && figure != SG_FIGURE_TEMPERATURE) ||
        (value <= 0 && is_time))
        return sg_fail(err, SG_BAD_INPUT, NULL, "%s: expected %s, found %.9g", figures[figure],
                       is_time ? "a time above 0" : "a number of at least 0 that a GPU can have",
                       value);
    process->figure[moment][figure] = value;
    return SG_SUCCESS;
}

enum sg_code sg_process_take_figure(struct sg_process *process, const struct sg_message *message,
                                    struct sg_err *err)
{
    const size_t m = find(moments, SG_MOMENTS, message->field[0]),
                 f = find(figures, SG_FIGURE_COUNT, message->field[1]);
    if (m == SG_MOMENTS)
        return sg_field_fail("moment", "start or end", message->field[0], err);
    if (f == SG_FIGURE_COUNT)
        return sg_field_fail("figure", "one that processes.csv has a column of", message->field[1],
                             err);
    return set_figure(process, m, f, sg_message_number(message, 2), err);
}

static enum sg_code take_events(struct sg_process *process, const char *words, struct sg_err *err)
{
    uint64_t events = 0;
    if (!*words)
        return SG_SUCCESS;
    if (!sg_throttle_reasons_parse(words, &events))
        return sg_field_fail("events", "words of events joined by +, or none", words, err);
    process->events |= events;
    process->events_known = true;
    return SG_SUCCESS;
}

enum sg_code sg_process_take_events(struct sg_process *process, const struct sg_message *message,
                                    struct sg_err *err)
{
    return take_events(process, message->field[1], err);
}

struct sg_message sg_process_message(const struct sg_process *process, struct sg_text *events)
{
    struct sg_message message = {
        .kind = SG_MESSAGE_PROCESS,
        .field = {
            [BEGAN] = process->began, [ENDED] = process->ended, [DROPPED] = process->dropped}};
    if (process->events_known)
        sg_throttle_reasons_words(process->events, events);
    message.field[EVENTS] = sg_text_string(events);
    sg_message_set(&message, PROCESS, process->process);
    sg_message_set(&message, ATTEMPT, process->attempt);
    for (size_t i = 0; i < (size_t)SG_MOMENTS * SG_FIGURE_COUNT; i++)
        if (!isnan(process->figure[i / SG_FIGURE_COUNT][i % SG_FIGURE_COUNT]))
            sg_message_set(&message, FIGURES + i,
                           process->figure[i / SG_FIGURE_COUNT][i % SG_FIGURE_COUNT]);
    return message;
}

enum sg_code sg_take_process(const struct sg_message *message, struct sg_process *process,
                             struct sg_err *err)
{
    uint64_t number = 0, attempt = 0;
    if (sg_message_count(message, PROCESS, SG_PROCESSES_MAX - 1, &number, err) != SG_SUCCESS ||
        sg_message_count(message, ATTEMPT, UINT16_MAX, &attempt, err) != SG_SUCCESS)
        return err->code;
    *process = sg_process_new((unsigned)number, (unsigned)attempt);
    snprintf(process->began, sizeof(process->began), "%s", message->field[BEGAN]);
    snprintf(process->ended, sizeof(process->ended), "%s", message->field[ENDED]);
    snprintf(process->dropped, sizeof(process->dropped), "%s", message->field[DROPPED]);
    take_events(process, message->field[EVENTS], err);
    for (size_t i = 0; i < (size_t)SG_MOMENTS * SG_FIGURE_COUNT && err->code == SG_SUCCESS; i++)
        if (message->has >> (FIGURES + i) & 1)
            set_figure(process, i / SG_FIGURE_COUNT, i % SG_FIGURE_COUNT,
                       message->number[FIGURES + i], err);
    return err->code;
}

void sg_process_format(struct sg_text *out, const struct sg_process *process)
{
    SG_SCOPED(sg_text) events = {0};
    const struct sg_message message = sg_process_message(process, &events);
    sg_message_add_fields(out, &message, 0, (size_t)FIGURES + (size_t)SG_MOMENTS * SG_FIGURE_COUNT);
    sg_text_add(out, "\n");
}
