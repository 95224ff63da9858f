/*
 * worker/pass_time.h - a candidate and its family's baseline in turns
 * (docs/method.md 2), in this process.
 *
 * Both are prepared on the same buffers; which one first alternates with the process. After one
 * batch each to warm up come the order's blocks of four batches, ABBA or BAAB by sg_abba_coin(seed
 * of the run, process, block): so the seed tells which batches were the candidate's,
 * even where both are the same variant (the A/A pair).
 * Invariant: samples are said only when all of them are there.
 */
#pragma once

#include "worker/session.h"

/* Says the samples of an item; any outcome but SG_OK is left to the caller. */
enum sg_code sg_time_item(struct sg_pass *pass, const struct sg_target *target, struct sg_outcome *outcome, struct sg_err *err);

/* Takes and fills the buffers of its case, without code of its variants, where they are not too
 * many to stand beside those of other processes. */
void sg_time_prepare(struct sg_pass *pass, const struct sg_target *target);
