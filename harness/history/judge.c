#include "history/judge.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history/all_series.h"
#include "results/settings.h"
#include "stats/run_limits.h"
#include "stats/statistics.h"

#define DRIVER_LEAST 3   /* least number of nightly runs with the previous driver */
#define FLAKY_TIMES  3   /* a flaky row is fixed after so many of its longest gaps */
#define FLAKY_MOST   30  /* longer gaps between failures: two faults, each with its fix */
#define DAY_LENGTH   10  /* characters of 2026-11-20 */
#define UNDONE       0.5 /* a step is closed once later steps undo this share of it */

const char *sg_night_fact(const struct sg_history *history, size_t night, const char *key)
{
    return sg_env_word(&history->nights[night].facts, key);
}

static bool is_same_day(const struct sg_history *history, size_t night, size_t other)
{
    return strncmp(sg_night_fact(history, night, SG_NIGHT_DATE),
                   sg_night_fact(history, other, SG_NIGHT_DATE), DAY_LENGTH) == 0;
}

struct sg_night_label sg_night_label(const struct sg_history *history, size_t night)
{
    struct sg_night_label label;
    const bool has_time = (night > 0 && is_same_day(history, night, night - 1)) ||
                          (night + 1 < history->count && is_same_day(history, night, night + 1));
    snprintf(label.text, has_time ? sizeof(label.text) : DAY_LENGTH + 1, "%s",
             sg_night_fact(history, night, SG_NIGHT_DATE));
    return label;
}

struct judge {
    struct sg_judgement *judgement;
    const struct sg_history *history;
    const struct sg_catalogue *catalogue; /* NULL: none */
    double tolerance, caution;
    bool has_ratios;    /* the group has a series of ratios */
    size_t last;        /* index of the last nightly run */
    const sg_id *units; /* of each nightly run: its GPU */
};

/* ---- series ---- */

static void find_rows(const struct sg_history *history, struct sg_judgement *j)
{
    const size_t names = sg_intern_pool_count(history->pool);
    SG_FREED uint32_t *series_of = sg_alloc(names, sizeof(*series_of));
    for (size_t i = 0; i < history->rows.count; i++)
        if (series_of[history->rows.items[i].name] == 0) {
            struct sg_history_series *series = SG_APPEND(j->series, j->count, j->capacity);
            *series = (struct sg_history_series){.item = history->rows.items[i].name};
            series_of[series->item] = (uint32_t)j->count;
        }
    j->rows = sg_alloc(j->count * history->count + 1, sizeof(*j->rows));
    memset(j->rows, 0xff, j->count * history->count * sizeof(*j->rows));
    for (size_t night = 0; night < history->count; night++)
        for (size_t i = history->nights[night].from; i < history->nights[night].to; i++)
            j->rows[(series_of[history->rows.items[i].name] - 1) * history->count + night] =
                (uint32_t)i;
    for (size_t s = 0; s < j->count; s++)
        j->series[s].row = j->rows + s * history->count;
}

/* ---- findings ---- */

static struct sg_history_finding *add_finding(const struct judge *g, size_t series,
                                              enum sg_verdict found)
{
    struct sg_judgement *j = g->judgement;
    struct sg_history_finding *finding =
        SG_APPEND(j->findings, j->finding_count, j->finding_capacity);
    *finding = (struct sg_history_finding){
        .found = found, .series = series, .kind = j->series[series].kind};
    return finding;
}

static struct sg_history_finding *add_number(const struct judge *g, size_t series,
                                             enum sg_verdict found,
                                             const struct sg_series_step *step)
{
    struct sg_history_finding *finding = add_finding(g, series, found);
    finding->step = *step;
    finding->kind = sg_history_kind_at(&g->judgement->series[series], step->at);
    finding->is_informational = finding->kind == SG_OF_TIME && g->has_ratios;
    return finding;
}

