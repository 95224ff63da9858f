/*
 * catalogue/catalogue.h - the metrics solgate knows (metrics.ini), the groups they are asked for in
 * (groups/NAME.group) and GPUs (gpus/KEY.gpu).
 *
 * Invariant: a loaded catalogue has passed every check: names unique, units and words
 * known, each group's metrics exist.
 */
#pragma once

#include "catalogue/source.h"
#include "util/err.h"

enum sg_better { SG_LOWER, SG_HIGHER, SG_NEITHER };

/* How two values of a metric are compared. */
enum sg_metric_class {
    SG_EXACT, /* the same work gives the same number: registers, instructions, sectors */
    SG_NOISY, /* moves from run to run: hit rates, stalls, DRAM bytes; `floor` is the smallest change worth showing */
};

/* One of the units that metrics may have (ns B Hz % 1 inst ...)? */
bool sg_is_unit(const char *word);
/* The words of metrics.ini: lower | higher | neither, exact | noisy. */
const char *sg_better_word(enum sg_better better);
const char *sg_metric_class_word(enum sg_metric_class klass);

/* What a metric is called in its source: in CUPTI, say. */
struct sg_metric_key {
    char *chip; /* "GH100", or "*" for every other chip */
    char *key;  /* NULL: declared absent on this chip */
};

struct sg_metric {
    char *name;
    char *unit; /* one of the table in catalogue/metric_file.c: ns B Hz % 1 inst sector request wavefront cycle ... */
    enum sg_better better;
    enum sg_metric_class klass;
    const struct sg_source *source;
    double floor;               /* absolute, in the metric's unit; changes up to it are not news; >= 0 */
    double floor_ratio;         /* relative to the old value, ratio; >= 0; both must be passed; one of a noisy metric's is > 0 */
    struct sg_metric_key *keys; /* of a source that takes keys: at least one for "*" */
    size_t key_count;
    char *meaning;
    long line; /* in metrics.ini */
};

struct sg_group {
    char *name;                       /* of the file */
    char *title;                      /* the question it answers */
    char *read;                       /* how to read it */
    const struct sg_metric **metrics; /* borrowed from the catalogue */
    size_t count;
};

struct sg_catalogue {
    struct sg_metric *metrics; /* in the order of metrics.ini; behind them raw counters, as they came */
    size_t count, raw_count;
    struct sg_metric **by_name; /* the same metrics, sorted, for sg_catalogue_find */
    struct sg_group *groups;
    size_t group_count;
};

/* Loads metrics/metrics.ini and metrics/groups/ under the home of util/paths.h. */
enum sg_code sg_catalogue_load(struct sg_catalogue *catalogue, struct sg_err *err);
void sg_catalogue_release(struct sg_catalogue *catalogue);
const struct sg_metric *sg_catalogue_find(const struct sg_catalogue *catalogue, const char *name); /* NULL: unknown */
const struct sg_group *sg_catalogue_group(const struct sg_catalogue *catalogue, const char *name); /* NULL: unknown */
/* A counter that is asked for by CUPTI's own name, "cupti:dram__bytes_read.sum", which is
 * its name in files and reports too. */
#define SG_RAW_PREFIX "cupti:"
#define SG_RAW_MAX    64 /* that are counted in one run */
/* And a figure of a run that was imported, by the name that its tool gives it. */
#define SG_TOOL_PREFIX "tool:"
bool sg_metric_is_raw(const char *name); /* by either prefix */
/*
 * Adds one to a loaded catalogue, unless it is there: noisy, neither better nor worse. What was
 * found before stays where it is. Beyond 2048 of them one is left out, and is known no better than
 * a name of a family's own.
 */
void sg_catalogue_add_raw(struct sg_catalogue *catalogue, const char *name, const char *unit);
/* Its key on a chip ("GH100"), which is a counter's name; "*": on any. NULL: absent there, or its
 * source takes no key. */
const char *sg_metric_key(const struct sg_metric *metric, const char *chip);
/* Must CUPTI be asked for it before all others? So for exact counters of L1: it splits late
 * ones over passes that do not add up. */
bool sg_metric_leads(const struct sg_metric *metric, const char *chip);

/* Can it say why a time moved? Counters can, and what is known of the build. */
bool sg_metric_explains(const struct sg_metric *metric);

/*
 * A list of groups and metric names, resolved and without duplicates; raw counters are added.
 * Unknown name, or one that no count pass collects (time, work, ...): SG_BAD_INPUT that names it. A
 * derived metric brings the metrics it is computed from, which stand before it. *selected is the
 * caller's to free; the metrics are the catalogue's.
 */
enum sg_code sg_catalogue_select(struct sg_catalogue *catalogue, const char *const *names, size_t name_count,
                                 const struct sg_metric ***selected, size_t *count, struct sg_err *err);

/* A GPU: peaks with their units and source. */
struct sg_gpu_spec {
    char *key;                            /* of the file: "h200" */
    char *name;                           /* for people */
    char *match;                          /* the driver's device name; a last `*` stands for any rest; "" never matches (datasheets) */
    char *chip;                           /* CUPTI chip name: "GH100" */
    double dram_bytes_per_s;              /* > 0 */
    double l2_bytes;                      /* > 0 */
    double sm_warps;                      /* that an SM holds at once; 0: not known */
    double sm_count, sm_clock_hz;         /* > 0: clock at which the peaks below are stated */
    double flop_per_s[SG_DTYPE_COUNT];    /* dense; 0: this GPU has no such unit or the figure is not known */
    double flop_clock_hz[SG_DTYPE_COUNT]; /* clock at which that peak is stated; 0: sm_clock_hz */
    char *source;
};

enum sg_code sg_gpu_load(const char *key, struct sg_gpu_spec *spec, struct sg_err *err);
enum sg_code sg_gpu_load_file(const char *path, struct sg_gpu_spec *spec, struct sg_err *err); /* any KEY.gpu */
void sg_gpu_release(struct sg_gpu_spec *spec);
/*
 * Key of the GPU whose `match` fits a device name best (longest match); "" if none:
 * a card of another build (NVL, laptop, MIG slice) has other peaks and must not
 * borrow these. Owned by the caller.
 */
enum sg_code sg_gpu_key_for(const char *device_name, char **key, struct sg_err *err);
