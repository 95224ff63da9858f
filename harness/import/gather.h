/*
 * import/gather.h - collects the values that importers read, and makes rows of them.
 *
 * An item is a kernel with its launch geometry, or a benchmark with its arguments. Values of one
 * item and metric are a series; its row is their median. A time's row has the 95 % interval of that
 * median by order statistics, which assumes no distribution. A counter's row has the range. Pure.
 *
 * Several files are one run, each file a replicate: samples of one process do not show how
 * processes differ. A time's row is then the geometric mean of the files' medians, with `sd`
 * between files. Percentiles of single times and the share of spikes (stats/tails.h) are rows, too:
 * the mean of the files, with the same interval.
 *
 * Names of run.csv are made here. A kernel is named by its symbol, and also by its geometry if the
 * symbol runs with several geometries in one case. Other kernels of the file do not change the
 * name. Benchmarks with equal names get digits that are derived from everything the tool reports.
 */
#pragma once

#include "catalogue/catalogue.h"
#include "results/table.h"
#include "stats/tails.h"

#define SG_TIME_METRIC "time"

struct sg_gathering {
    const struct sg_catalogue *catalogue; /* borrowed */
    const char *path;   /* borrowed; of the file; sample files are found near it */
    const char *family; /* borrowed */
    sg_id launch;       /* set by sg_gather_launch; 0: each value counts */
    char *gpu_name;     /* owned; NULL: unknown so far */
    char *unfit;        /* owned; why the times are invalid; NULL: they are valid */
    /* how many numbers look as if a point separated thousands (406.240); how many have another
     * fraction */
    size_t thousands, fractions;
    const struct sg_gathering *ranges; /* borrowed; the first reading; NULL: this is the first */

    struct sg_gathered_item *items; /* owned */
    struct sg_series *series;       /* owned */
    struct sg_range *range;         /* owned */
    size_t item_count, item_capacity, series_count, series_capacity, range_count, range_capacity;
    struct sg_intern_pool *strings, *item_keys, *series_keys, *names; /* owned */
    unsigned *name_count;                                             /* owned; items per name */
    size_t name_capacity;
};

/* Frees a gathering that is no longer needed. Others live until the process ends. */
void sg_gathering_release(struct sg_gathering *gathering);

/* Call before and after each file. The end adds what launches make together: number and total of
 * each kernel, their percentiles, and the time of all kernels of a case, the variant
 * SG_WHOLE_RANGE. */
void sg_gather_begin_file(struct sg_gathering *gathering, const char *path);
enum sg_code sg_gather_end_file(struct sg_gathering *gathering, bool is_one_of_several,
                                struct sg_err *err);

/* "" is ignored. Two different names set the name to `several`. */
void sg_gather_gpu(struct sg_gathering *gathering, const char *name);
/* Values that follow belong to that launch. A second value of a metric in a launch is dropped. */
void sg_gather_launch(struct sg_gathering *gathering, const char *process, const char *number);

/* Finds or creates the item of these words. `what` is everything the tool reports of the item, for
 * the row `note`; items with different `what` are different items. */
size_t sg_gather_item(struct sg_gathering *gathering, const char *case_, const char *variant,
                      const char *what);
struct sg_gathered_kernel {
    const char *case_, *readable;
    const char *symbol;   /* identifies the kernel; the same in each build */
    const char *geometry; /* of its launches */
    const char *what;     /* everything the tool reports */
};
size_t sg_gather_launched(struct sg_gathering *gathering, const struct sg_gathered_kernel *kernel);
/* Adds a kernel of a case; `kernel` is the name as a tool prints it. `grid` and `block` are "(256,
 * 1, 1)", or "" if unknown. Each of its times is one launch. */
size_t sg_gather_kernel(struct sg_gathering *gathering, const char *case_, const char *kernel,
                        const char *grid, const char *block);

/* `unit` is the tool's. SG_BAD_INPUT without a place: the series had another unit, or a time is not
 * above 0. */
enum sg_code sg_gather(struct sg_gathering *gathering, size_t item, const char *metric,
                       const char *unit, double value, struct sg_err *err);
/* Records why a metric has no number, or a value that is not a number. */
void sg_gather_words(struct sg_gathering *gathering, size_t item, const char *metric,
                     enum sg_status status, const char *words);
/* The item's names in run.csv; call when all items are added. sg_gathered_word returns the variant
 * as the caller gave it. */
