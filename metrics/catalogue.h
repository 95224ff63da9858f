/*
 * catalogue.h - the metrics solgate knows (metrics.ini), the groups they are asked for in (groups/NAME.group) and GPUs (gpus/KEY.gpu).
 *
 * Invariant: a loaded catalogue has passed every check: names unique, units and words known, each group's metrics exist.
 */
#ifndef SG_CATALOGUE_H
#define SG_CATALOGUE_H

#include "err.h"

enum sg_better { SG_LOWER, SG_HIGHER, SG_NEITHER };

/* How two values of a metric are compared. */
enum sg_metric_class {
    SG_EXACT, /* the same work gives the same number: registers, instructions, sectors */
    SG_NOISY, /* moves from run to run: hit rates, stalls, DRAM bytes; `floor` is the smallest change worth showing */
};

/* Where a value comes from. */
enum sg_source {
    SG_FROM_CUPTI,   /* hardware counter, `cupti` is its name */
    SG_FROM_LAUNCH,  /* launch attributes and the driver's occupancy functions; `key` names the field (counters.h) */
    SG_FROM_DERIVED, /* computed from other metrics by the C function that `key` names (derived.c) */
    SG_FROM_TIME,    /* the time pass: time, time_ratio, sm_clock_timed ... */
    SG_FROM_MODEL,   /* work and speed-of-light model: work_*, sol_time, sol_gap */
};

struct sg_chip_name {
    char *chip;  /* "GH100", or "*" for every other chip */
    char *cupti; /* NULL: declared absent on this chip */
};

struct sg_metric {
    char *name;
    char *unit; /* one of: ns B B/s Hz % 1 inst sector wavefront cycle warp byte/thread ... (catalogue.c has the table) */
    enum sg_better better;
    enum sg_metric_class klass;
    enum sg_source source;
    double floor;               /* absolute, in the metric's unit; changes below it are not news; >= 0 */
    double floor_ratio;         /* relative, ratio; both must be passed */
    struct sg_chip_name *cupti; /* SG_FROM_CUPTI: names by chip; at least "*" */
    size_t cupti_count;
    char *key; /* SG_FROM_LAUNCH, SG_FROM_DERIVED */
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
    struct sg_metric *metrics;
    size_t count;
    struct sg_group *groups;
    size_t group_count;
};

/* Loads metrics/metrics.ini and metrics/groups/ under the home of home.h. */
enum sg_code sg_catalogue_load(struct sg_catalogue *catalogue, struct sg_err *err);
void sg_catalogue_release(struct sg_catalogue *catalogue);
const struct sg_metric *sg_catalogue_find(const struct sg_catalogue *catalogue, const char *name); /* NULL: unknown */
const struct sg_group *sg_catalogue_group(const struct sg_catalogue *catalogue, const char *name); /* NULL: unknown */
/* The counter's name on a chip ("GH100"); NULL: absent there. */
const char *sg_metric_cupti(const struct sg_metric *metric, const char *chip);

/*
 * A list of groups and metric names, resolved and without duplicates. Unknown name: SG_BAD_INPUT that names it.
 * A derived metric brings the metrics it is computed from.
 */
enum sg_code sg_catalogue_select(const struct sg_catalogue *catalogue, const char *const *names, size_t name_count,
                                 const struct sg_metric ***selected, size_t *count, struct sg_err *err);

/*
 * A derived metric: one C function of values by name. `get` returns NaN for a value that is not there.
 */
struct sg_derived {
    const char *key;
    const char *inputs[4]; /* names of the metrics it needs; NULL-terminated when fewer */
    double (*compute)(const double inputs[4]);
};
const struct sg_derived *sg_derived_find(const char *key); /* NULL: unknown */

/* A GPU: peaks with their units and source. */
struct sg_gpu_spec {
    char *key;                         /* of the file: "h200" */
    char *name;                        /* for people */
    char *match;                       /* the driver's device name must begin with this; "" never matches (datasheets, seeds) */
    char *chip;                        /* CUPTI chip name: "GH100" */
    double dram_bytes_per_s;           /* > 0 */
    double l2_bytes;                   /* > 0 */
    double sm_count, sm_clock_hz;      /* > 0: clock at which the peaks below are stated */
    double flop_per_s[SG_DTYPE_COUNT]; /* dense; 0: this GPU has no such unit or the figure is not known */
    char *source;
};

enum sg_code sg_gpu_load(const char *key, struct sg_gpu_spec *spec, struct sg_err *err);
void sg_gpu_release(struct sg_gpu_spec *spec);
/* Key of the GPU whose `match` fits a device name best (longest match); "" if none. Owned by the caller. */
enum sg_code sg_gpu_key_for(const char *device_name, char **key, struct sg_err *err);

#endif
