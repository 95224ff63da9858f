#include "model/roofline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

static enum sg_code check_amount(double amount, const char *where, const char *what,
                                 struct sg_err *err)
{
    if (isfinite(amount) && amount >= 0)
        return SG_SUCCESS;
    return sg_fail(err, SG_BAD_INPUT, where,
                   "%s: expected an amount of work, finite and not negative, found %g", what,
                   amount);
}

static enum sg_code compute_time(const struct sg_work *work, const struct sg_gpu_spec *spec,
                                 const char *where, struct sg_sol *sol, struct sg_err *err)
{
    for (int d = 0; d < SG_DTYPE_COUNT; d++) {
        const double flop = work->flop[d], peak = spec->flop_per_s[d];
        const char *word = sg_dtype_word((enum sg_dtype)d);
        if (check_amount(flop, where, word, err) != SG_SUCCESS)
            return err->code;
        if (flop == 0)
            continue;
        if (!(peak > 0))
            return sg_fail(err, SG_BAD_INPUT, where,
                           "%g flop of %s, but GPU '%s' has no peak for %s: expected flop_per_s.%s "
                           "in its spec",
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

const char *sg_gap_bound(const struct sg_gap *gap)
{
    return gap->is_launch_bound           ? "launch"
           : gap->unit                    ? gap->unit
           : gap->kind == SG_GUESSED_WORK ? "guessed memory"
           : gap->sol.memory_bound        ? "memory"
                                          : sg_dtype_word(gap->sol.dtype);
}

enum sg_code sg_sol_model(const struct sg_work *work, const struct sg_gpu_spec *spec,
                          const char *where, struct sg_sol *sol, struct sg_err *err)
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
        return sg_fail(err, SG_BAD_INPUT, where,
                       "the case has no work: expected flop or bytes over 0");
    if (isinf(sol->intensity))
        return sg_fail(err, SG_BAD_INPUT, where,
                       "%g flop over %g bytes: expected a finite intensity", sg_work_flop(work),
                       bytes);
    if (!isfinite(sol->time_ns) || !isfinite(sg_work_flop(work)))
        return sg_fail(err, SG_BAD_INPUT, where,
                       "the work takes %g ns at the peaks of GPU '%s': expected a finite time",
                       sol->time_ns, spec->key);
    return SG_SUCCESS;
}

/* ---- the rows of a run ---- */

struct gathering {
    const struct sg_table *run;
    const struct sg_gap_order *order;
    /* the spec with measured ceilings instead of peaks; borrows from the spec */
    struct sg_gpu_spec reached;
    struct sg_items items;
    struct sg_gap *gaps;
    size_t count;
};

static enum sg_code check_unit(const struct sg_table *run, const struct sg_row *row,
                               const char *unit, struct sg_err *err)
{
    if (!row || !(row->has & SG_HAS_VALUE) || strcmp(sg_table_string(run, row->unit), unit) == 0)
        return SG_SUCCESS;
    return sg_row_fail(err, run->path, run, row, "expected the unit %s, found '%s'", unit,
                       sg_table_string(run, row->unit));
}

/* Refuses unknown work: without it the limit would be too low. */
static enum sg_code check_known(const struct sg_item_rows *item, struct sg_err *err)
{
    if (!item->unknown_work)
        return SG_SUCCESS;
    SG_SCOPED(sg_text) formats = {0};
    for (int d = 0; d < SG_DTYPE_COUNT; d++)
        sg_text_addf(&formats, " %s", sg_dtype_word((enum sg_dtype)d));
    sg_row_fail(
        err, item->run->path, item->run, item->unknown_work,
        "expected work_read_bytes, work_write_bytes or work_flop_ with one of%s; found '%s'",
        sg_text_string(&formats), sg_table_string(item->run, item->unknown_work->metric));
    return err->code;
}

static enum sg_code check_item(const struct sg_item_rows *item, struct sg_err *err)
{
    const struct sg_table *run = item->run;
    const struct sg_row *time = item->row[SG_ITEM_TIME], *density = item->row[SG_ITEM_DENSITY];
    const double time_ns = sg_item_value(item, SG_ITEM_TIME),
                 share = sg_item_value(item, SG_ITEM_DENSITY);
    check_unit(run, time, "ns", err);
    check_unit(run, density, "1", err);
    for (int i = SG_ITEM_READ_BYTES; i < SG_ITEM_METRICS; i++)
        check_unit(run, item->row[i], i < SG_ITEM_FLOP ? "B" : "flop", err);
    check_known(item, err);
    /* A gap uses NaN for a time that was not measured, so a measured time must be a number. */
    if (time && (time->has & SG_HAS_VALUE) && time->status == SG_OK &&
        !(isfinite(time_ns) && time_ns > 0))
        sg_row_fail(err, run->path, run, time, "expected nanoseconds, finite and over 0, found %g",
                    time_ns);
    if (density && !(share > 0 && share <= 1))
        sg_row_fail(err, run->path, run, density, "expected a ratio over 0 and at most 1, found %g",
                    share);
    return err->code;
}

static void take_interval(const struct sg_row *row, double *low, double *high)
{
    const bool has_interval = (row->has & SG_HAS_LOW) && (row->has & SG_HAS_HIGH);
    *low = has_interval ? row->low : NAN;
    *high = has_interval ? row->high : NAN;
}

/* The measured time of a variant of this item's case; NaN: none. */
static double measured_ns(const struct sg_items *items, const struct sg_item_rows *item,
                          const char *variant)
{
    for (size_t i = item->case_begins;
         i < items->count && items->items[i].case_begins == item->case_begins; i++)
        if (strcmp(sg_table_string(item->run, items->items[i].first->variant), variant) == 0)
            return sg_item_value(&items->items[i], SG_ITEM_TIME);
    return NAN;
}

/* Scales to the baseline's time if known; a variant whose baseline has no time keeps its own. A
 * baseline paired with itself needs no correction. */
static void take_times(const struct sg_items *items, const struct sg_item_rows *item,
                       struct sg_gap *gap)
{
    const struct sg_row *time = item->row[SG_ITEM_TIME], *ratio = item->row[SG_ITEM_RATIO];
    const char *partner = sg_row_partner(item->run, ratio);
    gap->measured_ns = gap->time_ns = sg_item_value(item, SG_ITEM_TIME);
    if (!isnan(gap->time_ns))
        take_interval(time, &gap->low_ns, &gap->high_ns);
    if (!partner || strcmp(partner, gap->variant) == 0 || !(sg_item_value(item, SG_ITEM_RATIO) > 0))
        return;
    gap->ratio = ratio->value;
    take_interval(ratio, &gap->low, &gap->high);
    const double baseline_ns = measured_ns(items, item, partner);
    if (isnan(gap->measured_ns) || isnan(baseline_ns))
        return;
    gap->time_ns = baseline_ns * gap->ratio;
    gap->low_ns = baseline_ns * gap->low;
    gap->high_ns = baseline_ns * gap->high;
}

#define WARP_THREADS 32

/* An SM holds occupancy * sm_warps warps; divided by the warps per block, that is its number of
 * blocks. The grid of several kernels is a sum and describes none of them. */
static double waves_of(const struct sg_gap_order *order, const struct sg_item_rows *item)
{
    const double warps = ceil(sg_item_value(item, SG_ITEM_BLOCK) / WARP_THREADS);
    const double held = sg_item_value(item, SG_ITEM_OCCUPANCY) / 100 * order->spec->sm_warps /
                        warps * order->sm_count;
    const bool is_one = sg_item_value(item, SG_ITEM_KERNELS) == 1;
    return is_one && held > 0 && isfinite(held) ? sg_item_value(item, SG_ITEM_GRID) / held : NAN;
}

/* ---- gap ---- */

/* Time of the work at the measured ceilings, or at the peaks if no ceiling was measured. If DRAM or
 * the tensor pipe is at its ceiling, another unit may be closer to its own peak without being the
 * bound. */
static double reached_ns(const struct gathering *g, const struct sg_gap *gap, const char *where)
{
    struct sg_sol sol;
    return sg_sol_model(&gap->work, &g->reached, where, &sol, SG_IGNORED) == SG_SUCCESS
               ? fmax(sol.time_ns, gap->sol.time_ns)
               : gap->sol.time_ns;
}

/* NaN if the limiting resource has no measured ceiling: a peak is not a measurement. */
static double of_measured(const struct gathering *g, const struct sg_gap *gap, const char *where)
{
    struct sg_sol sol;
    if (sg_sol_model(&gap->work, &g->reached, where, &sol, SG_IGNORED) != SG_SUCCESS)
        return NAN;
    const double ceiling = sol.memory_bound ? g->order->ceilings->dram_bytes_per_s
                                            : g->order->ceilings->flop_per_s[sol.dtype];
    return ceiling > 0 ? sol.time_ns / gap->time_ns : NAN;
}

static enum sg_code find_gap(const struct gathering *g, const char *where, struct sg_gap *gap,
                             struct sg_err *err)
{
    const double floor_ns = g->order->ceilings->launch_ns;
    if (sg_sol_model(&gap->work, g->order->spec, where, &gap->sol, err) != SG_SUCCESS)
        return err->code;
    if (gap->unit && gap->unit_ns <= reached_ns(g, gap, where))
        gap->unit = NULL;
    const double peak_ns = gap->unit ? gap->unit_ns : gap->sol.time_ns;
    gap->is_launch_bound = floor_ns > peak_ns;
    gap->limit_ns = gap->is_launch_bound ? floor_ns : peak_ns;
    gap->gap = gap->flop_per_s = gap->bytes_per_s = gap->of_peak = gap->of_measured = NAN;
    if (isnan(gap->time_ns))
        return SG_SUCCESS;
    gap->gap = gap->time_ns / gap->limit_ns;
    gap->flop_per_s = sg_work_flop(&gap->work) / (gap->time_ns * 1e-9);
    gap->bytes_per_s = sg_work_bytes(&gap->work) / (gap->time_ns * 1e-9);
    gap->of_peak = peak_ns / gap->time_ns;
    if (!isfinite(gap->gap) || !isfinite(gap->flop_per_s) || !isfinite(gap->bytes_per_s) ||
        !isfinite(gap->of_peak))
        return sg_fail(
            err, SG_BAD_INPUT, where,
            "time: %g ns for work that takes %g ns at the peaks: expected a finite ratio",
            gap->time_ns, gap->sol.time_ns);
    gap->of_measured = gap->unit ? NAN : of_measured(g, gap, where);
    return SG_SUCCESS;
}

/* Finds the busiest unit, and how long it was busy. */
static void find_unit(const struct sg_item_rows *item, struct sg_gap *gap)
{
    static const struct {
        int metric;
        const char *word;
    } units[] = {{SG_ITEM_PIPE + SG_PIPE_FMA, "FMA"},
                 {SG_ITEM_PIPE + SG_PIPE_ALU, "ALU"},
                 {SG_ITEM_PIPE + SG_PIPE_FP64, "FP64"},
                 {SG_ITEM_PIPE + SG_PIPE_XU, "XU"},
                 {SG_ITEM_LSU, "LSU"},
                 {SG_ITEM_L2, "L2"}};
    const double time_ns = sg_item_value(item, SG_ITEM_TIME);
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        const double busy_ns = sg_item_value(item, units[i].metric) / 100 * time_ns;
        if (!(busy_ns > gap->unit_ns))
            continue;
        gap->unit = units[i].word;
        gap->unit_ns = busy_ns;
    }
}

/* An item without work has no speed of light. */
static bool has_limit(const struct gathering *g, size_t i, struct sg_gap *gap)
{
    return g->order->spec->dram_bytes_per_s > 0 &&
           sg_items_work(&g->items, i, &gap->work, &gap->kind) &&
           (gap->kind != SG_COUNTED_WORK ||
            (sg_work_flop(&gap->work) + sg_work_bytes(&gap->work) > 0 &&
             sg_physics_lacks(&gap->work, g->order->spec) == SG_DTYPE_COUNT));
}

static enum sg_code add_item(struct gathering *g, size_t i, struct sg_err *err)
{
    const struct sg_item_rows *item = &g->items.items[i];
    const struct sg_row *first = item->first, *status = item->row[SG_ITEM_STATUS];
    struct sg_gap gap = {
        .family = sg_table_string(g->run, first->family),
        .case_ = sg_table_string(g->run, first->case_),
        .variant = sg_table_string(g->run, first->variant),
        .role = sg_item_words(item, SG_ITEM_ROLE),
        .shape = sg_item_words(item, SG_ITEM_SHAPE),
        .low_ns = NAN,
        .high_ns = NAN,
        .ratio = NAN,
        .low = NAN,
        .high = NAN,
        .density = sg_item_value(item, SG_ITEM_DENSITY),
        .of_dense = NAN,
        .waves = waves_of(g->order, item),
        .launches = sg_item_value(item, SG_ITEM_LAUNCHES),
        .total_ns = sg_item_value(item, SG_ITEM_TOTAL),
        .of_range = NAN,
        .status = status ? (enum sg_status)status->status : SG_OK,
    };
    if (check_item(item, err) != SG_SUCCESS)
        return err->code;
    gap.is_counted = sg_item_counted(item, &gap.counted);
    take_times(&g->items, item, &gap);
    if (!has_limit(g, i, &gap)) {
        gap.limit_ns = gap.gap = NAN;
        gap.kind = SG_DECLARED_WORK;
        if (g->order->with_times)
            g->gaps[g->count++] = gap;
        return err->code;
    }
    if (gap.kind == SG_COUNTED_WORK)
        find_unit(item, &gap);
    SG_FORMATTED(where, "%s/%s/%s", SG_NAMES(gap));
    if (find_gap(g, where.data, &gap, err) == SG_SUCCESS)
        g->gaps[g->count++] = gap;
    return err->code;
}

bool sg_gap_same_case(const struct sg_gap *a, const struct sg_gap *b)
{
    return strcmp(a->family, b->family) == 0 && strcmp(a->case_, b->case_) == 0;
}

bool sg_gap_is_whole(const struct sg_gap *gap)
{
    return gap->kind == SG_COUNTED_WORK && strcmp(gap->variant, SG_WHOLE_RANGE) == 0;
}

bool sg_gap_is(const struct sg_gap *gap, enum sg_role role)
{
    return strcmp(gap->role, sg_role_word(role)) == 0;
}

static void find_of_dense(struct gathering *g)
{
    for (size_t from = 0, to = 0; from < g->count; from = to) {
        double dense_ns = NAN;
        for (to = from; to < g->count && sg_gap_same_case(&g->gaps[from], &g->gaps[to]); to++)
            dense_ns = fmin(dense_ns, g->gaps[to].time_ns * g->gaps[to].density);
        for (size_t i = from; i < to; i++)
            g->gaps[i].of_dense = dense_ns / g->gaps[i].time_ns;
    }
}

static bool is_summed(const struct sg_gap *gap)
{
    return gap->kind == SG_COUNTED_WORK && gap->total_ns > 0 && gap->launches > 0;
}

static void add_work(struct sg_work *sum, const struct sg_work *work, double times)
{
    sum->read_bytes += work->read_bytes * times;
    sum->write_bytes += work->write_bytes * times;
    for (int d = 0; d < SG_DTYPE_COUNT; d++)
        sum->flop[d] += work->flop[d] * times;
}

/* The bound whose kernels have the largest part of the limit. */
static const char *main_bound(const struct sg_gap *gaps, size_t count)
{
    const char *bound = "";
    double most_ns = 0;
    for (size_t i = 0; i < count; i++) {
        double ns = 0;
        for (size_t j = 0; j < count; j++)
            if (is_summed(&gaps[j]) && strcmp(sg_gap_bound(&gaps[j]), sg_gap_bound(&gaps[i])) == 0)
                ns += gaps[j].limit_ns * gaps[j].launches;
        if (ns <= most_ns)
            continue;
        most_ns = ns;
        bound = sg_gap_bound(&gaps[i]);
    }
    return bound;
}

/* Includes kernels that were not counted. */
static double total_of_case(const struct gathering *g, const struct sg_gap *of)
{
    double total_ns = 0;
    for (size_t i = 0; i < g->items.count; i++) {
        const struct sg_row *row = g->items.items[i].first;
        const double ns = sg_item_value(&g->items.items[i], SG_ITEM_TOTAL);
        if (ns > 0 && strcmp(sg_table_string(g->run, row->family), of->family) == 0 &&
            strcmp(sg_table_string(g->run, row->case_), of->case_) == 0)
            total_ns += ns;
    }
    return total_ns;
}

static void add_range(struct gathering *g, size_t from, size_t to)
{
    struct sg_gap whole = {.family = g->gaps[from].family,
                           .case_ = g->gaps[from].case_,
                           .variant = SG_WHOLE_RANGE,
                           .role = "",
                           .shape = "",
                           .kind = SG_COUNTED_WORK,
                           .low_ns = NAN,
                           .high_ns = NAN,
                           .ratio = NAN,
                           .low = NAN,
                           .high = NAN,
                           .density = NAN,
                           .of_dense = NAN,
                           .of_measured = NAN,
                           .waves = NAN};
    size_t kernels = 0;
    for (size_t i = from; i < to; i++) {
        const struct sg_gap *gap = &g->gaps[i];
        if (!is_summed(gap))
            continue;
        kernels++;
        whole.launches += gap->launches;
        whole.time_ns += gap->total_ns;
        whole.limit_ns += gap->limit_ns * gap->launches;
        add_work(&whole.work, &gap->work, gap->launches);
    }
    whole.of_range = whole.time_ns / total_of_case(g, &whole);
    if (kernels == 0 || (kernels == 1 && whole.of_range >= 1))
        return;
    for (size_t i = from; i < to; i++)
        if (is_summed(&g->gaps[i]))
            g->gaps[i].of_range = g->gaps[i].total_ns / whole.time_ns;
    whole.is_counted = true;
    whole.counted = whole.work;
    whole.total_ns = whole.measured_ns = whole.time_ns;
    whole.unit = main_bound(g->gaps + from, to - from);
    whole.unit_ns = whole.sol.time_ns = whole.limit_ns;
    whole.sol.compute_ns = whole.sol.memory_ns = NAN;
    whole.sol.intensity = sg_work_flop(&whole.work) / sg_work_bytes(&whole.work);
    whole.gap = whole.time_ns / whole.limit_ns;
    whole.of_peak = whole.limit_ns / whole.time_ns;
    whole.flop_per_s = sg_work_flop(&whole.work) / (whole.time_ns * 1e-9);
    whole.bytes_per_s = sg_work_bytes(&whole.work) / (whole.time_ns * 1e-9);
    g->gaps[g->count++] = whole;
}

static void add_ranges(struct gathering *g)
{
    const size_t count = g->count;
    for (size_t from = 0, to = 0; from < count; from = to) {
        for (to = from; to < count && sg_gap_same_case(&g->gaps[from], &g->gaps[to]);)
            to++;
        add_range(g, from, to);
    }
}

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

enum sg_code sg_gap_table(const struct sg_table *run, const struct sg_gap_order *order,
                          struct sg_gap **gaps, size_t *count, struct sg_err *err)
{
    struct gathering g = {
        .run = run, .order = order, .reached = spec_as_reached(order), .items = sg_items_of(run)};
    g.gaps = sg_alloc(2 * g.items.count + 1, sizeof(*g.gaps));
    for (size_t i = 0; i < g.items.count && err->code == SG_SUCCESS; i++)
        add_item(&g, i, err);
    find_of_dense(&g);
    add_ranges(&g);
    if (err->code != SG_SUCCESS) {
        free(g.gaps);
        g.gaps = NULL;
        g.count = 0;
    }
    *gaps = g.gaps;
    *count = g.count;
    return err->code;
}
