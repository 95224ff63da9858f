#include "reports/tables/next_steps.h"

#include <limits.h>
#include <string.h>

#include "reports/tables/headline.h"
#include "results/accepted_place.h"
#include "results/kernel_commit.h"
#include "results/run_reader.h"
#include "results/units.h"
#include "util/names.h"

#define WITH_REASON " --reason=TEXT"
#define PRUNED      " --prune"
#define SELECTION   "--family --case --variant"

typedef void add_fn(const struct sg_report_input *input, const struct sg_finding *row,
                    struct sg_text *out);

/* Compares with the same numbers as before, which may not be those of the run's GPU. */
static void add_explain(const struct sg_report_input *input, const struct sg_finding *worst,
                        struct sg_text *out)
{
    const struct sg_accepted_file *accepted = input->accepted;
    const char *other =
        input->comparison->of_pairs ? sg_paired_with(input->run, SG_NAMES(*worst)) : NULL;
    if (!accepted && !other)
        return;
    sg_text_add(out, "solgate explain ");
    sg_text_add_word(out, input->path);
    sg_text_addf(out, " %s/%s%s", worst->family, worst->case_, other ? " " : "/");
    if (other)
        sg_text_addf(out, "%s ", other);
    sg_text_add(out, worst->variant);
    if (accepted)
        sg_text_add_option(out, "against", accepted->path);
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

static bool begins(const char *word, const char *with)
{
    return strncmp(word, with, strlen(with)) == 0;
}

/* Adds a command without its first word and without the options that `dropped` names. */
static void add_rest(struct sg_text *out, const char *command, const char *dropped)
{
    SG_SCOPED(sg_names) words = {0};
    sg_names_add_split(&words, command, ' ');
    for (size_t i = 1; i < words.count; i++) {
        SG_SCOPED(sg_text) name = {0};
        sg_text_add_bytes(&name, words.items[i], strcspn(words.items[i], "="));
        if (!begins(sg_text_string(&name), "--") || !strstr(dropped, name.data))
            sg_text_addf(out, " %s", words.items[i]);
    }
}

/* A run of all rows if this run left some out; a nightly run, which adds processes, if no row was
 * decided. */
static void add_whole(const struct sg_report_input *input, const struct sg_finding *worst,
                      struct sg_text *out)
{
    const char *command = sg_env_get(input->env, "command"),
               *suite = sg_env_get(input->env, "suite");
    const bool is_night = worst->accepted == SG_UNRESOLVED;
    if (input->comparison->of_pairs || sg_env_is_imported(input->env) ||
        (is_night && !sg_why_undecided(input->comparison)))
        return;
    if (command) {
        sg_text_addf(out, "solgate %s", is_night ? "nightly" : "run");
        add_rest(out, command,
                 is_night ? SELECTION " --metrics --config --against-accepted" : SELECTION);
    } else if (suite) {
        sg_text_addf(out, "solgate run %s", suite);
    }
    sg_text_add(out, out->length > 0 && !is_night ? " --out=again" : "");
}

/* Repeats the run with its command line, with the option that the row's reason names, and paired
 * with the accepted builds. Without a command the suite's name alone may mean another run. */
static void add_again(const struct sg_report_input *input, const struct sg_finding *worst,
                      struct sg_text *out)
{
    static const char tolerance[] = " --tolerance=", shared[] = " --allow-shared-gpu",
                      paired[] = " --against-accepted";
    const char *command = sg_env_get(input->env, "command"),
               *wider = strstr(worst->why, tolerance + 1), *own = NULL;
    const bool is_paired = worst->accepted == SG_INCONCLUSIVE && input->accepted &&
                           sg_env_get(&input->accepted->env, SG_ACCEPTED_RUNS_KEY);
    if (!command)
        return;
    for (const char *next = command; wider && (next = strstr(next, tolerance)); next++)
        own = next;
    sg_text_addf(out, "solgate %.*s", (int)(own ? own - command : INT_MAX), command);
    if (own)
        sg_text_addf(out, " %.*s%s", (int)strcspn(wider, " ;"), wider,
                     own + 1 + strcspn(own + 1, " "));
    sg_text_add(out, strstr(worst->why, shared + 1) && !strstr(command, shared) ? shared : "");
    sg_text_addf(out, "%s --out=again", is_paired && !strstr(command, paired) ? paired : "");
}

/* The worst row alone: the program of a gate of functions, or a run of the variant. Not for a run
 * with a selection: the new options would be added to it. */
static void add_one_item(const struct sg_report_input *input, const struct sg_finding *worst,
                         struct sg_text *out)
{
    const char *command = sg_env_word(input->env, "command"),
               *candidate = sg_env_word(input->env, "candidate"), *colon = strrchr(candidate, ':');
    const bool of_pairs = input->comparison->of_pairs;
    sg_text_add(out, sg_env_word(input->env, "program"));
    if (out->length > 0 || !*command || begins(command, "ab --exec ") ||
        (!of_pairs && sg_env_get(input->env, "selection")))
        return;
    sg_text_addf(out, "solgate %s%s%s --case=%s --variant=%s", of_pairs ? "run " : command,
                 of_pairs ? "" : " --family=", SG_NAMES(*worst));
    if (of_pairs && colon)
        sg_text_addf(out, " --module=%.*s", (int)(colon - candidate), candidate);
    if (of_pairs)
        sg_env_add_modules(input->env, out);
    sg_text_add(out, " --out=one");
}

/* Suggests accepting this run into the numbers that it was compared with. Suggests nothing if those
 * numbers belong to another run, or if accept would refuse this run, for example without samples.
 * If `how` has no reason, suggests only changes that need none. */
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
    sg_text_add_option(out, "out", accepted->path);
    if (strcmp(accepted->gpu, sg_env_word(input->env, "gpu")) != 0 &&
        !sg_env_get(input->env, SG_UNITS_KEY))
        sg_text_add(out, " --unit");
    sg_env_add_modules(input->env, out);
    sg_text_add(out, how);
}

