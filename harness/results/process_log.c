#include "results/process_log.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/throttle_reasons.h"
#include "stats/run_limits.h"
#include "util/csv_fields.h"
#include "util/csv_reader.h"

#define DIGITS     9
#define FIGURE_MAX 1e15

enum { PROCESS, ATTEMPT, BEGAN, ENDED, EVENTS, DROPPED, FIGURES };

static const char *const moments[SG_MOMENTS] = {[SG_AT_START] = "start", [SG_AT_END] = "end"};
static const char *const figures[SG_FIGURE_COUNT] = {
#define X(constant, word) [constant] = word,
    SG_FIGURE_TABLE(X)
#undef X
};

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

bool sg_process_log_ended(const struct sg_process_log *all, unsigned process)
{
    bool ended = false;
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].process == process)
            ended = all->items[i].ended[0] && !all->items[i].dropped[0];
    return ended;
}

void sg_process_log_forget(struct sg_process_log *all, uint64_t gone)
{
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].dropped[0] || !(gone >> all->items[i].process & 1))
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

enum sg_code sg_process_take(struct sg_process *process, const char *moment, const char *figure, const char *number, struct sg_err *err)
{
    const size_t m = find(moments, SG_MOMENTS, moment), f = find(figures, SG_FIGURE_COUNT, figure);
    double value = NAN;
    if (m == SG_MOMENTS)
        return sg_field_fail("moment", "start or end", moment, err);
    if (f == SG_FIGURE_COUNT)
        return sg_field_fail("figure", "one that processes.csv has a column of", figure, err);
    if (sg_field_number(figure, number, false, &value, err) != SG_SUCCESS)
        return err->code;
    const bool is_time = f == SG_FIGURE_CHAIN_NS || f == SG_FIGURE_COPY_NS;
    if (fabs(value) > FIGURE_MAX || (value < 0 && f != SG_FIGURE_TEMPERATURE) || (value <= 0 && is_time))
        return sg_field_fail(figure, is_time ? "a time above 0" : "a number of at least 0 that a GPU can have", number, err);
    process->figure[m][f] = value;
    return SG_SUCCESS;
}

/* ---- processes.csv ---- */

void sg_process_format(struct sg_text *out, const struct sg_process *process)
{
    sg_text_addf(out, "%u,%u,%s,%s,", process->process, process->attempt, process->began, process->ended);
    if (process->events_known)
        sg_throttle_reasons_words(process->events, out);
    sg_text_add(out, ",");
    sg_csv_add_field(out, process->dropped);
    for (size_t m = 0; m < SG_MOMENTS; m++) {
        for (size_t f = 0; f < SG_FIGURE_COUNT; f++) {
            sg_text_add(out, ",");
            if (!isnan(process->figure[m][f]))
                sg_text_add_number(out, process->figure[m][f], DIGITS);
        }
    }
    sg_text_add(out, "\n");
}

static enum sg_code take_word(const char *column, const char *field, char *to, size_t size, struct sg_err *err)
{
    if (strlen(field) >= size)
        return sg_field_fail(column, "fewer bytes", field, err);
    snprintf(to, size, "%s", field);
    return SG_SUCCESS;
}

static enum sg_code parse(const char *const *field, struct sg_process *process, struct sg_err *err)
{
    uint64_t number = 0, attempt = 0;
    if (sg_field_count("process", field[PROCESS], SG_PROCESSES_MAX - 1, &number, err) != SG_SUCCESS ||
        sg_field_count("attempt", field[ATTEMPT], UINT16_MAX, &attempt, err) != SG_SUCCESS)
        return err->code;
    *process = sg_process_new((unsigned)number, (unsigned)attempt);
    process->events_known = *field[EVENTS] != '\0';
    if (process->events_known && !sg_throttle_reasons_parse(field[EVENTS], &process->events))
        return sg_field_fail("events", "words of events joined by +, or none", field[EVENTS], err);
    if (take_word("began", field[BEGAN], process->began, sizeof(process->began), err) != SG_SUCCESS ||
        take_word("ended", field[ENDED], process->ended, sizeof(process->ended), err) != SG_SUCCESS ||
        take_word("dropped", field[DROPPED], process->dropped, sizeof(process->dropped), err) != SG_SUCCESS)
        return err->code;
    for (size_t i = 0; i < (size_t)SG_MOMENTS * SG_FIGURE_COUNT && err->code == SG_SUCCESS; i++) {
        const size_t m = i / SG_FIGURE_COUNT, f = i % SG_FIGURE_COUNT;
        if (*field[FIGURES + i])
            sg_process_take(process, moments[m], figures[f], field[FIGURES + i], err);
    }
    return err->code;
}

static enum sg_code on_row(void *context, const struct sg_csv_row *row, struct sg_err *err)
{
    struct sg_process process;
    if (row->line == 1)
        return sg_csv_check_header(row, SG_PROCESSES_HEADER, err);
    if (parse(row->field, &process, err) == SG_SUCCESS)
        sg_process_log_add(context, &process);
    return sg_fail_here(err, row->path, row->line);
}

enum sg_code sg_process_log_read(const char *path, struct sg_process_log *all, struct sg_err *err)
{
    uint64_t whole_bytes;
    return sg_csv_read_journal(path, on_row, all, &whole_bytes, err);
}
