/*
 * trace/trace.h - the file in which the injected library records one process.
 *
 * The process that runs kernels maps the file. A reader reads the file after the process ended, in
 * whatever way. The head is followed by blocks: names, series of similar launches, and counts.
 * `used` in the head grows when a block is complete; series change in place. Invariant: a launch is
 * counted before it runs, so that missing records show. A file without room for its head has as
 * many bytes as the number of the error (errno).
 */
#pragma once

#include <stdint.h>

#define SG_TRACE_MAGIC     UINT64_C(0x3345434152544753) /* "SGTRACE3" */
#define SG_TRACE_ENDING    ".trace"
#define SG_TRACE_BYTES     (256u << 20) /* of the mapping; the file is as long as its contents */
#define SG_TRACE_SAMPLES   2048         /* 256 were too few for a 99th percentile */
#define SG_TRACE_LATENCIES 64

/* Environment variable with the options of the library, in this order; "": not given. */
#define SG_TRACE_VARIABLE  "SOLGATE_TRACE"
#define SG_TRACE_SEPARATOR "\037" /* after each option */
enum sg_trace_option {
    SG_TRACE_FOLDER,   /* of the traces */
    SG_TRACE_CUPTI,    /* path of libcupti for a process without one, if the loader finds none */
    SG_TRACE_NVTX,     /* the NVTX injection that the user had set */
    SG_TRACE_COUNTERS, /* CUPTI's names, separated by commas; not given: the start times kernels */
    /* selects the counted kernels: pattern of the range; regular expressions of symbols */
    SG_TRACE_RANGE,
    SG_TRACE_KERNEL,
    SG_TRACE_LEFT_OUT, /* not counted */
    SG_TRACE_WHOLE,    /* given: count each range as a whole */
    SG_TRACE_WINDOW,   /* SKIP,COUNT of the matching launches */
    SG_TRACE_OPTIONS
};

/* constant, meaning for the results; a process with one of these flags is incomplete */
#define SG_TRACE_FLAG_TABLE(X)                                                                     \
    X(SG_TRACE_NO_CUPTI, "CUPTI could not be used")                                                \
    X(SG_TRACE_NO_CALLBACKS, "another tool is CUPTI's only subscriber, so launches were not seen") \
    X(SG_TRACE_SWITCHED_OFF, "the program switched CUPTI off (cuptiFinalize) while it was in use") \
    X(SG_TRACE_NO_COUNTERS, "counters could not be read")                                          \
    X(SG_TRACE_FULL, "the trace could not be written")

#define X(constant, words) constant##_BIT,
enum { SG_TRACE_FLAG_TABLE(X) SG_TRACE_CLOSED_BIT };
#undef X
#define X(constant, words) constant = 1 << constant##_BIT,
enum sg_trace_flag {
    SG_TRACE_FLAG_TABLE(X) SG_TRACE_CLOSED = 1 << SG_TRACE_CLOSED_BIT /* the exit handlers ran */
};
#undef X

struct sg_trace_head {
    uint64_t magic;
    uint64_t used;     /* bytes, including the head */
    uint64_t pid;      /* process id */
    uint64_t launches; /* kernels launched, including each kernel of a graph */
    uint64_t records;  /* kernel records */
    uint64_t strays;   /* records whose launch was not seen */
    uint64_t early;    /* records that start before their launch */
    uint64_t timeless; /* records without a time */
    uint64_t dropped;  /* records dropped by CUPTI */
    uint64_t graphs;   /* launches of graphs with an unknown number of kernels */
    uint64_t flags;    /* enum sg_trace_flag */
    uint64_t cupti;    /* version; 0: none */
    /* name number of the kernel being counted, 0: none; begin of the counting by CLOCK_MONOTONIC */
    uint64_t counting, counting_since_ns;
    char program[64];
    char why[256];    /* appended to the words of the flag */
    char copies[512]; /* paths of the CUPTI libraries loaded at the end of the process */
};

/* Prefix of the ranges of a gate's two sides, which alternate. Inner ranges belong to a side. */
#define SG_TRACE_SIDE "solgate:"

enum sg_trace_kind { SG_TRACE_NAME = 1, SG_TRACE_SERIES, SG_TRACE_COUNTS };

struct sg_trace_block {
    uint32_t kind, bytes; /* including this struct; a multiple of 8 */
};

/* The name of an NVTX range or the symbol of a kernel. Names are numbered from 0 in order of the
 * file. Name 0 is "", no range. */
struct sg_trace_name {
    struct sg_trace_block block;
    uint64_t code;  /* kernel: sum of the digests of all loaded machine codes of that name */
    uint64_t codes; /* number of those codes; 0: not known */
    uint64_t begun; /* for a range SG_TRACE_SIDE...: how often the range began */
    uint64_t turns; /* how often it began first or after the other side of its case */
    char text[];    /* terminated */
};

/* Key of the launches of one kernel with one geometry in one range. */
struct sg_trace_series_key {
    uint32_t range, symbol; /* name numbers */
    uint32_t device;
    uint32_t grid[3], block[3];
    /* per thread, per block, per block, per thread */
    uint32_t registers, static_shared, dynamic_shared, local_bytes;
    uint32_t in_graph;
};

struct sg_trace_series {
    struct sg_trace_block block;
    struct sg_trace_series_key key;
    /* first_ns: time of the first launch, which loads the code */
    uint64_t count, total_ns, first_ns;
    uint64_t random; /* random state for the choice of samples */
    /* all samples, or SG_TRACE_SAMPLES chosen at random, different ones in each process */
    float sample_ns[SG_TRACE_SAMPLES];
    uint64_t idle; /* launches after the first, on a device where all earlier kernels had ended */
    /* from the launch call to the start of the kernel: all, or a random sample like sample_ns */
    float latency_ns[SG_TRACE_LATENCIES];
};

/* Counters of one launch, or of a range as a whole, which has no symbol. In the key, registers,
 * static and local memory, and in_graph are 0. */
struct sg_trace_counts {
    struct sg_trace_block block;
    struct sg_trace_series_key key;
    double value[]; /* values of the requested counters, in their order; NaN: no value */
};
