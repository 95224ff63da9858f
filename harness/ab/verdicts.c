#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ab/ab_internal.h"
#include "compare/compare_internal.h"
#include "results/samples.h"
#include "stats/replicates.h"
#include "stats/statistics.h"

static bool is_row(size_t pair)
{
    return pair != SIZE_MAX;
}

static struct sg_finding finding_of(const struct sg_ab *ab, const struct sg_step *step, const char *metric, enum sg_verdict verdict)
{
    return (struct sg_finding){
        .family = step->item->family->name,
        .case_ = step->item->case_->name,
        .variant = step->item->variant->name,
        .metric = metric,
        .unit = strcmp(metric, "status") == 0 ? "" : "1",
        .was = NAN,
        .is = NAN,
        .change = NAN,
        .low = NAN,
        .high = NAN,
        .tolerance = ab->options->tolerance,
        .resolution = NAN,
        .accepted = verdict,
        .baseline = SG_VERDICT_COUNT,
        .baseline_change = NAN,
        .baseline_low = NAN,
        .baseline_high = NAN,
        .gates = true,
        .why = "",
    };
}

static void add(struct sg_comparison *comparison, const struct sg_finding *finding)
{
    sg_finding_add(comparison, finding);
    comparison->by_verdict[finding->accepted] += finding->gates;
}

/* ---- many rows at once ---- */

/* adjusted[pair] for the rows that gate, by Holm; 1 for all others.
 * Returns how many rows there are. */
static size_t adjust(const struct sg_ab *ab, double *adjusted)
{
    double *p = sg_alloc(ab->case_count, sizeof(*p)), *holm = sg_alloc(ab->case_count, sizeof(*holm));
    size_t count = 0, *row = sg_alloc(ab->case_count, sizeof(*row));
    for (size_t i = 0; i < ab->engine.count; i++)
        adjusted[i] = 1;
    for (size_t i = 0; i < ab->case_count; i++) {
        const size_t pair = ab->cases[i].pair;
        if (!is_row(pair) || ab->engine.pairs[pair].dead || sg_ab_is_identical(ab, ab->cases[i].candidate))
            continue;
        p[count] = sg_sequential_p(&ab->engine.pairs[pair]);
        row[count++] = pair;
    }
    if (count > 0)
        sg_holm(p, count, holm);
    for (size_t i = 0; i < count; i++)
        adjusted[row[i]] = holm[i];
    free(p);
    free(holm);
    free(row);
    return count;
}

/* ---- one row ---- */

static void note_clocks(const struct sg_ab *ab, const struct sg_step *step, struct sg_text *why)
{
    const struct sg_samples *all = &ab->sink.samples;
    const struct sg_item *item = step->item;
    const sg_id case_ = sg_intern_pool_find(all->pool, item->case_->name), pair = sg_intern_pool_find(all->pool, item->variant->name);
    struct sg_clocks mine = {.hz = sg_alloc(all->count, sizeof(double))}, theirs = {.hz = sg_alloc(all->count, sizeof(double))};
    for (size_t i = 0; i < all->count; i++) {
        const struct sg_sample *batch = &all->items[i];
        struct sg_clocks *side = batch->variant == batch->pair ? &mine : &theirs;
        if (batch->pair == pair && batch->case_ == case_)
            side->hz[side->count++] = batch->sm_clock;
    }
    const double gap = sg_clock_gap(theirs, mine);
    if (fabs(gap) > SG_CLOCK_APART)
        sg_text_addf(why, "%spower: its batches ran at a clock %.2g %% %s than the baseline's, so it draws another power%s",
                     why->length > 0 ? "; " : "", 100 * fabs(expm1(gap)), gap < 0 ? "lower" : "higher",
                     ab->options->sustained ? "" : ", and turns hide a part of that; run it with --sustained before merging");
    free(mine.hz);
    free(theirs.hz);
}

static size_t count_spikes(const struct sg_ab *ab, const struct sg_step *step)
{
    const struct sg_samples *all = &ab->sink.samples;
    const sg_id case_ = sg_intern_pool_find(all->pool, step->item->case_->name),
                pair = sg_intern_pool_find(all->pool, step->item->variant->name);
    size_t spikes = 0;
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].pair == pair && all->items[i].case_ == case_)
            spikes += all->items[i].spikes;
    return spikes;
}

