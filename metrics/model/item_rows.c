#include "model/item_rows.h"

#include <math.h>
#include <string.h>

#include "results/row_kind.h"
#include "util/text.h"

#define WORK_PREFIX "work_"

static const struct {
    const char *metric;
    enum sg_dtype dtype;
    double flop;
} counters[] = {
#define COUNTER(constant, metric, dtype, flop) {metric, dtype, flop},
    SG_COUNTER_TABLE(COUNTER)};

/* Looks up one id per number format, and the other metrics by name. */
static void find_ids(const struct sg_table *run, sg_id ids[SG_ITEM_METRICS])
{
    static const char *const names[SG_ITEM_FLOP] = {
        [SG_ITEM_TIME] = "time",
        [SG_ITEM_RATIO] = "time_ratio",
        [SG_ITEM_STATUS] = "status",
        [SG_ITEM_ROLE] = "role",
        [SG_ITEM_SHAPE] = "shape",
        [SG_ITEM_DENSITY] = SG_DENSITY_METRIC,
        [SG_ITEM_SM_CLOCK] = "sm_clock",
        [SG_ITEM_DRAM_READ] = "dram_read_bytes",
        [SG_ITEM_DRAM_WRITE] = "dram_write_bytes",
        [SG_ITEM_L2] = "l2_throughput",
        [SG_ITEM_LSU] = "pipe_lsu",
        [SG_ITEM_GRID] = "grid",
        [SG_ITEM_BLOCK] = "block",
        [SG_ITEM_OCCUPANCY] = "occupancy_theoretical",
        [SG_ITEM_KERNELS] = "kernels",
        [SG_ITEM_LAUNCHES] = SG_LAUNCHES_METRIC,
        [SG_ITEM_TOTAL] = SG_TOTAL_METRIC,
        [SG_ITEM_GUESSED] = SG_GUESSED_METRIC,
        [SG_ITEM_READ_BYTES] = (WORK_PREFIX "read_bytes"),
        [SG_ITEM_WRITE_BYTES] = (WORK_PREFIX "write_bytes"),
    };
    for (int i = 0; i < SG_ITEM_FLOP; i++)
        ids[i] = sg_table_find_id(run, names[i] ? names[i]
                                       : i >= SG_ITEM_COUNTER
                                           ? counters[i - SG_ITEM_COUNTER].metric
                                           : sg_pipe_metric((enum sg_pipe)(i - SG_ITEM_PIPE)));
    for (int d = 0; d < SG_DTYPE_COUNT; d++) {
        SG_FORMATTED(name, WORK_PREFIX "flop_%s", sg_dtype_word((enum sg_dtype)d));
        ids[SG_ITEM_FLOP + d] = sg_table_find_id(run, name.data);
    }
}

static void take_row(struct sg_item_rows *item, const sg_id ids[SG_ITEM_METRICS],
                     const struct sg_row *row)
{
    for (int i = 0; i < SG_ITEM_METRICS; i++)
        if (row->metric == ids[i]) {
            item->row[i] = row;
            return;
        }
    if (strncmp(sg_table_string(item->run, row->metric), WORK_PREFIX, strlen(WORK_PREFIX)) == 0)
        item->unknown_work = row;
}

static bool declared_work(const struct sg_item_rows *item, struct sg_work *work,
                          enum sg_work_kind *kind)
{
    bool has_work = false;
    *kind = item->row[SG_ITEM_GUESSED] ? SG_GUESSED_WORK : SG_DECLARED_WORK;
    *work = (struct sg_work){0};
    for (int i = SG_ITEM_READ_BYTES; i < SG_ITEM_METRICS; i++) {
        const struct sg_row *row = item->row[i];
        double *place = i == SG_ITEM_READ_BYTES    ? &work->read_bytes
                        : i == SG_ITEM_WRITE_BYTES ? &work->write_bytes
                                                   : &work->flop[i - SG_ITEM_FLOP];
        if (!row || !(row->has & SG_HAS_VALUE) || row->status != SG_OK)
            continue;
        *place = row->value;
        has_work = true;
    }
    return has_work;
}

struct sg_items sg_items_of(const struct sg_table *run)
{
    struct sg_items items = {.count = 0};
    sg_id ids[SG_ITEM_METRICS];
    find_ids(run, ids);
    for (size_t i = 0; i < run->count; i++) {
        const struct sg_row *row = &run->rows[i], *before = i > 0 ? row - 1 : NULL;
        const bool goes_on = before && row->family == before->family && row->case_ == before->case_;
        if (!goes_on || row->variant != before->variant) {
            const size_t begins = goes_on ? items.items[items.count - 1].case_begins : items.count;
            *SG_APPEND(items.items, items.count, items.capacity) =
                (struct sg_item_rows){.run = run, .first = row, .case_begins = begins};
        }
        take_row(&items.items[items.count - 1], ids, row);
    }
    for (size_t i = 0; i < items.count; i++) {
        struct sg_item_rows *first = &items.items[items.items[i].case_begins];
        struct sg_work work;
        enum sg_work_kind kind;
        if (!first->with_work && declared_work(&items.items[i], &work, &kind))
            first->with_work = i + 1;
    }
    return items;
}

double sg_item_value(const struct sg_item_rows *item, int metric)
{
    const struct sg_row *row = item->row[metric];
    return row && (row->has & SG_HAS_VALUE) && row->status == SG_OK ? row->value : NAN;
}

const char *sg_item_words(const struct sg_item_rows *item, int metric)
{
    const struct sg_row *row = item->row[metric];
    return row ? sg_table_string(item->run, row->message) : "";
}

bool sg_item_counted(const struct sg_item_rows *item, struct sg_work *work)
{
    double tensor = 0;
    *work = (struct sg_work){.read_bytes = sg_item_value(item, SG_ITEM_DRAM_READ),
                             .write_bytes = sg_item_value(item, SG_ITEM_DRAM_WRITE)};
    for (int i = 0; i < SG_COUNTERS; i++) {
        const double count = sg_item_value(item, SG_ITEM_COUNTER + i);
        if (isnan(count))
            continue;
        work->flop[counters[i].dtype] += count * counters[i].flop;
        /* on GA100, HFMA2 runs in the tensor pipe */
        tensor += i >= SG_COUNTER_HFMA ? count : 0;
    }
    return !isnan(work->read_bytes + work->write_bytes) &&
           !isnan(sg_item_value(item, SG_ITEM_COUNTER + SG_COUNTER_FFMA)) &&
           (tensor > 0 || !(sg_item_value(item, SG_ITEM_PIPE + SG_PIPE_TENSOR) >= 1));
}

/* A case has one baseline, and its variants have the same work. Kernels of a program and benchmarks
 * of other tools are all baselines, each with its own work. */
static bool is_same_work(const struct sg_item_rows *a, const struct sg_item_rows *b)
{
    const char *role = sg_item_words(a, SG_ITEM_ROLE);
    return strcmp(role, "baseline") != 0 || strcmp(role, sg_item_words(b, SG_ITEM_ROLE)) != 0;
}

bool sg_items_work(const struct sg_items *items, size_t item, struct sg_work *work,
                   enum sg_work_kind *kind)
{
    const size_t other = items->items[items->items[item].case_begins].with_work;
    if (declared_work(&items->items[item], work, kind) ||
        (other > 0 && is_same_work(&items->items[item], &items->items[other - 1]) &&
         declared_work(&items->items[other - 1], work, kind)))
        return true;
    *kind = SG_COUNTED_WORK;
    return sg_item_counted(&items->items[item], work);
}
