/*
 * trace/trace.h - the file in which the injected library leaves what it saw of one process.
 *
 * It is mapped by the process that runs kernels and read when that is gone, however it ended.
 * Behind the head come blocks, one after the other: names, and series of launches that are alike.
 * The head's `used` grows when a block is complete; series change in place. Invariant: launches
 * that were called are counted before they run, so that records that are missing show. A file
 * that could not be made room for is as many bytes long as the error's number.
 */
#pragma once

#include <stdint.h>

#define SG_TRACE_MAGIC   UINT64_C(0x3145434152544753) /* "SGTRACE1" */
#define SG_TRACE_ENDING  ".trace"
#define SG_TRACE_BYTES   (64u << 20) /* of the mapping; the file is as long as what is in it */
#define SG_TRACE_SAMPLES 256

/* What exec tells the library, in the environment. */
#define SG_TRACE_FOLDER_VARIABLE "SOLGATE_TRACE_FOLDER"
#define SG_TRACE_CUPTI_VARIABLE  "SOLGATE_TRACE_CUPTI" /* path of a libcupti, where the process has none and the loader finds none */
#define SG_TRACE_NVTX_VARIABLE   "SOLGATE_TRACE_NVTX"  /* the NVTX injection that was set before; not there: none was */

/* Of a start that counts: names of CUPTI's counters, with commas between; not there: it times. */
#define SG_TRACE_COUNTERS_VARIABLE "SOLGATE_TRACE_COUNTERS"
#define SG_TRACE_RANGE_VARIABLE    "SOLGATE_TRACE_RANGE"    /* pattern of the range */
#define SG_TRACE_KERNEL_VARIABLE   "SOLGATE_TRACE_KERNEL"   /* regular expression of the symbol */
#define SG_TRACE_LEFT_OUT_VARIABLE "SOLGATE_TRACE_LEFT_OUT" /* the same of those that are not counted */
#define SG_TRACE_WHOLE_VARIABLE    "SOLGATE_TRACE_WHOLE"    /* there: ranges are counted, each as a whole */
#define SG_TRACE_PLACE_VARIABLE    "SOLGATE_TRACE_PLACE"    /* "SKIP" or "SKIP,COUNT" of all that match */

/* constant, what it means for the results: a process with one of them is not complete */
#define SG_TRACE_FLAG_TABLE(X)                                                                     \
    X(SG_TRACE_NO_CUPTI, "CUPTI could not be used")                                                \
    X(SG_TRACE_NO_CALLBACKS, "CUPTI's only subscriber is another one, so launches were not seen")  \
    X(SG_TRACE_SWITCHED_OFF, "the program switched CUPTI off (cuptiFinalize) while it was in use") \
    X(SG_TRACE_NO_COUNTERS, "counters could not be read")                                          \
    X(SG_TRACE_FULL, "the trace could not be written")

#define X(constant, words) constant##_BIT,
enum { SG_TRACE_FLAG_TABLE(X) SG_TRACE_CLOSED_BIT };
#undef X
#define X(constant, words) constant = 1 << constant##_BIT,
enum sg_trace_flag { SG_TRACE_FLAG_TABLE(X) SG_TRACE_CLOSED = 1 << SG_TRACE_CLOSED_BIT /* its exit handlers ran */ };
#undef X

struct sg_trace_head {
    uint64_t magic;
    uint64_t used;                        /* bytes, the head's too */
    uint64_t pid;                         /* of the process */
    uint64_t launches;                    /* kernels that were launched, each one of a graph, too */
    uint64_t records;                     /* of kernels */
    uint64_t strays;                      /* of them: those whose launch was not seen */
    uint64_t early;                       /* of them: those that start before they were launched */
    uint64_t timeless;                    /* of them: those without a time */
    uint64_t dropped;                     /* records, by CUPTI */
    uint64_t graphs;                      /* launches of graphs of which it is not known how many kernels they have */
    uint64_t flags;                       /* enum sg_trace_flag */
    uint64_t cupti;                       /* version; 0: none */
    uint64_t counting, counting_since_ns; /* number of the kernel's name, since when by CLOCK_MONOTONIC; 0: none is counted now */
    char program[64];
    char why[256];    /* behind the flag's words */
    char copies[512]; /* paths of the libraries of CUPTI that it has loaded at its end */
};

/* Ranges of the two sides of a gate, which take turns; what is pushed inside one is part of it. */
#define SG_TRACE_SIDE "solgate:"

enum sg_trace_kind { SG_TRACE_NAME = 1, SG_TRACE_SERIES, SG_TRACE_COUNTS };

struct sg_trace_block {
    uint32_t kind, bytes; /* the block's own too; a multiple of 8 */
};

/* Of an NVTX range or the symbol of a kernel; its number is how many came before it. The first is
 * "", no range. */
struct sg_trace_name {
    struct sg_trace_block block;
    uint64_t code;  /* of a kernel: sum of the digests of the machine codes of that name that were loaded */
    uint64_t codes; /* how many those are; 0: not known */
    uint64_t begun; /* of a range SG_TRACE_SIDE...: how often, and */
    uint64_t turns; /* of those: behind the other side of its case, or as the first */
    char text[];    /* terminated */
};

/* Launches of one kernel of one geometry, called in one range. */
struct sg_trace_series_key {
    uint32_t range, symbol; /* numbers of names */
    uint32_t device;
    uint32_t grid[3], block[3];
    uint32_t registers, static_shared, dynamic_shared, local_bytes; /* a thread, a block, a block, a thread */
    uint32_t in_graph;
};

struct sg_trace_series {
    struct sg_trace_block block;
    struct sg_trace_series_key key;
    uint64_t count, total_ns, first_ns;   /* the last is of its first launch, which loads its code */
    uint64_t random;                      /* state of the choice below */
    uint64_t sample_ns[SG_TRACE_SAMPLES]; /* all of them, or a random choice of the same chance for each */
};

/* What one launch counted, or a range as a whole, which has no symbol; of its key registers,
 * memory but the dynamic one, and in_graph are 0. */
struct sg_trace_counts {
    struct sg_trace_block block;
    struct sg_trace_series_key key;
    double value[]; /* of the counters that were asked for, in their order; NaN: none */
};
