/*
 * device/kernel_name.h - kernels by their names in the source, with the number of runs.
 *
 * Pure. Shows a name without parameters and template arguments. A kernel is not a class member, so
 * its mangled name consists of namespaces and the function. Two instances of one template are two
 * kernels.
 */
#pragma once

#include <stddef.h>

#define SG_KERNEL_NAME_BYTES 64

struct sg_kernel_name {
    char text[SG_KERNEL_NAME_BYTES]; /* ends with "..." if truncated */
};

/* "_ZN7cutlass13device_kernelI...E" becomes cutlass::device_kernel. A name that is not mangled
 * stays; NULL becomes "of no name". */
struct sg_kernel_name sg_kernel_name(const char *mangled);
#define SG_NAMELESS_SPACE                                                                          \
    "_GLOBAL__N_" /* what the identifier of a nameless namespace begins with; file and hash follow \
                   */
/* For internal linkage: the name after the file and the hash, which change with the build. */
const char *sg_kernel_without_file(const char *mangled);

#define SG_KERNEL_NAMES_MAX 16

struct sg_kernel_names {
    struct {
        const char *mangled; /* borrowed */
        unsigned times;
    } item[SG_KERNEL_NAMES_MAX]; /* in the order of their first run */
    size_t count;
    unsigned others; /* runs of kernels beyond the size of `item` */
};

void sg_kernel_names_add(struct sg_kernel_names *names, const char *mangled);
unsigned sg_kernel_names_times(const struct sg_kernel_names *names, const char *mangled);
/* "reduce x2; splitk": kernels with the same shown name count together. Truncated with "...". */
void sg_kernel_names_format(const struct sg_kernel_names *names, char *out, size_t size);
