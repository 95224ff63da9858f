#include "escape.h"
#include "judged.h"

#define GREEN_MAX   40 /* rows that are as they should be: as many as this are listed, more are counted */
#define COUNTER_MAX 20
#define CAUSES      3

static void add_headline(const struct sg_report_input *input, const struct sg_rank *rank, struct sg_text *out)
{
    enum sg_class worst = SG_GREEN;
    for (enum sg_class class_ = SG_GREEN; class_-- > SG_RED;)
        worst = sg_rank_of(rank, class_) > 0 ? class_ : worst;
    struct sg_text sentence = {0};
    sg_add_sentence(&sentence, input);
    sg_text_add(out, sg_paint(worst, input->colour));
    sg_add_terminal(out, sentence.data);
    sg_text_addf(out, "%s\n", sg_unpaint(input->colour));
    if (input->note) {
        sg_add_terminal(out, input->note);
        sg_text_add(out, "\n");
    }
    sg_text_release(&sentence);
}

static void add_classes(const struct sg_report_input *input, const struct sg_rank *rank, size_t from, size_t to, size_t causes,
                        struct sg_text *out)
{
    if (from == to)
        return;
    struct sg_grid grid;
    sg_judged_grid(&grid, input, rank, from, to, causes);
    sg_text_add(out, "\n");
    sg_grid_text(&grid, input->colour, out);
    sg_grid_release(&grid);
}

static void comparison(const struct sg_report_input *input, struct sg_text *out)
{
    struct sg_rank rank;
    sg_rank_init(&rank, input->comparison);
    add_headline(input, &rank, out);
    add_classes(input, &rank, 0, rank.from[SG_GREEN], CAUSES, out);

    size_t green = sg_rank_of(&rank, SG_GREEN), counters = sg_rank_of(&rank, SG_COUNTER), aside = sg_rank_of(&rank, SG_ASIDE);
    if (green <= GREEN_MAX)
        add_classes(input, &rank, rank.from[SG_GREEN], rank.from[SG_COUNTER], 0, out);
    else
        sg_text_addf(out, "\n%zu rows are as they should be (--format=csv lists them)\n", green);

    size_t shown = counters < COUNTER_MAX ? counters : COUNTER_MAX;
    add_classes(input, &rank, rank.from[SG_COUNTER], rank.from[SG_COUNTER] + shown, 0, out);
    if (shown < counters)
        sg_text_addf(out, "and %zu more exact counters that differ (--format=csv lists them)\n", counters - shown);
    sg_text_addf(out,
                 "\n%zu counters compared, %zu differ, %zu have no accepted value; --format=csv also has the absolute times, which never "
                 "gate: %zu\n",
                 input->comparison->counters_compared, input->comparison->counters_changed, input->comparison->counters_new, aside);
    sg_rank_release(&rank);
}

static void gap(const struct sg_gap *gaps, size_t count, const struct sg_gpu_spec *spec, struct sg_text *out)
{
    struct sg_grid grid;
    struct sg_text peaks = {0};
    sg_add_spec(&peaks, spec);
    sg_add_wrapped(out, peaks.data, 0, 2);
    sg_text_add(out, "\n  ");
    sg_add_wrapped(out, spec->source ? spec->source : "", 2, 2);
    sg_text_add(out, "\n\n");
    sg_gap_grid(&grid, gaps, count);
    sg_grid_text(&grid, false, out);
    sg_grid_release(&grid);
    sg_text_release(&peaks);
}

const struct sg_format sg_format_text = {.name = "text", .comparison = comparison, .gap = gap};
