#include "model/roofline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/row_kind.h"
#include "util/text.h"

static enum sg_code check_amount(double amount, const char *where, const char *what, struct sg_err *err)
{
    if (isfinite(amount) && amount >= 0)
        return SG_SUCCESS;
    return sg_fail(err, SG_BAD_INPUT, where, "%s: expected an amount of work, finite and not negative, found %g", what, amount);
}

/* The longest of flop / peak over the number formats. */
static enum sg_code compute_time(const struct sg_work *work, const struct sg_gpu_spec *spec, const char *where, struct sg_sol *sol,
                                 struct sg_err *err)
{
    for (int d = 0; d < SG_DTYPE_COUNT; d++) {
        const double flop = work->flop[d], peak = spec->flop_per_s[d];
        const char *word = sg_dtype_word((enum sg_dtype)d);
        if (check_amount(flop, where, word, err) != SG_SUCCESS)
            return err->code;
        if (flop == 0)
            continue;
        if (!(peak > 0))
            return sg_fail(err, SG_BAD_INPUT, where, "%g flop of %s, but GPU '%s' has no peak for %s: expected flop_per_s.%s in its spec",
                           flop, word, spec->key, word, word);
        if (flop / peak * 1e9 > sol->compute_ns) {
            sol->compute_ns = flop / peak * 1e9;
            sol->dtype = (enum sg_dtype)d;
        }
    }
    return SG_SUCCESS;
}

double sg_work_flop(const struct sg_work *work)
{
    double flop = 0;
    for (int d = 0; d < SG_DTYPE_COUNT; d++)
        flop += work->flop[d];
    return flop;
}

double sg_work_bytes(const struct sg_work *work)
{
    return work->read_bytes + work->write_bytes;
}

static const char *sol_bound(const struct sg_sol *sol)
{
    return sol->memory_bound ? "memory" : sg_dtype_word(sol->dtype);
}

const char *sg_gap_bound(const struct sg_gap *gap)
{
    return gap->is_launch_bound ? "launch" : sol_bound(&gap->sol);
}

enum sg_code sg_sol_model(const struct sg_work *work, const struct sg_gpu_spec *spec, const char *where, struct sg_sol *sol,
                          struct sg_err *err)
{
    const double bytes = sg_work_bytes(work);
    *sol = (struct sg_sol){.dtype = SG_DTYPE_COUNT};
    if (check_amount(work->read_bytes, where, "work_read_bytes", err) != SG_SUCCESS ||
        check_amount(work->write_bytes, where, "work_write_bytes", err) != SG_SUCCESS ||
        compute_time(work, spec, where, sol, err) != SG_SUCCESS)
        return err->code;
    sol->memory_ns = bytes / spec->dram_bytes_per_s * 1e9;
    sol->memory_bound = sol->memory_ns >= sol->compute_ns;
    sol->time_ns = sol->memory_bound ? sol->memory_ns : sol->compute_ns;
    sol->intensity = bytes > 0 ? sg_work_flop(work) / bytes : NAN;
    if (!(sol->time_ns > 0))
        return sg_fail(err, SG_BAD_INPUT, where, "the case has no work: expected flop or bytes over 0");
    if (isinf(sol->intensity))
        return sg_fail(err, SG_BAD_INPUT, where, "%g flop over %g bytes: expected a finite intensity", sg_work_flop(work), bytes);
    if (!isfinite(sol->time_ns) || !isfinite(sg_work_flop(work)))
        return sg_fail(err, SG_BAD_INPUT, where, "the work takes %g ns at the peaks of GPU '%s': expected a finite time", sol->time_ns,
                       spec->key);
    return SG_SUCCESS;
}

static const char work_prefix[] = "work_";

struct sg_work_ids sg_work_ids_of(const struct sg_table *run)
{
    struct sg_work_ids ids = {
        .read_bytes = sg_table_find_id(run, "work_read_bytes"),
        .write_bytes = sg_table_find_id(run, "work_write_bytes"),
    };
    for (int d = 0; d < SG_DTYPE_COUNT; d++) {
        struct sg_text name = {0};
        sg_text_addf(&name, "work_flop_%s", sg_dtype_word((enum sg_dtype)d));
        ids.flop[d] = sg_table_find_id(run, sg_text_string(&name));
        sg_text_release(&name);
    }
    return ids;
}

