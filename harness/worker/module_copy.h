/*
 * worker/module_copy.h - a module's tables as they were when it was loaded,
 * on pages that cannot be written.
 *
 * A variant runs in the worker's process and knows where its module's tables are: the launch
 * function of its baseline, the family's reference and tolerance, the cases. Nothing that it
 * writes there counts if the worker never looks there again. Copied is all that decides:
 * structs, arrays, names and words.
 * What sg_case.more points to is the family's own business, and stays the module's.
 */
#ifndef SG_WORKER_MODULE_COPY_H
#define SG_WORKER_MODULE_COPY_H

#include "util/err.h"

/* Of a module that keeps the contract. Lives as long as the
 * process, as the module does. SG_SYSTEM. */
enum sg_code sg_module_copy(const struct sg_module *module, const struct sg_module **copy, struct sg_err *err);

#endif
