/*
 * worker/gpu_monitor.h - the state of the GPU during a time pass, and the drift references at its
 * start and end (docs/guards.md).
 *
 * Invariant: unknown figures are omitted and never fail an item. When the figures of the end are
 * reported, all items have been timed.
 */
#pragma once

#include "results/validity.h"
#include "worker/session.h"

/* Finds or loads the module of the drift references, if the order names one. Items of the
 * references' cases share the references' buffers. `loaded` must outlive *watch. SG_BAD_INPUT or
 * SG_BAD_USAGE: the module lacks the references. */
enum sg_code sg_watch_open(struct sg_watch *watch, const struct sg_order *order,
                           const struct sg_modules *loaded, struct sg_err *err);

/* Allocates and fills the buffers of the drift references, for sg_watch_report. */
void sg_watch_prepare(struct sg_pass *pass);
/* Reports the figures, and the events so far, before the first item and after the last one. */
enum sg_code sg_watch_report(struct sg_pass *pass, enum sg_moment moment, struct sg_err *err);
/* Call after every item: reads the events and the number of other processes. */
void sg_watch_item(struct sg_pass *pass);
