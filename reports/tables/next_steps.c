#include "reports/tables/next_steps.h"

#include <string.h>

#include "reports/tables/headline.h"
#include "results/kernel_commit.h"
#include "results/run_reader.h"

#define WITH_REASON " --reason=TEXT"
#define PRUNED      " --prune"

typedef void add_fn(const struct sg_report_input *input, const struct sg_finding *row,
                    struct sg_text *out);

/* Compares with the same numbers as before, which may not be those of the run's GPU. */
static void add_explain(const struct sg_report_input *input, const struct sg_finding *worst,
                        struct sg_text *out)
{
    const struct sg_accepted_file *accepted = input->accepted;
    const char *other =
        input->comparison->of_pairs ? sg_paired_with(input->run, SG_NAMES(*worst)) : NULL;
    if (!sg_is_time(worst) || !(accepted || other))
        return;
    sg_text_add(out, "solgate explain ");
    sg_text_add_word(out, input->path);
    sg_text_addf(out, " %s/%s%s", worst->family, worst->case_, other ? " " : "/");
    if (other)
        sg_text_addf(out, "%s ", other);
    sg_text_add(out, worst->variant);
    if (!accepted)
        return;
    sg_text_add(out, " --against=");
    sg_text_add_word(out, accepted->path);
}

/* Kernels of a modified work tree (the stamp ends in -dirty) cannot be built again. */
static void add_commits(const struct sg_report_input *input, const struct sg_finding *worst,
                        struct sg_text *out)
{
    const char *now = sg_kernel_commit(input->env, worst->family),
               *then = input->accepted ? sg_accepted_commit(input->accepted, worst) : "";
    if (!sg_is_commit(now) || !sg_is_commit(then) || strcmp(now, then) == 0)
        return;
    sg_text_addf(out, "solgate ab --commits=%s..%s %s%s", then, now, worst->family,
                 sg_kernels_are_foreign(input->env, worst->family) ? SG_FOREIGN_BUILD : "");
}

/* Repeats the run with its command line; nothing without one, because the suite's name alone may
 * mean another run. */
static void add_again(const struct sg_report_input *input, const struct sg_finding *worst,
                      struct sg_text *out)
{
    const char *command = sg_env_get(input->env, "command");
    (void)worst;
    if (command)
        sg_text_addf(out, "solgate %s --out=again", command);
}

/* Repeats the run paired with the accepted builds; nothing if it was paired already, or compared
 * with another run. */
static void add_paired_again(const struct sg_report_input *input, const struct sg_finding *worst,
                             struct sg_text *out)
{
    const struct sg_accepted_file *accepted = input->accepted;
    const char *command = sg_env_get(input->env, "command");
    (void)worst;
    if (command && accepted && sg_env_get(&accepted->env, SG_ACCEPTED_RUNS_KEY) &&
        !strstr(command, "--against-accepted"))
        sg_text_addf(out, "solgate %s --against-accepted --out=again", command);
}

/* Not for a gate or a run with a selection: the new options would be added to it. */
static void add_one_item(const struct sg_report_input *input, const struct sg_finding *worst,
                         struct sg_text *out)
{
    const char *command = sg_env_get(input->env, "command");
    if (command && !input->comparison->of_pairs && !sg_env_get(input->env, "selection"))
        sg_text_addf(out, "solgate %s --family=%s --case=%s --variant=%s --out=one", command,
                     SG_NAMES(*worst));
}

/* Accepts into the compared numbers. Not offered if those are another run's, or if accept
 * refuses the run, for example without samples. Without a reason only what needs no reason is
 * offered. */
static void add_accept(const struct sg_report_input *input, const char *how, struct sg_text *out)
{
    const struct sg_accepted_file *accepted = input->accepted;
    const size_t *count = input->comparison->by_verdict;
    const bool needs_reason =
        count[SG_REGRESSED] + count[SG_BROKEN] + count[SG_INVALID_VALUE] > 0 &&
        strcmp(how, WITH_REASON) != 0;
    const bool is_refused = needs_reason || input->lacks_samples || sg_run_is_gate(input->env) ||
                            sg_env_get(input->env, SG_SWEEP_KEY);
    if (!accepted || is_refused || !sg_env_get(&accepted->env, SG_ACCEPTED_RUNS_KEY))
        return;
    sg_text_add(out, "solgate accept ");
    sg_text_add_word(out, input->path);
    sg_text_add(out, " --out=");
    sg_text_add_word(out, accepted->path);
    if (strcmp(accepted->gpu, sg_env_word(input->env, "gpu")) != 0)
        sg_text_add(out, " --unit");
    sg_env_add_modules(input->env, out);
    sg_text_add(out, how);
}

