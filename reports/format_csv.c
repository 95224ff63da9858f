#include "reports/tables/ranking.h"
#include "stats/verdict.h"
#include "util/csv_reader.h"

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
    add_word(out, paired ? sg_verdict_pair_word(finding->baseline) : "");
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
    for (size_t i = 0; i < input->comparison->count; i++) {
        const struct sg_finding finding = sg_finding_at(input->comparison, i);
        add_finding(out, &finding, input->comparison->q ? input->comparison->q[i] : NAN);
        sg_spill(input, out);
    }
}

static void add_gap(struct sg_text *out, const struct sg_gap *gap, const struct sg_sol_table *gaps)
{
    const double times[] = {gap->time_ns, gap->sol.time_ns, gap->sol.compute_ns, gap->sol.memory_ns, gap->gap};
    const double paired[] = {gap->low_ns, gap->high_ns, gap->measured_ns, gap->ratio, gap->limit_ns};
    const double rates[] = {gap->sol.intensity, gap->flop_per_s, gap->bytes_per_s};
    const double work[] = {sg_work_flop(&gap->work), gap->work.read_bytes, gap->work.write_bytes, gap->of_peak, gap->of_measured};
    add_names(out, gap->family, gap->case_, gap->variant);
    add_word(out, gaps->spec.key);
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
        add_number(out, times[i]);
    add_word(out, sg_gap_bound(gap));
    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
        add_number(out, rates[i]);
    add_word(out, gap->refusal && gap->refusal->finding == SG_TOO_FAST ? "yes" : "no");
    add_word(out, gap->refusal ? "invalid" : sg_status_word(gap->status));
    add_word(out, gap->role);
    add_word(out, gap->shape);
    for (size_t i = 0; i < sizeof(work) / sizeof(work[0]); i++)
        add_number(out, work[i]);
    add_word(out, gaps->ceilings.path ? gaps->ceilings.path : "");
    add_word(out, gaps->l2 ? gaps->l2 : "");
    add_word(out, sg_ceilings_any(&gaps->ceilings) ? sg_l2_word(gaps->ceilings.l2) : "");
    for (size_t i = 0; i < sizeof(paired) / sizeof(paired[0]); i++)
        add_number(out, paired[i]);
    add_number(out, gaps->ceilings.launch_ns > 0 ? gaps->ceilings.launch_ns : NAN);
    add_number(out, gap->waves);
    add_word(out, gaps->path ? gaps->path : "");
    add_word(out, gap->refusal ? gap->refusal->why : "");
    sg_text_add(out, "\n");
}

static void gap(const struct sg_sol_table *gaps, size_t count, struct sg_text *out)
{
    sg_text_add(out,
                "family,case,variant,gpu_spec,time_ns,sol_time_ns,sol_compute_ns,sol_memory_ns,gap,bound,intensity_flop_per_b,flop_per_s,"
                "bytes_per_s,faster_than_physics,status,role,shape,flop,read_bytes,write_bytes,of_peak,of_measured,ceilings,l2,ceilings_l2,"
                "time_low_ns,"
                "time_high_ns,measured_ns,time_ratio,limit_ns,launch_ns,waves,run,why\n");
    for (size_t t = 0; t < count; t++)
        for (size_t i = 0; i < gaps[t].count; i++)
            add_gap(out, &gaps[t].items[i], &gaps[t]);
}

const struct sg_format sg_format_csv = {.name = "csv", .comparison = comparison, .gap = gap};
