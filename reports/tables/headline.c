/*
 * The first lines of a comparison: the headline, the counts with what was compared with what, and
 * the next command.
 */
#include "reports/tables/headline.h"

#include <math.h>
#include <string.h>

#include "compare/accepted_variance.h"
#include "reports/tables/next_steps.h"
#include "results/accepted_build.h"

#define REASON_MOST 160 /* bytes of a reason in the first line */

/* ---- the worst row ---- */

/* The commit of the kernels that the accepted number was measured with; "": not known. */
const char *sg_accepted_commit(const struct sg_accepted_file *accepted,
                               const struct sg_finding *finding)
{
    const char *digest = sg_accepted_build(&accepted->env, SG_NAMES(*finding)),
               *commit = digest ? sg_accepted_build_commit(&accepted->env, finding->family, digest)
                                : NULL;
    return commit ? commit : sg_kernel_commit(&accepted->env, finding->family);
}

static bool is_accepted(const struct sg_accepted_file *file)
{
    return file && sg_env_get(&file->env, SG_ACCEPTED_RUNS_KEY);
}

/* Adds "accepted (9b8c52c1a0b4, 2026-11-02)", or the other run or side. */
static void add_other(struct sg_text *out, const struct sg_report_input *input,
                      const struct sg_finding *finding)
{
    const struct sg_accepted_file *accepted = input->accepted;
    const char *path = input->comparison->accepted_path,
               *commit = accepted ? sg_accepted_commit(accepted, finding) : "",
               *date = accepted ? sg_env_get(&accepted->env, "date") : NULL;
    sg_text_add(out, is_accepted(accepted) || !path || !*path ? "accepted" : path);
    if (!sg_is_commit_stamp(commit))
        commit = "";
    if (*commit || date)
        sg_text_addf(out, " (%s%s%.10s)", commit, *commit && date ? ", " : "", date ? date : "");
}

/* Adds the first clause of a reason, and those with the reference value and the number of wrong
 * elements. */
static void add_reason(struct sg_text *out, const char *why)
{
    for (const char *clause = why, *end; *clause; clause = *end ? end + strspn(end, "; ") : end) {
        end = clause + strcspn(clause, ";");
        const size_t length = (size_t)(end - clause);
        if (clause == why || strncmp(clause, "reference ", 10) == 0 ||
            (length > 9 && strncmp(end - 9, " elements", 9) == 0))
            sg_text_addf(out, "%s%.*s%s", clause > why ? ", " : ": ",
                         (int)(length < REASON_MOST ? length : REASON_MOST), clause,
                         length > REASON_MOST ? "..." : "");
    }
}

static void add_words(struct sg_text *out, const struct sg_report_input *input,
                      const struct sg_finding *finding)
{
    const bool is_time = sg_is_time(finding) && !isnan(finding->change);
    if (is_time && finding->accepted == SG_REGRESSED) {
        sg_add_change(out, finding->change);
        sg_text_add(out, " slower than ");
        add_other(out, input, finding);
    } else if (is_time && sg_verdict_row(finding->accepted)->says == SG_SAYS_OPEN) {
        sg_add_interval(out, finding->change, finding->low, finding->high);
        sg_text_add(out, " against ");
        add_other(out, input, finding);
        sg_text_addf(out, ", not decided at a tolerance of %.3g %%", 100 * finding->tolerance);
    } else {
        sg_text_add(out, sg_verdict_word(finding->accepted));
        if (sg_verdict_exit(finding->accepted) == SG_EXIT_UNDECLARED &&
            !input->comparison->of_pairs) {
            sg_text_add(out, is_accepted(input->accepted) ? " since " : " against ");
            add_other(out, input, finding);
        }
        add_reason(out, finding->why);
    }
}

/* The first row of the rank with the exit code, or of an import the first slower row. If no time
 * was decided: the row that may hide most. SIZE_MAX: none. */
static size_t worst_of(const struct sg_report_input *input, const struct sg_rank *rank, int code,
                       double hidden)
{
    for (size_t i = 0; i < rank->count; i++) {
        const struct sg_finding finding = sg_rank_at(rank, i);
        const bool is_slower_import = input->comparison->of_imports && code == SG_EXIT_DONE &&
                                      finding.accepted == SG_REGRESSED && sg_is_time(&finding);
        const bool hides_most = code == SG_EXIT_INVALID && finding.gates &&
                                finding.accepted == SG_UNRESOLVED && finding.high >= hidden;
        if (is_slower_import || hides_most ||
            (sg_finding_fails(&finding, &input->options) &&
             (int)sg_verdict_exit(finding.accepted) == code))
            return i;
    }
    return SIZE_MAX;
}

static void count_rows(const struct sg_comparison *comparison, struct sg_headline *headline)
{
    for (enum sg_verdict verdict = 0; verdict < SG_VERDICT_COUNT; verdict++)
        sg_headline_count(headline, verdict, comparison->by_verdict[verdict]);
    for (size_t i = 0; i < comparison->count; i++) {
        const struct sg_finding finding = sg_finding_at(comparison, i);
        /* Imported times do not gate; their verdicts are counted here. */
        if (comparison->of_imports)
            sg_headline_count(headline, finding.accepted,
                              sg_is_time(&finding) || sg_class_of(&finding) == SG_NEWS);
        if (finding.gates && finding.accepted == SG_UNRESOLVED && finding.high > headline->hidden)
            headline->hidden = finding.high;
    }
}

