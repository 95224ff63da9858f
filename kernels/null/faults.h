/*
 * faults.h - mistakes that variants of the null family make: broken ones always, right ones on
 * demand, so that tests can have any fault of any variant in any pass.
 *
 *     SG_NULL_FAULT=VARIANT=FAULT@PASS[,...]    SG_NULL_FAULT=ok=crash@time,slower=hang@count
 *
 * PASS is verify, time, count or any; faults.c has the table of faults. A fault of launches begins
 * at the first launch of a verify or count pass, and after the warm-up of a time pass. With
 * SG_NULL_FAULT_ONE_IN=N a launch has it by chance, one in N. SG_NULL_FAULT_LOG names a file that
 * gets a line for each launch that has it; with SG_NULL_FAULT_TIMES=N at most N launches have it. A
 * specification that is no such list makes `prepare` refuse with launch_failed and the reason.
 */
#ifndef SG_NULL_FAULTS_H
#define SG_NULL_FAULTS_H

#include "null.h"

/* `does`: FAULT@PASS, what the variant does unless SG_NULL_FAULT gives it another fault. */
enum sg_status null_prepare_faults(const char *variant, const char *does, void **state,
                                   struct sg_reason *why);
void null_launch_or_fault(const struct sg_launch *l);
void null_finish_faults(void *state);

/* A variant with a fault of its own; then its other fields. */
#define NULL_BROKEN(name, does, ...)                                                              \
    static enum sg_status prepare(const struct sg_launch *l, void **state, struct sg_reason *why) \
    {                                                                                             \
        (void)l;                                                                                  \
        return null_prepare_faults(#name, does, state, why);                                      \
    }                                                                                             \
    SG_VARIANT(null, name) = {.prepare = prepare,                                                 \
                              .launch = null_launch_or_fault,                                     \
                              .finish = null_finish_faults,                                       \
                              __VA_ARGS__}

/* A variant that is right unless SG_NULL_FAULT names it. */
#define NULL_RIGHT(name, ...) NULL_BROKEN(name, "none@any", .deterministic = true, __VA_ARGS__)

#endif