void sg_add_pairing_step(const struct sg_report_input *input, const char *before,
                         struct sg_text *out)
{
    const size_t *count = input->comparison->by_verdict;
    if (input->comparison->unpaired <= count[SG_NEW] || input->lacks_samples || !input->path ||
        count[SG_REGRESSED] + count[SG_BROKEN] + count[SG_FAILS_OTHERWISE] +
                count[SG_INVALID_VALUE] + count[SG_NOT_MEASURED] >
            0)
        return;
    sg_text_add(out, before);
    sg_add_accept(out, input->path, input->env);
    sg_text_add(out, sg_env_get(input->env, "gpu_uuid_hash") ? " --unit" : "");
}

/* No pair with its accepted build decided the row: this run's builds become those of this GPU. */
static void add_pairing(const struct sg_report_input *input, const struct sg_finding *worst,
                        struct sg_text *out)
{
    (void)worst;
    sg_add_pairing_step(input, "", out);
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
    {ROWS(SG_NOT_GATED) | ROWS(SG_INCONCLUSIVE) | ROWS(SG_UNRESOLVED), false, false, add_pairing,
     NULL, "the next run is paired with the builds of this one"},
    {ROWS(SG_REGRESSED) | ROWS(SG_INVALID_VALUE) | ROWS(SG_BROKEN) | ROWS(SG_INCONCLUSIVE), false,
     false, add_again, NULL, "does it repeat? Remove the cause that an invalid row names first"},
    {ROWS(SG_NOT_MEASURED) | ROWS(SG_UNRESOLVED) | ROWS(SG_INCONCLUSIVE), false, false, add_whole,
     NULL, "measures the missing rows, and runs more processes for rows that are not decided"},
    {ROWS(SG_BROKEN) | ROWS(SG_FAILS_OTHERWISE) | ROWS(SG_INCONCLUSIVE), false, false, add_explain,
     NULL, "everything known about the row, next to the accepted numbers"},
    {ROWS(SG_NOT_MEASURED), false, true, NULL, PRUNED, "drops rows that were left out on purpose"},
    {ROWS(SG_NOT_ACCEPTED), false, false, NULL, "",
     "accepts rows that have no accepted number yet"},
    {ROWS(SG_REGRESSED), false, false, NULL, WITH_REASON, "only if the slowdown is intended"},
    {ROWS(SG_IMPROVED) | ROWS(SG_FIXED) | ROWS(SG_CHANGED) | ROWS(SG_NEW), true, false, NULL, "",
     "accepts improved, fixed and new rows, so that losing them is a regression"},
};
#define STEPS (sizeof(steps) / sizeof(steps[0]))

/* For one row, if its rank is given, else for the first that needs the step. */
static void add_command(const struct sg_next_step *step, const struct sg_report_input *input,
                        const struct sg_rank *rank, size_t only, struct sg_text *out)
{
    const size_t from = only == SIZE_MAX ? 0 : only,
                 to = only == SIZE_MAX ? rank->from[SG_GREEN] : only + 1;
    if (step->calm && sg_rank_of(rank, SG_RED) > 0)
        return;
    for (size_t i = from; i < to && out->length == 0; i++) {
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

size_t sg_next_each(const struct sg_report_input *input, const struct sg_rank *rank, size_t only,
                    sg_next_fn *each, void *context)
{
    size_t count = 0;
    for (size_t i = 0; i < STEPS && input->path && input->env; i++) {
        SG_SCOPED(sg_text) command = {0};
        add_command(&steps[i], input, rank, only, &command);
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
                 const struct sg_rank *rank, size_t worst)
{
    if (worst != SIZE_MAX)
        sg_next_each(input, rank, worst, add_first, out);
    sg_next_each(input, rank, SIZE_MAX, add_first, out);
}