void sg_headline_of(const struct sg_report_input *input, struct sg_headline *headline)
{
    const struct sg_comparison *comparison = input->comparison;
    const int code = sg_comparison_exit_code(comparison, &input->options);
    const char *undecided = sg_why_undecided(comparison);
    struct sg_rank rank = {0};
    if (input->total) {
        *headline = *input->total;
        return;
    }
    sg_rank_init(&rank, comparison);
    *headline = (struct sg_headline){.exit_code = code, .of_imports = comparison->of_imports};
    count_rows(comparison, headline);
    if (comparison->of_imports && !(comparison->accepted_path && *comparison->accepted_path)) {
        headline->exit_code = SG_EXIT_DONE;
        sg_text_add(&headline->says, "imported times are shown, not judged");
        return;
    }
    const size_t worst = worst_of(input, &rank, code, undecided ? headline->hidden : NAN);
    if (worst != SIZE_MAX) {
        const struct sg_finding finding = sg_rank_at(&rank, worst);
        const bool is_open = finding.accepted == SG_UNRESOLVED;
        headline->verdict = finding.accepted;
        headline->size = isnan(finding.change) ? 0 : finding.change;
        if (is_open)
            sg_text_addf(&headline->says, "%s: ", undecided);
        sg_text_addf(is_open ? &headline->says : &headline->item, "%s/%s/%s%s", SG_NAMES(finding),
                     is_open ? " " : "");
        add_words(&headline->says, input, &finding);
    } else if (comparison->of_imports && sg_headline_rows(headline) == 0) {
        sg_text_add(&headline->says, "counters alone were compared");
    } else if (undecided) {
        sg_text_add(&headline->says, undecided);
    }
    sg_add_next(&headline->next, input, &rank, worst);
}

/* ---- the counts, and the other side ---- */

/* The summary without accepted numbers: candidates relative to their baseline variants. */
static void add_paired_counts(struct sg_text *out, const struct sg_comparison *comparison)
{
    size_t paired[SG_VERDICT_COUNT] = {0};
    for (size_t i = 0; i < comparison->count; i++) {
        const struct sg_finding finding = sg_finding_at(comparison, i);
        if (strcmp(finding.metric, "time_ratio") == 0 && finding.baseline < SG_VERDICT_COUNT)
            paired[finding.baseline]++;
    }
    const char *before = ", against the baseline variants ";
    for (enum sg_verdict verdict = SG_VERDICT_COUNT; verdict-- > 0;)
        if (paired[verdict] > 0) {
            sg_text_addf(out, "%s%zu %s", before, paired[verdict], sg_verdict_pair_word(verdict));
            before = ", ";
        }
}

/* An explicitly named comparison may be of another suite: its rows may be other cases, or
 * measured differently. */
static void add_other_suite(struct sg_text *out, const struct sg_report_input *input)
{
    const char *now = input->env ? sg_env_get(input->env, "suite") : NULL;
    const char *then = input->accepted ? sg_env_get(&input->accepted->env, "suite") : NULL;
    if (now && then && strcmp(now, then) != 0)
        sg_text_addf(out, "; that is of the suite %s, this run of %s", then, now);
}

/* The commit of the family's kernels; "": not known. */
static const char *commit_of(const struct sg_env *env, const char *family)
{
    const char *commit = env ? sg_kernel_commit(env, family) : "";
    return sg_is_commit_stamp(commit) ? commit : "";
}

/* Numbers of one GPU, and what they lack. */
static void add_gpu(struct sg_text *out, const struct sg_accepted_file *accepted)
{
    if (accepted->gpu && strcmp(accepted->gpu, sg_env_word(&accepted->env, "gpu")) != 0)
        sg_text_addf(out, " of GPU %s", accepted->gpu);
    if (accepted->needs_model)
        sg_text_addf(out, " and, for what that lacks, of %s",
                     sg_env_word(&accepted->model_env, "gpu"));
}

/* Adds "against baselines/smoke.csv (accepted 2026-11-20 at 9b8c52c1a0b4), now at
 * 71dfc5d5dba8": commits of the worst row's family. */
