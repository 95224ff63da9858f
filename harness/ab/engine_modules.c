/* ab/ab_internal.h: measures pairs of variants, and turns cases to rows of the gate. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ab/ab_internal.h"
#include "ab/choices.h"
#include "plan/gate_script.h"
#include "results/identity.h"
#include "results/row_kind.h"
#include "results/terms.h"
#include "results/run_folder.h"
#include "util/csv_reader.h"
#include "util/file.h"

/* A baseline is slowed by its pair if it is slower by this share, or by a larger tolerance. In 582
 * measured pairs of kernels no baseline was slowed, and half were within 0.1 %: docs/triton.md. */
#define SG_PAIRING_EFFECT_MAX 0.01

#define SG_AA_HEADER                                                                         \
    "date,seed,gpu,gpu_name,driver,family,case,variant,tolerance,processes,change,low,high," \
    "verdict"

/* True if the step is the same code as its baseline: the same step, or the same name and identity
 * (results/identity.h). */
static bool is_identical(const struct sg_ab *ab, const struct sg_step *step)
{
    return ab->same_thing ||
           (strcmp(ab->baseline.name, ab->candidate.name) == 0 && step->baseline &&
            sg_identity_same(step->baseline->identity, step->identity));
}

static const struct sg_step *step_of(const struct sg_ab *ab, size_t pair)
{
    return &ab->execution.steps[ab->step_of_pair[pair]];
}

/* ---- terms ---- */

/* True if two builds of one variant are compared. A loss in either build must then block the
 * merge. */
static bool is_rebuilt(const struct sg_ab *ab)
{
    return ab->baseline.name && ab->candidate.name &&
           strcmp(ab->baseline.name, ab->candidate.name) == 0;
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

/* Finds the next term from *row on that was looser for the candidate than for the baseline.
 * Variants may differ in their declared repeats; all other terms are the module's. */
static bool find_other_term(const struct sg_ab *ab, const struct sg_ab_case *c, size_t *row,
                            struct sg_value *was, struct sg_value *is)
{
    const struct sg_table *rows = &ab->sink.rows;
    if (!ab->plan.others || !c->baseline->passed || !c->candidate->passed)
        return false;
    for (; *row < rows->count; ++*row) {
        *was = sg_value_of(rows, &rows->rows[*row]);
        if (!is_of(was, c->baseline->item) || !sg_is_term(was->metric) ||
            strcmp(was->metric, "role") == 0 ||
            (strcmp(was->metric, SG_TERM_REPEATS) == 0 && !is_rebuilt(ab)))
            continue;
        *is = term_of(rows, c->candidate->item, was->metric);
        if (sg_term_compare(was->metric, was, is) == SG_TERM_LOOSER)
            return true;
    }
    return false;
}

static bool has_other_terms(const struct sg_ab *ab, const struct sg_ab_case *c)
{
    struct sg_value was, is;
    return find_other_term(ab, c, &(size_t){0}, &was, &is);
}

/* ---- measuring ---- */

static size_t add_pair(struct sg_ab *ab, const struct sg_step *step)
{
    struct sg_sequential *pairs = &ab->gate.pairs;
    pairs->pairs[pairs->count] =
        (struct sg_sequential_pair){.tolerance = ab->options->settings.tolerance,
                                    .even = step->baseline == step || is_identical(ab, step)};
    ab->step_of_pair[pairs->count] = (size_t)(step - ab->execution.steps);
    return pairs->count++;
}

static void make_pairs(struct sg_ab *ab)
{
    struct sg_sequential *pairs = &ab->gate.pairs;
    unsigned rows[2] = {0}; /* number of candidate pairs; number of A/A pairs */
    *pairs = (struct sg_sequential){.pairs = sg_alloc(ab->plan.count, sizeof(*pairs->pairs)),
                                    .lambda = 1,
                                    .orders = sg_is_gate_script(ab->candidate.module)
                                                  ? SG_ORDERS_OF_PROGRAM
                                                  : SG_ORDERS_IN_TURN};
    ab->step_of_pair = sg_alloc(ab->plan.count, sizeof(*ab->step_of_pair));
    for (size_t i = 0; i < ab->case_count && !ab->options->untimed; i++) {
        struct sg_ab_case *c = &ab->cases[i];
        /* An item that failed in an earlier part of this run keeps its pair, which is dead. */
        if (!c->baseline->passed || !c->candidate->passed || has_other_terms(ab, c))
            continue;
        c->pair = add_pair(ab, c->baseline); /* A/A */
        if (!ab->same_thing)
            c->pair = add_pair(ab, c->candidate);
    }
    for (size_t i = 0; i < pairs->count; i++)
        rows[pairs->pairs[i].even]++;
    for (size_t i = 0; i < pairs->count; i++)
        pairs->pairs[i].rows = rows[pairs->pairs[i].even];
}

static void calibrate(struct sg_ab *ab)
{
    const struct sg_sequential *pairs = &ab->gate.pairs;
    SG_FREED struct sg_aa *all = sg_alloc(pairs->count + 1, sizeof(*all));
    char(*names)[200] = sg_alloc(pairs->count + 1, sizeof(*names));
    size_t count = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        const struct sg_sequential_pair *pair = &pairs->pairs[i];
        if (pair->dead || !pair->even)
            continue;
        snprintf(names[count], sizeof(names[count]), "%s/%s/%s",
                 SG_ITEM_NAMES(step_of(ab, i)->item));
        all[count] = (struct sg_aa){.name = names[count],
                                    .estimate = pair->estimate,
                                    .verdict = pair->verdict,
                                    .p = sg_sequential_p(pair)};
        count++;
    }
    ab->calibration = sg_check_aa(all, count, pairs->lambda);
}

