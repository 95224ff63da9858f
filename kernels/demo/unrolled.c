/*
 * demo/unrolled - eight elements a thread. This is the one that regresses: since its numbers were
 * accepted it needs more registers than it has and spills in the case n64k, which costs 6 %.
 * With SG_DEMO=accepted it is what it was then.
 */
#include "demo.h"

DEMO_VARIANT(unrolled, .summary = "eight elements a thread; spills since it was accepted");
