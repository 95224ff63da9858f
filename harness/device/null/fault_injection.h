/*
 * device/null/fault_injection.h - faults of the simulated GPU, to test every guard of a gate
 * without a real fault.
 *
 * The environment variable SG_FAULT_VARIABLE is a list of [GPU/]PROCESS[.ATTEMPT]:FAULT separated
 * by blanks; PROCESS may be '*'. FAULT is the word of an event (results/throttle_reasons.h), or a
 * word below. GPU is the name of a simulated GPU; without it all are meant. Pure except for reading
 * the variable.
 *
 *     SOLGATE_NULL_TROUBLE='2.0:hw_thermal null4/4:slow' solgate ab null/ok null/slower
 */
#pragma once

#include "util/err.h"

#define SG_FAULT_VARIABLE "SOLGATE_NULL_TROUBLE"
#define SG_FAULT_SLOW     1.02 /* factor on all times, at the same clock */

struct sg_fault {
    uint64_t events;
    bool others, mig, mps; /* word: other work on the GPU */
    bool tenant;           /* another process allocates and frees memory in a loop */
    bool slow;             /* all times are SG_FAULT_SLOW times as long */
    bool unknown;          /* the state of the GPU is not known */
    bool lost;             /* the GPU is lost from here on, see SG_NULL_LOST_VARIABLE */
};

/* A folder. A GPU whose name is a file there is lost: it cannot be opened, and its launches fail.
 */
#define SG_NULL_LOST_VARIABLE "SOLGATE_NULL_LOST"

/* The faults of this process of this GPU in the script. SG_BAD_USAGE for an invalid script; NULL is
 * an empty one. */
enum sg_code sg_fault_of(const char *script, const char *unit, unsigned process, unsigned attempt,
                         struct sg_fault *fault, struct sg_err *err);
