#include "results/accepted_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/row_kind.h"
#include "results/run_writer.h"
#include "util/csv_fields.h"

#define NOISY_DIGITS  6
#define SPREAD_DIGITS 3

/* Which line a row is written to. */
enum line { LIST_FACTS, LIST_LAUNCH, LIST_EXACT, LIST_NOISY, LISTS, OWN = LISTS, NONE };

/* No name of a metric has a bracket. */
static const char *const list_names[LISTS] = {
    [LIST_FACTS] = "[facts]",   /* what a variant declares before it runs */
    [LIST_LAUNCH] = "[launch]", /* of the launch and of its machine code */
    [LIST_EXACT] = "[exact]",
    [LIST_NOISY] = "[noisy]",
};

/* ---- writing ---- */

static void add_optional(struct sg_text *out, double value)
{
    if (!isnan(value))
        sg_text_add_number(out, value, 9);
    sg_text_add(out, ",");
}

static void format_row(struct sg_text *out, const struct sg_accepted_file *numbers, size_t index)
{
    const struct sg_accepted *a = &numbers->accepted[index];
    sg_row_format(out, &numbers->table, &numbers->table.rows[index]);
    sg_text_add(out, ",");
    add_optional(out, a->tolerance);
    sg_text_add(out, a->gate ? "yes," : "no,");
    add_optional(out, a->beta);
    add_optional(out, a->f0);
    add_optional(out, a->sd_process);
    add_optional(out, a->sd_day);
    sg_csv_add_field(out, sg_table_string(&numbers->table, a->expect));
    sg_text_add(out, ",");
    sg_csv_add_field(out, sg_table_string(&numbers->table, a->reason));
    sg_row_format_errors(out, &numbers->table, &numbers->table.rows[index]);
}

/* Has it more to it than a value with its spread? */
static bool is_special(const struct sg_accepted_file *numbers, size_t index)
{
    const struct sg_accepted *a = &numbers->accepted[index];
    const unsigned has = numbers->table.rows[index].has, range = SG_HAS_LOW | SG_HAS_HIGH;
    return a->gate || !isnan(a->tolerance) || !isnan(a->beta) || !isnan(a->f0) || !isnan(a->sd_process) ||
           *sg_table_string(&numbers->table, a->expect) || *sg_table_string(&numbers->table, a->reason) ||
           (has & (SG_HAS_SE | SG_HAS_SD)) || ((has & range) && (has & (range | SG_HAS_VALUE)) != (range | SG_HAS_VALUE));
}

static bool is_noisy(const struct sg_metric *metric)
{
    return metric && metric->klass == SG_NOISY;
}

static const struct sg_metric *metric_of(const struct sg_accepted_file *numbers, size_t index, const struct sg_catalogue *catalogue)
{
    return sg_catalogue_find(catalogue, sg_table_string(&numbers->table, numbers->table.rows[index].metric));
}

static enum line line_of(const struct sg_accepted_file *numbers, size_t index, const struct sg_catalogue *catalogue)
{
    const struct sg_row *row = &numbers->table.rows[index];
    const struct sg_row_use use = sg_row_use_of(sg_table_string(&numbers->table, row->metric));
    const struct sg_metric *metric = metric_of(numbers, index, catalogue);
    if (!use.is_accepted)
        return NONE;
    const bool is_listed = use.kind == SG_ROW_COUNTER || (use.is_term && (row->has & SG_HAS_VALUE));
    if (!is_listed || is_special(numbers, index))
        return OWN;
    if (sg_is_reported(row))
        return LIST_FACTS;
    if (is_noisy(metric))
        return LIST_NOISY;
    return metric && metric->source == &sg_source_launch ? LIST_LAUNCH : LIST_EXACT;
}

