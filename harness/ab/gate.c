#include "ab/gate.h"

#include <math.h>
#include <unistd.h>

#include "catalogue/catalogue.h"
#include "diagnose/diagnose.h"
#include "reports/tables/headline.h"
#include "results/row_kind.h"
#include "results/run_reader.h"
#include "stats/replicates.h"
#include "stats/statistics.h"
#include "util/file.h"
#include "util/options.h"

void sg_gate_add(struct sg_gate *gate, const struct sg_gate_row *row)
{
    *SG_APPEND(gate->rows, gate->count, gate->capacity) = *row;
}

/* ---- a row ---- */

/* Warns if the processes are not independent; the interval assumes independence. */
static void note_dependence(const struct sg_sequential_pair *pair, struct sg_text *why)
{
    SG_SCOPED(sg_text) dependence = {0};
    sg_replicates_describe(pair->y, pair->estimate.n, &dependence);
    if (pair->estimate.order != 0)
        sg_text_addf(sg_text_next(why),
                     "processes differ by +-%.2g %% with the order of the sides: both orders "
                     "count alike",
                     50 * fabs(pair->estimate.order));
    if (dependence.length > 0)
        sg_text_add(sg_text_next(why), dependence.data);
}

/* Adds how much slower or faster, or what would decide the pair. */
static void describe(struct sg_gate *gate, const struct sg_gate_row *row,
                     struct sg_finding *finding, struct sg_text *why)
{
    const struct sg_sequential_pair *pair = &gate->pairs.pairs[row->pair];
    if (finding->accepted == SG_IDENTICAL)
        finding->why = row->same;
    else if (finding->accepted != SG_WITHIN)
        sg_describe_time_verdict(&gate->comparison, finding, gate->base, "");
    sg_text_add(why, finding->why);
    if (finding->accepted != SG_INCONCLUSIVE)
        return;
    const double enough = sg_sequential_settling_tolerance(pair);
    sg_sequential_describe_settling(pair, why);
    sg_text_addf(why, ": %s%s--tolerance=%s%.9g%%", row->alone, *row->alone ? " " : "",
                 SG_WIDE_IF(enough), 100 * enough);
}

/* The candidate must also hold against the baseline's time alone: a baseline that is slowed by its
 * pair makes the candidate look fast. A candidate slower than a slowed baseline is slower in any
 * case. */
static enum sg_verdict judge_slowed(struct sg_sequential_pair *pair, const struct sg_estimate *slow,
                                    struct sg_text *why)
{
    const double allowed = log1p(pair->tolerance);
    struct sg_estimate *change = &pair->estimate;
    sg_text_addf(why,
                 "measured as %s (%+.3g %%), but the baseline takes %.3g %% longer paired with it "
                 "than alone [%.3g, %.3g] (a CUDA graph in "
                 "the process widens the gaps between kernels: docs/triton.md)",
                 sg_verdict_word(pair->verdict), 100 * expm1(change->mean), 100 * expm1(slow->mean),
                 100 * expm1(slow->low), 100 * expm1(slow->high));
    change->mean += slow->mean;
    change->low += slow->low;
    change->high += slow->high;
    sg_text_addf(why, "; against the baseline alone %+.3g %%", 100 * expm1(change->mean));
    if (pair->verdict == SG_REGRESSED)
        return SG_REGRESSED;
    if (change->high > allowed)
        return SG_INVALID_VALUE;
    return pair->verdict == SG_INCONCLUSIVE ? SG_INCONCLUSIVE
           : change->high < -allowed        ? SG_IMPROVED
                                            : SG_WITHIN;
}

/* Returns the verdict after gate-wide checks of the pair's own verdict. The pair is updated with
 * the numbers behind the verdict. */
static enum sg_verdict settle(const struct sg_gate *gate, const struct sg_gate_row *row,
                              struct sg_sequential_pair *pair, double adjusted, size_t rows,
                              struct sg_text *why)
{
    if (row->impossible || (gate->invalid && isnan(pair->estimate.mean))) {
        sg_text_add(why, row->impossible ? row->impossible : gate->invalid);
        return SG_INVALID_VALUE;
    }
    if (gate->invalid) {
        sg_text_addf(why, "measured as %s (%+.3g %%), but %s", sg_verdict_word(pair->verdict),
                     100 * expm1(pair->estimate.mean), gate->invalid);
        return SG_INVALID_VALUE;
    }
    if (row->same)
        return SG_IDENTICAL;
    if (pair->verdict == SG_REGRESSED && adjusted > SG_SEQUENTIAL_ERROR) {
        sg_text_addf(why,
                     "%s by %.3g %%, but one of %zu rows looks like this by chance in %.2g of "
                     "100 gates; run it alone%s%s",
                     gate->options->settings.energy ? "more energy" : "slower",
                     100 * expm1(pair->estimate.mean), rows, 100 * adjusted,
                     *row->alone ? ": " : "", row->alone);
        return SG_INCONCLUSIVE;
    }
    return row->slowed.n > 0 ? judge_slowed(pair, &row->slowed, why) : pair->verdict;
}

