/*
 * facts.h - what is known of a variant before anything runs: what it says of itself, what the compiler made of it, and the note that its
 * preparation left (kernels/solgate_kernel.h, struct sg_fact).
 *
 * Invariant: what the variant says is not taken on trust: nothing goes out that could be mistaken for a measured number.
 */
#ifndef SG_FACTS_H
#define SG_FACTS_H

#include "device.h"
#include "say.h"

/* SG_BAD_INPUT names the fact, what was expected and what was found. */
enum sg_code sg_facts_check(const struct sg_target *target, struct sg_err *err);
/* A row each. After the check. */
void sg_facts_say(struct sg_say *say, const struct sg_target *target, const struct sg_runnable *runnable);

#endif
