/* Converts a run to the nightly run that a history keeps. */
#include <math.h>
#include <string.h>

#include "baseline/combine.h"
#include "history/history.h"
#include "results/identity.h"
#include "results/kernel_commit.h"
#include "results/pair_samples.h"
#include "results/parts.h"
#include "results/row_kind.h"
#include "results/settings.h"
#include "util/digest.h"

/* Facts copied from a run's env.csv, in addition to date, GPU, suite and settings that
 * must be equal. */
static const char *const kept_facts[] = {SG_COMMIT_KEY,   "tool_version", "gpu_name",
                                         "gpu_uuid_hash", "driver",       "cuda",
                                         "time_source",   "processes",    "tolerance"};
#define KEPT (sizeof(kept_facts) / sizeof(kept_facts[0]))

/* Uses the run's own digest, or, for old runs without one, a digest of the content. */
static void set_run(const struct sg_run *run, struct sg_env *facts)
{
    const char *own = sg_env_get(&run->env, SG_DIGEST_KEY);
    struct sg_digest digest = SG_DIGEST_EMPTY;
    SG_SCOPED(sg_text) rows = {0};
    const struct sg_record record = sg_record_part(&sg_value_record, 0, SG_VALUE_FIELDS);
    for (size_t i = 0; i < run->table.count && !own; i++) {
        const struct sg_value value = sg_value_of(&run->table, &run->table.rows[i]);
        sg_record_add(&rows, &record, &value, NULL);
    }
    sg_digest_add(&digest, sg_text_string(&rows), rows.length);
    sg_env_digest(&run->env, &digest);
    sg_env_set(facts, SG_NIGHT_RUN, own ? own : sg_digest_word(&digest).text);
}

static enum sg_code set_facts(const struct sg_run *run, struct sg_env *facts, struct sg_err *err)
{
    static const char *const needed[] = {SG_NIGHT_DATE, "gpu", "suite"};
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
        const char *value = sg_env_get(&run->env, needed[i]);
        if (!value || !*value)
            return sg_fail(err, SG_BAD_INPUT, run->folder,
                           "its env.csv has no '%s', which a history needs", needed[i]);
        /* gpu and suite name a folder */
        if (i > 0 && !sg_is_name(value))
            return sg_env_fail(err, &run->env, needed[i],
                               "expected a name of [a-z0-9_], found '%s'",
                               sg_show(value, strlen(value)).text);
        sg_env_set(facts, needed[i], value);
    }
    if (!sg_night_is_date(sg_env_get(facts, SG_NIGHT_DATE)))
        return sg_env_fail(err, &run->env, SG_NIGHT_DATE,
                           "expected a date such as 2026-11-20T23:40:34Z, found '%s'",
                           sg_env_get(facts, SG_NIGHT_DATE));
    const char *kept[KEPT + SG_SETTING_COUNT];
    memcpy(kept, kept_facts, sizeof(kept_facts));
    const size_t count = KEPT + sg_settings_keys(SG_MUST_EQUAL, kept + KEPT);
    for (size_t i = 0; i < count; i++) {
        const char *value = sg_env_get(&run->env, kept[i]);
        if (value)
            sg_env_set(facts, kept[i], value);
    }
    SG_SCOPED(sg_text) names = {0};
    const char *of[3];
    for (size_t i = 0; i < run->env.count; i++)
        if (sg_fact_at(&run->env, i, SG_COMMIT_KEY, &names, of))
            sg_env_set(facts, run->env.key[i], run->env.value[i]);
    const char *unfit = sg_env_why_invalid(&run->env);
    if (unfit)
        sg_env_set(facts, SG_NIGHT_UNFIT, unfit);
    set_run(run, facts);
    return SG_SUCCESS;
}

/* An exact counter that every count of the item agreed on. */
static bool is_exact(const struct sg_row *row, const struct sg_metric *metric)
{
    const bool repeats =
        !(row->has & SG_HAS_LOW) || !(row->has & SG_HAS_HIGH) || !(row->low < row->high);
    if (!(row->has & SG_HAS_VALUE) || isnan(row->value) || row->status != SG_OK || !repeats)
        return false;
    return metric ? metric->klass == SG_EXACT && sg_metric_explains(metric) : true;
}

static double of_row(const struct sg_row *row)
{
    return row && row->has & SG_HAS_VALUE && row->status == SG_OK && row->value > 0 ? row->value
                                                                                    : NAN;
}

struct item {
    const struct sg_run *run;
    const struct sg_row *rows; /* of one variant */
    size_t count;
    const struct sg_samples *samples; /* of the run; empty if the run kept none */
    const struct sg_accept_batches *batches;
};