/* Where asked for; and where the processes are not independent,
 * which the interval takes them to be. */
static void note_processes(const struct sg_ab *ab, const struct sg_step *step, size_t pair, struct sg_text *why)
{
    const struct sg_sequential_pair *p = &ab->engine.pairs[pair];
    const struct sg_replicates replicates = sg_replicates_of(p->y, p->estimate.n);
    const bool is_dependent = sg_replicates_are_dependent(&replicates);
    if (!ab->options->verbose && !is_dependent)
        return;
    sg_text_add(why, why->length > 0 ? "; " : "");
    sg_replicates_describe(&replicates, why);
    if (is_dependent)
        sg_text_add(why, ": not independent, so the interval is too narrow; something changed meanwhile, so run it again");
    if (ab->options->verbose)
        sg_text_addf(why, ", %zu spikes", count_spikes(ab, step));
}

#define COMMAND_MAX 300 /* a longer one, of long paths, would not fit into why with the rest */

/* The case alone, at this tolerance, as it can be typed. */
static void add_command(const struct sg_ab *ab, size_t pair, double tolerance, struct sg_text *why)
{
    const char *case_ = ab->execution.steps[ab->step_of_pair[pair]].item->case_->name;
    struct sg_text command = {0};
    sg_ab_add_command(ab, case_, tolerance, &command);
    if (command.length <= COMMAND_MAX)
        sg_text_addf(why, ": solgate %s", command.data);
    else
        sg_text_addf(why, ": the same command with --case=%s --tolerance=%.9g%%", case_, 100 * tolerance);
    sg_text_release(&command);
}

static void describe_verdict(const struct sg_ab *ab, size_t pair, enum sg_verdict verdict, struct sg_text *why)
{
    const struct sg_sequential_pair *p = &ab->engine.pairs[pair];
    const double change = 100 * expm1(p->estimate.mean);
    if (verdict == SG_REGRESSED)
        sg_text_addf(why, "slower than %s by %.3g %%, allowed are %.3g %% (speedup %.3fx)", ab->baseline.label, change, 100 * p->tolerance,
                     exp(-p->estimate.mean));
    if (verdict == SG_REGRESSED && expm1(p->estimate.mean) < p->resolution)
        sg_text_add(why, SG_READS_HIGH);
    else if (verdict == SG_IMPROVED)
        sg_text_addf(why, "faster than %s by %.3g %% (speedup %.3fx)", ab->baseline.label, -change, exp(-p->estimate.mean));
    else if (verdict == SG_IDENTICAL)
        sg_text_add(why, ab->same_thing ? "the same variant of the same file" : "the same code, knobs and files");
    else if (verdict == SG_INCONCLUSIVE) {
        sg_sequential_describe_settling(p, why);
        add_command(ab, pair, sg_sequential_settling_tolerance(p), why);
    }
}

/* What the run as a whole makes of a pair's own verdict. */
static enum sg_verdict settle(const struct sg_ab *ab, size_t pair, double adjusted, size_t rows, struct sg_text *why)
{
    const enum sg_verdict own = ab->engine.pairs[pair].verdict;
    if (!ab->conditions.valid) {
        sg_text_addf(why, "measured as %s, but %s", sg_verdict_word(own), ab->conditions.why);
        return SG_INVALID_VALUE;
    }
    if (!ab->calibration.valid) {
        sg_text_addf(why, "measured as %s, but the run is not to be trusted: the baseline against itself is not A/A consistent",
                     sg_verdict_word(own));
        return SG_INVALID_VALUE;
    }
    if (sg_ab_is_identical(ab, &ab->execution.steps[ab->step_of_pair[pair]]))
        return SG_IDENTICAL;
    if (own == SG_REGRESSED && adjusted > SG_SEQUENTIAL_ERROR) {
        sg_text_addf(why, "slower by %.3g %%, but of %zu rows one looks so by chance in %.2g of 100 gates; run it alone",
                     100 * expm1(ab->engine.pairs[pair].estimate.mean), rows, 100 * adjusted);
        add_command(ab, pair, ab->options->tolerance, why);
        return SG_INCONCLUSIVE;
    }
    return own;
}

