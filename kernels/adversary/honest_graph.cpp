/*
 * adversary/honest_graph - honest: a graph of the baseline's kernel, launched in the stream of the
 * launch.
 */
#include "adversary_graph.h"

SG_VARIANT(adversary, honest_graph) = {
    .summary = "honest: the baseline's kernel in a graph",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .prepare = adversary_prepare<adversary_graph>,
    .launch = adversary_launch_graph,
    .finish = adversary_finish<adversary_graph>,
};
