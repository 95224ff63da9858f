#include "next.h"

#include <string.h>

/* `explain` asks for two variants; the baseline variant has no partner. */
static void add_explain(const struct sg_report_part *part, const struct sg_finding *worst, struct sg_text *out)
{
    const char *partner = sg_paired_with(part->input.run, worst->family, worst->case_, worst->variant);
    if (sg_is_time(worst) && partner)
        sg_text_addf(out, "solgate explain %s %s/%s %s %s", part->path, worst->family, worst->case_, partner, worst->variant);
}

/* A run of a work tree that differs from its commit (its stamp ends in -dirty) cannot be built again. */
static bool is_commit(const char *stamp)
{
    return stamp && stamp[0] && strspn(stamp, "0123456789abcdef") == strlen(stamp);
}

static void add_commits(const struct sg_report_part *part, const struct sg_finding *worst, struct sg_text *out)
{
    const char *now = sg_env_get(part->input.env, "commit");
    const char *then = part->input.baseline ? sg_env_get(&part->input.baseline->env, "commit") : NULL;
    if (is_commit(now) && is_commit(then) && strcmp(now, then) != 0)
        sg_text_addf(out, "scripts/ab_commits.sh %s %s %s", then, now, worst->family);
}

static void add_one_item(const struct sg_report_part *part, const struct sg_finding *worst, struct sg_text *out)
{
    const char *suite = sg_env_get(part->input.env, "suite");
    if (suite)
        sg_text_addf(out, "solgate run %s --family=%s --case=%s --variant=%s --out=one", suite, worst->family, worst->case_,
                     worst->variant);
}

static void add_again(const struct sg_report_part *part, const struct sg_finding *worst, struct sg_text *out)
{
    const char *suite = sg_env_get(part->input.env, "suite");
    (void)worst;
    if (suite)
        sg_text_addf(out, "solgate run %s --out=again", suite);
}

static void add_reasoned(const struct sg_report_part *part, const struct sg_finding *worst, struct sg_text *out)
{
    (void)worst;
    if (part->input.baseline)
        sg_text_addf(out, "solgate baseline accept %s --reason=TEXT", part->path);
}

static void add_prune(const struct sg_report_part *part, const struct sg_finding *worst, struct sg_text *out)
{
    (void)worst;
    sg_text_addf(out, "solgate baseline accept %s --prune", part->path);
}

/* Where nothing is accepted the top of the page says how to. */
static void add_accept(const struct sg_report_part *part, const struct sg_finding *worst, struct sg_text *out)
{
    (void)worst;
    if (part->input.baseline)
        sg_text_addf(out, "solgate baseline accept %s", part->path);
}

#define ROWS(verdict) (1u << (verdict))

const struct sg_next_step sg_next_steps[] = {
    {ROWS(SG_REGRESSED), false, add_explain, "every counter of the worst row beside those of its baseline variant"},
    {ROWS(SG_REGRESSED), false, add_commits, "was it the code? builds the accepted commit and this one, and times them in turns"},
    {ROWS(SG_BROKEN), false, add_one_item, "the first broken variant by itself"},
    {ROWS(SG_REGRESSED) | ROWS(SG_INVALID_VALUE) | ROWS(SG_INCONCLUSIVE), false, add_again,
     "does it stay? Of an invalid row, clear away first what it names; more processes in the suite narrow an interval"},
    {ROWS(SG_MISSING), false, add_prune, "if it was left out on purpose: takes it out of the accepted numbers"},
    {ROWS(SG_REGRESSED), false, add_reasoned, "only if slower is what was meant"},
    {ROWS(SG_IMPROVED) | ROWS(SG_MENDED) | ROWS(SG_CHANGED) | ROWS(SG_NEW), true, add_accept,
     "keeps what improved, was mended or is new, so that losing it is noticed"},
};
const size_t sg_next_step_count = sizeof(sg_next_steps) / sizeof(sg_next_steps[0]);

void sg_next_command(const struct sg_next_step *step, const struct sg_report_part *part, const struct sg_rank *rank, struct sg_text *out)
{
    if (step->calm && sg_rank_of(rank, SG_RED) > 0)
        return;
    for (size_t i = 0; i < rank->from[SG_GREEN]; i++)
        if (step->verdicts & ROWS(rank->finding[i]->accepted)) {
            step->add(part, rank->finding[i], out);
            return;
        }
}

bool sg_next_any(const struct sg_report_part *part, const struct sg_rank *rank)
{
    struct sg_text command = {0};
    for (size_t i = 0; i < sg_next_step_count && command.length == 0; i++)
        sg_next_command(&sg_next_steps[i], part, rank, &command);
    const bool any = command.length > 0;
    sg_text_release(&command);
    return any;
}
