/*
 * device/device_launches.h - finds the kernels that can launch work from the device.
 *
 * A launch from a kernel leaves no activity record. It may be another kernel (dynamic parallelism:
 * tail launch, fire and forget, copies and memory sets of the device), or a graph instantiated for
 * the device. So this file reads the machine code. Such a launch calls the driver through an
 * undefined symbol of the cubin. The cubin lists the calls between functions, the functions whose
 * address is taken, and the calls through pointers with their prototypes. A kernel can launch if
 * any path of calls leads to such a symbol. Setting the condition of a graph node is not a launch.
 *
 * Pure: cubins in, names out. Invariant: bytes that are not a cubin, or a damaged cubin, add
 * nothing and are not read beyond their end.
 */
#pragma once

#include <stddef.h>

struct sg_intern_pool;

/* Adds the mangled names of all functions in a cubin, including kernels, that can launch work. */
void sg_device_launches_note(struct sg_intern_pool **names, const void *cubin, size_t bytes);
