/*
 * catalogue/catalogue.h - the known metrics (metrics.ini), their groups (groups/NAME.group) and
 * GPUs (gpus/KEY.gpu).
 *
 * Invariant: a loaded catalogue has passed every check: names are unique, units and words are
 * known, the metrics of each group exist.
 */
#pragma once

#include "catalogue/source.h"
#include "util/err.h"

enum sg_better { SG_LOWER, SG_HIGHER, SG_NEITHER };

enum sg_metric_class {
    SG_EXACT, /* the same work gives the same number: registers, instructions, sectors */
    /* differs between runs: hit rates, stalls, DRAM bytes; `floor` is the smallest change to
     * report */
    SG_NOISY,
};

/* Returns true for a unit of metrics.ini (ns B Hz % 1 inst ...). */
bool sg_is_unit(const char *word);
/* The words of metrics.ini: lower | higher | neither, exact | noisy. */
const char *sg_better_word(enum sg_better better);
const char *sg_metric_class_word(enum sg_metric_class klass);

/* Name of a metric in its source, for example in CUPTI. */
struct sg_metric_key {
    char *chip; /* "GH100", or "*" for all other chips */
    char *key;  /* NULL: declared absent on this chip */
};

struct sg_metric {
    char *name;
    /* a unit of catalogue/metric_file.c: ns B Hz % 1 inst sector request wavefront cycle ... */
    char *unit;
    enum sg_better better;
    enum sg_metric_class klass;
    const struct sg_source *source;
    double floor; /* absolute, in the metric's unit; smaller changes are ignored; >= 0 */
    /* relative to the old value, ratio; >= 0. A change must exceed both floors. A noisy metric
     * has one > 0 */
    double floor_ratio;
    struct sg_metric_key *keys; /* for a source with keys, at least one for "*" */
    size_t key_count;
    char *meaning;
    long line; /* line in metrics.ini */
};

struct sg_group {
    char *name;                       /* from the file name */
    char *title;                      /* the question that the group answers */
    char *read;                       /* how to read it */
    const struct sg_metric **metrics; /* borrowed from the catalogue */
    size_t count;
};

struct sg_catalogue {
    /* in the order of metrics.ini, then raw counters in order of addition */
    struct sg_metric *metrics;
    size_t count, raw_count;
    struct sg_metric **by_name; /* the same metrics, sorted, for sg_catalogue_find */
    struct sg_group *groups;
    size_t group_count;
};

/* Loads metrics/metrics.ini and metrics/groups/ below the home of util/paths.h. */
enum sg_code sg_catalogue_load(struct sg_catalogue *catalogue, struct sg_err *err);
/* NULL: unknown */
const struct sg_metric *sg_catalogue_find(const struct sg_catalogue *catalogue, const char *name);
/* NULL: unknown */
const struct sg_group *sg_catalogue_group(const struct sg_catalogue *catalogue, const char *name);
/* Prefix of a counter requested by CUPTI's name, "cupti:dram__bytes_read.sum"; also its name in
 * files and reports. */
#define SG_RAW_PREFIX "cupti:"
#define SG_RAW_MAX    64 /* maximum number of raw counters in one run */
/* Prefix of a figure of an imported run, followed by the tool's name for it. */
#define SG_TOOL_PREFIX "tool:"
bool sg_metric_is_raw(const char *name); /* true for both prefixes */
/* Prefix of the counters of what warps wait for. */
#define SG_STALL "stall_"
/* Unit in which people see a value. Stalls have the unit of ncu, warp cycles per issued
 * instruction, instead of percent; other values keep their unit. */
struct sg_metric_shown {
    double factor;
    const char *unit;
};
struct sg_metric_shown sg_metric_shown(const char *metric, const char *unit);
/* Adds a raw metric to a loaded catalogue unless it exists: noisy, neither better nor worse.
 * Existing metrics do not move. Beyond 2048 raw metrics nothing is added, and the name is
 * treated as a family's. */
void sg_catalogue_add_raw(struct sg_catalogue *catalogue, const char *name, const char *unit);
/* The key on a chip ("GH100"), for example the counter's name; "*": on any chip. NULL: absent
 * there, or the source has no keys. */
const char *sg_metric_key(const struct sg_metric *metric, const char *chip);
/* Returns true if CUPTI must get this metric before the others. True for exact counters of L1:
 * CUPTI splits late ones over passes that do not add up. */
bool sg_metric_leads(const struct sg_metric *metric, const char *chip);

/* Returns true if the metric can explain a change of time: counters, and facts of the build. */
bool sg_metric_explains(const struct sg_metric *metric);

/* Resolves a list of groups and metric names, without duplicates; adds raw counters.
 * SG_BAD_INPUT names an unknown name, or one that no count pass collects (time, work, ...). The
 * inputs of a derived metric come before it. The caller frees *selected; the metrics are the
 * catalogue's. */
enum sg_code sg_catalogue_select(struct sg_catalogue *catalogue, const char *const *names,
                                 size_t name_count, const struct sg_metric ***selected,
                                 size_t *count, struct sg_err *err);

struct sg_gpu_spec {
    char *key;  /* from the file name: "h200" */
    char *name; /* for people */
    /* the driver's device name; a trailing `*` matches any rest; "" never matches (datasheets) */
    char *match;
    char *chip;                           /* CUPTI chip name: "GH100" */
    double dram_bytes_per_s;              /* > 0 */
    double l2_bytes;                      /* > 0 */
    double sm_warps;                      /* warps resident per SM; 0: not known */
    double sm_count, sm_clock_hz;         /* > 0; sm_clock_hz: clock of the peaks below */
    double flop_per_s[SG_DTYPE_COUNT];    /* dense; 0: no such unit, or not known */
    double flop_clock_hz[SG_DTYPE_COUNT]; /* clock of that peak; 0: sm_clock_hz */
    char *source;
};

enum sg_code sg_gpu_load(const char *key, struct sg_gpu_spec *spec, struct sg_err *err);
/* any KEY.gpu */
enum sg_code sg_gpu_load_file(const char *path, struct sg_gpu_spec *spec, struct sg_err *err);
/* Key of the GPU whose `match` fits a device name best (longest match); "" if none fits. Another
 * build of a card (NVL, laptop, MIG slice) has other peaks and must not use these. Owned by the
 * caller. */
enum sg_code sg_gpu_key_for(const char *device_name, char **key, struct sg_err *err);
