/*
 * catalogue/source.h - where the values of a metric come from: a counter of CUPTI, a fact of the
 * launch, a computation, another pass.
 *
 * A source is a file, metrics/catalogue/source_NAME.c, that defines `const struct sg_source
 * sg_source_NAME`. The build makes the table of them from the file names, so nothing else is
 * edited; source_launch.c is one to copy. A section of metrics.ini names its source by the source's
 * word:
 *
 *     launch = registers          one that takes a key
 *     cupti.GA100 = absent        and one key a chip
 *     from   = time               one that takes none
 *
 * In a count pass the functions are called in this order: `begin`; `before` and `after` around the
 * launches of an item, as often as the item is counted; `collect` for each metric, item and repeat
 * when all items are counted; `end`. On a GPU the first of those launches only tells the facts, and
 * each repeat is launched once a pass of the counters: a source cannot tell them apart, so what it
 * measures is of all of them, and `told_once`. All functions run on any device, the simulated one
 * too: a source that finds nothing to measure says so as SG_UNAVAILABLE, with the reason. Headers
 * of CUDA stay out of this room.
 */
#pragma once

#include "catalogue/launch_facts.h"

struct sg_metric; /* catalogue/catalogue.h */

/* One value of a count pass. */
struct sg_counted {
    double value; /* NaN unless status is SG_OK */
    enum sg_status status;
    char message[320]; /* why there is none, or what there is to add */
};
/* No number: its status, and the reason in words. */
void sg_counted_fail(struct sg_counted *counted, enum sg_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

#define SG_SOURCE_INPUTS 4

/* What a value is collected from. */
struct sg_collection {
    void *state; /* of `begin` */
    size_t item; /* as `before` and `after` number it */
    unsigned repeat;
    const struct sg_launch_facts *facts; /* of the item's launch */
    const struct sg_counted *counted;    /* of_device: what the device counted of this metric; else NULL */
    double inputs[SG_SOURCE_INPUTS];     /* their values; NaN: not there */
};

struct sg_source {
    const char *word;
    bool is_counted; /* it can be asked for, and the count pass collects it; else it is in every run */
    bool of_device;  /* the device counts it: `count` of device/device.h */
    bool of_code;    /* it says what the code is, not what it did */
    bool told_once;  /* every repeat of a count would give the same */
    bool by_chip;    /* keys of single chips are allowed, and the word absent */
    /* NULL: this key is one of the source; else what is expected. No function: it takes no key. */
    const char *(*expects)(const char *key);
    /* Names of the metrics that a metric of this key is computed from, at most SG_SOURCE_INPUTS,
     * ended by NULL. Their own sources have no inputs. No function: it needs none. */
    const char *const *(*inputs)(const char *key);
    /* Each may be NULL. */
    void *(*begin)(const struct sg_metric *const *metrics, size_t count); /* those that were asked for; returns its state */
    void (*before)(void *state, size_t item);
    void (*after)(void *state, size_t item);
    void (*collect)(const struct sg_collection *from, const struct sg_metric *metric, struct sg_counted *out);
    void (*end)(void *state);
};

/* All of them, sorted by their file names; made by the build. */
const struct sg_source *const *sg_sources(size_t *count);
const struct sg_source *sg_source_find(const char *word); /* NULL: there is none */

/* Those that code names. */
extern const struct sg_source sg_source_cupti, sg_source_launch;
