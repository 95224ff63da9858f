/*
 * worker/pass_verify.h - is a variant right? docs/formats.md says what is answered,
 * kernels/solgate_kernel.h what the outcomes mean.
 *
 * Three fresh seeds of inputs; then, of a variant that claims it, repeats of the launch of the
 * third, all of which must give the same bits; and, where the family says that small integers
 * are exact, those, which must match bit for bit. A repeat is compared on the device with a
 * copy of what came before, which takes as much memory as the outputs, and SG_OOM is the
 * outcome where there is none. Before each launch outputs are poisoned and guards renewed.
 * When several things are wrong with one launch the gravest is reported: fault, overrun,
 * unwritten, nan, wrong, nondeterministic.
 */
#pragma once

#include "worker/session.h"

#define SG_VERIFY_SEEDS   3
#define SG_VERIFY_REPEATS 20

/*
 * Says the status, the work, the error (the largest of the seeds) and the facts
 * (worker/variant_facts.h) of an item that is right; of one whose outputs are wrong the status
 * (outcome->is_reported) and how they are (worker/error_report.h), for which it is launched twice
 * more. Any other outcome is the caller's to say.
 */
enum sg_code sg_verify_item(struct sg_pass *pass, const struct sg_target *target, struct sg_outcome *outcome, struct sg_err *err);
/* A row for each number of the work of its case. */
void sg_emit_work(struct sg_emitter *emitter, const struct sg_target *target);
