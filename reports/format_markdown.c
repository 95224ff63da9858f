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
    sg_text_addf(out, "\n<details><summary>%zu rows as they should be", sg_rank_of(rank, SG_GREEN));
    sg_add_open(out, rank);
    sg_text_addf(out, ", %zu counters that differ, %zu %s</summary>\n\n", sg_rank_of(rank, SG_COUNTER), sg_rank_of(rank, SG_ASIDE),
                 sg_aside_words(input->comparison));
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

static void add_grid(struct sg_text_table *grid, struct sg_text *out)
{
    if (grid->row_count > 0) {
        sg_text_table_markdown(grid, out);
        sg_text_add(out, "\n");
    }
    sg_text_table_release(grid);
}

static void add_paragraph(struct sg_text *words, struct sg_text *out)
{
    if (words->length > 0) {
        sg_add_markdown(out, words->data);
        sg_text_add(out, "\n\n");
    }
    sg_text_release(words);
}

static void add_gap_foot(const struct sg_sol_table *gaps, struct sg_text *out)
{
    struct sg_text words = {0};
    sg_add_untimed(&words, gaps);
    add_paragraph(&words, out);
    for (size_t i = 0; sg_add_refusal(&words, gaps, i); i++)
        add_paragraph(&words, out);
    sg_add_gap_notes(&words, gaps);
    add_paragraph(&words, out);
    sg_add_spec(&words, gaps);
    sg_text_addf(&words, ". %s", gaps->spec.source ? gaps->spec.source : "");
    add_paragraph(&words, out);
    sg_add_ceilings(&words, gaps);
    add_paragraph(&words, out);
    out->length--; /* one of the last two line ends */
    out->data[out->length] = '\0';
}

static void gap(const struct sg_sol_table *gaps, size_t count, struct sg_text *out)
{
    struct sg_text_table grid;
    if (count == 1) {
        sg_gap_case_grid(&grid, gaps, gaps->count);
        add_grid(&grid, out);
        sg_gap_grid(&grid, gaps, gaps->count);
    } else {
        sg_gap_letters_grid(&grid, gaps, count);
        add_grid(&grid, out);
        sg_gap_beside_grid(&grid, gaps, count);
    }
    add_grid(&grid, out);
    sg_add_gap_feet(out, gaps, count, add_gap_foot);
}

const struct sg_format sg_format_markdown = {.name = "markdown", .comparison = comparison, .gap = gap};
