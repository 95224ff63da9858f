#include "reports/tables/ranking.h"
#include "results/error_signature.h"
#include "util/escape.h"

#define PAIRS_MAX 60 /* of `solgate ab`: pairs that are as they should be are listed up to as many, more are counted */
#define CAUSES    3

static void add_wrapped_line(struct sg_text *out, const struct sg_text *line)
{
    if (line->length == 0)
        return;
    sg_add_wrapped(out, line->data, 0, 2);
    sg_text_add(out, "\n");
}

/* How small a change the run could have found, and what it did not look at. */
static void add_reach(const struct sg_report_input *input, struct sg_text *out)
{
    struct sg_text mde = {0}, unmeasured = {0};
    if (input->comparison->of_pairs)
        return;
    sg_add_mde(&mde, input->comparison);
    sg_add_unmeasured(&unmeasured, input);
    add_wrapped_line(out, &mde);
    add_wrapped_line(out, &unmeasured);
    sg_text_release(&mde);
    sg_text_release(&unmeasured);
}

static void add_headline(const struct sg_report_input *input, const struct sg_rank *rank, struct sg_text *out)
{
    const enum sg_class worst = sg_worst_class(rank);
    struct sg_text counts = {0}, against = {0};
    sg_add_counts(&counts, input->comparison);
    sg_add_against(&against, input);
    sg_text_add(out, sg_paint(worst, input->colour));
    sg_add_wrapped(out, counts.data, 0, 2);
    sg_add_terminal(out, against.data);
    sg_text_addf(out, "%s\n", sg_unpaint(input->colour));
    if (*sg_doubt(input))
        sg_text_addf(out, "%s\n", sg_doubt(input));
    if (input->note) {
        sg_add_terminal(out, input->note);
        sg_text_add(out, "\n");
    }
    add_reach(input, out);
    if (input->events) {
        sg_text_add(out, "events: ");
        sg_add_terminal(out, input->events);
        sg_text_add(out, "\n");
    }
    sg_text_release(&counts);
    sg_text_release(&against);
}

typedef bool kind_fn(const struct sg_finding *finding);

static bool is_measured(const struct sg_finding *finding)
{
    return !sg_is_status(finding);
}

/* Slower than its baseline variant, as before: what was tried. */
static bool is_tried(const struct sg_finding *finding)
{
    return sg_is_time(finding) && finding->baseline == SG_REGRESSED;
}

static bool is_untried(const struct sg_finding *finding)
{
    return !is_tried(finding);
}

/* The findings [from, to) that are of a kind, in their order; to be released. */
static struct sg_rank pick(const struct sg_rank *rank, size_t from, size_t to, kind_fn *is_wanted)
{
    struct sg_rank picked = {.comparison = rank->comparison, .finding = sg_alloc(to - from, sizeof(*picked.finding))};
    for (size_t i = from; i < to; i++) {
        const struct sg_finding finding = sg_rank_at(rank, i);
        if (is_wanted(&finding))
            picked.finding[picked.count++] = rank->finding[i];
    }
    return picked;
}

/* The findings [from, to): those that are measured, and statuses as a table of their own. */
static void add_tables(const struct sg_report_input *input, const struct sg_rank *rank, size_t from, size_t to, size_t causes,
                       struct sg_text *out)
{
    static kind_fn *const kinds[] = {is_measured, sg_is_status};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        struct sg_rank picked = pick(rank, from, to, kinds[i]);
        if (picked.count > 0) {
            sg_text_add(out, "\n");
            if (kinds[i] == sg_is_status)
                sg_status_text(input, &picked, out);
            else
                sg_judged_text(input, &picked, causes, out);
        }
        sg_rank_release(&picked);
    }
}

static void add_hidden(struct sg_text *out, size_t count, const char *what)
{
    if (count > 0)
        sg_text_addf(out, "%s%zu %s", out->length > 0 ? ", " : "", count, what);
}

