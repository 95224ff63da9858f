/*
 * injected/exact - the chain and the copy, with nothing added.
 *
 * The baseline that every slowdown is held against, and, paired with itself, a
 * kernel whose true change is zero.
 */
#include "injected.cuh"

SG_VARIANT(injected, exact) = {
    .summary = "nothing added",
    .role = SG_BASELINE,
    .deterministic = true,
    .launch = injected_work<0>,
};
