#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ab/ab_internal.h"
#include "results/row_kind.h"
#include "results/terms.h"
#include "stats/replicates.h"
#include "stats/statistics.h"

/* A baseline is slowed by its pair if it is slower by this share, or by a larger tolerance. Of
 * 582 measured pairs of kernels no baseline was, and half were within 0.1 %: docs/python.md. */
#define SG_BESIDE_MAX 0.01

static bool is_row(size_t pair)
{
    return pair != SIZE_MAX;
}

static struct sg_finding finding_of(const struct sg_ab *ab, const struct sg_item *item,
                                    const char *metric, enum sg_verdict verdict)
{
    struct sg_finding finding = sg_finding_none();
    finding.family = item->family->name;
    finding.case_ = item->case_->name;
    finding.variant = item->variant->name;
    finding.metric = metric;
    finding.unit = strcmp(metric, "status") == 0 ? "" : "1";
    finding.tolerance = ab->options->settings.tolerance;
    finding.accepted = verdict;
    finding.gates = true;
    return finding;
}

void sg_ab_add(struct sg_comparison *comparison, const struct sg_finding *finding)
{
    sg_finding_add(comparison, finding);
    comparison->by_verdict[finding->accepted] += finding->gates;
}

/* ---- a case without a ratio ---- */

/* Adds a row for the item's status, with the reason. */
static void add_status(const struct sg_ab *ab, const struct sg_item *item, enum sg_verdict verdict,
                       bool gates, struct sg_comparison *comparison, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

static void add_status(const struct sg_ab *ab, const struct sg_item *item, enum sg_verdict verdict,
                       bool gates, struct sg_comparison *comparison, const char *format, ...)
{
    struct sg_finding finding = finding_of(ab, item, "status", verdict);
    SG_SCOPED(sg_text) why = {0};
    va_list args;
    va_start(args, format);
    sg_text_addv(&why, format, args);
    va_end(args);
    finding.gates = gates;
    finding.why = sg_text_string(&why);
    sg_ab_add(comparison, &finding);
}

static const char *reason_of(const struct sg_step *step)
{
    return step->message ? step->message : "";
}

/* True if two builds of one variant are compared. A loss in either build must then block the
 * merge. */
static bool is_rebuilt(const struct sg_ab *ab)
{
    return ab->baseline.name && ab->candidate.name &&
           strcmp(ab->baseline.name, ab->candidate.name) == 0;
}

/* True if one side refuses the case and the other is right. Without its baseline, a candidate is
 * skipped. If the case was requested by name, two variants that do not both support it are
 * invalid. */
static bool is_one_sided(const struct sg_ab *ab, const struct sg_ab_case *c)
{
    const enum sg_status base = c->baseline->status, cand = c->candidate->status;
    const bool one = (base == SG_UNSUPPORTED && (cand == SG_OK || cand == SG_SKIPPED)) ||
                     (base == SG_OK && cand == SG_UNSUPPORTED);
    return one && (is_rebuilt(ab) || ab->options->cases.count == 0);
}

static void add_refused(const struct sg_ab *ab, const struct sg_ab_case *c,
                        struct sg_comparison *comparison)
{
    const bool is_lost = c->candidate->status == SG_UNSUPPORTED;
    const struct sg_step *step = is_lost ? c->candidate : c->baseline;
    comparison->one_sided += !is_rebuilt(ab);
    if (!is_rebuilt(ab))
        add_status(ab, step->item, SG_REFUSES, false, comparison, "unsupported%s%s",
                   *reason_of(step) ? ": " : "", reason_of(step));
    else if (is_lost)
        add_status(ab, step->item, SG_NOT_MEASURED, true, comparison,
                   "was supported by %s, is unsupported: %s", ab->options->baseline,
                   reason_of(step));
    else
        add_status(ab, step->item, SG_NOT_MEASURED, true, comparison,
                   "is supported, and was not by %s: nothing to compare it with; --case=NAME "
                   "judges the others: %s",
                   ab->options->baseline, reason_of(step));
}

/* Cases that only one of the two modules has; they have no step. */
static void add_unshared(const struct sg_ab *ab, const struct sg_ab_side *side,
                         const struct sg_ab_side *other, struct sg_comparison *comparison)
{
    const bool is_lost = side == &ab->baseline, gates = is_lost && is_rebuilt(ab);
    for (size_t i = 0; side->listed && other->listed && ab->options->cases.count == 0 &&
                       i < side->listed->case_count;
         i++) {
        const struct sg_item item = {.family = side->listed,
                                     .case_ = &side->listed->cases[i],
                                     .variant = &ab->candidate.variant};
        if (sg_listed_case_find(other->listed, item.case_->name))
            continue;
        comparison->one_sided += !gates;
        add_status(ab, &item, gates ? SG_NOT_MEASURED : SG_REFUSES, gates, comparison,
                   "a case of %s, and none of %s",
                   is_lost ? ab->options->baseline : ab->options->candidate,
                   is_lost ? ab->options->candidate : ab->options->baseline);
    }
}

/* Adds the finding of a side without a time. Without --case, only cases that both sides support
 * count. */
static void add_failure(const struct sg_ab *ab, const struct sg_step *step,
                        struct sg_comparison *comparison)
{
    const bool is_unmeasured = step->status == SG_UNSUPPORTED || step->status == SG_UNAVAILABLE ||
                               step->status == SG_SKIPPED;
    const bool gates = step->status != SG_UNSUPPORTED || ab->options->cases.count > 0;
    const enum sg_verdict verdict = !gates          ? SG_REFUSES
                                    : is_unmeasured ? SG_INVALID_VALUE
                                                    : SG_BROKEN;
    if (step->status != SG_OK)
        add_status(ab, step->item, verdict, gates, comparison, "%s%s%s",
                   sg_status_word(step->status), *reason_of(step) ? ": " : "", reason_of(step));
}

/* A variant that is right but declared to fail: its source must be corrected before the merge. */
static void add_fixed(const struct sg_ab *ab, const struct sg_step *step, enum sg_status declared,
                      struct sg_comparison *comparison)
{
    if (step->status == SG_OK && declared != SG_OK)
        add_status(ab, step->item, SG_BROKEN, true, comparison,
                   "ok, and declared %s: its source has to say what it is (.expect)",
                   sg_status_word(declared));
}

static bool is_of(const struct sg_value *value, const struct sg_item *item)
{
    return strcmp(value->variant, item->variant->name) == 0 &&
           strcmp(value->case_, item->case_->name) == 0;
}

static struct sg_value term_of(const struct sg_table *rows, const struct sg_item *item,
                               const char *metric)
{
    for (size_t i = rows->count; i-- > 0;) {
        const struct sg_value value = sg_value_of(rows, &rows->rows[i]);
        if (strcmp(value.metric, metric) == 0 && is_of(&value, item))
            return value;
    }
    return (struct sg_value){.message = "not there"};
}

/* Variants may differ in their declared repeats; all other terms are the module's. */
bool sg_ab_other_terms(const struct sg_ab *ab, const struct sg_ab_case *c,
                       struct sg_comparison *comparison)
{
    const struct sg_table *rows = &ab->sink.rows;
    bool found = false;
    for (size_t i = 0;
         i < rows->count && ab->plan.others && c->baseline->passed && c->candidate->passed; i++) {
        const struct sg_value was = sg_value_of(rows, &rows->rows[i]),
                              is = term_of(rows, c->candidate->item, was.metric);
        if (!is_of(&was, c->baseline->item) || !sg_is_term(was.metric) ||
            strcmp(was.metric, "role") == 0 ||
            (strcmp(was.metric, SG_TERM_REPEATS) == 0 && !is_rebuilt(ab)) ||
            sg_term_compare(was.metric, &was, &is) != SG_TERM_LOOSER)
            continue;
        found = true;
        if (comparison)
            add_status(ab, c->candidate->item, SG_OTHER_TERMS, true, comparison,
                       "not timed: %s is %.9g, and %.9g in the baseline's module; change terms in "
                       "a separate commit",
                       was.metric, is.value, was.value);
    }
    return found;
}

/* ---- a ratio ---- */

size_t sg_ab_adjust(const struct sg_sequential *engine, double *adjusted)
{
    SG_FREED double *p = sg_alloc(engine->count + 1, sizeof(*p)),
                    *holm = sg_alloc(engine->count + 1, sizeof(*holm));
    SG_FREED size_t *row = sg_alloc(engine->count + 1, sizeof(*row));
    size_t count = 0;
    for (size_t i = 0; i < engine->count; i++) {
        adjusted[i] = 1;
        if (engine->pairs[i].dead || engine->pairs[i].even)
            continue;
        p[count] = sg_sequential_p(&engine->pairs[i]);
        row[count++] = i;
    }
    if (count > 0)
        sg_holm(p, NULL, count, holm);
    for (size_t i = 0; i < count; i++)
        adjusted[row[i]] = holm[i];
    return count;
}

static void note_clocks(const struct sg_ab *ab, const struct sg_item *item, struct sg_text *why)
{
    const struct sg_samples *all = &ab->sink.samples;
    const sg_id case_ = sg_intern_pool_find(all->pool, item->case_->name),
                pair = sg_intern_pool_find(all->pool, item->variant->name);
    struct sg_clocks mine = {.hz = sg_alloc(all->count, sizeof(double))},
                     theirs = {.hz = sg_alloc(all->count, sizeof(double))};
    for (size_t i = 0; i < all->count; i++) {
        const struct sg_sample *batch = &all->items[i];
        struct sg_clocks *side = batch->variant == batch->pair ? &mine : &theirs;
        if (batch->pair == pair && batch->case_ == case_)
            side->hz[side->count++] = batch->sm_clock;
    }
    const double gap = sg_clock_gap(theirs, mine);
    if (fabs(gap) > SG_CLOCK_APART)
        sg_text_addf(
            why,
            "%spower: its batches ran at a clock %.2g %% %s than the baseline's, so it draws "
            "another power%s",
            why->length > 0 ? "; " : "", 100 * fabs(expm1(gap)), gap < 0 ? "lower" : "higher",
            ab->options->settings.sustained
                ? ""
                : ", and turns hide a part of that; run it with --sustained before merging");
    free(mine.hz);
    free(theirs.hz);
}

void sg_ab_note_dependence(const struct sg_sequential_pair *pair, struct sg_text *why)
{
    const struct sg_replicates replicates = sg_replicates_of(pair->y, pair->estimate.n);
    if (pair->estimate.order != 0)
        sg_text_addf(why,
                     "%sprocesses alternate by +-%.2g %% with the order of the sides: both orders "
                     "count alike",
                     why->length > 0 ? "; " : "", 50 * fabs(pair->estimate.order));
    if (pair->estimate.n == 0 || !sg_replicates_are_dependent(&replicates))
        return;
    sg_text_add(why, why->length > 0 ? "; " : "");
    sg_replicates_describe(&replicates, why);
    sg_text_add(why, ": not independent, so the interval is too narrow; something changed "
                     "meanwhile, so run it again");
}

/* The time includes waiting for the host, not the kernels alone. */
static void note_host_bound(const struct sg_step *step, struct sg_text *why)
{
    if (step->host_bound)
        sg_text_addf(why,
                     "%s" SG_HOST_BOUND_METRIC
                     ": %s: its host waits for the device, or the device for the host",
                     why->length > 0 ? "; " : "", step->host_bound);
}

void sg_ab_describe(const struct sg_sequential_pair *pair, enum sg_verdict verdict,
                    const char *base, struct sg_text *why)
{
    const double change = 100 * expm1(pair->estimate.mean);
    if (verdict == SG_REGRESSED)
        sg_text_addf(why, "slower than %s by %.3g %%, allowed are %.3g %% (speedup %.3fx)%s", base,
                     change, 100 * pair->tolerance, exp(-pair->estimate.mean),
                     0.01 * change < pair->resolution ? SG_READS_HIGH : "");
    else if (verdict == SG_IMPROVED)
        sg_text_addf(why, "faster than %s by %.3g %% (speedup %.3fx)", base, -change,
                     exp(-pair->estimate.mean));
    else if (verdict == SG_INCONCLUSIVE)
        sg_sequential_describe_settling(pair, why);
}

static void describe_verdict(const struct sg_ab *ab, size_t index, enum sg_verdict verdict,
                             struct sg_text *why)
{
    const struct sg_sequential_pair *pair = &ab->engine.pairs[index];
    /* Not NAME_base: that name exists only in this run. */
    const char *base = strcmp(ab->baseline.label, ab->baseline.name) == 0 ? ab->baseline.label
                                                                          : "the build of BASELINE";
    sg_ab_describe(pair, verdict, base, why);
    if (verdict == SG_IDENTICAL)
        sg_text_add(why, ab->same_thing ? "the same variant of the same file"
                                        : "the same code, knobs and files");
    else if (verdict == SG_INCONCLUSIVE)
        sg_text_addf(why, ": --case=%s --tolerance=%s%.9g%%",
                     ab->execution.steps[ab->step_of_pair[index]].item->case_->name,
                     SG_WIDE_IF(sg_sequential_settling_tolerance(pair)),
                     100 * sg_sequential_settling_tolerance(pair));
}

/* ln(baseline's time paired with the candidate / its time alone), from processes that have both. */
static struct sg_estimate beside_alone(const struct sg_ab *ab, const struct sg_step *step)
{
    const struct sg_samples *all = &ab->sink.samples;
    const char *const *name =
        (const char *const[]){SG_ITEM_NAMES(step->item), step->baseline->item->variant->name};
    const sg_id case_ = sg_intern_pool_find(all->pool, name[1]),
                pair = sg_intern_pool_find(all->pool, name[2]),
                base = sg_intern_pool_find(all->pool, name[3]);
    struct {
        double sum;
        unsigned count;
    } of[2][SG_SEQUENTIAL_PROCESSES_MAX] = {0};
    double y[SG_SEQUENTIAL_PROCESSES_MAX];
    size_t n = 0;
    for (size_t i = 0; i < all->count; i++) {
        const struct sg_sample *batch = &all->items[i];
        if (batch->case_ != case_ || batch->variant != base ||
            (batch->pair != pair && batch->pair != base) ||
            batch->process >= SG_SEQUENTIAL_PROCESSES_MAX)
            continue;
        of[batch->pair == pair][batch->process].sum += log(batch->ns);
        of[batch->pair == pair][batch->process].count++;
    }
    for (size_t p = 0; p < SG_SEQUENTIAL_PROCESSES_MAX; p++)
        if (of[0][p].count > 0 && of[1][p].count > 0)
            y[n++] = of[1][p].sum / of[1][p].count - of[0][p].sum / of[0][p].count;
    return sg_abba_estimate(y, n);
}

/* A baseline that slows down only when paired makes the candidate look fast. */
static bool is_slowed(const struct sg_ab *ab, const struct sg_step *step, struct sg_estimate *slow)
{
    if (step->baseline == step || ab->options->settings.sustained)
        return false;
    *slow = beside_alone(ab, step);
    return slow->low > log1p(fmax(SG_BESIDE_MAX, ab->options->settings.tolerance));
}

/* The candidate must also hold against the baseline's time alone. A candidate slower than a slowed
 * baseline is slower in any case. */
static enum sg_verdict judge_slowed(struct sg_sequential_pair *pair, const struct sg_estimate *slow)
{
    const double allowed = log1p(pair->tolerance);
    struct sg_estimate *change = &pair->estimate;
    change->mean += slow->mean;
    change->low += slow->low;
    change->high += slow->high;
    if (pair->verdict == SG_REGRESSED)
        return SG_REGRESSED;
    if (change->high > allowed)
        return SG_INVALID_VALUE;
    return pair->verdict == SG_INCONCLUSIVE ? SG_INCONCLUSIVE
           : change->high < -allowed        ? SG_IMPROVED
                                            : SG_WITHIN;
}

/* Returns the verdict after run-wide checks of the pair's own verdict. The pair is updated with the
 * numbers behind the verdict. */
static enum sg_verdict settle(const struct sg_ab *ab, const struct sg_step *step,
                              struct sg_sequential_pair *pair, double adjusted, size_t rows,
                              struct sg_text *why)
{
    const enum sg_verdict own = pair->verdict;
    struct sg_estimate slow;
    const char *invalid =
        !ab->conditions.valid ? ab->conditions.why
        : !ab->calibration.valid
            ? "the baseline against itself is not A/A consistent, so no time of this run holds"
            : NULL;
    if (invalid) {
        sg_text_addf(why, "measured as %s, but %s", sg_verdict_word(own), invalid);
        return SG_INVALID_VALUE;
    }
    if (sg_ab_is_identical(ab, step))
        return SG_IDENTICAL;
    if (own == SG_REGRESSED && adjusted > SG_SEQUENTIAL_ERROR) {
        sg_text_addf(why,
                     "slower by %.3g %%, but of %zu rows one looks so by chance in %.2g of 100 "
                     "gates; run it alone: --case=%s",
                     100 * expm1(pair->estimate.mean), rows, 100 * adjusted,
                     step->item->case_->name);
        return SG_INCONCLUSIVE;
    }
    if (!is_slowed(ab, step, &slow))
        return own;
    sg_text_addf(why,
                 "measured as %s (%+.3g %%), but the baseline takes %.3g %% longer beside it than "
                 "by itself [%.3g, %.3g] (a CUDA graph in "
                 "the process widens the gaps between kernels: docs/python.md)",
                 sg_verdict_word(own), 100 * expm1(pair->estimate.mean), 100 * expm1(slow.mean),
                 100 * expm1(slow.low), 100 * expm1(slow.high));
    const enum sg_verdict verdict = judge_slowed(pair, &slow);
    sg_text_addf(why, "; against the baseline by itself %+.3g %%",
                 100 * expm1(pair->estimate.mean));
    return verdict;
}

void sg_ab_take_pair(struct sg_finding *finding, const struct sg_sequential_pair *pair)
{
    finding->is = exp(pair->estimate.mean);
    finding->change = finding->baseline_change = expm1(pair->estimate.mean);
    finding->low = finding->baseline_low = expm1(pair->estimate.low);
    finding->high = finding->baseline_high = expm1(pair->estimate.high);
    finding->resolution = pair->resolution;
    finding->processes = pair->estimate.n;
    finding->baseline = finding->accepted;
}

static void add_ratio(const struct sg_ab *ab, const struct sg_step *step, size_t pair,
                      double adjusted, size_t rows, struct sg_comparison *comparison)
{
    struct sg_sequential_pair p = ab->engine.pairs[pair];
    SG_SCOPED(sg_text) why = {0};
    const enum sg_verdict verdict = settle(ab, step, &p, adjusted, rows, &why);
    struct sg_finding finding = finding_of(ab, step->item, "time_ratio", verdict);
    sg_ab_take_pair(&finding, &p);
    if (why.length == 0)
        describe_verdict(ab, pair, verdict, &why);
    if (!sg_ab_is_identical(ab, step))
        note_clocks(ab, step->item, &why);
    note_host_bound(step, &why);
    if (*reason_of(step))
        sg_text_addf(&why, "%s%s", why.length > 0 ? "; " : "", reason_of(step));
    sg_ab_note_dependence(&p, &why);
    if (ab->options->settings.sustained)
        sg_text_addf(&why, "%ssustained: interleaved segments of %g s", why.length > 0 ? "; " : "",
                     1e-3 * SG_SEGMENT_MS);
    finding.why = sg_text_string(&why);
    sg_ab_add(comparison, &finding);
}

/* ---- all cases ---- */

static void add_case(const struct sg_ab *ab, const struct sg_ab_case *c, const double *adjusted,
                     size_t rows, struct sg_comparison *comparison)
{
    const bool is_pair = c->candidate != c->baseline;
    if (is_one_sided(ab, c)) {
        add_refused(ab, c, comparison);
    } else {
        add_failure(ab, c->baseline, comparison);
        if (is_pair)
            add_failure(ab, c->candidate, comparison);
    }
    sg_ab_other_terms(ab, c, comparison);
    add_fixed(ab, c->baseline, ab->baseline.declared, comparison);
    if (is_pair)
        add_fixed(ab, c->candidate, ab->candidate.declared, comparison);
    if (c->baseline->status == SG_OK && c->candidate->status == SG_OK && is_row(c->pair))
        add_ratio(ab, c->candidate, c->pair, adjusted[c->pair], rows, comparison);
}

void sg_ab_judge(const struct sg_ab *ab, struct sg_comparison *comparison)
{
    struct sg_text title = {0};
    SG_FREED double *adjusted = sg_alloc(ab->engine.count + 1, sizeof(*adjusted));
    const size_t rows = sg_ab_adjust(&ab->engine, adjusted);
    *comparison = (struct sg_comparison){.of_pairs = true};
    for (size_t i = 0; i < ab->case_count; i++)
        add_case(ab, &ab->cases[i], adjusted, rows, comparison);
    add_unshared(ab, &ab->baseline, &ab->candidate, comparison);
    add_unshared(ab, &ab->candidate, &ab->baseline, comparison);
    sg_text_addf(&title, "%s against %s", ab->options->candidate, ab->options->baseline);
    comparison->title = title.data;
    comparison->accepted_path = sg_copy_string(ab->options->baseline);
}

/* Names each side of the step's pair whose time is physically impossible. Adds nothing if both are
 * possible. */
static void describe_refused(const struct sg_step *step, struct sg_text *why)
{
    const struct sg_step *const sides[] = {step, step->baseline != step ? step->baseline : NULL};
    for (size_t i = 0; i < sizeof(sides) / sizeof(sides[0]); i++)
        if (sides[i] && sides[i]->refused)
            sg_text_addf(why, "%s%s cannot be: %s", why->length > 0 ? "; " : "",
                         sides[i]->item->variant->name, sides[i]->refused);
}

void sg_ab_refuse(const struct sg_ab *ab, struct sg_comparison *comparison)
{
    for (size_t i = 0; i < comparison->count; i++) {
        struct sg_finding finding = sg_finding_at(comparison, i);
        const struct sg_step *step = sg_execution_step(
            &ab->execution, (const char *const[]){finding.family, finding.case_, finding.variant});
        struct sg_text why = {0};
        if (step && finding.baseline != SG_VERDICT_COUNT)
            describe_refused(step, &why);
        if (why.length > 0) {
            comparison->by_verdict[finding.accepted] -= finding.gates;
            comparison->by_verdict[SG_INVALID_VALUE] += finding.gates;
            finding.accepted = finding.baseline = SG_INVALID_VALUE;
            finding.why = why.data;
            sg_finding_put(comparison, i, &finding);
        }
        sg_text_release(&why);
    }
}
