/*
 * device/device_launches.h - which kernels can launch work from the device.
 *
 * What a kernel launches leaves no activity record: another kernel (dynamic parallelism: tail
 * launch, fire and forget, copies and memory sets of the device) or a graph that was made ready for
 * the device. So it is read from the machine code. Such a launch is a call of the driver by a
 * symbol that the cubin leaves undefined, and the cubin lists which function calls which, takes
 * whose address, and calls by pointer what is of which prototype. A kernel can launch if any path
 * of calls leads from it to such a symbol. Setting the condition of a graph's node is no launch.
 *
 * Pure: cubins go in, names come out. Invariant: bytes that are no cubin, or a damaged one, add
 * nothing and are not read beyond their end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sg_intern_pool;

/* Adds the functions of a cubin that can launch, kernels among them, by their mangled names. */
void sg_device_launches_note(struct sg_intern_pool **names, const void *cubin, size_t bytes);