static void set_numbers(struct sg_finding *finding, const struct sg_sequential_pair *pair)
{
    finding->is = exp(pair->estimate.mean);
    finding->change = finding->baseline_change = expm1(pair->estimate.mean);
    finding->low = finding->baseline_low = expm1(pair->estimate.low);
    finding->high = finding->baseline_high = expm1(pair->estimate.high);
    finding->resolution = pair->resolution;
    finding->processes = pair->estimate.n;
    finding->baseline = finding->accepted;
}

static void judge_row(struct sg_gate *gate, const struct sg_gate_row *row, const double *adjusted,
                      size_t rows)
{
    const bool is_pair = row->pair != SG_NO_PAIR;
    struct sg_finding finding = sg_finding_none();
    SG_SCOPED(sg_text) why = {0};
    finding.family = row->family;
    finding.case_ = row->case_;
    finding.variant = row->variant;
    finding.metric = !is_pair                         ? "status"
                     : gate->options->settings.energy ? SG_ENERGY_RATIO_METRIC
                                                      : "time_ratio";
    finding.unit = is_pair ? "1" : "";
    finding.tolerance = gate->options->settings.tolerance;
    finding.accepted = row->refused;
    finding.gates = !row->is_informational;
    finding.why = is_pair ? "" : row->why;
    if (is_pair) {
        struct sg_sequential_pair pair = gate->pairs.pairs[row->pair];
        finding.accepted = settle(gate, row, &pair, adjusted[row->pair], rows, &why);
        set_numbers(&finding, &pair);
        if (why.length == 0)
            describe(gate, row, &finding, &why);
        if (row->note && !row->impossible)
            sg_text_add(sg_text_next(&why), row->note);
        if (!row->impossible)
            note_dependence(&pair, &why);
        finding.why = sg_text_string(&why);
    }
    sg_finding_add(&gate->comparison, &finding);
    gate->comparison.by_verdict[finding.accepted] += finding.gates;
    gate->comparison.one_sided += row->one_sided;
}

/* ---- the run's folder ---- */

void sg_gate_set_facts(const struct sg_ab_options *options, const char *const names[2],
                       struct sg_env *env)
{
    sg_env_set(env, "baseline", names[0]);
    sg_env_set(env, "candidate", names[1]);
    sg_env_setf(env, "tolerance", "%.9g", options->settings.tolerance);
}

/* ---- all rows ---- */

/* Sets adjusted[pair] to Holm's p-value for the pairs that are judged together, and to 1 for
 * others. Returns the number of pairs that are judged together. */
static size_t adjust(const struct sg_sequential *pairs, double *adjusted)
{
    SG_FREED double *p = sg_alloc(pairs->count + 1, sizeof(*p));
    SG_FREED size_t *row = sg_alloc(pairs->count + 1, sizeof(*row));
    size_t count = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        adjusted[i] = 1;
        if (pairs->pairs[i].dead || pairs->pairs[i].even)
            continue;
        p[count] = sg_sequential_p(&pairs->pairs[i]);
        row[count++] = i;
    }
    sg_holm(p, NULL, count, p);
    for (size_t i = 0; i < count; i++)
        adjusted[row[i]] = p[i];
    return count;
}

void sg_gate_judge(struct sg_gate *gate)
{
    SG_FREED double *adjusted = sg_alloc(gate->pairs.count + 1, sizeof(*adjusted));
    const size_t rows = adjust(&gate->pairs, adjusted);
    const char *base = gate->options->base_title ? gate->options->base_title : gate->names[0];
    gate->comparison =
        (struct sg_comparison){.of_pairs = true, .accepted_path = sg_copy_string(base)};
    gate->count = 0;
    gate->engine->add_rows(gate);
    for (size_t i = 0; i < gate->count; i++)
        judge_row(gate, &gate->rows[i], adjusted, rows);
}

static struct sg_report_input input_of(const struct sg_ab_options *options,
                                       const struct sg_comparison *comparison,
                                       const struct sg_run *run, const struct sg_text *note,
                                       const struct sg_catalogue *catalogue)
{
    return (struct sg_report_input){
        .path = run->folder,
        .comparison = comparison,
        .run = &run->table,
        .catalogue = catalogue,
        .gpu = sg_diagnosed_gpu_of(&run->env),
        .env = &run->env,
        .colour = isatty(STDOUT_FILENO) != 0,
        .note = sg_text_string(note),
        .options = {.inconclusive_fails = options->inconclusive_fails},
        .events = sg_env_get(&run->env, "events"),
    };
}

