#include "reports/tables/ranking.h"
#include "results/error_signature.h"
#include "util/escape.h"

#define CAUSES   3
#define FOLD_MAX 1000 /* rows in the folded part: a merge request does not take megabytes */

static void add_folded(const struct sg_report_input *input, const struct sg_rank *rank, struct sg_text *out)
{
    size_t from = rank->from[SG_GREEN], rest = rank->count - from, shown = rest < FOLD_MAX ? rest : FOLD_MAX;
    if (rest == 0)
        return;
    sg_text_addf(out, "\n<details><summary>%zu rows as they should be, %zu counters that differ, %zu absolute times</summary>\n\n",
                 sg_rank_of(rank, SG_GREEN), sg_rank_of(rank, SG_COUNTER), sg_rank_of(rank, SG_ASIDE));
    sg_judged_markdown(input, rank, from, from + shown, 0, out);
    if (shown < rest)
        sg_text_addf(out, "\nThe first %zu of %zu; `--format=csv` has all.\n", shown, rest);
    sg_text_add(out, "\n</details>\n");
}

static void add_shared(const char *line, struct sg_text *out)
{
    sg_text_add(out, "\n");
    sg_add_markdown(out, line);
    sg_text_add(out, "\n");
}

static void comparison(const struct sg_report_input *input, struct sg_text *out)
{
    struct sg_rank rank;
    struct sg_text sentence = {0};
    sg_rank_init(&rank, input->comparison);
    sg_add_sentence(&sentence, input);
    sg_text_add(out, "**");
    sg_add_markdown(out, sentence.data);
    sg_text_add(out, "**\n\n");
    if (input->note) {
        sg_add_markdown(out, input->note);
        sg_text_add(out, "\n\n");
    }
    if (input->events) {
        sg_text_add(out, "events: ");
        sg_add_markdown(out, input->events);
        sg_text_add(out, "\n\n");
    }
    if (rank.from[SG_GREEN] > 0)
        sg_judged_markdown(input, &rank, 0, rank.from[SG_GREEN], CAUSES, out);
    sg_shared_errors_each(input->run, add_shared, out);
    add_folded(input, &rank, out);
    sg_text_release(&sentence);
    sg_rank_release(&rank);
}

static void gap(const struct sg_sol_table *gaps, struct sg_text *out)
{
    struct sg_text_table grid;
    struct sg_text peaks = {0}, ceilings = {0};
    sg_gap_case_grid(&grid, gaps, gaps->count);
    sg_text_table_markdown(&grid, out);
    sg_text_table_release(&grid);
    sg_text_add(out, "\n");
    sg_gap_grid(&grid, gaps, gaps->count);
    sg_text_table_markdown(&grid, out);
    sg_text_table_release(&grid);
    struct sg_text line = {0};
    for (size_t i = 0; sg_add_refusal(&line, gaps, i); i++) {
        sg_text_add(out, "\n");
        sg_add_markdown(out, line.data);
        sg_text_add(out, "\n");
        sg_text_release(&line);
    }
    sg_add_spec(&peaks, &gaps->spec);
    sg_text_add(out, "\n");
    sg_add_markdown(out, peaks.data);
    sg_text_add(out, ". ");
    sg_add_markdown(out, gaps->spec.source ? gaps->spec.source : "");
    sg_text_add(out, "\n\n");
    sg_add_ceilings(&ceilings, gaps);
    sg_add_markdown(out, ceilings.data);
    sg_text_add(out, "\n");
    sg_text_release(&peaks);
    sg_text_release(&ceilings);
}

const struct sg_format sg_format_markdown = {.name = "markdown", .comparison = comparison, .gap = gap};