const char *sg_gathered_case(const struct sg_gathering *gathering, size_t item);
void sg_gathered_variant(const struct sg_gathering *gathering, size_t item, struct sg_text *name);
const char *sg_gathered_word(const struct sg_gathering *gathering, size_t item);
/* Call if each time of the item is that of one launch or call; such times have percentiles. Times
 * of kernels need no call. */
void sg_gather_single(struct sg_gathering *gathering, size_t item);
/* Adds a percentile or a share with its interval, of the current file. */
enum sg_code sg_gather_tail(struct sg_gathering *gathering, size_t item, const char *metric,
                            const char *unit, const struct sg_tail *tail, struct sg_err *err);
/* Sets the item's own status. A file in which the item is wrong outweighs later ones. */
void sg_gather_status(struct sg_gathering *gathering, size_t item, enum sg_status status,
                      const char *words);

/* A summary of a time, from a tool that gives no samples. Used only for an item without samples. */
struct sg_time_figure {
    double value; /* in `unit` */
    const char *unit;
    double relative_sd; /* ratio; NaN: unknown */
    double n;           /* number of samples; 0: unknown */
    const char *how;    /* "mean"; a constant string */
};
enum sg_code sg_gather_time(struct sg_gathering *gathering, size_t item,
                            const struct sg_time_figure *figure, struct sg_err *err);

/* A kernel's launches in one file. `variance`: of their total, ns^2; NaN: unknown. Adds the rows of
 * their number and total, and adds both to the totals of the kernel's case. */
struct sg_launches {
    double count, total_ns, variance;
};
enum sg_code sg_gather_launches(struct sg_gathering *gathering, size_t item,
                                const struct sg_launches *launches, struct sg_err *err);

/* Returns the metric of metrics.ini for a counter of ncu or CUPTI, if their units agree (NULL: the
 * counter has no number). Otherwise returns the tool's name with the prefix `cupti:`, or `tool:`
 * for names that are not CUPTI's. */
const char *sg_gather_metric(struct sg_gathering *gathering, const char *name, const char *unit);

/* SG_BAD_INPUT without a place: no item was added, or the decimal point is ambiguous. */
enum sg_code sg_gather_rows(const struct sg_gathering *gathering, struct sg_table *run,
                            struct sg_err *err);

/* ---- import/ranges.c ---- */

/* A lane is a stream of a device. A range of time on a lane may follow the kernels in it, so a file
 * with ranges is read twice. The second reading adds no ranges. */
void sg_gather_range(struct sg_gathering *gathering, const char *lane, const char *name,
                     double from, double to);
void sg_gather_sort_ranges(struct sg_gathering *gathering); /* call after the first reading */
/* Returns the innermost range at this time; "": none, or this is the first reading. */
const char *sg_gathered_range(const struct sg_gathering *gathering, const char *lane, double time);

/* ---- import/words.c ---- */

/* Converts units as tools write them: "usecond" is 1000 ns, "Mbyte/s" 1e6 B/s, "" is 1. An unknown
 * unit is kept, except for characters that run.csv cannot hold; these become '_'. */
struct sg_scaled {
    char unit[32];
    double scale; /* factor for numbers in the file's unit */
};
struct sg_scaled sg_unit_of_tool(const char *unit);

/*
 * "12,058,624", "44.13", "3 (1; 2)" are numbers, "nan" is SG_NAN, "n/a", "" and "inf" are
 * SG_UNAVAILABLE. Other words are SG_OK with the value NaN. SG_BAD_INPUT: malformed number, for
 * example with a decimal comma.
 */
struct sg_tool_number {
    enum sg_status status;
    double value;
};
enum sg_code sg_number_of_tool(const char *text, struct sg_tool_number *figure, struct sg_err *err);

/* Adds the case of a kernel: its range ("": none), and its device unless that is 0:
 * `forward_device_1`. */
void sg_add_kernel_case(struct sg_text *out, const char *range, double device);

/* Adds a name for run.csv: capitals become small letters, other characters than [a-z0-9_] become
 * '_'. Eight digits are appended if the name was cut, or if `apart` is given, which distinguishes
 * equal names (NULL: none). */
void sg_add_imported_name(struct sg_text *out, const char *name, const char *apart);
/* Adds a kernel's name: the symbol if it is a valid name, otherwise `word` with digits of the
 * symbol. If `geometry` is not NULL, SG_GEOMETRY_MARK and digits of the geometry follow. */
void sg_add_kernel_name(struct sg_text *out, const char *word, const char *symbol,
                        const char *geometry);
/* "void at::native::copy<float>(float *)" is copy: drops the return type, namespaces, template
 * arguments and parameters. A name of another form is kept. */
void sg_add_kernel_word(struct sg_text *out, const char *kernel);
