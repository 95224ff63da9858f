/*
 * cli/cmd_doctor.h - what `solgate doctor` finds, for a command that begins with it.
 */
#ifndef SG_CLI_CMD_DOCTOR_H
#define SG_CLI_CMD_DOCTOR_H

#include "util/err.h"
#include "util/text.h"

/* Appends a line for each thing that measuring on this GPU needs. SG_NO_GPU;
 * SG_INVALID where something is blocked. */
enum sg_code sg_doctor_examine(uint64_t gpu, struct sg_text *out, struct sg_err *err);

#endif