static void add_ratio(const struct sg_ab *ab, const struct sg_step *step, size_t pair, double adjusted, size_t rows,
                      struct sg_comparison *comparison)
{
    const struct sg_sequential_pair *p = &ab->engine.pairs[pair];
    struct sg_text why = {0};
    const enum sg_verdict verdict = settle(ab, pair, adjusted, rows, &why);
    struct sg_finding finding = finding_of(ab, step, "time_ratio", verdict);
    finding.is = exp(p->estimate.mean);
    finding.change = finding.baseline_change = expm1(p->estimate.mean);
    finding.low = finding.baseline_low = expm1(p->estimate.low);
    finding.high = finding.baseline_high = expm1(p->estimate.high);
    finding.resolution = p->resolution;
    finding.processes = p->estimate.n;
    finding.baseline = verdict;
    if (why.length == 0)
        describe_verdict(ab, pair, verdict, &why);
    if (!sg_ab_is_identical(ab, step))
        note_clocks(ab, step, &why);
    if (p->estimate.n > 0)
        note_processes(ab, step, pair, &why);
    if (ab->options->sustained)
        sg_text_addf(&why, "%ssustained: interleaved segments of %g s", why.length > 0 ? "; " : "", 1e-3 * ab->plan.segment_ms);
    finding.why = sg_text_string(&why);
    add(comparison, &finding);
    sg_text_release(&why);
}

/* Is one build of a variant held against another one? What either of them has lost
 * is then not to be merged unseen. */
static bool is_rebuilt(const struct sg_ab *ab)
{
    return ab->baseline.name && ab->candidate.name && strcmp(ab->baseline.name, ab->candidate.name) == 0;
}

/*
 * One side refuses the case, and the other is right; without its baseline a candidate is skipped.
 * Where a case was asked for by name, two variants that do not both support it are invalid.
 */
static bool is_one_sided(const struct sg_ab *ab, const struct sg_ab_case *c)
{
    const enum sg_status base = c->baseline->status, cand = c->candidate->status;
    const bool one = (base == SG_UNSUPPORTED && (cand == SG_OK || cand == SG_SKIPPED)) || (base == SG_OK && cand == SG_UNSUPPORTED);
    return one && (is_rebuilt(ab) || ab->options->cases.count == 0);
}

static void add_refused(const struct sg_ab *ab, const struct sg_ab_case *c, struct sg_comparison *comparison)
{
    const bool is_lost = c->candidate->status == SG_UNSUPPORTED;
    const struct sg_step *step = is_lost ? c->candidate : c->baseline;
    const char *detail = step->message ? step->message : "";
    struct sg_finding finding = finding_of(ab, step, "status", is_rebuilt(ab) ? SG_NOT_MEASURED : SG_XFAIL);
    struct sg_finding_reason why;
    finding.room = &why;
    finding.gates = is_rebuilt(ab);
    if (!is_rebuilt(ab))
        sg_finding_why(&finding, "unsupported%s%s", *detail ? ": " : "", detail);
    else if (is_lost)
        sg_finding_why(&finding, "was supported by %s, is unsupported: %s", ab->options->baseline, detail);
    else
        sg_finding_why(&finding, "is supported, and was not by %s: nothing to hold it against; --case=NAME judges the others: %s",
                       ab->options->baseline, detail);
    comparison->one_sided += !finding.gates;
    add(comparison, &finding);
}

/* Cases that only one of two modules has: of those there is no step. */
static void add_unshared(const struct sg_ab *ab, const struct sg_ab_side *side, const struct sg_ab_side *other,
                         struct sg_comparison *comparison)
{
    const bool is_lost = side == &ab->baseline;
    for (size_t i = 0; side->listed && other->listed && ab->options->cases.count == 0 && i < side->listed->case_count; i++) {
        const struct sg_listed_case *case_ = &side->listed->cases[i];
        if (sg_listed_case_find(other->listed, case_->name))
            continue;
        const struct sg_item item = {.family = side->listed, .case_ = case_, .variant = &ab->candidate.variant};
        const struct sg_step step = {.item = &item};
        struct sg_finding finding = finding_of(ab, &step, "status", is_lost && is_rebuilt(ab) ? SG_NOT_MEASURED : SG_XFAIL);
        struct sg_finding_reason why;
        finding.room = &why;
        finding.gates = is_lost && is_rebuilt(ab);
        sg_finding_why(&finding, "a case of %s, and none of %s", is_lost ? ab->options->baseline : ab->options->candidate,
                       is_lost ? ab->options->candidate : ab->options->baseline);
        comparison->one_sided += !finding.gates;
        add(comparison, &finding);
    }
}

