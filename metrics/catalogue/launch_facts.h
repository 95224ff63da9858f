/*
 * catalogue/launch_facts.h - exact facts of one launch: what the driver and
 * the compiler report of its kernels.
 *
 * Pure. Invariant: what the build does not report of a kernel is NaN for the whole launch, never 0.
 */
#pragma once

#include "solgate_kernel.h"

#define SG_KERNEL_NAMES_BYTES 256

/* Exact facts of one launch, summed or maximal over its kernels
 * as the name says. NaN: not known. */
struct sg_launch_facts {
    double kernels;               /* of one launch */
    double registers;             /* per thread, max */
    double shared_static_bytes;   /* per block, max */
    double shared_dynamic_bytes;  /* per block, max */
    double local_bytes;           /* per thread, max */
    double grid_blocks;           /* sum */
    double block_threads;         /* max */
    double cluster_blocks;        /* max; 1 without clusters */
    double occupancy_theoretical; /* %, of the kernel with the most blocks */
    /* What the compiler made of them (struct sg_kernel_build), summed; NaN also where the
     * build does not report it for one of them. */
    double spill_store_bytes, spill_load_bytes, notes, instructions, hgmma, qgmma, tma_loads, tma_stores, local_loads, local_stores;
    char note_codes[96];                      /* "C7510 C7519"; "" without */
    const char *occupancy_limit;              /* registers | shared | warps | blocks | grid (fewer blocks than would fit) | cluster */
    char kernel_names[SG_KERNEL_NAMES_BYTES]; /* as in struct sg_batch */
};

/* The number of a launch fact: its field by name; false for an unknown key. `facts` may
 * be NULL to ask only for the key. */
bool sg_launch_fact(const struct sg_launch_facts *facts, const char *key, double *value);

/* Nothing is known of the launch. */
void sg_launch_facts_init(struct sg_launch_facts *facts);
/* The compiler's part of a launch's facts: of no kernel yet, or of
 * kernels of which nothing is known. */
void sg_launch_facts_of_no_kernel(struct sg_launch_facts *facts);
void sg_launch_facts_unknown(struct sg_launch_facts *facts);
/* Adds the kernel with this (mangled) name that the variant launched. `kernels` is the module's
 * list, NULL if it has none; so may be the name. */
void sg_launch_facts_add_kernel(struct sg_launch_facts *facts, const struct sg_kernel_build *kernels, const char *variant,
                                const char *name);