double *sg_work_place(const struct sg_work_ids *ids, sg_id metric, struct sg_work *work)
{
    for (int d = 0; d < SG_DTYPE_COUNT; d++) {
        if (metric == ids->flop[d])
            return &work->flop[d];
    }
    if (metric == ids->read_bytes)
        return &work->read_bytes;
    return metric == ids->write_bytes ? &work->write_bytes : NULL;
}

#define WARP_THREADS 32

/* What tells how many blocks of a launch the GPU holds at once. */
enum { GRID, BLOCK, OCCUPANCY, KERNELS, LAUNCH_FACTS };
static const char *const launch_metric[LAUNCH_FACTS] = {"grid", "block", "occupancy_theoretical", "kernels"};

/* The metrics a gap needs. */
struct wanted {
    sg_id time, ratio, status, role, shape, density;
    sg_id launch[LAUNCH_FACTS];
    struct sg_work_ids work;
};

static struct wanted wanted_of(const struct sg_table *run)
{
    struct wanted wanted = {
        .time = sg_table_find_id(run, "time"),
        .ratio = sg_table_find_id(run, "time_ratio"),
        .status = sg_table_find_id(run, "status"),
        .role = sg_table_find_id(run, "role"),
        .shape = sg_table_find_id(run, "shape"),
        .density = sg_table_find_id(run, SG_DENSITY_METRIC),
        .work = sg_work_ids_of(run),
    };
    for (size_t i = 0; i < LAUNCH_FACTS; i++)
        wanted.launch[i] = sg_table_find_id(run, launch_metric[i]);
    return wanted;
}

/* The gaps of a run while they are gathered. */
struct gathering {
    const struct sg_table *run;
    const struct sg_gap_order *order;
    struct sg_gpu_spec reached; /* the spec with ceilings in place of its peaks, where there are any; borrows what the spec owns */
    struct wanted wanted;
    struct sg_gap *gaps;
    size_t count, capacity;
};

/* One variant of the run and what was found of it. */
struct found {
    struct sg_gap gap;
    bool has_work;
    const char *partner;         /* of the ratio; NULL: none */
    double launch[LAUNCH_FACTS]; /* NaN: not known */
};

static void where_of(const struct sg_table *run, const struct sg_row *row, struct sg_text *where)
{
    sg_text_addf(where, "%s/%s/%s", sg_table_string(run, row->family), sg_table_string(run, row->case_),
                 sg_table_string(run, row->variant));
}

static enum sg_code check_unit(const struct sg_table *run, const struct sg_row *row, const char *unit, struct sg_err *err)
{
    if (strcmp(sg_table_string(run, row->unit), unit) == 0)
        return SG_SUCCESS;
    return sg_row_fail(err, run->path, run, row, "expected the unit %s, found '%s'", unit, sg_table_string(run, row->unit));
}

/* Work that the model does not know must not be lost: the limit would be too low without it. */
static enum sg_code check_known(const struct sg_table *run, const struct sg_row *row, struct sg_err *err)
{
    const char *metric = sg_table_string(run, row->metric);
    if (strncmp(metric, work_prefix, sizeof(work_prefix) - 1) != 0)
        return SG_SUCCESS;
    struct sg_text formats = {0};
    for (int d = 0; d < SG_DTYPE_COUNT; d++)
        sg_text_addf(&formats, " %s", sg_dtype_word((enum sg_dtype)d));
    sg_row_fail(err, run->path, run, row, "expected work_read_bytes, work_write_bytes or work_flop_ with one of%s; found '%s'",
                sg_text_string(&formats), metric);
    sg_text_release(&formats);
    return err->code;
}

/* Rows of words; false: it is none of those that are asked for. */
static bool take_words(const struct gathering *g, const struct sg_row *row, struct sg_gap *gap)
{
    if (row->metric == g->wanted.status)
        gap->status = (enum sg_status)row->status;
    else if (row->metric == g->wanted.role)
        gap->role = sg_table_string(g->run, row->message);
    else if (row->metric == g->wanted.shape)
        gap->shape = sg_table_string(g->run, row->message);
    else
        return false;
    return true;
}