static void add_not_shown(struct sg_text *out, const struct sg_report_input *input, const struct sg_text *hidden)
{
    struct sg_text line = {0};
    if (hidden->length > 0)
        sg_text_addf(&line, "not shown, --%s has them: %s", input->comparison->of_pairs ? "format=csv" : "verbose", hidden->data);
    add_wrapped_line(out, &line);
    sg_text_release(&line);
}

/* Rows that are as they should be; what was tried and is slower has its
 * causes where they are asked for. */
static void add_green(const struct sg_report_input *input, const struct sg_rank *rank, bool listed, struct sg_text *out,
                      struct sg_text *hidden)
{
    struct sg_rank tried = pick(rank, rank->from[SG_GREEN], rank->from[SG_GREEN + 1], is_tried);
    struct sg_rank untried = pick(rank, rank->from[SG_GREEN], rank->from[SG_GREEN + 1], is_untried);
    const size_t explained = listed || input->explain ? tried.count : 0, plain = listed ? untried.count : 0;
    add_tables(input, &tried, 0, explained, CAUSES, out);
    add_tables(input, &untried, 0, plain, 0, out);
    add_hidden(hidden, tried.count - explained, "rows slower than their baseline variant, as accepted (see --explain)");
    add_hidden(hidden, untried.count - plain, "rows that are as they should be");
    sg_rank_release(&untried);
    sg_rank_release(&tried);
}

/* Unresolved rows: where all are listed; of those that are slower than their baseline the
 * causes, where they are asked for. */
static void add_open(const struct sg_report_input *input, const struct sg_rank *rank, struct sg_text *out, struct sg_text *hidden)
{
    struct sg_rank tried = pick(rank, rank->from[SG_OPEN], rank->from[SG_OPEN + 1], is_tried);
    struct sg_rank untried = pick(rank, rank->from[SG_OPEN], rank->from[SG_OPEN + 1], is_untried);
    add_tables(input, &tried, 0, input->verbose || input->explain ? tried.count : 0, CAUSES, out);
    add_tables(input, &untried, 0, input->verbose ? untried.count : 0, 0, out);
    if (!input->verbose)
        sg_add_open(hidden, rank);
    sg_rank_release(&untried);
    sg_rank_release(&tried);
}

/* All of what is not red, or yellow, or news: wherever --verbose asks for it, and few
 * pairs of `solgate ab` that are green. */
static bool is_rest_listed(const struct sg_report_input *input, const struct sg_rank *rank)
{
    const bool is_green = sg_rank_of(rank, SG_RED) + sg_rank_of(rank, SG_YELLOW) == 0;
    return input->verbose || (input->comparison->of_pairs && is_green && sg_rank_of(rank, SG_GREEN) <= PAIRS_MAX);
}

static void add_rest(const struct sg_report_input *input, const struct sg_rank *rank, struct sg_text *out)
{
    const bool listed = is_rest_listed(input, rank);
    const size_t counters = listed ? sg_rank_of(rank, SG_COUNTER) : 0, times = input->verbose ? sg_rank_of(rank, SG_ASIDE) : 0;
    struct sg_text hidden = {0};

    add_green(input, rank, listed, out, &hidden);
    add_open(input, rank, out, &hidden);
    add_tables(input, rank, rank->from[SG_ASIDE], rank->from[SG_ASIDE] + times, 0, out);
    add_tables(input, rank, rank->from[SG_COUNTER], rank->from[SG_COUNTER] + counters, 0, out);
    if (!input->comparison->of_pairs)
        sg_text_addf(out, "\n%zu counters compared, %zu differ, %zu have no accepted value\n", input->comparison->counters_compared,
                     input->comparison->counters_changed, input->comparison->counters_new);
    add_hidden(&hidden, sg_rank_of(rank, SG_COUNTER) - counters, "counters that differ");
    add_hidden(&hidden, sg_rank_of(rank, SG_ASIDE) - times,
               input->comparison->paired > 0 ? "times and ratios of variants that are judged by their pairs"
                                             : "times of variants that are judged by their ratio");
    add_not_shown(out, input, &hidden);
    sg_text_release(&hidden);
}