/* Did later steps undo most of the step? */
static bool is_undone(const struct sg_series_steps *steps, size_t i)
{
    double later = 0;
    for (size_t k = i + 1; k < steps->count; k++)
        later += isnan(steps->steps[k].change) ? 0 : steps->steps[k].change;
    return later * steps->steps[i].since < 0 && fabs(later) >= UNDONE * fabs(steps->steps[i].since);
}

/* Does a step to faster only undo earlier open steps to slower? */
static bool is_return(const struct sg_series_steps *steps, size_t first, size_t i)
{
    double before = 0;
    for (size_t k = first; k < i; k++)
        before += isnan(steps->steps[k].change) ? 0 : steps->steps[k].change;
    return before > 0 && steps->steps[i].since < 0 && before >= UNDONE * -steps->steps[i].since;
}

/* Index of the first step after the last one that was settled. */
static size_t first_open(const struct sg_history_series *series)
{
    size_t first = 0;
    for (size_t i = 0; i < series->steps.count; i++)
        if (sg_is_settled(series->decided[series->steps.steps[i].at]))
            first = i + 1;
    return first;
}

static bool judge_steps(const struct judge *g, size_t s)
{
    const struct sg_history_series *series = &g->judgement->series[s];
    const size_t first = first_open(series);
    bool is_open = false;
    for (size_t i = first; i < series->steps.count; i++) {
        const struct sg_series_step *step = &series->steps.steps[i];
        const bool is_confirmed = series->decided[step->at] == 1 + SG_STEP_CONFIRMED;
        if (!step->counts || (step->is_known && !is_confirmed) || is_undone(&series->steps, i) ||
            is_return(&series->steps, first, i))
            continue;
        /* The size is not known if no run of the step's level remains after the step. A step
         * confirmed by an A/B still counts as slower. */
        const bool is_slower = step->since > 0 || (is_confirmed && isnan(step->change));
        const enum sg_verdict slower = is_confirmed ? SG_REGRESSED : SG_SLOWER;
        is_open |= is_slower;
        add_number(g, s, is_slower ? slower : SG_FASTER, step);
    }
    return is_open;
}

static struct sg_series_step step_at(size_t at, size_t found, double change, double low,
                                     double high)
{
    return (struct sg_series_step){.at = at,
                                   .earliest = at,
                                   .latest = at,
                                   .found = found,
                                   .change = change,
                                   .since = change,
                                   .low = low,
                                   .high = high};
}

/* Uses the last run that has a value; later runs without one change nothing. */
static void judge_last_value(const struct judge *g, size_t s)
{
    const struct sg_series_steps *steps = &g->judgement->series[s].steps;
    const struct sg_outlier *off = steps->off_count > 0 ? &steps->off[steps->off_count - 1] : NULL;
    if (!off || off->night != sg_series_last_value(&g->judgement->series[s], g->last + 1) ||
        !(off->z >= SG_SCAN_SUSPECT + g->caution) || off->change < g->tolerance ||
        g->judgement->is_bad[off->night])
        return;
    const double half = 1.96 * off->change / off->z;
    const struct sg_series_step step =
        step_at(off->night, off->night, off->change, off->change - half, off->change + half);
    add_number(g, s, SG_OFF, &step);
}

static void judge_creep(const struct judge *g, size_t s)
{
    const struct sg_series_steps *steps = &g->judgement->series[s].steps;
    if (!(steps->creep_low > 2 * g->tolerance))
        return;
    struct sg_series_step step =
        step_at(g->last, g->last, steps->creep, steps->creep_low, steps->creep_high);
    step.earliest = steps->epoch + 1; /* the first run that may be slower */
    add_number(g, s, SG_CREEP, &step);
}

static bool is_ok(const struct judge *g, const struct sg_night_row *row)
{
    return sg_status_from_word(sg_intern_pool_string(g->history->pool, row->status)) == SG_OK;
}

