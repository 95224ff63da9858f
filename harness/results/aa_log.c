#include "results/aa_log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/csv_fields.h"
#include "util/csv_reader.h"

enum { DATE, SEED, GPU, GPU_NAME, DRIVER, FAMILY, CASE, VARIANT, TOLERANCE, PROCESSES, CHANGE, LOW, HIGH, VERDICT };

static void add_field(struct sg_text *out, const char *field)
{
    sg_csv_add_field(out, field ? field : "");
    sg_text_add(out, ",");
}

static void add_number(struct sg_text *out, double value)
{
    sg_text_add_number(out, value, 9);
    sg_text_add(out, ",");
}

void sg_aa_log_format(struct sg_text *out, const struct sg_aa_log_run *run, const struct sg_aa_log_pair *pair)
{
    const char *const words[] = {run->date, run->seed, run->gpu, run->gpu_name, run->driver, pair->family, pair->case_, pair->variant};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        add_field(out, words[i]);
    add_number(out, pair->tolerance);
    sg_text_addf(out, "%u,", pair->estimate.n);
    add_number(out, expm1(pair->estimate.mean));
    add_number(out, expm1(pair->estimate.low));
    add_number(out, expm1(pair->estimate.high));
    sg_text_addf(out, "%s\n", sg_verdict_word(pair->verdict));
}

static struct sg_aa_log_sum *sum_of(struct sg_aa_log *tally, const char *gpu, const char *gpu_name)
{
    for (size_t i = 0; i < tally->count; i++)
        if (strcmp(tally->sums[i].gpu, gpu) == 0 && strcmp(tally->sums[i].gpu_name, gpu_name) == 0)
            return &tally->sums[i];
    struct sg_aa_log_sum *sum = SG_APPEND(tally->sums, tally->count, tally->capacity);
    *sum = (struct sg_aa_log_sum){.gpu = sg_copy_string(gpu), .gpu_name = sg_copy_string(gpu_name)};
    return sum;
}

static enum sg_code count_verdict(struct sg_aa_log_sum *sum, const char *word, struct sg_err *err)
{
    const struct {
        enum sg_verdict verdict;
        size_t *count;
    } known[] = {{SG_WITHIN, NULL}, {SG_REGRESSED, &sum->regressed}, {SG_IMPROVED, &sum->improved}, {SG_INCONCLUSIVE, &sum->inconclusive}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(word, sg_verdict_word(known[i].verdict)) != 0)
            continue;
        sum->pairs++;
        if (known[i].count)
            ++*known[i].count;
        return SG_SUCCESS;
    }
    return sg_field_fail("verdict", "within, regressed, improved or inconclusive", word, err);
}

static enum sg_code check_fields(const char *const *field, struct sg_err *err)
{
    static const char *const number_name[] = {"tolerance", "change", "low", "high"};
    static const int number_at[] = {TOLERANCE, CHANGE, LOW, HIGH};
    uint64_t whole;
    double number;
    if (!*field[DATE] || !*field[GPU])
        return sg_field_fail(*field[DATE] ? "gpu" : "date", "a word", "", err);
    if (sg_field_name("family", field[FAMILY], err) != SG_SUCCESS || sg_field_name("case", field[CASE], err) != SG_SUCCESS ||
        sg_field_name("variant", field[VARIANT], err) != SG_SUCCESS ||
        sg_field_count("seed", field[SEED], UINT64_MAX, &whole, err) != SG_SUCCESS ||
        sg_field_count("processes", field[PROCESSES], UINT32_MAX, &whole, err) != SG_SUCCESS)
        return err->code;
    for (size_t i = 0; i < sizeof(number_at) / sizeof(number_at[0]); i++)
        if (sg_field_number(number_name[i], field[number_at[i]], false, &number, err) != SG_SUCCESS)
            return err->code;
    return SG_SUCCESS;
}

/* What identifies a pair, and behind a tab where it stands:
 * sorted, two of one pair are neighbours. */
static void add_key(struct sg_aa_log *tally, const struct sg_csv_row *row)
{
    static const int parts[] = {DATE, SEED, GPU_NAME, FAMILY, CASE, VARIANT, CHANGE};
    struct sg_text key = {0};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        sg_text_addf(&key, "%s%s", i ? "," : "", row->field[parts[i]]);
    sg_text_addf(&key, "\t%s:%ld", row->path, row->line);
    *SG_APPEND(tally->keys, tally->key_count, tally->key_capacity) = key.data;
}

static enum sg_code on_row(void *context, const struct sg_csv_row *row, struct sg_err *err)
{
    struct sg_aa_log *tally = context;
    if (row->line == 1)
        return sg_csv_check_header(row, SG_AA_LOG_HEADER, err);
    if (check_fields(row->field, err) == SG_SUCCESS &&
        count_verdict(sum_of(tally, row->field[GPU], row->field[GPU_NAME]), row->field[VERDICT], err) == SG_SUCCESS)
        add_key(tally, row);
    return sg_fail_here(err, row->path, row->line);
}

enum sg_code sg_aa_log_read(const char *path, struct sg_aa_log *tally, struct sg_err *err)
{
    return sg_csv_read(path, on_row, tally, err);
}

static int by_key(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static int by_gpu(const void *left, const void *right)
{
    const struct sg_aa_log_sum *a = left, *b = right;
    const int order = strcmp(a->gpu, b->gpu);
    return order ? order : strcmp(a->gpu_name, b->gpu_name);
}

enum sg_code sg_aa_log_finish(struct sg_aa_log *tally, struct sg_err *err)
{
    if (tally->key_count > 0) {
        qsort(tally->keys, tally->key_count, sizeof(*tally->keys), by_key);
        qsort(tally->sums, tally->count, sizeof(*tally->sums), by_gpu);
    }
    for (size_t i = 1; i < tally->key_count; i++) {
        const char *a = tally->keys[i - 1], *b = tally->keys[i], *tab_a = strchr(a, '\t'), *tab_b = strchr(b, '\t');
        if (tab_a - a == tab_b - b && strncmp(a, b, (size_t)(tab_a - a)) == 0)
            return sg_fail(err, SG_BAD_INPUT, tab_b + 1, "this pair stands at %s too, and would count twice", tab_a + 1);
    }
    return SG_SUCCESS;
}

void sg_aa_log_release(struct sg_aa_log *tally)
{
    for (size_t i = 0; i < tally->count; i++) {
        free(tally->sums[i].gpu);
        free(tally->sums[i].gpu_name);
    }
    for (size_t i = 0; i < tally->key_count; i++)
        free(tally->keys[i]);
    free(tally->sums);
    free(tally->keys);
    *tally = (struct sg_aa_log){0};
}
