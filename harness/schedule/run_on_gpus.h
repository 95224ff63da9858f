/*
 * schedule/run_on_gpus.h - a run on several GPUs of this machine.
 *
 * Each GPU gets a child `solgate run` for a part of the suite, in RUN/parts. A GPU that is done
 * takes the next part; at the end the parts are merged to RUN. A case stays on the GPU that began
 * it. A GPU that fails leaves the pool, and its unfinished part goes to the others. The folders of
 * the parts are the only state: a killed run is resumed from them.
 */
#pragma once

#include "run/run.h"

/* sg_run_suite, on the GPUs of options->gpus if it names several. */
enum sg_code sg_run_on_gpus(const struct sg_run_options *options, struct sg_run_outcome *outcome,
                            struct sg_err *err);