static void add_shared_line(const char *line, struct sg_text *out)
{
    sg_add_wrapped(out, line, 0, 2);
    sg_text_add(out, "\n");
}

/* Variants that are wrong in the same way. */
static void add_shared(const struct sg_report_input *input, struct sg_text *out)
{
    struct sg_text lines = {0};
    if (sg_shared_errors_each(input->run, add_shared_line, &lines) > 0)
        sg_text_addf(out, "\n%s", lines.data);
    sg_text_release(&lines);
}

static void comparison(const struct sg_report_input *input, struct sg_text *out)
{
    struct sg_rank rank;
    sg_rank_init(&rank, input->comparison);
    add_headline(input, &rank, out);
    add_tables(input, &rank, 0, rank.from[SG_GREEN], CAUSES, out);
    add_shared(input, out);
    add_rest(input, &rank, out);
    sg_rank_release(&rank);
}

static void add_refusals(const struct sg_sol_table *gaps, struct sg_text *out)
{
    struct sg_text line = {0};
    for (size_t i = 0; sg_add_refusal(&line, gaps, i); i++) {
        sg_add_wrapped(out, line.data, 0, 2);
        sg_text_add(out, "\n");
        sg_text_release(&line);
    }
}

/* Prints a table and releases it; nothing of one without rows. */
static void add_gap_grid(struct sg_text_table *grid, struct sg_text *out)
{
    if (grid->row_count > 0) {
        sg_text_table_text(grid, false, out);
        sg_text_add(out, "\n");
    }
    sg_text_table_release(grid);
}

static void add_paragraph(struct sg_text *words, struct sg_text *out)
{
    if (words->length > 0) {
        sg_add_wrapped(out, words->data, 0, 2);
        sg_text_add(out, "\n");
    }
    sg_text_release(words);
}

/* What stands below the tables of a run. */
static void add_gap_foot(const struct sg_sol_table *gaps, struct sg_text *out)
{
    struct sg_text words = {0};
    sg_add_untimed(&words, gaps);
    add_paragraph(&words, out);
    add_refusals(gaps, out);
    sg_add_gap_notes(&words, gaps);
    add_paragraph(&words, out);
    sg_add_spec(&words, gaps);
    add_paragraph(&words, out);
    sg_add_ceilings(&words, gaps);
    add_paragraph(&words, out);
}

/* "NVIDIA H200, suite smoke, 2026-11-20": which run it is, and whether its times are simulated. Of
 * work without a run there is none. */
static void add_gap_caption(const struct sg_sol_table *gaps, struct sg_text *out)
{
    struct sg_text caption = {0};
    if (gaps->of_run)
        sg_add_caption(&caption, gaps->env, NULL);
    if (caption.length > 0) {
        sg_add_terminal(out, caption.data);
        sg_text_add(out, "\n\n");
    }
    sg_text_release(&caption);
}

static void gap(const struct sg_sol_table *gaps, size_t count, struct sg_text *out)
{
    struct sg_text_table grid;
    if (count == 1) {
        add_gap_caption(gaps, out);
        sg_gap_case_grid(&grid, gaps, gaps->count);
        add_gap_grid(&grid, out);
        sg_gap_grid(&grid, gaps, gaps->count);
    } else {
        sg_gap_letters_grid(&grid, gaps, count);
        add_gap_grid(&grid, out);
        sg_gap_beside_grid(&grid, gaps, count);
    }
    add_gap_grid(&grid, out);
    sg_add_gap_feet(out, gaps, count, add_gap_foot);
}

const struct sg_format sg_format_text = {.name = "text", .comparison = comparison, .gap = gap};
