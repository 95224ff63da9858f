/*
 * inject/inject.h - what the parts of the injected library share.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>

/* Of the output, the launches that are under way, codes and ranges. Never held while CUPTI or the
 * driver is called, for both call us back. */
extern pthread_mutex_t sg_inject_lock;
/* false: this process is a child that was forked from one that used CUDA, and does nothing. */
bool sg_inject_is_on(void);

/* Behind a lock that a scope holds: SG_INJECT_LOCKED; */
void sg_inject_unlock(pthread_mutex_t **lock);
#define SG_INJECT_LOCKED                                                                 \
    __attribute__((cleanup(sg_inject_unlock), unused)) pthread_mutex_t *sg_inject_held = \
        (pthread_mutex_lock(&sg_inject_lock), &sg_inject_lock)