#define ROWS(verdict) (1u << (verdict))
_Static_assert(SG_VERDICT_COUNT <= 32, "a bit for each verdict");

static const struct sg_next_step {
    unsigned verdicts;     /* bits 1 << enum sg_verdict: rows that need this step */
    bool calm;             /* only if no row fails */
    bool of_variant;       /* only for a row of a whole variant */
    add_fn *add;           /* adds nothing if the row needs no such step; NULL: `accept` */
    const char *how, *why; /* options of `accept`; purpose of the command */
} steps[] = {
    /* worst first, as exit codes are */
    {ROWS(SG_BROKEN) | ROWS(SG_FAILS_OTHERWISE), false, false, add_one_item, NULL,
     "the first broken variant alone"},
    {ROWS(SG_REGRESSED), false, false, add_explain, NULL,
     "every counter of the worst row next to the accepted ones, and where the added time is"},
    {ROWS(SG_REGRESSED), false, false, add_commits, NULL,
     "was it the code? Builds the accepted commit and this one, and times them interleaved"},
    {ROWS(SG_INCONCLUSIVE), false, false, add_paired_again, NULL,
     "times each variant in pairs with its accepted build, which cancels the clock and the spread "
     "between GPUs"},
    {ROWS(SG_REGRESSED) | ROWS(SG_INVALID_VALUE) | ROWS(SG_BROKEN) | ROWS(SG_INCONCLUSIVE), false,
     false, add_again, NULL, "does it repeat? Remove the cause that an invalid row names first"},
    {ROWS(SG_NOT_MEASURED), false, true, NULL, PRUNED, "drops rows that were left out on purpose"},
    {ROWS(SG_NOT_ACCEPTED), false, false, NULL, "",
     "accepts rows that have no accepted number yet"},
    {ROWS(SG_REGRESSED), false, false, NULL, WITH_REASON, "only if the slowdown is intended"},
    {ROWS(SG_IMPROVED) | ROWS(SG_FIXED) | ROWS(SG_CHANGED) | ROWS(SG_NEW), true, false, NULL, "",
     "accepts improved, fixed and new rows, so that losing them is a regression"},
};
#define STEPS (sizeof(steps) / sizeof(steps[0]))

static void add_command(const struct sg_next_step *step, const struct sg_report_input *input,
                        const struct sg_rank *rank, struct sg_text *out)
{
    if (step->calm && sg_rank_of(rank, SG_RED) > 0)
        return;
    for (size_t i = 0; i < rank->from[SG_GREEN] && out->length == 0; i++) {
        const struct sg_finding finding = sg_rank_at(rank, i);
        if (finding.is_informational || !(step->verdicts & ROWS(finding.accepted)) ||
            (step->of_variant && !sg_is_status(&finding)))
            continue;
        if (step->add)
            step->add(input, &finding, out);
        else
            add_accept(input, step->how, out);
    }
}

size_t sg_next_each(const struct sg_report_input *input, const struct sg_rank *rank,
                    sg_next_fn *each, void *context)
{
    size_t count = 0;
    for (size_t i = 0; i < STEPS && input->path && input->env; i++) {
        SG_SCOPED(sg_text) command = {0};
        add_command(&steps[i], input, rank, &command);
        count += command.length > 0;
        if (command.length > 0 && each)
            each(command.data, steps[i].why, context);
    }
    return count;
}

static void add_first(const char *command, const char *why, void *context)
{
    struct sg_text *out = context;
    (void)why;
    /* Commands that remove or worsen accepted numbers are shown only on pages, with their
     * purpose. */
    if (out->length == 0 && !strstr(command, WITH_REASON) && !strstr(command, PRUNED))
        sg_text_add(out, command);
}

void sg_add_next(struct sg_text *out, const struct sg_report_input *input,
                 const struct sg_rank *rank)
{
    sg_next_each(input, rank, add_first, out);
}
