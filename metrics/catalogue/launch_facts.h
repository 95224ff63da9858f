/*
 * catalogue/launch_facts.h - exact facts of one launch, reported by the driver and the compiler for
 * its kernels.
 *
 * Pure. Invariant: a fact that the build does not report for a kernel is NaN for the whole launch,
 * never 0.
 */
#pragma once

#include "solgate_kernel.h"

#define SG_KERNEL_NAMES_BYTES 256

/* Exact facts of one launch: sums or maxima over its kernels, as stated. NaN: not known. */
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