static enum sg_code measure(struct sg_gate *gate, struct sg_err *err)
{
    struct sg_ab *ab = gate->context;
    struct sg_sequential *pairs = &gate->pairs;
    SG_FREED size_t *all = sg_execution_all_steps(&ab->execution);
    ab->execution.starts_ahead = true;
    if (sg_execution_verify(&ab->execution, all, ab->plan.count, err) != SG_SUCCESS)
        return err->code;
    sg_execution_start_time(&ab->execution);
    make_pairs(ab);
    if (sg_execution_decide(&ab->execution, pairs, ab->step_of_pair, err) != SG_SUCCESS)
        return err->code;
    calibrate(ab);
    /* The intervals got wider, so pairs that the narrow ones decided are judged again, and
     * measured further where still undecided. */
    while (ab->calibration.lambda > pairs->lambda && ab->calibration.lambda <= SG_LAMBDA_MAX) {
        pairs->lambda = ab->calibration.lambda;
        for (size_t i = 0; i < pairs->count; i++)
            pairs->pairs[i].decided = false;
        if (sg_execution_decide(&ab->execution, pairs, ab->step_of_pair, err) != SG_SUCCESS)
            return err->code;
        calibrate(ab);
    }
    sg_execution_settle(&ab->execution);
    ab->conditions = sg_validity_judge(&ab->sink.processes, ab->options->shared_gpu_allowed);
    return SG_SUCCESS;
}

/* ---- rows without a ratio ---- */

/* Adds a row for the item's status, with the reason. A refused case does not gate. */
__attribute__((format(printf, 5, 6))) static void
add_status(struct sg_ab *ab, const struct sg_item *item, enum sg_verdict verdict, bool one_sided,
           const char *format, ...)
{
    SG_SCOPED(sg_text) why = {0};
    va_list args;
    va_start(args, format);
    sg_text_addv(&why, format, args);
    va_end(args);
    sg_gate_add(&ab->gate, &(struct sg_gate_row){
                               .family = item->family->name,
                               .case_ = item->case_->name,
                               .variant = item->variant->name,
                               .pair = SG_NO_PAIR,
                               .refused = verdict,
                               .is_informational = verdict == SG_REFUSES,
                               .one_sided = one_sided,
                               .why = sg_reason(&ab->gate.comparison, "%s", sg_text_string(&why))});
}

