/*
 * worker/variant_facts.h - what is known of a variant without measuring: what it says of itself and
 * of a case before anything runs (struct sg_fact of kernels/solgate_kernel.h), how its knobs are
 * set, what it is made of, and the note that its preparation left.
 *
 * Invariant: what a variant says is not taken on trust: nothing goes out that could
 * be mistaken for a measured number.
 */
#pragma once

#include "device/device.h"
#include "worker/protocol_writer.h"

/* SG_BAD_INPUT names the fact, what was expected and what was found. */
enum sg_code sg_variant_facts_check(const struct sg_target *target, struct sg_err *err);
/* A row each. After the check. */
void sg_variant_facts_emit(struct sg_emitter *emitter, const struct sg_target *target, const struct sg_runnable *runnable);
/* What it is made of (results/identity.h); `module` is the path of its module, `device` what it
 * runs on. Once, when it has been launched and is not finished yet. */
struct sg_built_module {
    const char *path;   /* NULL: it is no file */
    const char *digest; /* of what was built (plan/built_difference.h); NULL: it is read */
};
void sg_variant_identity_add(const struct sg_target *target, const struct sg_built_module *module, struct sg_device *device,
                             struct sg_text *out);
