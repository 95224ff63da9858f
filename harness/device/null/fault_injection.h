/*
 * device/null/fault_injection.h - faults of the simulated GPU, so that every guard of a gate can
 * be seen to fall without a real one.
 *
 * The environment variable SG_FAULT_VARIABLE is a list of PROCESS[.ATTEMPT]:WHAT between blanks;
 * PROCESS may be '*'. WHAT is the word of an event (results/throttle_reasons.h), or one of those
 * below. Pure but for who reads the variable.
 *
 *     SOLGATE_NULL_TROUBLE='2.0:hw_thermal 4:slow' solgate ab null/ok null/slower
 */
#pragma once

#include "util/err.h"

#define SG_FAULT_VARIABLE "SOLGATE_NULL_TROUBLE"
#define SG_FAULT_SLOW     1.02 /* times over what they are otherwise, at the same clock */

struct sg_fault {
    uint64_t events;
    bool others, mig, mps; /* word: what is on the GPU besides */
    bool tenant;           /* another process allocates and frees memory in a loop */
    bool slow;             /* everything takes SG_FAULT_SLOW times as long */
    bool unknown;          /* what the GPU is like is not known */
};

/* The faults that the script gives this process. SG_BAD_USAGE for a wrong script; NULL is an empty
 * one. */
enum sg_code sg_fault_of(const char *script, unsigned process, unsigned attempt, struct sg_fault *fault, struct sg_err *err);