static const char *reason_of(const struct sg_step *step)
{
    return step->message ? step->message : "";
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

static void add_refused(struct sg_ab *ab, const struct sg_ab_case *c)
{
    const bool was_supported = c->candidate->status == SG_UNSUPPORTED;
    const struct sg_step *step = was_supported ? c->candidate : c->baseline;
    if (!is_rebuilt(ab))
        add_status(ab, step->item, SG_REFUSES, true, "unsupported%s%s",
                   *reason_of(step) ? ": " : "", reason_of(step));
    else if (was_supported)
        add_status(ab, step->item, SG_NOT_MEASURED, false,
                   "unsupported now, but supported by %s: %s", ab->options->baseline,
                   reason_of(step));
    else
        add_status(ab, step->item, SG_NOT_MEASURED, false,
                   "%s does not support this case, so there is nothing to compare with; "
                   "--case=NAME judges the other cases: %s",
                   ab->options->baseline, reason_of(step));
}

/* Cases that only one of the two modules has; they have no step. */
static void add_unshared(struct sg_ab *ab, const struct sg_ab_side *side,
                         const struct sg_ab_side *other)
{
    const bool was_supported = side == &ab->baseline, gates = was_supported && is_rebuilt(ab);
    for (size_t i = 0; side->listed && other->listed && ab->options->cases.count == 0 &&
                       i < side->listed->case_count;
         i++) {
        const struct sg_item item = {.family = side->listed,
                                     .case_ = &side->listed->cases[i],
                                     .variant = &ab->candidate.variant};
        if (!sg_listed_case_find(other->listed, item.case_->name))
            add_status(ab, &item, gates ? SG_NOT_MEASURED : SG_REFUSES, !gates,
                       "a case of %s, but not of %s",
                       was_supported ? ab->options->baseline : ab->options->candidate,
                       was_supported ? ab->options->candidate : ab->options->baseline);
    }
}

/* Adds the row of a side without a time. Without --case, only cases that both sides support
 * count. */
static void add_failure(struct sg_ab *ab, const struct sg_step *step)
{
    const bool is_unmeasured = step->status == SG_UNSUPPORTED || step->status == SG_UNAVAILABLE ||
                               step->status == SG_SKIPPED;
    const enum sg_verdict verdict = step->status == SG_UNSUPPORTED && ab->options->cases.count == 0
                                        ? SG_REFUSES
                                    : is_unmeasured ? SG_INVALID_VALUE
                                                    : SG_BROKEN;
    if (step->status != SG_OK)
        add_status(ab, step->item, verdict, false, "%s%s%s", sg_status_word(step->status),
                   *reason_of(step) ? ": " : "", reason_of(step));
}

static void add_other_terms(struct sg_ab *ab, const struct sg_ab_case *c)
{
    struct sg_value was, is;
    for (size_t row = 0; find_other_term(ab, c, &row, &was, &is); row++)
        add_status(ab, c->candidate->item, SG_OTHER_TERMS, false,
                   "not timed: %s is %.9g, and %.9g in the baseline's module; change terms in "
                   "a separate commit",
                   was.metric, is.value, was.value);
}

/* A variant that is right but declared to fail: its source must be corrected before the merge. */
static void add_fixed(struct sg_ab *ab, const struct sg_step *step, enum sg_status declared)
{
    if (step->status == SG_OK && declared != SG_OK)
        add_status(ab, step->item, SG_BROKEN, false,
                   "ok, but declared %s: set .expect in its source", sg_status_word(declared));
}

/* ---- rows with a ratio ---- */

/* ln(baseline's time paired with the candidate / its time alone), from processes that have both,
 * and have the time alone before any code of the candidate. */
static struct sg_estimate paired_over_unpaired(const struct sg_ab *ab, const struct sg_step *step)
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
    const bool is_program = ab->gate.pairs.orders == SG_ORDERS_OF_PROGRAM;
    size_t n = 0;
    for (size_t i = 0; i < all->count; i++) {
        const struct sg_sample *batch = &all->items[i];
        if (batch->case_ != case_ || batch->variant != base ||
            (batch->pair != pair && batch->pair != base) ||
            batch->process >= SG_SEQUENTIAL_PROCESSES_MAX ||
            (is_program && SG_ORDERS_OF_PROGRAM >> batch->process & 1))
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
static struct sg_estimate slowed_of(const struct sg_ab *ab, const struct sg_step *step)
{
    const double limit = log1p(fmax(SG_PAIRING_EFFECT_MAX, ab->options->settings.tolerance));
    struct sg_estimate slow = {.n = 0};
    if (step->baseline != step && !ab->options->settings.sustained && !ab->options->settings.energy)
        slow = paired_over_unpaired(ab, step);
    return slow.low > limit ? slow : (struct sg_estimate){.n = 0};
}

static void note_clocks(const struct sg_ab *ab, const struct sg_item *item, struct sg_text *note)
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
        sg_text_addf(sg_text_next(note),
                     "power: its batches ran at a clock %.2g %% %s than the baseline's, so its "
                     "power draw differs%s",
                     100 * fabs(expm1(gap)), gap < 0 ? "lower" : "higher",
                     ab->options->settings.sustained
                         ? ""
                         : ", and alternating launches hide a part of that; run it with "
                           "--sustained before merging");
}

/* Names each side of the step's pair whose time is physically impossible; NULL: none is. */
static const char *impossible_of(struct sg_ab *ab, const struct sg_step *step)
{
    const struct sg_step *const sides[] = {step, step->baseline != step ? step->baseline : NULL};
    SG_SCOPED(sg_text) why = {0};
    for (size_t i = 0; i < sizeof(sides) / sizeof(sides[0]); i++)
        if (sides[i] && sides[i]->refused)
            sg_text_addf(sg_text_next(&why), "%s is impossible: %s", sides[i]->item->variant->name,
                         sides[i]->refused);
    return why.length > 0 ? sg_reason(&ab->gate.comparison, "%s", why.data) : NULL;
}

/* What each process of the pair launched. Of no start, if that is not known of one of them. */
static void find_choices(const struct sg_ab *ab, size_t pair, bool is_candidate,
                         struct sg_choices *choices)
{
    const struct sg_step *step = step_of(ab, pair);
    const unsigned count = ab->gate.pairs.pairs[pair].n;
    for (unsigned process = 0; process < count; process++) {
        SG_SCOPED(sg_names) kernels = {0};
        SG_FORMATTED(metric, SG_CHOICE_PREFIX "%02u%s", process,
                     is_candidate || step->baseline == step ? "" : SG_OTHER_SUFFIX);
        const struct sg_value row = term_of(&ab->sink.rows, step->item, metric.data);
        if (!row.metric)
            return;
        const struct sg_process_result *result = &step->results[process];
        const bool energy = ab->options->settings.energy;
        choices->y[process] = energy ? result->ln_joules : result->ln_ns;
        if (!is_candidate)
            choices->y[process] -= energy ? result->energy_y : result->ratio.y;
        sg_names_add_split(&kernels, row.message, *SG_CHOICE_SEPARATOR);
        for (size_t i = 0; i < kernels.count; i++)
            sg_choices_add(choices, process, kernels.items[i] + (*kernels.items[i] == ' '));
    }
    choices->starts = count;
}

static const char *note_of(struct sg_ab *ab, const struct sg_step *step, size_t pair)
{
    SG_SCOPED(sg_choices) then = {.starts = 0}, now = {.starts = 0};
    SG_SCOPED(sg_text) note = {0};
    if (!is_identical(ab, step))
        note_clocks(ab, step->item, &note);
    if (step->host_bound) /* The time includes waiting for the host, not the kernels alone. */
        sg_text_addf(sg_text_next(&note),
                     SG_HOST_BOUND_METRIC
                     ": %s: its host waits for the device, or the device for the host",
                     step->host_bound);
    if (*reason_of(step))
        sg_text_add(sg_text_next(&note), reason_of(step));
    find_choices(ab, pair, false, &then);
    find_choices(ab, pair, true, &now);
    sg_choices_add_pinned(&then, &now, true, ab->options->settings.tolerance, &note);
    if (ab->options->settings.sustained)
        sg_text_addf(sg_text_next(&note), "sustained: interleaved segments of %g s",
                     1e-3 * SG_SEGMENT_MS);
    return note.length > 0 ? sg_reason(&ab->gate.comparison, "%s", note.data) : NULL;
}

static void add_ratio(struct sg_ab *ab, const struct sg_step *step, size_t pair)
{
    const struct sg_item *item = step->item;
    sg_gate_add(&ab->gate,
                &(struct sg_gate_row){
                    .family = item->family->name,
                    .case_ = item->case_->name,
                    .variant = item->variant->name,
                    .pair = pair,
                    .same = !is_identical(ab, step) ? NULL
                            : ab->same_thing        ? "the same variant of the same file"
                                                    : "the same code, knobs and files",
                    .impossible = impossible_of(ab, step),
                    .alone = sg_reason(&ab->gate.comparison, "--case=%s", item->case_->name),
                    .slowed = slowed_of(ab, step),
                    .note = note_of(ab, step, pair)});
}

static void add_case(struct sg_ab *ab, const struct sg_ab_case *c)
{
    const bool is_pair = c->candidate != c->baseline;
    if (is_one_sided(ab, c)) {
        add_refused(ab, c);
    } else {
        add_failure(ab, c->baseline);
        if (is_pair)
            add_failure(ab, c->candidate);
    }
    add_other_terms(ab, c);
    add_fixed(ab, c->baseline, ab->baseline.declared);
    if (is_pair)
        add_fixed(ab, c->candidate, ab->candidate.declared);
    if (c->candidate->status == SG_OK && ab->options->untimed)
        add_status(ab, c->candidate->item, SG_IDENTICAL, false,
                   "the same code, and it reads the same files; not timed");
    else if (c->baseline->status == SG_OK && c->candidate->status == SG_OK && c->pair != SG_NO_PAIR)
        add_ratio(ab, c->candidate, c->pair);
}

static void add_rows(struct sg_gate *gate)
{
    struct sg_ab *ab = gate->context;
    gate->invalid =
        !ab->conditions.valid ? ab->conditions.why
        : !ab->calibration.valid
            ? "the baseline against itself is not A/A consistent, so no time of this run is valid"
            : NULL;
    for (size_t i = 0; i < ab->case_count; i++)
        add_case(ab, &ab->cases[i]);
    add_unshared(ab, &ab->baseline, &ab->candidate);
    add_unshared(ab, &ab->candidate, &ab->baseline);
}

/* ---- the run ---- */

/* Writes the A/A pairs to aa.csv: the baseline against itself, or against identical code. */
static enum sg_code write_aa_pairs(const struct sg_ab *ab, struct sg_err *err)
{
    static const char *const facts[] = {"date", "seed", "gpu", "gpu_name", "driver"};
    SG_FORMATTED(lines, SG_AA_HEADER "\n");
    for (size_t i = 0; i < ab->gate.pairs.count; i++) {
        const struct sg_sequential_pair *pair = &ab->gate.pairs.pairs[i];
        const double ln[] = {pair->estimate.mean, pair->estimate.low, pair->estimate.high};
        /* A gate with invalid conditions made no claim, so it cannot be a false alarm. */
        if (pair->dead || !pair->even || !ab->conditions.valid)
            continue;
        for (size_t k = 0; k < sizeof(facts) / sizeof(facts[0]); k++) {
            const char *fact = sg_env_get(&ab->sink.env, facts[k]);
            sg_csv_add_field(&lines, fact ? fact : "");
            sg_text_add(&lines, ",");
        }
        sg_text_addf(&lines, "%s,%s,%s,%.9g,%u,", SG_ITEM_NAMES(step_of(ab, i)->item),
                     pair->tolerance, pair->estimate.n);
        for (size_t k = 0; k < sizeof(ln) / sizeof(ln[0]); k++) {
            sg_text_add_number(&lines, expm1(ln[k]), 9);
            sg_text_add(&lines, ",");
        }
        sg_text_addf(&lines, "%s\n", sg_verdict_word(pair->verdict));
    }
    SG_FORMATTED(path, "%s/" SG_AA_FILE, ab->sink.path);
    return sg_write_file(path.data, lines.data, lines.length, err);
}

/* Reads counters on both sides of each case that got slower, to explain the slowdown. */
static enum sg_code count_slow_cases(struct sg_ab *ab, struct sg_err *err)
{
    const struct sg_comparison *comparison = &ab->gate.comparison;
    SG_FREED size_t *slow = sg_alloc(ab->plan.count, sizeof(*slow));
    size_t count = 0;
    for (size_t i = 0; i < ab->plan.count; i++) {
        const char *case_ = ab->execution.steps[i].item->case_->name;
        bool is_slow = false;
        for (size_t k = 0; k < comparison->count && !is_slow; k++) {
            const struct sg_finding finding = sg_finding_at(comparison, k);
            is_slow = finding.accepted == SG_REGRESSED && strcmp(finding.case_, case_) == 0;
        }
        if (is_slow)
            slow[count++] = i;
    }
    return sg_execution_count(&ab->execution, slow, count, err);
}

/* Notes how far the run can be trusted, and which slower cases lack counters because of an
 * error. */
static void add_note(const struct sg_ab *ab, struct sg_text *note)
{
    SG_SCOPED(sg_text) checked = {0};
    sg_text_add(note, ab->calibration.text);
    sg_execution_add_checked(&ab->execution, &checked);
    if (checked.length > 0)
        sg_text_add(sg_text_next(note), checked.data);
    for (size_t i = 0; i < ab->plan.count; i++) {
        const struct sg_step *step = &ab->execution.steps[i];
        if (sg_is_count_failure(step->count_status))
            sg_text_addf(sg_text_next(note), "%s/%s/%s was not counted: %s: %s",
                         SG_ITEM_NAMES(step->item), sg_status_word(step->count_status),
                         step->count_message);
    }
}

/* Stores how much the intervals of this run were widened, for later comparisons. */
static void set_facts(struct sg_ab *ab)
{
    sg_env_setf(&ab->sink.env, "lambda", "%.9g", ab->gate.pairs.lambda);
    sg_env_setf(&ab->sink.env, "aa_pairs", "%zu", ab->calibration.pairs);
    if (!sg_env_get(&ab->sink.env, "gpu"))
        sg_env_set(&ab->sink.env, "gpu", "unknown");
}

static enum sg_code finish(struct sg_gate *gate, struct sg_err *err)
{
    struct sg_ab *ab = gate->context;
    set_facts(ab);
    if (count_slow_cases(ab, err) == SG_SUCCESS && write_aa_pairs(ab, err) == SG_SUCCESS &&
        sg_execution_finish(&ab->execution, err) == SG_SUCCESS)
        add_note(ab, &gate->note);
    return err->code;
}

const struct sg_gate_engine sg_ab_modules = {
    .measure = measure, .add_rows = add_rows, .finish = finish};
