/*
 * worker/variant_facts.h - facts of a variant that need no measurement: its own facts about a case
 * (struct sg_fact of kernels/solgate_kernel.h), its knobs, its identity, and the note of its
 * preparation.
 *
 * Invariant: facts of a variant are not trusted: none is reported that could be mistaken for a
 * measured number.
 */
#pragma once

#include "device/device.h"
#include "worker/protocol_writer.h"

/* SG_BAD_INPUT names the fact, the expected and the found value. */
enum sg_code sg_variant_facts_check(const struct sg_target *target, struct sg_err *err);
/* Reports a row for each fact. Call sg_variant_facts_check first. */
void sg_variant_facts_emit(struct sg_emitter *emitter, const struct sg_target *target,
                           const struct sg_runnable *runnable);
/* What the variant is made of (results/identity.h); `module` is its module's file, `device` the
 * device it runs on. Call this once, after launches and before `finish`. */
struct sg_built_module {
    const char *path; /* NULL: not a file */
    const char
        *digest; /* digest of the build (plan/built_difference.h); NULL: compute it from the file */
};
void sg_variant_identity_add(const struct sg_target *target, const struct sg_built_module *module,
                             struct sg_device *device, struct sg_text *out);