/* name[unit]=value~spread(low..high) */
static void add_counter(struct sg_text *out, const struct sg_accepted_file *numbers, size_t index, bool noisy)
{
    const struct sg_row *row = &numbers->table.rows[index];
    const double between = numbers->accepted[index].sd_day;
    const int digits = noisy ? NOISY_DIGITS : 9;
    sg_text_addf(out, "%s%s[%s]", *sg_text_string(out) ? " " : "", sg_table_string(&numbers->table, row->metric),
                 sg_table_string(&numbers->table, row->unit));
    if (!(row->has & SG_HAS_VALUE))
        return;
    sg_text_add(out, "=");
    sg_text_add_number(out, isinf(row->value) ? NAN : row->value, digits);
    if (noisy && !isnan(between)) { /* that of an exact counter means nothing */
        sg_text_add(out, "~");
        sg_text_add_number(out, between, SPREAD_DIGITS);
    }
    if (row->has & SG_HAS_LOW) {
        sg_text_add(out, "(");
        sg_text_add_number(out, row->low, digits);
        sg_text_add(out, "..");
        sg_text_add_number(out, row->high, digits);
        sg_text_add(out, ")");
    }
}

/* What stands once in the line of a list. The message of a number is
 * that of the run it was measured in. */
static bool may_share_line(const struct sg_row *a, const struct sg_row *b)
{
    return a->status == b->status && a->n == b->n && (a->status == SG_OK || a->message == b->message);
}

/* Of rows[from .. to - 1], of one item, those of the list that may share a line with
 * rows[from]; they have a line then. */
static void format_list(struct sg_text *out, const struct sg_accepted_file *numbers, const struct sg_catalogue *catalogue, enum line *line,
                        size_t from, size_t to)
{
    const struct sg_table *table = &numbers->table;
    const struct sg_row *first = &table->rows[from];
    const enum line list = line[from];
    struct sg_text counters = {0};
    for (size_t i = from; i < to; i++) {
        if (line[i] != list || !may_share_line(first, &table->rows[i]))
            continue;
        add_counter(&counters, numbers, i, is_noisy(metric_of(numbers, i, catalogue)));
        line[i] = NONE;
    }
    sg_text_addf(out, "%s,%s,%s,%s,,%s,,,", sg_table_string(table, first->family), sg_table_string(table, first->case_),
                 sg_table_string(table, first->variant), list_names[list], sg_text_string(&counters));
    if (first->has & SG_HAS_N)
        sg_text_addf(out, "%u", first->n);
    sg_text_addf(out, ",%s,", sg_status_word((enum sg_status)first->status));
    sg_csv_add_field(out, first->status == SG_OK ? "" : sg_table_string(table, first->message));
    sg_text_add(out, ",,no,,,,,,,,\n");
    sg_text_release(&counters);
}

void sg_accepted_lines_format(struct sg_text *out, const struct sg_accepted_file *numbers, const struct sg_catalogue *catalogue)
{
    const struct sg_table *table = &numbers->table;
    enum line *line = sg_alloc(table->count, sizeof(*line));
    sg_text_add(out, SG_BASELINE_HEADER "\n");
    for (size_t from = 0, to; from < table->count; from = to) {
        for (to = from; to < table->count && sg_row_same_item(&table->rows[from], &table->rows[to]); to++) {
            line[to] = line_of(numbers, to, catalogue);
            if (line[to] == OWN)
                format_row(out, numbers, to);
        }
        for (enum line list = 0; list < LISTS; list++)
            for (size_t i = from; i < to; i++)
                if (line[i] == list)
                    format_list(out, numbers, catalogue, line, i, to);
    }
    free(line);
}

/* ---- reading ---- */

bool sg_is_counter_list(const char *metric)
{
    for (size_t i = 0; i < LISTS; i++)
        if (strcmp(metric, list_names[i]) == 0)
            return true;
    return false;
}

bool sg_counter_list_has(const char *list, const char *metric)
{
    const size_t length = strlen(metric);
    for (const char *at = list; *at; at += strspn(at, " ")) {
        if (strncmp(at, metric, length) == 0 && at[length] == '[')
            return true;
        at += strcspn(at, " ");
    }
    return false;
}

struct counter {
    const char *name, *unit, *value, *spread, *low, *high; /* "": not there */
};

/* "low..high)" */
static bool split_range(char *text, struct counter *counter)
{
    const size_t length = strlen(text);
    char *dots = strstr(text, "..");
    if (!dots || dots == text || text[length - 1] != ')' || dots[2] == ')')
        return false;
    text[length - 1] = '\0';
    *dots = '\0';
    counter->low = text;
    counter->high = dots + 2;
    return true;
}

