/*
 * catalogue/source.h - sources of a metric's values: a CUPTI counter, a fact of the launch, a
 * computation, another pass.
 *
 * A source is a file metrics/catalogue/source_NAME.c that defines `const struct sg_source
 * sg_source_NAME`. The build makes the table of sources from the file names, so no other file is
 * edited; copy source_launch.c. A section of metrics.ini names its source by the source's word:
 *
 *     launch = registers          one that takes a key
 *     cupti.GA100 = absent        and one key a chip
 *     from   = time               one that takes none
 *
 * A count pass first calls `begin`, then `before` and `after` around each launch of an item. After
 * all items are counted it calls `collect` for each metric, item and repeat, and then `end`. On a
 * GPU the first launch only yields the facts, and each repeat is launched once per counter pass. A
 * source cannot distinguish these launches, so a value measured by it covers all of them and needs
 * `is_constant`. All functions run on any device, including the simulated one. A source without a
 * value reports SG_UNAVAILABLE with the reason. This folder includes no CUDA headers.
 */
#pragma once

#include "solgate_kernel.h"

#define SG_KERNEL_NAMES_BYTES 256

/* Exact facts of one launch, reported by the driver and the compiler for its kernels: sums or
 * maxima over them, as stated. NaN: not known. A fact that the build does not report for a kernel
 * is NaN for the whole launch, never 0. */
struct sg_launch_facts {
    double kernels;               /* number of kernels */
    double registers;             /* per thread, max */
    double shared_static_bytes;   /* per block, max */
    double shared_dynamic_bytes;  /* per block, max */
    double local_bytes;           /* per thread, max */
    double grid_blocks;           /* sum */
    double block_threads;         /* max */
    double cluster_blocks;        /* max; 1 without clusters */
    double occupancy_theoretical; /* %, for the kernel with the most blocks */
    /* Compiler facts (struct sg_kernel_build), summed; NaN if the build lacks one for any
     * kernel. */
    double spill_store_bytes, spill_load_bytes, notes, instructions, hgmma, qgmma, tma_loads,
        tma_stores, local_loads, local_stores;
    char note_codes[96]; /* "C7510 C7519"; "" if none */
    /* registers | shared | warps | blocks | grid (fewer blocks than would fit) | cluster */
    const char *occupancy_limit;
    char kernel_names[SG_KERNEL_NAMES_BYTES]; /* as in struct sg_batch */
};

/* Looks up a launch fact by its field name. Returns false for an unknown key. `facts` may be
 * NULL to check only the key. */
bool sg_launch_fact(const struct sg_launch_facts *facts, const char *key, double *value);

void sg_launch_facts_init(struct sg_launch_facts *facts);
/* Compiler facts of a launch: before any kernel was added, and for unknown kernels. */
void sg_launch_facts_of_no_kernel(struct sg_launch_facts *facts);
void sg_launch_facts_unknown(struct sg_launch_facts *facts);
/* Adds a kernel that the variant launched, by its mangled name. `kernels` is the module's list.
 * Both may be NULL. */
void sg_launch_facts_add_kernel(struct sg_launch_facts *facts,
                                const struct sg_kernel_build *kernels, const char *variant,
                                const char *name);

struct sg_metric; /* catalogue/catalogue.h */

struct sg_counted {
    double value; /* NaN unless status is SG_OK */
    enum sg_status status;
    char message[320]; /* why the value is missing, or a remark */
};
/* Sets a missing value with its status and the reason. */
void sg_counted_fail(struct sg_counted *counted, enum sg_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#define SG_SOURCE_INPUTS 4

struct sg_collection {
    void *state; /* from `begin` */
    size_t item; /* index as in `before` and `after` */
    unsigned repeat;
    const struct sg_launch_facts *facts; /* facts of the item's launch */
    /* of_device: the device's value of this metric; otherwise NULL */
    const struct sg_counted *counted;
    double inputs[SG_SOURCE_INPUTS]; /* values of the inputs; NaN: missing */
};

struct sg_source {
    const char *word;
    /* can be requested, and the count pass collects it; otherwise every run has it */
    bool is_counted;
    bool of_device;   /* counted by the device: `count` of device/device.h */
    bool of_code;     /* describes the code, not its execution */
    bool is_constant; /* every repeat of a count has the same value */
    bool by_chip;     /* accepts keys for single chips, and the word absent */
    /* Returns NULL for a valid key, otherwise the expectation in words. A source without this
     * function has no keys. */
    const char *(*expects)(const char *key);
    /* Names of the metrics that a metric with this key is computed from, at most
     * SG_SOURCE_INPUTS, NULL-terminated. Inputs must not have inputs. NULL function: no inputs. */
    const char *const *(*inputs)(const char *key);
    /* All functions may be NULL. */
    /* requested metrics; returns the state */
    void *(*begin)(const struct sg_metric *const *metrics, size_t count);
    void (*before)(void *state, size_t item);
    void (*after)(void *state, size_t item);
    void (*collect)(const struct sg_collection *from, const struct sg_metric *metric,
                    struct sg_counted *out);
    void (*end)(void *state);
};

/* All sources, sorted by file name; generated by the build. */
const struct sg_source *const *sg_sources(size_t *count);
const struct sg_source *sg_source_find(const char *word); /* NULL: unknown */

/* The sources that code refers to. */
extern const struct sg_source sg_source_cupti, sg_source_launch;
