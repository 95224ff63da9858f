/*
 * device/launch_activity.h - checks that the work of a batch ran inside of its timed intervals.
 * Returns the kernels and times of each launch, or a finding.
 *
 * Pure: takes activity records of the device with times, streams and names; needs no CUDA. A batch
 * on a GPU begins with an opening stamp. For each launch follow the harness's work (inputs, L2), a
 * stamp, the launch, and a stamp. The batch ends on an idle device with a closing stamp. All are on
 * one stream, and every stamp is a kernel with a separate record.
 *
 * Between the two stamps of a launch, all work on their stream belongs to the launch. So does a
 * CUDA graph's work on any stream. Outside of the stamps only the harness works: copies, memory
 * sets and its kernels, on that stream, and not more than it enqueued. Anything else is a finding:
 * work that no time would include. A call that hands work to the host is a finding, and so is a
 * kernel that can launch work from the device (device/device_launches.h). Launches of one batch
 * with different kernels are a finding too. The launching thread does not matter. The warm-up
 * launch of a first batch may set up something on any stream, but only between its stamps.
 * Invariant: without a finding every recorded kernel, copy and memory set is in the time of one
 * launch, or belongs to the harness.
 */
#pragma once

#include "device/device.h"
#include "util/text.h"

/* Names, or prefixes of names, of the harness's kernels. */
#define SG_STAMP_KERNEL   "sg_stamp"
#define SG_READER_KERNEL  "sg_read_flush"
#define SG_DEMOTER_KERNEL "sg_demote_lines"
#define SG_CHECK_KERNELS  "sg_check_"

enum sg_activity_kind { SG_ACTIVITY_KERNEL, SG_ACTIVITY_COPY, SG_ACTIVITY_SET, SG_ACTIVITY_KINDS };

struct sg_activity {
    uint64_t start_ns, end_ns; /* one clock for all activities */
    enum sg_activity_kind kind;
    uint32_t stream, context;
    uint32_t graph;       /* the CUDA graph of the node; 0: none */
    uint32_t correlation; /* id of the call that enqueued it; 0: not known */
    /* a kernel that can launch work from the device, which leaves no record */
    bool may_launch;
    const char *name; /* mangled, for a kernel; borrowed; NULL for others */
    /* Python gates only: SG_CHOICE_SEPARATOR and a kernel in words (results/row_kind.h); borrowed
     */
    const char *launched;
};

bool sg_activity_is_stamp(const struct sg_activity *activity);

struct sg_seen_batch {
    const struct sg_activity *records; /* sorted by start */
    size_t count;
    unsigned launches;                   /* including the warm-up, which comes first */
    bool first;                          /* the first batch since the variant was prepared */
    unsigned harness[SG_ACTIVITY_KINDS]; /* number of activities of the harness, without stamps */
    const char *host_call;               /* a call that hands work to the host; NULL: none */
    struct sg_text *launched; /* gets the different kernels of the last launch; NULL: not wanted */
};

enum sg_misplacement {
    SG_IN_PLACE,       /* no finding */
    SG_STAMPS_FORGED,  /* kernels with the name of the stamps: the start of a launch is not known */
    SG_WORK_ON_HOST,   /* a call that hands work to the host, which leaves no record */
    SG_WORK_OF_DEVICE, /* a kernel that can launch work from the device, which leaves no record */
    SG_WORK_BEFORE,    /* before the first launch's stamp */
    SG_WORK_BEHIND,    /* after a launch's end stamp */
    SG_WORK_ASIDE,     /* on another stream, or in another context */
    SG_WORK_UNEVEN,    /* launches with different kernels */
};

struct sg_judged_batch {
    /* 0: the launch ran nothing */
    uint64_t start_ns[SG_LAUNCHES_MAX + 1], end_ns[SG_LAUNCHES_MAX + 1];
    unsigned kernels;                         /* per launch */
    char kernel_names[SG_KERNEL_NAMES_BYTES]; /* names in the last launch (device/kernel_name.h) */
    enum sg_misplacement finding;
    struct sg_reason why; /* the first finding in words, and the number of others */
};

/* At most SG_LAUNCHES_MAX + 1 launches. SG_STAMPS_FORGED is reported alone. */
void sg_judge_batch(const struct sg_seen_batch *seen, struct sg_judged_batch *judged);