/* Cuts the word into its parts; false: it has not this form. */
static bool split_counter(char *word, struct counter *counter)
{
    *counter = (struct counter){word, "", "", "", "", ""};
    char *unit = strchr(word, '['), *end = unit ? strchr(unit, ']') : NULL;
    if (!end || (end[1] != '\0' && end[1] != '='))
        return false;
    const bool has_value = end[1] == '=';
    *unit = *end = '\0';
    counter->unit = unit + 1;
    if (!has_value)
        return true;
    counter->value = end + 2;
    char *range = strchr(end + 2, '('), *spread = strchr(end + 2, '~');
    if (range) {
        *range = '\0';
        if (!split_range(range + 1, counter))
            return false;
    }
    if (spread) {
        *spread = '\0';
        counter->spread = spread + 1;
    }
    return *counter->value && (!spread || (*counter->spread && (!range || spread < range)));
}

/* What a counter of a list cannot have; else it would have a line of its own. */
static enum sg_code check_line(const struct sg_csv_row *line, struct sg_err *err)
{
    static const struct {
        int column;
        const char *name;
    } empty[] = {
        {4, "unit"},
        {6, "low"},
        {7, "high"},
        {SG_ACCEPTED_TOLERANCE, "tolerance"},
        {SG_ACCEPTED_BETA, "beta"},
        {SG_ACCEPTED_F0, "f0"},
        {SG_ACCEPTED_SD_PROCESS, "sd_process"},
        {SG_ACCEPTED_SD_DAY, "sd_day"},
        {SG_ACCEPTED_EXPECT, "expect"},
        {SG_ACCEPTED_REASON, "reason"},
        {SG_ACCEPTED_SE, "se"},
        {SG_ACCEPTED_SD, "sd"},
    };
    for (size_t i = 0; i < sizeof(empty) / sizeof(empty[0]); i++)
        if ((size_t)empty[i].column < line->count && *line->field[empty[i].column])
            return sg_field_fail(empty[i].name, "nothing in the line of a list: a counter that has one needs a line of its own",
                                 line->field[empty[i].column], err);
    if (strcmp(line->field[SG_ACCEPTED_GATE], "no") != 0)
        return sg_field_fail("gate", "no in the line of a list: a counter that gates needs a line of its own",
                             line->field[SG_ACCEPTED_GATE], err);
    return SG_SUCCESS;
}

static enum sg_code expand_list(const struct sg_csv_row *line, sg_accepted_row_fn *fn, void *context, struct sg_err *err)
{
    enum { UNIT = SG_ACCEPTED_METRIC + 1, VALUE, LOW, HIGH };
    const char *field[SG_ACCEPTED_FIELDS] = {0};
    struct counter counter;
    if (check_line(line, err) != SG_SUCCESS)
        return err->code;
    memcpy(field, line->field, line->count * sizeof(*field));
    char *list = sg_copy_string(line->field[VALUE]), *rest = list;
    for (char *word; err->code == SG_SUCCESS && (word = strsep(&rest, " "));) {
        if (!split_counter(word, &counter)) {
            const char *whole = line->field[VALUE] + (word - list);
            const struct sg_shown shown = sg_show(whole, strcspn(whole, " "));
            sg_field_fail("value", "counters such as name[unit]=value~spread(low..high), with a blank between them", shown.text, err);
            break;
        }
        field[SG_ACCEPTED_METRIC] = counter.name;
        field[UNIT] = counter.unit;
        field[VALUE] = counter.value;
        field[LOW] = counter.low;
        field[HIGH] = counter.high;
        field[SG_ACCEPTED_SD_DAY] = counter.spread;
        fn(context, field, err);
    }
    free(list);
    return err->code;
}

enum sg_code sg_accepted_lines_expand(const struct sg_csv_row *line, sg_accepted_row_fn *fn, void *context, struct sg_err *err)
{
    if (sg_is_counter_list(line->field[SG_ACCEPTED_METRIC]))
        return expand_list(line, fn, context, err);
    return fn(context, line->field, err);
}
