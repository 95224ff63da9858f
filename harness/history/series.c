#include "history/series.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

#include "history/all_series.h"
#include "history/builds_chain.h"
#include "history/judge.h"
#include "stats/clock_model.h"
#include "stats/statistics.h"
#include "util/hypot.h"

/* Kinds of spread in one series (sg_night_value.kind): pairs of builds, and all other values. */
enum { SPREAD_BUILD, SPREAD_OTHER };

/* Values of one machine in the same part share one scale. */
enum part { PART_RATIO, PART_TIME, PART_BUILDS };

const char *sg_history_kind_word(enum sg_history_kind kind)
{
    static const char *const words[] = {SG_HISTORY_KIND_TABLE(SG_WORD)};
    return words[kind];
}

const char *sg_decided_word(int decided)
{
    return decided == SG_DECIDED_BY_BUILD
               ? "accepted with its build"
               : sg_step_decision_word((enum sg_step_decision)(decided - 1));
}

size_t sg_series_last_value(const struct sg_history_series *series, size_t before)
{
    for (size_t night = before; night-- > 0;)
        if (!isnan(series->values[night].value))
            return night;
    return SG_NO_NIGHT;
}

enum sg_history_kind sg_history_kind_at(const struct sg_history_series *series, size_t night)
{
    const size_t last = sg_series_last_value(series, night + 1);
    return last == SG_NO_NIGHT ? series->kind : series->kinds[last];
}

void sg_night_levels(const struct sg_history *history, const char *const *keys, size_t count,
                     unsigned *level)
{
    struct sg_intern_pool *pool = NULL;
    SG_SCOPED(sg_text) key = {0};
    for (size_t night = 0; night < history->count; night++) {
        key.length = 0;
        for (size_t i = 0; i < count; i++)
            sg_text_addf(&key, "%s/", sg_night_fact(history, night, keys[i]));
        level[night] = sg_intern(&pool, key.data) - 1;
    }
}

/* ---- values ---- */

struct level_key {
    unsigned machine;
    sg_id unit; /* 0: any */
    uint32_t what;
};

struct making {
    const struct sg_history *history;
    const struct sg_series_rule *rule;
    struct sg_history_series *series;
    struct sg_build_height *heights; /* owned; of the accepted builds */
    size_t height_count;
    struct level_key *keys; /* owned; of levels, then of joined levels, by number */
    size_t key_count, key_capacity;
};

static const struct sg_night_row *row_at(const struct making *m, size_t night)
{
    return sg_series_row(m->history, m->series, night);
}

/* The accepted build that a run's value is against; NULL: the value is of another kind. */
static const struct sg_build_height *height_at(const struct making *m, size_t night)
{
    return m->series->kinds[night] == SG_OF_BUILD
               ? sg_build_height_of(m->heights, m->height_count, row_at(m, night)->build)
               : NULL;
}

static bool has_ratio(const struct making *m)
{
    for (size_t night = 0; night < m->history->count; night++)
        if (row_at(m, night) && !isnan(row_at(m, night)->ratio))
            return true;
    return false;
}

/* Reference clock and clock sensitivity of the times: medians over the nightly runs; NaN if no run
 * has one. */
static void find_clock(const struct making *m, double *f0, double *beta)
{
    double *clocks = sg_alloc(2 * m->history->count, sizeof(*clocks)),
           *betas = clocks + m->history->count;
    size_t clock_count = 0, beta_count = 0;
    for (size_t night = 0; night < m->history->count; night++) {
        const struct sg_night_row *row = row_at(m, night);
        if (row && !isnan(row->sm_clock))
            clocks[clock_count++] = row->sm_clock;
        if (row && !isnan(row->beta))
            betas[beta_count++] = row->beta;
    }
    *f0 = clock_count > 0 ? sg_median(clocks, clock_count) : NAN;
    *beta = beta_count > 0 ? sg_median(betas, beta_count) : NAN;
    free(clocks);
}

/* Sets the value on the common scale of the accepted builds. */
static void set_build(const struct making *m, size_t night, const struct sg_night_row *row)
{
    const struct sg_build_height *height = height_at(m, night);
    m->series->shift[night] = height->height;
    m->series->values[night].value = log(row->build_ratio) + height->height;
    m->series->values[night].se = row->build_ratio_se;
    m->series->values[night].kind = SPREAD_BUILD;
    m->series->values[night].joined_se = height->se;
}

