/*
 * adversary_host.h - the work of a launch on the CPU: pinned copies of the inputs and of y, and the
 * sums.
 */
#ifndef ADVERSARY_HOST_H
#define ADVERSARY_HOST_H

#include "adversary.h"

struct adversary_host : adversary {
    float *w, *x, *y; /* pinned */
    int64_t rows, cols;

    enum sg_status set_up(const struct sg_launch *l, struct sg_reason *why);
    void tear_down();
};

void adversary_host_take(const struct sg_launch *l, cudaStream_t stream); /* inputs to the host */
void adversary_host_compute(const struct adversary_host *host);
void adversary_host_give(const struct sg_launch *l, cudaStream_t stream); /* y to the device */

#endif