static const struct sg_row *find_metric(const struct item *item, const char *metric)
{
    for (size_t i = 0; i < item->count; i++)
        if (strcmp(sg_table_string(&item->run->table, item->rows[i].metric), metric) == 0)
            return &item->rows[i];
    return NULL;
}

static void add_counters(const struct item *item, const struct sg_catalogue *catalogue,
                         struct sg_text *text)
{
    for (size_t i = 0; i < item->count; i++) {
        const char *name = sg_table_string(&item->run->table, item->rows[i].metric);
        const struct sg_metric *metric = sg_catalogue_find(catalogue, name);
        /* Counters outside the catalogue are facts of the family. Work belongs to the case, and
         * knobs are settings. */
        if (!is_exact(&item->rows[i], metric) || strncmp(name, "work_", strlen("work_")) == 0)
            continue;
        sg_text_addf(text, "%s%s=%.9g", text->length > 0 ? " " : "", name, item->rows[i].value);
    }
}

/* The build that the row is relative to, from its message; "" if the message names no build. */
static const char *build_of(const struct item *item, const struct sg_row *row)
{
    const char *message = row ? sg_table_string(&item->run->table, row->message) : "",
               *word = strrchr(message, ' ');
    return word && sg_is_digest(word + 1) ? word + 1 : "";
}

static uint64_t whole_fact(const struct item *item, const char *key)
{
    const char *value = sg_env_get(&item->run->env, key);
    uint64_t number = 0;
    if (value)
        sg_parse_u64(value, &number);
    return number;
}

/* The values of a pair's processes, in order; y has room for SG_PROCESSES_MAX. */
static size_t read_processes(const struct item *item, const struct sg_row *row, const char *pair,
                             double *y)
{
    const struct sg_samples *samples = item->samples;
    const struct sg_table *table = &item->run->table;
    const sg_id family = sg_intern_pool_find(samples->pool, sg_table_string(table, row->family)),
                case_ = sg_intern_pool_find(samples->pool, sg_table_string(table, row->case_)),
                name = sg_intern_pool_find(samples->pool, pair);
    size_t n = 0;
    for (size_t from = 0, to; from < samples->count; from = to) {
        const struct sg_sample *first = &samples->items[from];
        for (to = from; to < samples->count && sg_samples_same_process(first, &samples->items[to]);)
            to++;
        if (first->family == family && first->case_ == case_ && first->pair == name &&
            to - from >= SG_BLOCK_BATCHES && n < SG_PROCESSES_MAX)
            y[n++] = sg_pair_samples_result(&(struct sg_pair_samples){first, to - from},
                                            whole_fact(item, "seed"))
                         .ratio.y;
    }
    return n;
}

/* Reads a row and the spread of its processes, which are `sign` times the values of the pair. Every
 * row got the first `asked` processes. If their value caused more measurements, and the later
 * processes differ, the first ones were an outlier and do not count. Otherwise all processes count.
 */
static struct sg_estimate read_row(const struct item *item, const struct sg_row *row,
                                   const char *pair, double sign, struct sg_spread_night *spread)
{
    struct sg_estimate read = {.mean = log(of_row(row)), .se = row ? row->se : NAN};
    const size_t asked = whole_fact(item, "processes");
    double y[SG_PROCESSES_MAX];
    *spread = SG_SPREAD_UNKNOWN;
    if (!row || isnan(read.mean) || row->n < 2)
        return read;
    spread->sd = (float)row->sd;
    spread->processes = (float)row->n;
    if (read_processes(item, row, pair, y) != row->n)
        return read;
    if (asked >= 2 && row->n >= asked + 2) {
        const struct sg_estimate first = sg_abba_estimate(y, asked),
                                 later = sg_abba_estimate(y + asked, row->n - asked);
        if (sg_abba_differ(&first, &later))
            read = (struct sg_estimate){.mean = sign * later.mean, .se = later.se};
    }
    for (size_t i = 0; i < row->n; i++)
        y[i] *= sign;
    *spread = sg_spread_night_of(y, row->n, sign < 0 ? 0 : INFINITY);
    return read;
}

static const char *code_of(const struct item *item, const char *family)
{
    const char *code = sg_fact_get(&item->run->env, SG_CODE_KEY, SG_OF(family));
    return code && sg_is_digest(code) ? code : "";
}

