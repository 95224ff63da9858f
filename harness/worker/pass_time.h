/*
 * worker/pass_time.h - times a candidate and its family's baseline in turn (docs/method.md 2), in
 * this process.
 *
 * Both are prepared on the same buffers; the order of preparation alternates between processes.
 * After one warm-up batch per side come the order's blocks of four batches, ABBA or BAAB by
 * sg_abba_coin(seed of the run, process, block). So the seed tells which batches were the
 * candidate's, even if both sides are the same variant (the A/A pair). Invariant: samples are
 * reported only when all of them are taken.
 */
#pragma once

#include "worker/session.h"

/* Reports the samples of an item; the caller reports any outcome other than SG_OK. */
enum sg_code sg_time_item(struct sg_pass *pass, const struct sg_target *target,
                          struct sg_outcome *outcome, struct sg_err *err);

/* Allocates and fills the buffers of the target's case without running code of its variants. Does
 * not keep buffers that are too large to coexist with those of other processes. */
void sg_time_prepare(struct sg_pass *pass, const struct sg_target *target);