static void add_sides(struct sg_text *out, const struct sg_report_input *input,
                      const struct sg_headline *headline)
{
    const struct sg_accepted_file *accepted = input->accepted;
    SG_SCOPED(sg_text) family = {0};
    const char *date = accepted ? sg_env_get(&accepted->env, "date") : NULL,
               *of = headline->item.length > 0      ? headline->item.data
                     : input->comparison->count > 0 ? input->comparison->findings[0].family
                                                    : "";
    sg_text_add_bytes(&family, of, strcspn(of, "/"));
    of = sg_text_string(&family);
    const char *then = accepted ? commit_of(&accepted->env, of) : "",
               *now = commit_of(input->env, of);
    sg_text_addf(out, ", against %s", input->comparison->accepted_path);
    if (accepted)
        add_gpu(out, accepted);
    /* A run may be compared with without being accepted. */
    if (date)
        sg_text_addf(out, " (%s %.10s%s%s)", is_accepted(accepted) ? "accepted" : "run of", date,
                     *then ? " at " : "", then);
    const bool is_same = strcmp(then, now) == 0, is_red = sg_headline_class(headline) == SG_RED &&
                                                          headline->exit_code != SG_EXIT_INVALID;
    if (*then && *now)
        sg_text_addf(out, ", now at %s%s", is_same ? "the same commit" : now,
                     is_same && is_red ? ": uncommitted changes?" : "");
    add_other_suite(out, input);
}

void sg_add_counts(struct sg_text *out, const struct sg_report_input *input,
                   const struct sg_headline *headline)
{
    const struct sg_comparison *comparison = input->comparison;
    sg_headline_add_counts(out, headline, "row");
    if (input->counts) {
        sg_text_add(out, input->counts);
        return;
    }
    if (input->verbose)
        sg_text_addf(out, "; as declared: %zu xfail, %zu unsupported",
                     comparison->by_verdict[SG_XFAIL], comparison->by_verdict[SG_REFUSES]);
    if (comparison->one_sided > 0)
        sg_text_addf(out, ", %zu that only one side has", comparison->one_sided);
    if (comparison->selection && *comparison->selection)
        sg_text_addf(out, ", of the items %s", comparison->selection);
    if (comparison->accepted_path && comparison->accepted_path[0]) {
        add_sides(out, input, headline);
    } else {
        sg_text_add(out, ", nothing accepted to compare with");
        add_paired_counts(out, comparison);
    }
    if (input->env && sg_env_is_simulated(input->env))
        sg_text_add(out, "; " SG_SIMULATED_WORDS);
}

void sg_document_first_lines(struct sg_document *document, enum sg_readers readers,
                             const struct sg_headline *headline, enum sg_class class_,
                             const char *counts)
{
    struct sg_text line = {0};
    sg_headline_add(&line, headline);
    sg_document_take_line(document, readers, &line);
    sg_document_paint(document, class_);
    sg_text_add(&line, counts);
    sg_document_take_line(document, readers, &line);
    if (headline->next.length > 0)
        sg_text_addf(&line, "Next: %s", headline->next.data);
    /* A page of a browser has a table of what to do next. */
    sg_document_take_line(document, readers & (unsigned)~SG_FOR_BROWSERS, &line);
}

int sg_add_first_lines(struct sg_text *out, const struct sg_report_input *input)
{
    struct sg_headline headline = {0};
    SG_SCOPED(sg_text) counts = {0};
    sg_headline_of(input, &headline);
    sg_add_counts(&counts, input, &headline);
    sg_headline_add_lines(out, &headline, counts.data);
    return headline.exit_code;
}

void sg_add_pairing(struct sg_text *out, const struct sg_comparison *comparison)
{
    const size_t all = comparison->paired + comparison->unpaired;
    if (comparison->untimed > 0)
        sg_text_addf(out, "identical, not timed: %zu", comparison->untimed);
    if (all == 0)
        return;
    sg_text_addf(out, "%s%zu of %zu rows paired with the accepted build",
                 out->length > 0 ? ", " : "", comparison->paired, all);
    if (comparison->unpaired > 0)
        sg_text_addf(out, ", %zu judged by accepted numbers alone (%s%s)", comparison->unpaired,
                     comparison->unpaired_why, comparison->unpaired > 1 ? "; ..." : "");
}

/* Returns true if the run is compared with itself. */
static bool is_own(const struct sg_report_input *input)
{
    static const char *const same[] = {"date", "seed", "suite", "gpu"};
    const char *runs = sg_env_get(&input->accepted->env, SG_ACCEPTED_RUNS_KEY);
    bool is_same = input->comparison->paired == 0 && (!runs || strcmp(runs, "1") == 0) &&
                   strcmp(sg_unit_of(input->env), sg_unit_of(&input->accepted->env)) == 0;
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]) && is_same; i++) {
        const char *now = sg_env_get(input->env, same[i]),
                   *then = sg_env_get(&input->accepted->env, same[i]);
        is_same = now && then && strcmp(now, then) == 0;
    }
    /* Two runs may begin in one second. */
    for (size_t i = 0; i < input->comparison->count && is_same; i++) {
        const struct sg_finding finding = sg_finding_at(input->comparison, i);
        is_same = isnan(finding.was) || isnan(finding.is) || finding.was == finding.is;
    }
    return is_same;
}

const char *sg_integrity_warning(const struct sg_report_input *input)
{
    const bool is_compared =
        input->comparison->accepted_path && input->comparison->accepted_path[0];
    if (!is_compared || !input->env)
        return "";
    if (input->path && !sg_env_get(input->env, SG_DIGEST_KEY))
        return "the run has no digest, so changes of its files cannot be detected";
    return input->accepted && is_own(input)
               ? "the accepted numbers are of this very run: every change is 0; compare a later run"
               : "";
}