/* Was the item accepted for a run after `night`, up to the last run? SG_NO_NIGHT: for any run. */
static bool is_accepted_after(const struct judge *g, const struct sg_history_series *series,
                              size_t night)
{
    const char *name = sg_intern_pool_string(g->history->pool, series->item);
    const char *since = night == SG_NO_NIGHT ? "" : sg_night_fact(g->history, night, SG_NIGHT_DATE);
    for (size_t i = 0; i < g->history->decision_count; i++) {
        const struct sg_decision_row *decision = &g->history->decisions[i];
        if (decision->decision == SG_STEP_ACCEPTED && strcmp(decision->night, since) > 0 &&
            strcmp(decision->night, sg_night_fact(g->history, g->last, SG_NIGHT_DATE)) <= 0 &&
            fnmatch(decision->series, name, 0) == 0)
            return true;
    }
    return false;
}

#define ANY_GPU UINT32_MAX

static sg_id unit_of(const struct judge *g, const struct sg_history_series *series, size_t night)
{
    return sg_series_unit(g->history, series, g->units, night);
}

/* The last nightly run before `before` that has the item on that GPU; with `ok_only`, the last in
 * which the item was ok. SG_NO_NIGHT: none. */
static size_t find_night(const struct judge *g, const struct sg_history_series *series,
                         size_t before, sg_id unit, bool ok_only)
{
    for (size_t night = before; night-- > 0;)
        if (series->row[night] != SG_NO_ROW &&
            (unit == ANY_GPU || unit_of(g, series, night) == unit) &&
            (!ok_only || is_ok(g, sg_series_row(g->history, series, night))))
            return night;
    return SG_NO_NIGHT;
}

static const char *status_at(const struct judge *g, const struct sg_history_series *series,
                             size_t night)
{
    return sg_intern_pool_string(g->history->pool,
                                 sg_series_row(g->history, series, night)->status);
}

/* True if the item was ok once on any GPU, is not ok in its last nightly run on a GPU, and that
 * failure was not accepted. */
static bool is_broken(const struct judge *g, const struct sg_history_series *series, size_t night,
                      size_t *last_ok)
{
    *last_ok = find_night(g, series, night, unit_of(g, series, night), true);
    if (*last_ok == SG_NO_NIGHT)
        *last_ok = find_night(g, series, night, ANY_GPU, true);
    return !is_ok(g, sg_series_row(g->history, series, night)) &&
           find_night(g, series, g->last + 1, ANY_GPU, true) != SG_NO_NIGHT &&
           !is_accepted_after(g, series, *last_ok);
}

static void add_broken(const struct judge *g, size_t s, size_t night, size_t last_ok)
{
    const struct sg_history_series *series = &g->judgement->series[s];
    const size_t before = find_night(g, series, night, unit_of(g, series, night), false);
    struct sg_text *detail = &add_finding(g, s, SG_BROKEN)->detail;
    sg_text_addf(detail, "status %s%s", last_ok == SG_NO_NIGHT ? "" : "ok -> ",
                 status_at(g, series, night));
    if (last_ok != SG_NO_NIGHT && last_ok != before)
        sg_text_addf(detail, ", ok until %s", sg_night_label(g->history, last_ok).text);
    if (night != g->last)
        sg_text_addf(detail, "; not measured since %s on GPU %.8s",
                     sg_night_label(g->history, night).text,
                     sg_intern_pool_string(g->history->pool, unit_of(g, series, night)));
}

/* Was the item ok for too few runs to be called fixed, or for exactly enough? An ok run on another
 * GPU does not separate two failures. */
