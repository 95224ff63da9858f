#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "power_curves.h"
#include "util/csv_reader.h"
#include "util/text.h"

#define COUNT(array)  (sizeof(array) / sizeof((array)[0]))
#define NAME_MAX_SIZE 64
#define WINDOW        ((size_t)50) /* launches */
#define LAUNCHES_MAX  1000         /* of a kernel */

/* One series: a pair with its processes, or a kernel with its launches. */
struct series {
    char name[NAME_MAX_SIZE];
    double us[LAUNCHES_MAX], y[SG_SEQUENTIAL_PROCESSES_MAX];
    size_t count;
};
struct all_series {
    struct series *items; /* owned */
    size_t count, capacity;
};

static struct series *series_of(struct all_series *all, const char *name)
{
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->items[i].name, name) == 0)
            return &all->items[i];
    all->items = sg_grow(all->items, &all->capacity, all->count + 1, sizeof(*all->items));
    struct series *series = &all->items[all->count++];
    *series = (struct series){.count = 0};
    snprintf(series->name, sizeof(series->name), "%s", name);
    return series;
}

static enum sg_code number(const struct sg_csv_row *row, size_t column, double *value, struct sg_err *err)
{
    if (sg_parse_double(row->field[column], false, value))
        return SG_SUCCESS;
    return sg_fail_at(err, SG_BAD_INPUT, row->path, row->line, "column %zu: expected a number, found '%s'", column + 1,
                      sg_show(row->field[column], row->length[column]).text);
}

static enum sg_code check_room(const struct sg_csv_row *row, const struct series *series, size_t most, struct sg_err *err)
{
    if (series->count < most)
        return SG_SUCCESS;
    return sg_fail_at(err, SG_BAD_INPUT, row->path, row->line, "%s: expected at most %zu rows of it", series->name, most);
}

static enum sg_code take_process(void *context, const struct sg_csv_row *row, struct sg_err *err)
{
    char name[NAME_MAX_SIZE];
    double percent = 0.0;
    if (row->line == 1)
        return sg_csv_check_header(row, "l2,pair,process,mean_us,y_percent,sd_block_percent", err);
    snprintf(name, sizeof(name), "%s %s", row->field[0], row->field[1]);
    struct series *series = series_of(context, name);
    if (check_room(row, series, SG_SEQUENTIAL_PROCESSES_MAX, err) != SG_SUCCESS ||
        number(row, 3, &series->us[series->count], err) != SG_SUCCESS || number(row, 4, &percent, err) != SG_SUCCESS)
        return err->code;
    series->y[series->count++] = percent / 100.0;
    return SG_SUCCESS;
}

static enum sg_code take_launch(void *context, const struct sg_csv_row *row, struct sg_err *err)
{
    if (row->line == 1)
        return sg_csv_check_header(row, "kernel,launch,us", err);
    struct series *series = series_of(context, row->field[0]);
    if (check_room(row, series, LAUNCHES_MAX, err) != SG_SUCCESS || number(row, 2, &series->us[series->count], err) != SG_SUCCESS)
        return err->code;
    series->count++;
    return SG_SUCCESS;
}

/* ---- pairs ---- */

/* The true change is in the name: ..._AA, ..._1pct, ..._2pct. */
static double true_change(const struct series *series)
{
    return strstr(series->name, "_1pct") ? 0.01 : strstr(series->name, "_2pct") ? 0.02 : 0.0;
}

/* mean_us is over both sides of a pair, so each is half of the difference away. */
static double side_us(const struct series *series, size_t process, bool candidate)
{
    return series->us[process] * exp((candidate ? 0.5 : -0.5) * series->y[process]);
}

/* A threshold on two processes, one with the baseline and another one with the
 * candidate; tests on six and the other six. */
static void tally_absolute(const struct series *series, enum rule rule, struct tally *tally)
{
    const bool is_test = rule == RULE_WELCH || rule == RULE_MANN_WHITNEY;
    const size_t size = is_test && series->count > 3 ? series->count / 2 : 1;
    double baseline[SG_SEQUENTIAL_PROCESSES_MAX], candidate[SG_SEQUENTIAL_PROCESSES_MAX];
    for (size_t i = 0; i + size <= series->count; i += size)
        for (size_t j = 0; j + size <= series->count; j += size) {
            for (size_t k = 0; k < size; k++) {
                baseline[k] = side_us(series, i + k, false);
                candidate[k] = side_us(series, j + k, true);
            }
            const struct two_samples samples = {.baseline = baseline, .candidate = candidate, .n_baseline = size, .n_candidate = size};
            if (i != j)
                tally_add(tally, rule_says(rule, &samples));
        }
}

static void print_pairs(const struct all_series *all, double change)
{
    static const enum rule rules[] = {RULE_MEDIAN_2, RULE_MEDIAN_5, RULE_WELCH, RULE_MANN_WHITNEY};
    for (size_t r = 0; r < COUNT(rules); r++) {
        struct tally tally = {.source = "h200_pairs", .samples = "one_after_the_other", .rule = rule_word(rules[r]), .change = change};
        for (size_t i = 0; i < all->count; i++)
            if (true_change(&all->items[i]) == change)
                tally_absolute(&all->items[i], rules[r], &tally);
        tally_print(&tally);
    }
    for (size_t s = 0; s < SOLGATE_RULES; s++) {
        const struct solgate_rule *solgate = &solgate_rules[s];
        struct tally tally = {.source = "h200_pairs", .samples = "in_turns", .rule = solgate->name, .change = change};
        size_t used = 0;
        for (size_t i = 0; i < all->count; i++)
            if (true_change(&all->items[i]) == change)
                tally_add(&tally, solgate_says(all->items[i].y, all->items[i].count, solgate->tolerance, &used));
        tally_print(&tally);
    }
}

/* ---- launches ---- */

/* 50 launches against the next 50, the same kernel; made slower by
 * `change` where the truth shall not be 0. */
static void tally_windows(const struct series *series, enum rule rule, struct tally *tally)
{
    double candidate[WINDOW];
    for (size_t from = 0; from + 2 * WINDOW <= series->count; from += WINDOW) {
        for (size_t k = 0; k < WINDOW; k++)
            candidate[k] = series->us[from + WINDOW + k] * (1.0 + tally->change);
        const struct two_samples samples = {
            .baseline = series->us + from, .candidate = candidate, .n_baseline = WINDOW, .n_candidate = WINDOW};
        tally_add(tally, rule_says(rule, &samples));
    }
}

static void print_launches(const struct all_series *all, double change)
{
    for (enum rule rule = 0; rule < RULE_COUNT; rule++) {
        struct tally tally = {.source = "h200_launches", .samples = "one_after_the_other", .rule = rule_word(rule), .change = change};
        for (size_t i = 0; i < all->count; i++)
            tally_windows(&all->items[i], rule, &tally);
        tally_print(&tally);
    }
}

enum sg_code measured_print(const char *paired_path, const char *launches_path, struct sg_err *err)
{
    static const double changes[] = {0.0, 0.01, 0.02};
    struct all_series pairs = {0}, launches = {0};
    if (sg_csv_read(paired_path, take_process, &pairs, err) != SG_SUCCESS ||
        sg_csv_read(launches_path, take_launch, &launches, err) != SG_SUCCESS)
        goto out;
    fputs(TALLY_HEADER, stdout);
    for (size_t c = 0; c < COUNT(changes); c++) {
        print_pairs(&pairs, changes[c]);
        print_launches(&launches, changes[c]);
    }
out:
    free(pairs.items);
    free(launches.items);
    return err->code;
}