static void set_time(const struct making *m, size_t night, const struct sg_night_row *row,
                     double f0, double beta)
{
    /* Times are not corrected if no run has a clock. If some runs have a clock, the others may be
     * off. */
    struct sg_clock_shift shift = {0};
    if (!isnan(f0))
        shift = sg_clock_shift_of(row->sm_clock, f0, beta);
    m->series->shift[night] = shift.ln;
    m->series->values[night].value = log(row->time) + shift.ln;
    m->series->values[night].se = sg_hypot(isnan(row->time_se) ? 0 : row->time_se, shift.sd);
}

static void set_value(const struct making *m, size_t night, bool is_ratio, double f0, double beta)
{
    const struct sg_night_row *row = row_at(m, night);
    m->series->values[night] =
        (struct sg_night_value){.number = night, .value = NAN, .se = NAN, .kind = SPREAD_OTHER};
    m->series->kinds[night] = is_ratio ? SG_OF_RATIO : SG_OF_TIME;
    if (row && !isnan(row->build_ratio)) {
        m->series->kinds[night] = SG_OF_BUILD;
        set_build(m, night, row);
    } else if (row && is_ratio) {
        m->series->values[night].value = log(row->ratio);
        m->series->values[night].se = row->ratio_se;
    } else if (row && !isnan(row->time)) {
        set_time(m, night, row, f0, beta);
    }
}

static void find_heights(struct making *m)
{
    SG_FREED struct sg_build_night *nights = sg_alloc(m->history->count, sizeof(*nights));
    SG_FREED struct sg_build_height *heights = sg_alloc(m->history->count, sizeof(*heights));
    for (size_t night = 0; night < m->history->count; night++) {
        const struct sg_night_row *row = row_at(m, night);
        nights[night] = (struct sg_build_night){.value = NAN, .se = NAN};
        if (row)
            nights[night] = (struct sg_build_night){.code = row->code,
                                                    .build = row->build,
                                                    .value = log(row->build_ratio),
                                                    .se = row->build_ratio_se};
    }
    const size_t count = sg_build_heights(nights, m->history->count, SG_SCAN_FLOOR, heights);
    m->heights = sg_alloc(count + 1, sizeof(*m->heights));
    memcpy(m->heights, heights, count * sizeof(*heights));
    m->height_count = count;
}

static void find_values(struct making *m)
{
    double f0 = NAN, beta = NAN;
    const bool is_ratio = has_ratio(m);
    if (!is_ratio)
        find_clock(m, &f0, &beta);
    m->series->kind = is_ratio ? SG_OF_RATIO : SG_OF_TIME;
    for (size_t night = 0; night < m->history->count; night++)
        set_value(m, night, is_ratio, f0, beta);
    m->series->kind = sg_history_kind_at(m->series, m->history->count - 1);
}

/* ---- levels ---- */

static unsigned number_of(struct making *m, struct level_key key)
{
    size_t i = 0;
    while (i < m->key_count && (m->keys[i].machine != key.machine || m->keys[i].unit != key.unit ||
                                m->keys[i].what != key.what))
        i++;
    if (i == m->key_count)
        *SG_APPEND(m->keys, m->key_count, m->key_capacity) = key;
    return (unsigned)i;
}

sg_id sg_series_unit(const struct sg_history *history, const struct sg_history_series *series,
                     const sg_id *units, size_t night)
{
    const struct sg_night_row *row = sg_series_row(history, series, night);
    return row && row->unit ? row->unit : units[night];
}

/* Pairs with an accepted build are comparable between GPUs: the GPU is a unit of their level. All
 * other values have a level per GPU. Build keys are odd, so that none equals a kind's key. */
static void find_levels(struct making *m)
{
    for (size_t night = 0; night < m->history->count; night++) {
        const struct sg_build_height *height = height_at(m, night);
        struct sg_night_value *value = &m->series->values[night];
        value->unit = sg_series_unit(m->history, m->series, m->rule->units, night);
        value->level =
            number_of(m, (struct level_key){m->rule->machine[night], height ? 0 : value->unit,
                                            height ? 2 * height->build + 1
                                                   : 2 * (uint32_t)m->series->kinds[night]});
    }
    m->key_count = 0;
    for (size_t night = 0; night < m->history->count; night++) {
        const struct sg_build_height *height = height_at(m, night);
        const uint32_t part = height                                  ? PART_BUILDS + height->part
                              : m->series->kinds[night] == SG_OF_TIME ? PART_TIME
                                                                      : PART_RATIO;
        struct sg_night_value *value = &m->series->values[night];
        value->joined = number_of(
            m, (struct level_key){m->rule->machine[night], height ? 0 : value->unit, part});
    }
    m->series->joined = (unsigned)m->key_count;
}