static void take_interval(const struct sg_row *row, double *low, double *high)
{
    const bool has_interval = (row->has & SG_HAS_LOW) && (row->has & SG_HAS_HIGH);
    *low = has_interval ? row->low : NAN;
    *high = has_interval ? row->high : NAN;
}

/* Of a baseline against itself there is nothing to correct. */
static void take_ratio(const struct gathering *g, const struct sg_row *row, struct found *found)
{
    const char *partner = sg_row_partner(g->run, row);
    if (!partner || strcmp(partner, found->gap.variant) == 0 || !(row->has & SG_HAS_VALUE) || row->status != SG_OK || !(row->value > 0))
        return;
    found->partner = partner;
    found->gap.ratio = row->value;
    take_interval(row, &found->gap.low, &found->gap.high);
}

static bool take_launch(const struct gathering *g, const struct sg_row *row, struct found *found)
{
    for (size_t i = 0; i < LAUNCH_FACTS; i++)
        if (row->metric == g->wanted.launch[i]) {
            found->launch[i] = row->has & SG_HAS_VALUE ? row->value : NAN;
            return true;
        }
    return false;
}

/* NaN in a gap is a time that was not measured, and no way to say so. */
static enum sg_code take_time(const struct gathering *g, const struct sg_row *row, struct sg_gap *gap, struct sg_err *err)
{
    if (check_unit(g->run, row, "ns", err) != SG_SUCCESS || !(row->has & SG_HAS_VALUE) || row->status != SG_OK)
        return err->code;
    gap->measured_ns = row->value;
    take_interval(row, &gap->low_ns, &gap->high_ns);
    if (isfinite(row->value) && row->value > 0)
        return SG_SUCCESS;
    return sg_row_fail(err, g->run->path, g->run, row, "expected nanoseconds, finite and over 0, found %g", row->value);
}

static enum sg_code take_density(const struct gathering *g, const struct sg_row *row, struct sg_gap *gap, struct sg_err *err)
{
    if (check_unit(g->run, row, "1", err) != SG_SUCCESS)
        return err->code;
    gap->density = row->has & SG_HAS_VALUE ? row->value : NAN;
    if (gap->density > 0 && gap->density <= 1)
        return SG_SUCCESS;
    return sg_row_fail(err, g->run->path, g->run, row, "expected a ratio over 0 and at most 1, found %g", gap->density);
}

static enum sg_code take_row(const struct gathering *g, const struct sg_row *row, struct found *found, struct sg_err *err)
{
    const bool has_value = (row->has & SG_HAS_VALUE) != 0;
    if (take_words(g, row, &found->gap))
        return SG_SUCCESS;
    if (row->metric == g->wanted.time)
        return take_time(g, row, &found->gap, err);
    if (row->metric == g->wanted.ratio) {
        take_ratio(g, row, found);
        return SG_SUCCESS;
    }
    if (take_launch(g, row, found))
        return SG_SUCCESS;
    if (row->metric == g->wanted.density)
        return take_density(g, row, &found->gap, err);
    double *place = sg_work_place(&g->wanted.work, row->metric, &found->gap.work);
    if (!place)
        return check_known(g->run, row, err);
    if (!has_value)
        return SG_SUCCESS;
    *place = row->value;
    found->has_work = true;
    const bool bytes = place == &found->gap.work.read_bytes || place == &found->gap.work.write_bytes;
    return check_unit(g->run, row, bytes ? "B" : "flop", err);
}

/* NaN where what binds at the ceilings has none: a peak is no measurement. */
static double of_measured(const struct gathering *g, const struct sg_gap *gap, const char *where)
{
    struct sg_sol sol;
    struct sg_err none = {0};
    if (sg_sol_model(&gap->work, &g->reached, where, &sol, &none) != SG_SUCCESS)
        return NAN;
    const double ceiling = sol.memory_bound ? g->order->ceilings->dram_bytes_per_s : g->order->ceilings->flop_per_s[sol.dtype];
    return ceiling > 0 ? sol.time_ns / gap->time_ns : NAN;
}

