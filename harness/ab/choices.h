/*
 * ab/choices.h - the kernels that each start of one side chose, and the decision between the most
 * frequent choices of two sides. A tuner or a library may choose other kernels in each start.
 *
 * Pure, except that a named kernel of Triton gets the constants of Triton's cache
 * (ab/triton_cache.h).
 */
#pragma once

#include "stats/sequential.h"
#include "util/intern.h"
#include "util/text.h"

struct sg_choices {
    struct sg_intern_pool *kernels; /* owned; in words */
    uint32_t *in;                   /* owned; by number of the kernel: one bit for each start */
    size_t capacity;
    unsigned starts;                       /* 0: not known */
    double y[SG_SEQUENTIAL_PROCESSES_MAX]; /* ln of the time or energy of each start */
};
void sg_choices_release(struct sg_choices *choices);
/* The start launched this kernel: a launch in words (results/row_kind.h). */
void sg_choices_add(struct sg_choices *choices, unsigned start, const char *kernel);

/* Adds "tiled, grid (8, 1, 1), ... in 6 of 10 starts; tiled, grid (16, 1, 1), ... in 4 of 10
 * starts", the most frequent choice first; nothing if all starts chose the same. */
void sg_choices_name(const struct sg_choices *choices, struct sg_text *out);
/* If starts of a side chose differently: adds the choices of both sides, and the decision between
 * the starts with the most frequent choice of each side. is_paired: the sides share each start. */
void sg_choices_add_pinned(const struct sg_choices *baseline, const struct sg_choices *candidate,
                           bool is_paired, double tolerance, struct sg_text *out);