/* ---- decisions ---- */

static void mark(struct sg_history_series *series, size_t night, int decided)
{
    series->decided[night] = (int16_t)decided;
    series->values[night].begins = true;
    series->values[night].is_epoch = decided != 1 + (int)SG_STEP_CONFIRMED;
}

/* A decision applies to the first run with a value, from the named run on; the last decision
 * counts. */
static void apply_decisions(const struct making *m)
{
    const struct sg_history *history = m->history;
    const char *name = sg_intern_pool_string(history->pool, m->series->item);
    for (size_t i = 0; i < history->decision_count; i++) {
        const struct sg_decision_row *decision = &history->decisions[i];
        if (fnmatch(decision->series, name, 0) != 0)
            continue;
        size_t night = 0;
        while (night < history->count &&
               (isnan(m->series->values[night].value) ||
                strcmp(sg_night_fact(history, night, SG_NIGHT_DATE), decision->night) < 0))
            night++;
        if (night < history->count)
            mark(m->series, night, 1 + (int)decision->decision);
    }
}

/* Within the suite's tolerance `accept` needs no reason, so many accepted builds in a row
 * could hide slow creep. */
static bool is_accepted_with(const struct making *m, const struct sg_series_step *step,
                             const struct sg_build_height *height)
{
    const int decided = m->series->decided[step->at];
    double tolerance = INFINITY;
    if (step->at > height->origin || !step->counts ||
        (decided != 0 && decided != 1 + (int)SG_STEP_CONFIRMED))
        return false;
    sg_parse_double(sg_night_fact(m->history, height->origin, "tolerance"), false, &tolerance);
    return step->since < 0 || step->since > log1p(tolerance);
}

/* Settles the undecided steps up to the run of the accepted build. false: there are none. */
static bool settle_by_build(const struct making *m)
{
    const struct sg_build_height *height = NULL; /* the last one */
    bool any = false;
    for (size_t night = m->history->count; night-- > 0 && !height;)
        height = height_at(m, night);
    if (!height || height->origin == SG_NO_ORIGIN)
        return false;
    for (size_t i = 0; i < m->series->steps.count; i++) {
        const struct sg_series_step *step = &m->series->steps.steps[i];
        if (!is_accepted_with(m, step, height))
            continue;
        mark(m->series, step->at, SG_DECIDED_BY_BUILD);
        any = true;
    }
    return any;
}

/* ---- the scan ---- */

/* The last run before `before` that measured the build as the current one, on any machine;
 * SG_NO_NIGHT: none. */
static size_t last_night_of(const struct making *m, sg_id build, size_t before)
{
    for (size_t night = before; night-- > 0;)
        if (row_at(m, night) && row_at(m, night)->code == build)
            return night;
    return SG_NO_NIGHT;
}

/* Where levels are known to lie: each accepted build against itself, in the last run that measured
 * the build as the current one before the first run of the level. Returns their number. */
static size_t find_origins(const struct making *m, struct sg_night_value *origins)
{
    SG_FREED bool *is_seen = sg_alloc(m->history->count, sizeof(*is_seen)); /* by level */
    size_t count = 0;
    for (size_t night = 0; night < m->history->count; night++) {
        const struct sg_night_value *first = &m->series->values[night];
        const struct sg_build_height *height = height_at(m, night);
        if (!height || is_seen[first->level])
            continue;
        is_seen[first->level] = true;
        const size_t then = last_night_of(m, height->build, night);
        if (then == SG_NO_NIGHT)
            continue;
        origins[count] = *first;
        origins[count].number = (uint32_t)then;
        origins[count].value = m->series->shift[night];
        origins[count].se = NAN;
        origins[count].r = m->series->values[then].r;
        origins[count].slow = m->series->values[then].slow;
        origins[count].begins = origins[count].is_epoch = false;
        origins[count++].is_known = true;
    }
    return count;
}