/* A side without a time: what a merge makes of it. */
static void add_failure(const struct sg_ab *ab, const struct sg_step *step, struct sg_comparison *comparison)
{
    const bool refused = step->status == SG_UNSUPPORTED || step->status == SG_UNAVAILABLE || step->status == SG_SKIPPED;
    struct sg_finding finding = finding_of(ab, step, "status", refused ? SG_INVALID_VALUE : SG_BROKEN);
    /* Without --case those cases count that both sides support. */
    finding.gates = !(step->status == SG_UNSUPPORTED && ab->options->cases.count == 0);
    if (!finding.gates)
        finding.accepted = SG_XFAIL;
    struct sg_finding_reason why;
    finding.room = &why;
    sg_finding_why(&finding, "%s%s%s", sg_status_word(step->status), step->message && *step->message ? ": " : "",
                   step->message ? step->message : "");
    add(comparison, &finding);
}

/* One that is right and is declared to fail: whoever merges it must
 * mend what its source says first. */
static void add_fixed(const struct sg_ab *ab, const struct sg_step *step, enum sg_status declared, struct sg_comparison *comparison)
{
    if (step->status != SG_OK || declared == SG_OK)
        return;
    struct sg_finding finding = finding_of(ab, step, "status", SG_BROKEN);
    struct sg_finding_reason why;
    finding.room = &why;
    sg_finding_why(&finding, "ok, and declared %s: its source has to say what it is (.expect)", sg_status_word(declared));
    add(comparison, &finding);
}

static void add_case(const struct sg_ab *ab, const struct sg_ab_case *c, const double *adjusted, size_t rows,
                     struct sg_comparison *comparison)
{
    if (is_one_sided(ab, c)) {
        add_refused(ab, c, comparison);
    } else {
        if (c->baseline->status != SG_OK)
            add_failure(ab, c->baseline, comparison);
        if (c->candidate->status != SG_OK && c->candidate != c->baseline)
            add_failure(ab, c->candidate, comparison);
    }
    add_fixed(ab, c->baseline, ab->baseline.declared, comparison);
    if (c->candidate != c->baseline)
        add_fixed(ab, c->candidate, ab->candidate.declared, comparison);
    if (c->baseline->status == SG_OK && c->candidate->status == SG_OK && is_row(c->pair))
        add_ratio(ab, c->candidate, c->pair, adjusted[c->pair], rows, comparison);
}

void sg_ab_judge(const struct sg_ab *ab, struct sg_comparison *comparison)
{
    struct sg_text title = {0};
    double *adjusted = sg_alloc(ab->engine.count + 1, sizeof(*adjusted));
    const size_t rows = adjust(ab, adjusted);
    *comparison = (struct sg_comparison){.of_pairs = true};
    for (size_t i = 0; i < ab->case_count; i++)
        add_case(ab, &ab->cases[i], adjusted, rows, comparison);
    add_unshared(ab, &ab->baseline, &ab->candidate, comparison);
    add_unshared(ab, &ab->candidate, &ab->baseline, comparison);
    sg_text_addf(&title, "%s against %s", ab->options->candidate, ab->options->baseline);
    comparison->title = title.data;
    comparison->baseline_path = sg_copy_string(ab->options->baseline);
    free(adjusted);
}

/* ---- what cannot be ---- */

/* Both sides of the step's pair, each with its name; nothing: both can be. */
static void describe_refused(const struct sg_step *step, struct sg_text *why)
{
    const struct sg_step *const sides[] = {step, step->baseline};
    for (size_t i = 0; i < sizeof(sides) / sizeof(sides[0]); i++)
        if (sides[i] && sides[i]->refused && (i == 0 || sides[i] != step))
            sg_text_addf(why, "%s%s cannot be: %s", why->length > 0 ? "; " : "", sides[i]->item->variant->name, sides[i]->refused);
}

void sg_ab_refuse(const struct sg_ab *ab, struct sg_comparison *comparison)
{
    for (size_t i = 0; i < comparison->count; i++) {
        struct sg_finding finding = sg_finding_at(comparison, i);
        const struct sg_step *step =
            sg_execution_step(&ab->execution, (const char *const[]){finding.family, finding.case_, finding.variant});
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
