/*
 * injected/spin_025 - 0.25 % of the case's nominal time spun away: by a chain
 * before its work, by a copy behind it.
 *
 * Against exact: the same sectors and bytes; only thread 0 of a block issues more, the others
 * stall at the barrier, and time grows.
 */
#include "injected.cuh"

SG_VARIANT(injected, spin_025) = {
    .summary = "0.25 % of the time spun away",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .launch = injected_spin<25>,
};