/* Scans the nightly runs, with each origin after its run. */
static void scan(const struct making *m)
{
    SG_FREED struct sg_night_value *values = sg_alloc(3 * m->history->count, sizeof(*values));
    struct sg_night_value *origins = values + 2 * m->history->count;
    const size_t origin_count = find_origins(m, origins);
    size_t count = 0;
    const struct sg_scan_rule rule = {
        .usual_sd = {[SPREAD_BUILD] = SG_SCAN_RATIO_SD,
                     [SPREAD_OTHER] = has_ratio(m) ? SG_SCAN_RATIO_SD : SG_SCAN_TIME_SD},
        .tolerance = m->rule->tolerance,
        .watched = m->series->kind == SG_OF_BUILD ? 0 : m->rule->watched,
        .caution = m->rule->caution,
    };
    for (size_t night = 0; night < m->history->count; night++) {
        values[count++] = m->series->values[night];
        for (size_t i = 0; i < origin_count; i++)
            if (origins[i].number == night)
                values[count++] = origins[i];
    }
    sg_series_steps_release(&m->series->steps);
    sg_series_scan(values, count, &rule, &m->series->steps);
}

static struct making begin_making(const struct sg_history *history,
                                  const struct sg_series_rule *rule,
                                  struct sg_history_series *series)
{
    const size_t count = history->count;
    struct making m = {.history = history, .rule = rule, .series = series};
    series->values = sg_alloc(count, sizeof(*series->values));
    series->shift = sg_alloc(count, sizeof(*series->shift));
    series->kinds = sg_alloc(count, sizeof(*series->kinds));
    series->decided = sg_alloc(count, sizeof(*series->decided));
    find_heights(&m);
    find_values(&m);
    find_levels(&m);
    apply_decisions(&m);
    return m;
}

static void end_making(struct making *m, const double *r, const double *slow)
{
    for (size_t night = 0; night < m->history->count; night++) {
        m->series->values[night].r = r[night];
        m->series->values[night].slow = slow[night];
    }
    scan(m);
    if (settle_by_build(m))
        scan(m);
    free(m->heights);
    free(m->keys);
}

/* ---- all series, on all cores ---- */

#define THREADS_MOST 16
#define SERIES_LEAST 256 /* each thread has at least this many */

/* Every `step`-th series from `first` on. Series share nothing that is written. */
struct share {
    const struct sg_history *history;
    const struct sg_series_rule *rule;
    struct sg_history_series *series;
    struct making *making;
    const double *r, *slow; /* NULL: the values, else the steps in them */
    size_t first, step, count;
};

static int do_share(void *context)
{
    const struct share *share = context;
    for (size_t i = share->first; i < share->count; i += share->step)
        if (share->r)
            end_making(&share->making[i], share->r, share->slow);
        else
            share->making[i] = begin_making(share->history, share->rule, &share->series[i]);
    return 0;
}

/* A share whose thread cannot be started is done here. */
static void do_all(struct share share)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t full = share.count / SERIES_LEAST;
    struct share shares[THREADS_MOST];
    thrd_t thread[THREADS_MOST] = {0};
    bool is_started[THREADS_MOST] = {false};
    share.step = (size_t)fmax(1, fmin(fmin((double)cores, THREADS_MOST), (double)full));
    for (size_t i = share.step; i-- > 0;) {
        shares[i] = share;
        shares[i].first = i;
        is_started[i] = i > 0 && thrd_create(&thread[i], do_share, &shares[i]) == thrd_success;
        if (!is_started[i])
            do_share(&shares[i]);
    }
    for (size_t i = 0; i < share.step; i++)
        if (is_started[i])
            thrd_join(thread[i], NULL);
}

void sg_series_make(const struct sg_history *history, const struct sg_series_rule *rule,
                    struct sg_history_series *series, size_t count, double *r)
{
    SG_FREED struct making *making = sg_alloc(count + 1, sizeof(*making));
    struct share share = {
        .history = history, .rule = rule, .series = series, .making = making, .count = count};
    do_all(share);
    SG_FREED double *slow = sg_alloc(history->count + 1, sizeof(*slow));
    sg_nights_memory(series, count, history->count, r, slow);
    share.r = r;
    share.slow = slow;
    do_all(share);
}