static void find_limit(const struct gathering *g, struct sg_gap *gap)
{
    const double floor_ns = g->order->ceilings->launch_ns;
    gap->is_launch_bound = floor_ns > gap->sol.time_ns;
    gap->limit_ns = gap->is_launch_bound ? floor_ns : gap->sol.time_ns;
}

/*
 * An SM holds occupancy * sm_warps warps, so that many over the warps of a block are its blocks. Of
 * several kernels the grid is a sum, and nobody knows whose.
 */
static double waves_of(const struct gathering *g, const double *launch)
{
    const double warps = ceil(launch[BLOCK] / WARP_THREADS);
    const double held = launch[OCCUPANCY] / 100 * g->order->spec->sm_warps / warps * g->order->sm_count;
    return launch[KERNELS] == 1 && held > 0 && isfinite(held) ? launch[GRID] / held : NAN;
}

/* On the baseline's time, once that is known; a variant whose
 * baseline has no time keeps its own. */
static void pair_time(struct sg_gap *gap, double baseline_ns)
{
    gap->time_ns = gap->measured_ns;
    if (isnan(gap->measured_ns) || isnan(gap->ratio) || isnan(baseline_ns))
        return;
    gap->time_ns = baseline_ns * gap->ratio;
    gap->low_ns = baseline_ns * gap->low;
    gap->high_ns = baseline_ns * gap->high;
}

static enum sg_code finish_gap(const struct gathering *g, struct sg_gap *gap, const char *where, struct sg_err *err)
{
    if (sg_sol_model(&gap->work, g->order->spec, where, &gap->sol, err) != SG_SUCCESS)
        return err->code;
    find_limit(g, gap);
    gap->gap = gap->flop_per_s = gap->bytes_per_s = gap->of_peak = gap->of_measured = NAN;
    if (isnan(gap->time_ns))
        return SG_SUCCESS;
    gap->gap = gap->time_ns / gap->limit_ns;
    gap->flop_per_s = sg_work_flop(&gap->work) / (gap->time_ns * 1e-9);
    gap->bytes_per_s = sg_work_bytes(&gap->work) / (gap->time_ns * 1e-9);
    gap->of_peak = gap->sol.time_ns / gap->time_ns;
    if (!isfinite(gap->gap) || !isfinite(gap->flop_per_s) || !isfinite(gap->bytes_per_s) || !isfinite(gap->of_peak))
        return sg_fail(err, SG_BAD_INPUT, where, "time: %g ns for work that takes %g ns at the peaks: expected a finite ratio",
                       gap->time_ns, gap->sol.time_ns);
    gap->of_measured = of_measured(g, gap, where);
    return SG_SUCCESS;
}

static bool same_case(const struct sg_row *a, const struct sg_row *b)
{
    return a->family == b->family && a->case_ == b->case_;
}

/* The rows of one variant, from *at on. */
static enum sg_code take_variant(const struct gathering *g, size_t *at, struct found *found, struct sg_err *err)
{
    const struct sg_row *first = &g->run->rows[*at];
    *found = (struct found){.launch = {NAN, NAN, NAN, NAN},
                            .gap = {
                                .family = sg_table_string(g->run, first->family),
                                .case_ = sg_table_string(g->run, first->case_),
                                .variant = sg_table_string(g->run, first->variant),
                                .role = "",
                                .shape = "",
                                .measured_ns = NAN,
                                .low_ns = NAN,
                                .high_ns = NAN,
                                .ratio = NAN,
                                .low = NAN,
                                .high = NAN,
                                .density = NAN,
                                .of_dense = NAN,
                                .status = SG_OK,
                            }};
    for (; *at < g->run->count; ++*at) {
        const struct sg_row *row = &g->run->rows[*at];
        if (!same_case(row, first) || row->variant != first->variant)
            break;
        if (take_row(g, row, found, err) != SG_SUCCESS)
            return err->code;
    }
    return SG_SUCCESS;
}

