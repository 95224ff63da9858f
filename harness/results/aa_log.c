#include "results/aa_log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/csv_fields.h"
#include "util/csv_reader.h"

enum {
    DATE,
    SEED,
    GPU,
    GPU_NAME,
    DRIVER,
    FAMILY,
    CASE,
    VARIANT,
    TOLERANCE,
    PROCESSES,
    CHANGE,
    LOW,
    HIGH,
    VERDICT
};

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

void sg_aa_log_format(struct sg_text *out, const struct sg_aa_log_run *run,
                      const struct sg_aa_log_pair *pair)
{
    const char *const words[] = {run->date,   run->seed,    run->gpu,    run->gpu_name,
                                 run->driver, pair->family, pair->case_, pair->variant};
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

/* NULL: the word is not a verdict of an A/A pair. */
static size_t *count_of(struct sg_aa_log_sum *sum, const char *word)
{
    const struct {
        enum sg_verdict verdict;
        size_t *count;
    } known[] = {{SG_WITHIN, &sum->within},
                 {SG_REGRESSED, &sum->regressed},
                 {SG_IMPROVED, &sum->improved},
                 {SG_INCONCLUSIVE, &sum->inconclusive}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(word, sg_verdict_word(known[i].verdict)) == 0)
            return known[i].count;
    return NULL;
}

/* True if the pair was not counted before. The digits of its change tell pairs of one seed
 * apart. */
static bool is_news(struct sg_aa_log *tally, const char *const *field)
{
    SG_SCOPED(sg_text) key = {0};
    sg_text_addf(&key, "%s,%s,%s,%s,%s,%s,%s", field[DATE], field[SEED], field[GPU_NAME],
                 field[FAMILY], field[CASE], field[VARIANT], field[CHANGE]);
    return sg_intern_pool_is_news(&tally->pairs, key.data);
}

static enum sg_code on_row(void *context, const struct sg_csv_row *row, struct sg_err *err)
{
    struct sg_aa_log *tally = context;
    if (row->line == 1)
        return sg_csv_check_header(row, SG_AA_LOG_HEADER, err);
    struct sg_aa_log_sum *sum = sum_of(tally, row->field[GPU], row->field[GPU_NAME]);
    size_t *count = count_of(sum, row->field[VERDICT]);
    if (!count) {
        sg_field_fail("verdict", "within, regressed, improved or inconclusive", row->field[VERDICT],
                      err);
        return sg_fail_here(err, row->path, row->line);
    }
    if (!is_news(tally, row->field))
        return sg_fail_at(err, SG_BAD_INPUT, row->path, row->line,
                          "expected each pair once: this one was counted before");
    ++*count;
    sum->pairs++;
    return SG_SUCCESS;
}

static int by_gpu(const void *left, const void *right)
{
    const struct sg_aa_log_sum *a = left, *b = right;
    const int order = strcmp(a->gpu, b->gpu);
    return order ? order : strcmp(a->gpu_name, b->gpu_name);
}

enum sg_code sg_aa_log_read(const char *path, struct sg_aa_log *tally, struct sg_err *err)
{
    sg_csv_read(path, on_row, tally, err);
    if (tally->count > 0)
        qsort(tally->sums, tally->count, sizeof(*tally->sums), by_gpu);
    return err->code;
}

void sg_aa_log_release(struct sg_aa_log *tally)
{
    for (size_t i = 0; i < tally->count; i++) {
        free(tally->sums[i].gpu);
        free(tally->sums[i].gpu_name);
    }
    free(tally->sums);
    sg_intern_pool_free(tally->pairs);
    *tally = (struct sg_aa_log){0};
}
