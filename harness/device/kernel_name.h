/*
 * device/kernel_name.h - kernels by the names of their sources, and how often each ran.
 *
 * Pure. A name is shown without its parameters and template arguments: a kernel is no member of a
 * class, so what stands before them in a mangled name are namespaces and the function. Two
 * instances of one template are two kernels.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define SG_KERNEL_NAME_BYTES 64

struct sg_kernel_name {
    char text[SG_KERNEL_NAME_BYTES]; /* ends with "..." if it was cut */
};

/*
 * "_ZN7cutlass13device_kernelI...E" is cutlass::device_kernel; a name that is not mangled stays;
 * NULL is "of no name".
 */
struct sg_kernel_name sg_kernel_name(const char *mangled);
#define SG_NAMELESS_SPACE "_GLOBAL__N_" /* what the identifier of a nameless namespace begins with; file and hash follow */
/* Of internal linkage: behind the file and the hash, which change with the build. */
const char *sg_kernel_without_file(const char *mangled);

#define SG_KERNEL_NAMES_MAX 16

struct sg_kernel_names {
    struct {
        const char *mangled; /* borrowed */
        unsigned times;
    } item[SG_KERNEL_NAMES_MAX]; /* in the order in which they first ran */
    size_t count;
    unsigned others; /* kernels of names for which there was no room */
};

void sg_kernel_names_add(struct sg_kernel_names *names, const char *mangled);
/* How often one of them ran. */
unsigned sg_kernel_names_times(const struct sg_kernel_names *names, const char *mangled);
/* "reduce x2; splitk": those that are shown alike are one. Cut with "..." where it does not fit. */
void sg_kernel_names_format(const struct sg_kernel_names *names, char *out, size_t size);
