/* cli/cmd_doctor.h - the checks of `solgate doctor`, for other commands too. */
#pragma once

#include "reports/sheet.h"
#include "results/env.h"

/* Adds a sheet with requirements for measuring on this GPU, `state` first and `what` last, and a
 * sheet of paths. `facts`, unless NULL, gets the facts of the GPU. SG_NO_GPU; SG_INVALID if
 * something is blocked. */
enum sg_code sg_doctor_examine(uint64_t gpu, struct sg_document *document, struct sg_env *facts,
                               struct sg_err *err);