static enum sg_code keep_variant(struct gathering *g, const struct found *found, const struct sg_row *row, struct sg_err *err)
{
    struct sg_text where = {0};
    g->gaps = sg_grow(g->gaps, &g->capacity, g->count + 1, sizeof(*g->gaps));
    g->gaps[g->count] = found->gap;
    where_of(g->run, row, &where);
    if (finish_gap(g, &g->gaps[g->count], sg_text_string(&where), err) == SG_SUCCESS)
        g->count++;
    sg_text_release(&where);
    return err->code;
}

/* The measured time of a variant among rows [begin, end), which
 * are one case's; NaN: it has none. */
static double measured_ns(const struct gathering *g, size_t begin, size_t end, const char *variant)
{
    for (size_t at = begin; at < end; at++) {
        const struct sg_row *row = &g->run->rows[at];
        if (row->metric == g->wanted.time && strcmp(sg_table_string(g->run, row->variant), variant) == 0)
            return (row->has & SG_HAS_VALUE) && row->status == SG_OK ? row->value : NAN;
    }
    return NAN;
}

/* The work is the case's, and a variant that failed has no rows of
 * it: it gets that of another one. */
static bool find_work(const struct gathering *g, size_t begin, size_t end, struct sg_work *work, struct sg_err *err)
{
    for (size_t at = begin; at < end && err->code == SG_SUCCESS;) {
        struct found found;
        if (take_variant(g, &at, &found, err) == SG_SUCCESS && found.has_work) {
            *work = found.gap.work;
            return true;
        }
    }
    return false;
}

/* The gaps of one case, from number `first` on. */
static void add_of_dense(struct gathering *g, size_t first)
{
    double dense_ns = NAN;
    for (size_t i = first; i < g->count; i++)
        dense_ns = fmin(dense_ns, g->gaps[i].time_ns * g->gaps[i].density);
    for (size_t i = first; i < g->count; i++)
        g->gaps[i].of_dense = dense_ns / g->gaps[i].time_ns;
}

/* Rows [begin, end) are those of one case. A case without work
 * has no speed of light and no line. */
static enum sg_code take_case(struct gathering *g, size_t begin, size_t end, struct sg_err *err)
{
    struct sg_work work;
    const size_t before = g->count;
    if (!find_work(g, begin, end, &work, err))
        return err->code;
    for (size_t at = begin; at < end;) {
        const struct sg_row *first = &g->run->rows[at];
        struct found found;
        if (take_variant(g, &at, &found, err) != SG_SUCCESS)
            return err->code;
        if (!found.has_work)
            found.gap.work = work;
        pair_time(&found.gap, found.partner ? measured_ns(g, begin, end, found.partner) : NAN);
        found.gap.waves = waves_of(g, found.launch);
        if (keep_variant(g, &found, first, err) != SG_SUCCESS)
            return err->code;
    }
    add_of_dense(g, before);
    return SG_SUCCESS;
}

/* The peaks of a spec, and what was measured of them in their place. */
static struct sg_gpu_spec spec_as_reached(const struct sg_gap_order *order)
{
    struct sg_gpu_spec reached = *order->spec;
    if (order->ceilings->dram_bytes_per_s > 0)
        reached.dram_bytes_per_s = order->ceilings->dram_bytes_per_s;
    for (int d = 0; d < SG_DTYPE_COUNT; d++)
        if (order->ceilings->flop_per_s[d] > 0)
            reached.flop_per_s[d] = order->ceilings->flop_per_s[d];
    return reached;
}

enum sg_code sg_gap_table(const struct sg_table *run, const struct sg_gap_order *order, struct sg_gap **gaps, size_t *count,
                          struct sg_err *err)
{
    struct gathering g = {.run = run, .order = order, .reached = spec_as_reached(order), .wanted = wanted_of(run)};
    for (size_t begin = 0; begin < run->count && err->code == SG_SUCCESS;) {
        size_t end = begin + 1;
        while (end < run->count && same_case(&run->rows[begin], &run->rows[end]))
            end++;
        take_case(&g, begin, end, err);
        begin = end;
    }
    if (err->code != SG_SUCCESS) {
        free(g.gaps);
        g.gaps = NULL;
        g.count = 0;
    }
    *gaps = g.gaps;
    *count = g.count;
    return err->code;
}
