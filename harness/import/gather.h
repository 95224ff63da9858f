/*
 * import/gather.h - what importers say of items, a value at a time, and the rows that come of it.
 *
 * An item is a kernel with its launch geometry, or a benchmark with its arguments. Values of one
 * item and metric are a series: its row is their median. Of a time the row has the 95 % interval of
 * that median by order statistics, which assumes no distribution, of a counter the range. Pure.
 *
 * Names of run.csv are made here. A kernel has the name of its symbol, and, where the symbol runs
 * with several geometries in one case, of its geometry: no other kernel of the file changes it.
 * Benchmarks that read alike get digits of all that the tool says of them.
 */
#pragma once

#include "catalogue/catalogue.h"
#include "results/table.h"

#define SG_TIME_METRIC "time"

struct sg_gathering {
    const struct sg_catalogue *catalogue; /* borrowed */
    const char *path;                     /* borrowed; of the file, which may name others beside it */
    const char *family;                   /* borrowed */
    sg_id launch;                         /* whose values come now, by sg_gather_launch; 0: each value counts */
    char *gpu_name;                       /* owned; NULL: not said so far */
    size_t thousands, fractions;          /* numbers such as 406.240, whose point may part thousands, and other fractions */
    const struct sg_gathering *ranges;    /* borrowed; the first reading of the file, which has its ranges. NULL: this is the first */

    struct sg_gathered_item *items; /* owned */
    struct sg_series *series;       /* owned */
    struct sg_range *range;         /* owned */
    size_t item_count, item_capacity, series_count, series_capacity, range_count, range_capacity;
    struct sg_intern_pool *strings, *item_keys, *series_keys, *names; /* owned */
    unsigned *name_count;                                             /* owned; how many items have each of `names` */
    size_t name_capacity;
};
void sg_gathering_release(struct sg_gathering *gathering);

/* "" says nothing. Two names make the name `several`. */
void sg_gather_gpu(struct sg_gathering *gathering, const char *name);
/* From here on values are of that launch, and the second one of a metric is left out. */
void sg_gather_launch(struct sg_gathering *gathering, const char *process, const char *number);

/* The item of these words, which is made when they are new. `what` is all that the tool says of it,
 * for the row `note`; items that differ in it alone are two. */
size_t sg_gather_item(struct sg_gathering *gathering, const char *case_, const char *variant, const char *what);
struct sg_gathered_kernel {
    const char *case_, *readable;
    const char *symbol;   /* what tells it from others, in each build the same */
    const char *geometry; /* of its launches */
    const char *what;     /* all that the tool says of it */
};
size_t sg_gather_launched(struct sg_gathering *gathering, const struct sg_gathered_kernel *kernel);
/* A kernel of a case by its name as a tool prints it, with the sizes of its launch: "(256, 1, 1)",
 * or "" if not said. Each time of it is a launch. */
size_t sg_gather_kernel(struct sg_gathering *gathering, const char *case_, const char *kernel, const char *grid, const char *block);

/* `unit` is the tool's. SG_BAD_INPUT without a place: the series had another unit so far, or a time
 * is not above 0. */
enum sg_code sg_gather(struct sg_gathering *gathering, size_t item, const char *metric, const char *unit, double value, struct sg_err *err);
/* It has no number, and why; or what it is is no number. */
void sg_gather_words(struct sg_gathering *gathering, size_t item, const char *metric, enum sg_status status, const char *words);
/* Its names in run.csv when all items are there; and the variant as the caller gave it. */
const char *sg_gathered_case(const struct sg_gathering *gathering, size_t item);
void sg_gathered_variant(const struct sg_gathering *gathering, size_t item, struct sg_text *name);
const char *sg_gathered_word(const struct sg_gathering *gathering, size_t item);
/* What the item itself came to. */
void sg_gather_status(struct sg_gathering *gathering, size_t item, enum sg_status status, const char *words);

/* A time of which the tool gives no samples, but a figure. It counts where there are no samples. */
struct sg_time_figure {
    double value; /* in `unit` */
    const char *unit;
    double relative_sd; /* ratio; NaN: not known */
    double n;           /* samples it was made of; 0: not known */
    const char *how;    /* "mean"; a constant */
};
enum sg_code sg_gather_time(struct sg_gathering *gathering, size_t item, const struct sg_time_figure *figure, struct sg_err *err);

/* The metric of metrics.ini that a counter of ncu or CUPTI is, if their units agree (NULL: it has
 * no number); else its own name behind `cupti:`, or behind `tool:` if it is none of CUPTI's. */
const char *sg_gather_metric(struct sg_gathering *gathering, const char *name, const char *unit);

/* SG_BAD_INPUT without a place: there is nothing. */
enum sg_code sg_gather_rows(const struct sg_gathering *gathering, struct sg_table *run, struct sg_err *err);

/* ---- import/ranges.c ---- */

/* A range of time on a lane, a stream of a device, may come after the kernels in it, so a file with
 * ranges is read twice. The second reading adds none. */
void sg_gather_range(struct sg_gathering *gathering, const char *lane, const char *name, double from, double to);
void sg_gather_sort_ranges(struct sg_gathering *gathering); /* after the first reading */
/* The innermost range at this time; "": none, or this is the first reading. */
const char *sg_gathered_range(const struct sg_gathering *gathering, const char *lane, double time);

/* ---- import/words.c ---- */

/* Units as tools write them: "usecond" is 1000 ns, "Mbyte/s" 1e6 B/s, "" is 1. What is in no table
 * stays as it is, but for what no file of a run could hold, which becomes '_'. */
struct sg_scaled {
    char unit[32];
    double scale; /* what a number in the unit of the file is multiplied by */
};
struct sg_scaled sg_unit_of_tool(const char *unit);

/*
 * "12,058,624", "44.13", "3 (1; 2)" are numbers, "nan" is SG_NAN, "n/a", "" and "inf" are
 * SG_UNAVAILABLE, all else is words: SG_OK and NaN. SG_BAD_INPUT: it begins as a number and is
 * none, as in locales with a comma for the point.
 */
struct sg_tool_number {
    enum sg_status status;
    double value;
};
enum sg_code sg_number_of_tool(const char *text, struct sg_tool_number *figure, struct sg_err *err);

/* The case of a kernel: its range ("": none), and its device unless 0: `forward_device_1`. */
void sg_add_kernel_case(struct sg_text *out, const char *range, double device);

/* A name of a run: others than [a-z0-9_] become '_', capitals small letters. One that is cut, or
 * that `apart` tells from others that read alike (NULL: none does), ends with eight digits. */
void sg_add_imported_name(struct sg_text *out, const char *name, const char *apart);
/* Of a kernel: the symbol if it is such a name, else `word` with digits of the symbol. With the
 * geometry, where it is not NULL, SG_GEOMETRY_MARK and digits of that follow. */
void sg_add_kernel_name(struct sg_text *out, const char *word, const char *symbol, const char *geometry);
/* "void at::native::copy<float>(float *)" is copy: without what stands before it, template
 * arguments and parameters. What is not written like this stays. */
void sg_add_kernel_word(struct sg_text *out, const char *kernel);
