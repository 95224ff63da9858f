/*
 * worker/pass_verify.h - verifies a variant. docs/formats.md describes the reports,
 * kernels/solgate_kernel.h the outcomes.
 *
 * There are three fresh seeds of inputs. A variant that claims to be deterministic then repeats the
 * launch of the third seed; all repeats must give the same bits. If the family says that small
 * integers are exact, their result must match bit for bit. Repeats are compared on the device with
 * a copy of the outputs; SG_OOM if the device cannot hold the copy. Before each launch outputs are
 * poisoned. Guards are renewed too, except for repeats whose poison reaches no guard. If several
 * things are wrong with one launch, the gravest is reported: fault, overrun, unwritten, nan, wrong,
 * nondeterministic.
 */
#pragma once

#include "worker/session.h"

#define SG_VERIFY_SEEDS   3
#define SG_VERIFY_REPEATS 20

/* For a correct item, reports the status, the work, the error (the largest of the seeds) and the
 * facts (worker/variant_facts.h). For wrong outputs, reports the status (outcome->is_reported) and
 * how they are wrong (worker/error_report.h), after up to two more launches. The caller reports any
 * other outcome. */
enum sg_code sg_verify_item(struct sg_pass *pass, const struct sg_target *target,
                            struct sg_outcome *outcome, struct sg_err *err);
/* Reports a row for each number of the work of the target's case. */
void sg_emit_work(struct sg_emitter *emitter, const struct sg_target *target);