/* Adds a gate to those of the call. Takes the facts of the first run. */
static void keep(struct sg_ab_kept *kept, const struct sg_gate *gate,
                 const struct sg_report_input *input, struct sg_run *run)
{
    const struct sg_comparison *own = &gate->comparison;
    const bool is_first = kept->gates++ == 0;
    struct sg_headline headline = {0};
    sg_headline_of(input, &headline);
    sg_headline_merge(&kept->headline, &headline);
    for (size_t i = 0; i < own->count; i++)
        sg_finding_add(&kept->rows, &own->findings[i]);
    for (enum sg_verdict verdict = 0; verdict < SG_VERDICT_COUNT; verdict++)
        kept->rows.by_verdict[verdict] += own->by_verdict[verdict];
    kept->rows.one_sided += own->one_sided;
    for (size_t i = 0; i < run->table.count; i++) {
        const struct sg_value value = sg_value_of(&run->table, &run->table.rows[i]);
        sg_table_add(&kept->run.table, &value);
    }
    if (gate->note.length > 0 && own->count > 0)
        sg_text_addf(&kept->note, "%s/%s: %s\n", own->findings->family, own->findings->variant,
                     gate->note.data);
    sg_text_add(&kept->alone, sg_text_string(&gate->note));
    kept->rows.accepted_path = sg_copy_string(is_first ? own->accepted_path : "its baseline");
    kept->run.folder = is_first ? sg_copy_string(run->folder) : NULL; /* of several: none */
    if (is_first) {
        kept->run.env = run->env;
        run->env = (struct sg_env){0};
    }
}

enum sg_code sg_ab_print(const struct sg_ab_options *options, const char *counts,
                         struct sg_err *err)
{
    struct sg_ab_kept *kept = options->kept;
    struct sg_catalogue catalogue = {0};
    struct sg_err twice = {0}, own = {0}; /* two gates may have one baseline */
    SG_SCOPED(sg_text) text = {0};
    kept->rows.of_pairs = true;
    sg_table_sort(&kept->run.table, &twice);
    if (sg_catalogue_load(&catalogue, &own) == SG_SUCCESS) {
        struct sg_report_input input = input_of(options, &kept->rows, &kept->run,
                                                counts ? &kept->note : &kept->alone, &catalogue);
        input.total = counts ? &kept->headline : NULL;
        input.counts = counts;
        sg_format_comparison(options->format, &input, &text);
    }
    return sg_print(&text, err);
}

/* Writes the findings to stdout in the options' format, and into the folder. */
static enum sg_code print(const struct sg_gate *gate, struct sg_err *err)
{
    struct sg_catalogue catalogue = {0};
    SG_SCOPED(sg_run) run = {0};
    SG_SCOPED(sg_text) text = {0}, csv = {0}, verdict = {0};
    if (sg_catalogue_load(&catalogue, err) != SG_SUCCESS ||
        sg_run_read(gate->folder.data, &run, err) != SG_SUCCESS)
        return err->code;
    const struct sg_report_input input =
        input_of(gate->options, &gate->comparison, &run, &gate->note, &catalogue);
    sg_format_comparison(sg_format_find("csv"), &input, &csv);
    sg_text_addf(&verdict, "%s/" SG_AB_VERDICT, gate->folder.data);
    if (sg_write_file(verdict.data, csv.data, csv.length, err) != SG_SUCCESS)
        return err->code;
    if (gate->options->kept) {
        keep(gate->options->kept, gate, &input, &run);
        return SG_SUCCESS;
    }
    sg_format_comparison(gate->options->format, &input, &text);
    return sg_print(&text, err);
}

enum sg_code sg_gate_run(struct sg_gate *gate, int *exit_code, struct sg_err *err)
{
    const struct sg_compare_options options = {.inconclusive_fails =
                                                   gate->options->inconclusive_fails};
    if (gate->engine->measure(gate, err) != SG_SUCCESS)
        return err->code;
    sg_gate_judge(gate);
    if (gate->engine->finish(gate, err) != SG_SUCCESS)
        return err->code;
    sg_gate_judge(gate);
    bool judged = false;
    for (size_t i = 0; i < gate->count; i++)
        judged |= !gate->rows[i].is_informational;
    if (print(gate, err) == SG_SUCCESS)
        *exit_code = sg_comparison_exit_code(&gate->comparison, &options);
    if (!judged && err->code == SG_SUCCESS)
        sg_fail(err, SG_INVALID, gate->names[1],
                "no case was judged: none is supported by both sides");
    return err->code;
}
