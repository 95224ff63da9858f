/* inject/inject.h - shared by the parts of the injected library. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "trace/trace.h"

/* Values of the options (trace/trace.h), set before anything else; NULL: not given. */
extern char *sg_inject_option[SG_TRACE_OPTIONS];
uint64_t sg_inject_now_ns(void); /* monotonic clock */

/* Protects the output, the pending launches, codes and ranges. Never held during a call of CUPTI
 * or the driver, because both call us back. */
extern pthread_mutex_t sg_inject_lock;
/* Returns false in a child forked from a process that used CUDA; the library does nothing there. */
bool sg_inject_is_on(void);

/* Takes the lock until the end of the scope: SG_INJECT_LOCKED; */
void sg_inject_unlock(pthread_mutex_t **lock);
#define SG_INJECT_LOCKED                                                                 \
    __attribute__((cleanup(sg_inject_unlock), unused)) pthread_mutex_t *sg_inject_held = \
        (pthread_mutex_lock(&sg_inject_lock), &sg_inject_lock)
