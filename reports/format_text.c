#include "reports/tables/ranking.h"
#include "results/error_signature.h"
#include "util/escape.h"

#define GREEN_MAX   60 /* rows that are as they should be: as many as this are listed, more are counted */
#define COUNTER_MAX 20
#define CAUSES      3

static void add_headline(const struct sg_report_input *input, const struct sg_rank *rank, struct sg_text *out)
{
    enum sg_class worst = SG_GREEN;
    for (enum sg_class class_ = SG_GREEN; class_-- > SG_RED;)
        worst = sg_rank_of(rank, class_) > 0 ? class_ : worst;
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

static void add_not_shown(struct sg_text *out, const struct sg_text *hidden)
{
    struct sg_text line = {0};
    sg_text_addf(&line, "not shown, --format=csv has them: %s", hidden->data);
    sg_add_wrapped(out, line.data, 0, 2);
    sg_text_add(out, "\n");
    sg_text_release(&line);
}

/*
 * Rows that are as they should be. Where something fails they are counted: they must not push what fails off the screen. What was tried and
 * is slower is listed with its causes where there is room for it, or where they are asked for.
 */
static void add_green(const struct sg_report_input *input, const struct sg_rank *rank, bool quiet, struct sg_text *out,
                      struct sg_text *hidden)
{
    struct sg_rank tried = pick(rank, rank->from[SG_GREEN], rank->from[SG_GREEN + 1], is_tried);
    struct sg_rank untried = pick(rank, rank->from[SG_GREEN], rank->from[SG_GREEN + 1], is_untried);
    const size_t explained = input->explain || (quiet && tried.count <= GREEN_MAX) ? tried.count : 0;
    const size_t listed = quiet && untried.count <= GREEN_MAX ? untried.count : 0;
    add_tables(input, &tried, 0, explained, CAUSES, out);
    add_tables(input, &untried, 0, listed, 0, out);
    add_hidden(hidden, tried.count - explained, "rows slower than their baseline variant, as accepted (--explain says why)");
    add_hidden(hidden, untried.count - listed, "rows that are as they should be");
    sg_rank_release(&untried);
    sg_rank_release(&tried);
}

static void add_rest(const struct sg_report_input *input, const struct sg_rank *rank, struct sg_text *out)
{
    const size_t counters = sg_rank_of(rank, SG_COUNTER);
    const bool quiet = sg_rank_of(rank, SG_RED) + sg_rank_of(rank, SG_YELLOW) == 0;
    const size_t shown = !quiet ? 0 : counters < COUNTER_MAX ? counters : COUNTER_MAX;
    struct sg_text hidden = {0};

    add_green(input, rank, quiet, out, &hidden);
    add_tables(input, rank, rank->from[SG_COUNTER], rank->from[SG_COUNTER] + shown, 0, out);
    if (!input->comparison->of_pairs)
        sg_text_addf(out, "\n%zu counters compared, %zu differ, %zu have no accepted value\n", input->comparison->counters_compared,
                     input->comparison->counters_changed, input->comparison->counters_new);
    add_hidden(&hidden, counters - shown, "counters that differ");
    add_hidden(&hidden, sg_rank_of(rank, SG_ASIDE), "absolute times, which never gate");
    if (hidden.length > 0)
        add_not_shown(out, &hidden);
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
        sg_text_add(out, i == 0 ? "\n" : "");
        sg_add_wrapped(out, line.data, 0, 2);
        sg_text_add(out, "\n");
        sg_text_release(&line);
    }
}

static void gap(const struct sg_sol_table *gaps, struct sg_text *out)
{
    struct sg_text_table grid;
    struct sg_text peaks = {0}, ceilings = {0};
    sg_add_spec(&peaks, &gaps->spec);
    sg_add_wrapped(out, peaks.data, 0, 2);
    sg_text_add(out, "\n  ");
    sg_add_wrapped(out, gaps->spec.source ? gaps->spec.source : "", 2, 2);
    sg_text_add(out, "\n");
    sg_add_ceilings(&ceilings, gaps);
    sg_add_wrapped(out, ceilings.data, 0, 2);
    sg_text_add(out, "\n\n");
    sg_gap_case_grid(&grid, gaps, gaps->count);
    sg_text_table_text(&grid, false, out);
    sg_text_table_release(&grid);
    sg_text_add(out, "\n");
    sg_gap_grid(&grid, gaps, gaps->count);
    sg_text_table_text(&grid, false, out);
    sg_text_table_release(&grid);
    add_refusals(gaps, out);
    sg_text_release(&peaks);
    sg_text_release(&ceilings);
}

const struct sg_format sg_format_text = {.name = "text", .comparison = comparison, .gap = gap};