static bool judge_flaky(const struct judge *g, size_t s)
{
    const struct sg_history_series *series = &g->judgement->series[s];
    /* last failure; runs with the item since then; longest gap between failures */
    size_t last = SG_NO_NIGHT, right = 0, apart = 0;
    for (size_t night = 0; night <= g->last; night++) {
        right += series->row[night] != SG_NO_ROW;
        if (series->row[night] == SG_NO_ROW || is_ok(g, sg_series_row(g->history, series, night)))
            continue;
        const size_t ok = find_night(g, series, night, unit_of(g, series, night), true);
        if (last != SG_NO_NIGHT && ok != SG_NO_NIGHT && ok > last && right > apart)
            apart = right > FLAKY_MOST || (apart > 0 && right > FLAKY_TIMES * apart) ? 0 : right;
        last = night;
        right = 0;
    }
    const size_t needed = FLAKY_TIMES * apart;
    if (right == 0 || right > needed ||
        is_accepted_after(g, series, find_night(g, series, last, ANY_GPU, true)))
        return false;
    sg_text_addf(&add_finding(g, s, right < needed ? SG_UNSTEADY : SG_FIXED)->detail,
                 "failed on %s and up to %zu nightly runs before; correct in %zu of the %zu "
                 "nightly runs needed",
                 sg_night_label(g->history, last).text, apart, right, needed);
    return true;
}

/* An item that was ok stays broken until it is ok on the same GPU, or its status is accepted. A run
 * without the item, or on another GPU, does not clear it. */
static void judge_status(const struct judge *g, size_t s)
{
    const struct sg_history_series *series = &g->judgement->series[s];
    SG_FREED bool *is_seen =
        sg_alloc(sg_intern_pool_count(g->history->pool) + 1, sizeof(*is_seen)); /* by GPU */
    const bool is_flaky = judge_flaky(g, s);
    for (size_t night = g->last + 1; night-- > 0;) {
        size_t last_ok = SG_NO_NIGHT;
        if (series->row[night] == SG_NO_ROW || is_seen[unit_of(g, series, night)])
            continue;
        is_seen[unit_of(g, series, night)] = true;
        if (is_broken(g, series, night, &last_ok)) {
            add_broken(g, s, night, last_ok);
            continue;
        }
        const size_t before = find_night(g, series, night, unit_of(g, series, night), false);
        if (night == g->last && !is_flaky && before != SG_NO_NIGHT &&
            strcmp(status_at(g, series, before), status_at(g, series, night)) != 0)
            sg_text_addf(
                &add_finding(g, s,
                             is_ok(g, sg_series_row(g->history, series, night)) ? SG_FIXED
                                                                                : SG_CHANGED)
                     ->detail,
                "status %s -> %s", status_at(g, series, before), status_at(g, series, night));
    }
}

/* Is the last nightly run valid but without a value, although an earlier run has one? An item that
 * is identical to the accepted build needs none. */
static bool has_no_value_anymore(const struct judge *g, const struct sg_history_series *series)
{
    return isnan(series->values[g->last].value) &&
           !sg_night_is_untimed(sg_series_row(g->history, series, g->last)) &&
           !*sg_night_fact(g->history, g->last, SG_NIGHT_UNFIT) &&
           sg_series_last_value(series, g->last) != SG_NO_NIGHT;
}

static void judge_facts(const struct judge *g, size_t s)
{
    const struct sg_history_series *series = &g->judgement->series[s];
    const struct sg_night_row *after = sg_series_row(g->history, series, g->last);
    const size_t night_before = find_night(g, series, g->last, ANY_GPU, false);
    if (!after && g->last > 0 && series->row[g->last - 1] != SG_NO_ROW)
        add_finding(g, s, SG_MISSING);
    judge_status(g, s);
    if (!after || night_before == SG_NO_NIGHT)
        return;
    if (is_ok(g, after) && has_no_value_anymore(g, series))
        sg_text_addf(&add_finding(g, s, SG_MISSING)->detail, "no %s",
                     sg_history_kind_word(series->kind));
    SG_SCOPED(sg_names) changes = {0};
    sg_night_counter_changes(g->history, series, g->catalogue, g->last, &changes);
    struct sg_history_finding *changed = changes.count > 0 ? add_finding(g, s, SG_CHANGED) : NULL;
    for (size_t i = 0; i < changes.count; i++)
        sg_text_addf(&changed->detail, "%s%s", i > 0 ? ", " : "", changes.items[i]);
}

