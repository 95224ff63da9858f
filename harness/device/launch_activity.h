/*
 * device/launch_activity.h - was the work of a batch where it is timed? What each launch of it ran,
 * from when to when, or what stands against it.
 *
 * Pure: activity records of the device go in, each with its times, its stream and its name; nothing
 * here needs CUDA. A batch on a GPU is a stamp that opens it, then for each launch the harness's
 * own work (inputs, L2), a stamp, the launch, a stamp, and at last, when the device is idle again,
 * a stamp that closes it; all on one stream, and every stamp is a kernel with a record of its own.
 *
 * Between the two stamps of a launch, whatever runs on their stream is the launch's, and so is what
 * a CUDA graph runs on any stream. Outside of them only the harness works: copies, memory sets and
 * the kernels of its names, on that stream, and no more of them than it enqueued. Anything else is
 * a finding: work that no time would hold. So are a call that hands work to the host, a kernel that
 * can launch work from the device (device/device_launches.h), and launches of one batch that do not
 * run the same kernels as often. Which thread launched does not matter. The warm-up launch of a
 * first batch may set something up: on any stream, but between its stamps.
 * Invariant: without a finding every kernel, copy and memory set of the records is in the time of
 * one launch, or is the harness's.
 */
#pragma once

#include "device/device.h"

/* Kernels of the harness, by their names: all that begin like this. */
#define SG_STAMP_KERNEL   "sg_stamp"
#define SG_READER_KERNEL  "sg_read_flush"
#define SG_DEMOTER_KERNEL "sg_demote_lines"
#define SG_CHECK_KERNELS  "sg_check_"

enum sg_activity_kind { SG_ACTIVITY_KERNEL, SG_ACTIVITY_COPY, SG_ACTIVITY_SET, SG_ACTIVITY_KINDS };

struct sg_activity {
    uint64_t start_ns, end_ns; /* one clock for all */
    enum sg_activity_kind kind;
    uint32_t stream, context;
    uint32_t graph;       /* the CUDA graph that it is a node of; 0: none */
    uint32_t correlation; /* with the call that enqueued it; 0: not known */
    bool may_launch;      /* a kernel that can launch work from the device, which leaves no record */
    const char *name;     /* of a kernel, mangled; borrowed; NULL of others */
};

bool sg_activity_is_stamp(const struct sg_activity *activity);

/* A batch as the records show it. */
struct sg_seen_batch {
    const struct sg_activity *records; /* sorted by start */
    size_t count;
    unsigned launches;                   /* the warm-up one is the first of them */
    bool first;                          /* of this preparation of the variant */
    unsigned harness[SG_ACTIVITY_KINDS]; /* enqueued between the launches, but stamps */
    const char *host_call;               /* one that hands work to the host; NULL: none */
};

/* What can stand against a batch. */
enum sg_misplacement {
    SG_IN_PLACE,       /* nothing does */
    SG_STAMPS_FORGED,  /* kernels called like the stamps: it is not known where a launch begins */
    SG_WORK_ON_HOST,   /* a call that hands work to the host, which leaves no record */
    SG_WORK_OF_DEVICE, /* a kernel that can launch work from the device, which leaves none either */
    SG_WORK_BEFORE,    /* before the stamp of the first launch */
    SG_WORK_BEHIND,    /* behind the end stamp of a launch */
    SG_WORK_ASIDE,     /* on another stream, or in another context */
    SG_WORK_UNEVEN,    /* other kernels in one launch than in another */
};

struct sg_judged_batch {
    uint64_t start_ns[SG_LAUNCHES_MAX + 1], end_ns[SG_LAUNCHES_MAX + 1]; /* 0: it ran nothing */
    unsigned kernels;                                                    /* of one launch */
    char kernel_names[SG_KERNEL_NAMES_BYTES];                            /* of the last launch (device/kernel_name.h) */
    enum sg_misplacement finding;
    struct sg_reason why; /* the first of them in words, and how many more there are */
};

/* At most SG_LAUNCHES_MAX + 1 launches. With SG_STAMPS_FORGED nothing else is reported. */
void sg_judge_batch(const struct sg_seen_batch *seen, struct sg_judged_batch *judged);
