/*
 * cli/cmd_doctor.h - what `solgate doctor` finds, for a command that begins with it.
 */
#pragma once

#include "reports/sheet.h"

/* Adds a sheet of what measuring on this GPU needs, a row each with `state` first and `what` last,
 * and one of paths. `gpu_name`: the GPU's name is appended, where there is one; NULL: it is not
 * wanted. SG_NO_GPU; SG_INVALID where something is blocked. */
enum sg_code sg_doctor_examine(uint64_t gpu, struct sg_document *document, struct sg_text *gpu_name, struct sg_err *err);