/* Values from the first run with the last run's driver on, and from up to SG_CREEP_NIGHTS runs with
 * the previous driver. */
struct driver_change {
    double old[SG_CREEP_NIGHTS], sum; /* with the previous driver; of those with the new one */
    size_t n[2];                      /* with the previous one, with the new one */
    size_t first, before; /* first run with the new driver; last run with the previous one */
};

/* Does the run have a value of the same kind as the last run, against the same accepted build?
 * Other values differ by more than the driver. */
static bool is_like_last(const struct judge *g, const struct sg_history_series *series,
                         size_t night)
{
    const struct sg_night_row *row = sg_series_row(g->history, series, night),
                              *last = sg_series_row(g->history, series, g->last);
    return row && last && !isnan(series->values[night].value) &&
           series->kinds[night] == series->kinds[g->last] &&
           (series->kinds[night] != SG_OF_BUILD || row->build == last->build);
}

static struct driver_change find_driver_change(const struct judge *g,
                                               const struct sg_history_series *series, sg_id gpu)
{
    const struct sg_history *history = g->history;
    const char *driver = sg_night_fact(history, g->last, "driver");
    struct driver_change c = {.first = g->last, .before = g->last};
    for (size_t night = g->last + 1; night-- > 0 && c.n[0] < SG_CREEP_NIGHTS;) {
        if ((gpu != ANY_GPU && unit_of(g, series, night) != gpu) || !is_like_last(g, series, night))
            continue;
        const bool is_new = strcmp(sg_night_fact(history, night, "driver"), driver) == 0;
        if (is_new && c.n[0] > 0)
            break;
        c.first = is_new ? night : c.first;
        c.before = !is_new && c.n[0] == 0 ? night : c.before;
        c.sum += is_new ? series->values[night].value : 0;
        c.old[c.n[0]] = series->values[night].value;
        c.n[is_new]++;
    }
    return c;
}

static void judge_driver(const struct judge *g, size_t s)
{
    const struct sg_history_series *series = &g->judgement->series[s];
    struct driver_change c = find_driver_change(g, series, unit_of(g, series, g->last));
    if (c.n[0] < DRIVER_LEAST && series->kinds[g->last] == SG_OF_BUILD)
        c = find_driver_change(g, series, ANY_GPU); /* GPUs differ little in pairs */
    if (c.n[0] < DRIVER_LEAST || c.n[1] == 0 || c.n[1] > SG_MOVED_NIGHTS)
        return;
    const double change = c.sum / (double)c.n[1] - sg_mean(c.old, c.n[0]),
                 sd = fmax(series->steps.night_sd, sg_robust_sd(c.old, c.n[0])),
                 half = 1.96 * sd * sqrt(1.0 / (double)c.n[0] + 1.0 / (double)c.n[1]);
    if (fabs(change) < fmax(g->tolerance, 2 * half))
        return;
    const struct sg_series_step step =
        step_at(c.first, g->last, change, change - half, change + half);
    struct sg_history_finding *finding = add_number(g, s, SG_MOVED, &step);
    sg_text_addf(&finding->detail, "driver %s -> %s", sg_night_fact(g->history, c.before, "driver"),
                 sg_night_fact(g->history, g->last, "driver"));
}

static int by_found(const void *left, const void *right)
{
    const struct sg_history_finding *a = left, *b = right;
    const int left_exit = sg_verdict_exit(a->found), right_exit = sg_verdict_exit(b->found);
    if (left_exit != right_exit)
        return sg_worse_exit(left_exit, right_exit) == left_exit ? -1 : 1;
    if (a->found != b->found)
        return a->found < b->found ? -1 : 1;
    if (a->series != b->series)
        return a->series < b->series ? -1 : 1;
    return (a->step.at > b->step.at) - (a->step.at < b->step.at);
}

