/*
 * worker/gpu_monitor.h - what the GPU is like while a time pass measures, and the drift references
 * at its start and end (docs/guards.md).
 *
 * Invariant: what it cannot find out it does not say, and never costs an item; an item's
 * time is over when the end is said.
 */
#pragma once

#include "results/validity.h"
#include "worker/session.h"

/*
 * Finds the drift references of the order, if it names their module, among those loaded, or
 * loads it: items of their cases share their buffers. `loaded` must stay. SG_BAD_INPUT,
 * SG_BAD_USAGE: the module does not hold them.
 */
enum sg_code sg_watch_open(struct sg_watch *watch, const struct sg_order *order, const struct sg_modules *loaded, struct sg_err *err);
void sg_watch_release(struct sg_watch *watch);

/* Takes and fills the buffers of the drift references, which sg_watch_report needs. */
void sg_watch_prepare(struct sg_pass *pass);
/* Before the first item and behind the last one: says the figures, and the events so far. */
enum sg_code sg_watch_report(struct sg_pass *pass, enum sg_moment moment, struct sg_err *err);
/* Behind every item: which events and how many other processes there are now. */
void sg_watch_item(struct sg_pass *pass);
