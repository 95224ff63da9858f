#include "csv.h"
#include "judged.h"

#include <math.h>

/* Missing is an empty field; so is a number that is not there. */
static void add_number(struct sg_text *out, double value)
{
    sg_text_add(out, ",");
    sg_add_exactly(out, value);
}

static void add_word(struct sg_text *out, const char *word)
{
    sg_text_add(out, ",");
    sg_csv_add_field(out, word);
}

static void add_names(struct sg_text *out, const char *family, const char *case_, const char *variant)
{
    sg_csv_add_field(out, family);
    add_word(out, case_);
    add_word(out, variant);
}

static void add_finding(struct sg_text *out, const struct sg_finding *finding, double q)
{
    add_names(out, finding->family, finding->case_, finding->variant);
    add_word(out, finding->metric);
    add_word(out, finding->unit);
    const double numbers[] = {finding->was,  finding->is,        finding->change,     finding->low,
                              finding->high, finding->tolerance, finding->resolution, q};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        add_number(out, numbers[i]);
    bool paired = finding->baseline != SG_VERDICT_COUNT;
    add_word(out, sg_verdict_word(finding->accepted));
    add_word(out, paired ? sg_verdict_word(finding->baseline) : "");
    add_number(out, paired ? finding->baseline_change : NAN);
    add_number(out, paired ? finding->baseline_low : NAN);
    add_number(out, paired ? finding->baseline_high : NAN);
    add_number(out, finding->processes > 0 ? finding->processes : NAN);
    add_word(out, finding->gates ? "yes" : "no");
    add_word(out, finding->why);
    sg_text_add(out, "\n");
}

static void comparison(const struct sg_report_input *input, struct sg_text *out)
{
    sg_text_add(out, "family,case,variant,metric,unit,accepted,now,change,low,high,tolerance,resolution,q,vs_accepted,vs_baseline,"
                     "baseline_change,baseline_low,baseline_high,processes,gates,why\n");
    for (size_t i = 0; i < input->comparison->count; i++)
        add_finding(out, &input->comparison->findings[i], input->comparison->q ? input->comparison->q[i] : NAN);
}

static void gap(const struct sg_gap *gaps, size_t count, const struct sg_gpu_spec *spec, struct sg_text *out)
{
    sg_text_add(out,
                "family,case,variant,gpu_spec,time_ns,sol_time_ns,sol_compute_ns,sol_memory_ns,gap,bound,intensity_flop_per_b,flop_per_s,"
                "bytes_per_s,faster_than_physics,status\n");
    for (size_t i = 0; i < count; i++) {
        const struct sg_gap *g = &gaps[i];
        add_names(out, g->family, g->case_, g->variant);
        add_word(out, spec->key);
        const double numbers[] = {g->time_ns, g->sol.time_ns, g->sol.compute_ns, g->sol.memory_ns, g->gap};
        for (size_t k = 0; k < sizeof(numbers) / sizeof(numbers[0]); k++)
            add_number(out, numbers[k]);
        add_word(out, g->sol.memory_bound ? "memory" : sg_dtype_word(g->sol.dtype));
        add_number(out, g->sol.intensity);
        add_number(out, g->flop_per_s);
        add_number(out, g->bytes_per_s);
        add_word(out, g->faster_than_physics ? "yes" : "no");
        add_word(out, sg_status_word(g->status));
        sg_text_add(out, "\n");
    }
}

const struct sg_format sg_format_csv = {.name = "csv", .comparison = comparison, .gap = gap};