/* Uses the last run with a spread, as for single values. */
static void judge_spread(const struct judge *g, size_t s)
{
    const struct sg_row_spread *spread = &g->judgement->spreads[s];
    if (!spread->check.is_wide)
        return;
    struct sg_text *detail = &add_finding(g, s, SG_SPREAD)->detail;
    sg_text_addf(detail,
                 "processes differ by %.2g %% (sd) on %s, %.2g times as much as in %zu nightly "
                 "runs before: are some slower?",
                 100 * spread->sd, sg_night_label(g->history, spread->night).text,
                 spread->check.times, spread->nights);
}

static void judge_all(const struct judge *g)
{
    g->judgement->spreads = sg_alloc(g->judgement->count + 1, sizeof(*g->judgement->spreads));
    sg_history_spreads(g->history, g->judgement->series, g->judgement->count,
                       g->judgement->spreads);
    for (size_t s = 0; s < g->judgement->count; s++) {
        if (!judge_steps(g, s))
            judge_creep(g, s);
        judge_last_value(g, s);
        judge_spread(g, s);
        judge_driver(g, s);
        judge_facts(g, s);
    }
    if (g->judgement->finding_count > 0)
        qsort(g->judgement->findings, g->judgement->finding_count, sizeof(*g->judgement->findings),
              by_found);
}

#define MACHINE_FACTS 2 /* that separate nightly runs, besides settings and the GPU */

/* A step of this size, ratio - 1, must be found: some tolerances of the suite. */
static double watched_of(const struct sg_history *history)
{
    double tolerance = 0;
    sg_parse_double(sg_night_fact(history, history->count - 1, "tolerance"), false, &tolerance);
    return SG_WATCHED_TIMES * (tolerance > 0 ? tolerance : SG_TOLERANCE_DEFAULT);
}

void sg_history_judge(const struct sg_history *history, const struct sg_history_rule *rule,
                      struct sg_judgement *judgement)
{
    unsigned *machine = sg_alloc(history->count, sizeof(*machine));
    sg_id *units = sg_alloc(history->count, sizeof(*units));
    struct sg_intern_pool *pool = history->pool;
    *judgement = (struct sg_judgement){.history = history, .watched = watched_of(history)};
    const char *facts[MACHINE_FACTS + SG_SETTING_COUNT] = {"driver", "time_source"};
    const size_t settings = sg_settings_keys(SG_MUST_EQUAL, facts + MACHINE_FACTS);
    sg_night_levels(history, facts, MACHINE_FACTS + settings, machine);
    for (size_t night = 0; night < history->count; night++)
        units[night] = pool ? sg_intern(&pool, sg_night_fact(history, night, SG_NIGHT_UNIT)) : 0;
    find_rows(history, judgement);
    struct judge g = {.judgement = judgement,
                      .history = history,
                      .catalogue = rule->catalogue,
                      .tolerance = rule->tolerance,
                      .caution = rule->usual_alarms ? 0 : SG_SCAN_FEW,
                      .last = history->count - 1,
                      .units = units};
    const struct sg_series_rule of_series = {.machine = machine,
                                             .units = units,
                                             .tolerance = g.tolerance,
                                             .caution = g.caution,
                                             .watched = log1p(judgement->watched)};
    judgement->correlation = sg_alloc(history->count, sizeof(*judgement->correlation));
    sg_series_make(history, &of_series, judgement->series, judgement->count,
                   judgement->correlation);
    for (size_t s = 0; s < judgement->count; s++)
        g.has_ratios |= judgement->series[s].kind != SG_OF_TIME;
    judgement->is_bad = sg_alloc(history->count, sizeof(*judgement->is_bad));
    sg_bad_nights(judgement->series, judgement->count, history->count, judgement->is_bad);
    judge_all(&g);
    for (size_t s = 0; s < judgement->count; s++)
        judgement->thin += judgement->series[s].steps.is_thin &&
                           (judgement->series[s].kind != SG_OF_TIME || !g.has_ratios);
}