static void add_item(const struct item *item, const struct sg_catalogue *catalogue, bool is_fit,
                     struct sg_history *history)
{
    const struct sg_table *table = &item->run->table;
    const char *family = sg_table_string(table, item->rows[0].family),
               *case_ = sg_table_string(table, item->rows[0].case_),
               *variant = sg_table_string(table, item->rows[0].variant);
    is_fit &= !find_metric(item, SG_UNFIT_METRIC);
    const struct sg_row *status = find_metric(item, "status"),
                        *unit = find_metric(item, SG_UNIT_METRIC),
                        *ratio = is_fit ? find_metric(item, "time_ratio") : NULL,
                        *time = is_fit ? find_metric(item, "time") : NULL,
                        *pair = is_fit ? find_metric(item, SG_BUILD_RATIO_METRIC) : NULL;
    const bool is_untimed = pair && sg_is_untimed(pair, find_metric(item, "time"));
    const char *build = isnan(of_row(pair)) && !is_untimed ? "" : build_of(item, pair);
    SG_SCOPED(sg_text) name = sg_text_of("%s/%s/%s", family, case_, variant), counters = {0};
    SG_FORMATTED(other, "%s" SG_OTHER_SUFFIX, variant);
    struct sg_spread_night pair_spread, ratio_spread;
    const struct sg_estimate of_build = read_row(item, pair, other.data, -1, &pair_spread),
                             of_ratio = read_row(item, ratio, variant, 1, &ratio_spread);
    add_counters(item, catalogue, &counters);
    struct sg_night_row row = {
        .name = sg_intern(&history->pool, name.data),
        .status = sg_intern(&history->pool,
                            sg_status_word(status ? (enum sg_status)status->status : SG_OK)),
        .counters = sg_intern(&history->pool, sg_text_string(&counters)),
        .build = sg_intern(&history->pool, build),
        .code = sg_intern(&history->pool, code_of(item, family)),
        .unit = unit ? sg_intern(&history->pool, sg_table_string(table, unit->message)) : 0,
        .build_ratio = *build ? exp(of_build.mean) : NAN,
        .build_ratio_se = *build && !is_untimed ? of_build.se : NAN,
        .ratio = exp(of_ratio.mean),
        .ratio_se = isnan(of_ratio.mean) ? NAN : of_ratio.se,
        .time = of_row(time),
        .time_se = time && !isnan(of_row(time)) ? time->se : NAN,
        .sm_clock = of_row(find_metric(item, "sm_clock")),
        .beta = sg_accept_batches_fit(
                    item->batches,
                    &(struct sg_value){.family = family, .case_ = case_, .variant = variant})
                    .beta,
        .spread = isnan(of_row(pair)) ? ratio_spread : pair_spread,
    };
    sg_history_add_row(history, &row);
}

/* Reads samples.csv if the run kept it; without samples no row has a beta. */
static enum sg_code read_batches(const struct sg_run *run, struct sg_samples *samples,
                                 struct sg_accept_batches *batches, struct sg_err *err)
{
    if (sg_run_has_samples(run->folder))
        sg_run_read_samples(run->folder, samples, err);
    const struct sg_accept_run source = {.samples = samples};
    if (err->code == SG_SUCCESS)
        sg_accept_batches_init(batches, &source, 1);
    return err->code;
}

/* GPUs that the run tried to measure on. */
static enum sg_code add_gpus(const struct sg_run *run, struct sg_history *history,
                             struct sg_err *err)
{
    SG_SCOPED(sg_units) gpus = {0};
    sg_units_of_run(run->folder, &run->env, &gpus, err);
    for (size_t i = 0; i < gpus.count && err->code == SG_SUCCESS; i++)
        if (gpus.items[i].processes + gpus.items[i].dropped > 0 || gpus.items[i].lost[0])
            sg_history_add_gpu(history, &gpus.items[i]);
    return err->code;
}

enum sg_code sg_night_of_run(const struct sg_run *run, const struct sg_catalogue *catalogue,
                             struct sg_history *history, struct sg_err *err)
{
    SG_SCOPED(sg_samples) samples = {0};
    struct sg_accept_batches batches = {0};
    const struct sg_table *table = &run->table;
    if (sg_run_is_gate(&run->env))
        return sg_fail(err, SG_NOT_COMPARABLE, run->folder,
                       "expected a run of a suite, found a run of `solgate ab`, which `solgate "
                       "history confirm` takes");
    if (set_facts(run, &sg_history_begin_night(history)->facts, err) == SG_SUCCESS &&
        add_gpus(run, history, err) == SG_SUCCESS)
        read_batches(run, &samples, &batches, err);
    for (size_t from = 0, end; from < table->count && err->code == SG_SUCCESS; from = end) {
        const struct sg_row *first = &table->rows[from];
        for (end = from; end < table->count && sg_row_same_item(first, &table->rows[end]);)
            end++;
        const struct item item = {.run = run,
                                  .rows = first,
                                  .count = end - from,
                                  .samples = &samples,
                                  .batches = &batches};
        const struct sg_row *status = find_metric(&item, "status");
        if (status && (status->status == SG_SKIPPED ||
                       status->status == SG_UNAVAILABLE)) /* it did not run: nothing is wrong */
            continue;
        add_item(&item, catalogue, !sg_env_why_invalid(&run->env), history);
    }
    return err->code;
}
