/*
 * known.h - what is known of a variant without measuring: what it says of itself and of a case before anything runs (struct sg_fact of
 * kernels/solgate_kernel.h), how its knobs are set, the note that its preparation left, and what the compiler made of its kernels (struct
 * sg_kernel_build).
 *
 * Invariant: what a variant says is not taken on trust: nothing goes out that could be mistaken for a measured number. What the build does
 * not tell of a kernel is NaN for the whole launch, never 0.
 */
#ifndef SG_KNOWN_H
#define SG_KNOWN_H

#include "device.h"
#include "say.h"

/* SG_BAD_INPUT names the fact, what was expected and what was found. */
enum sg_code sg_known_check(const struct sg_target *target, struct sg_err *err);
/* A row each. After the check. */
void sg_known_say(struct sg_say *say, const struct sg_target *target, const struct sg_runnable *runnable);

/* The compiler's part of a launch's facts: of no kernel yet, or of kernels that nobody knows anything of. */
void sg_known_no_kernel(struct sg_launch_facts *facts);
void sg_known_nothing(struct sg_launch_facts *facts);
/* Adds the kernel with this (mangled) name. `kernels` is the module's list, NULL if it has none; so may be the name. */
void sg_known_add_kernel(struct sg_launch_facts *facts, const struct sg_kernel_build *kernels, const char *name);

#endif
