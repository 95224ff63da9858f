/*
 * tables.h - what a module tells of itself, for variants of null_adversary that write to it while
 * they are timed.
 */
#ifndef NULL_ADVERSARY_TABLES_H
#define NULL_ADVERSARY_TABLES_H

#include "solgate_kernel.h"

/*
 * Overwrites an object of the module's tables with `bytes` of `with`. Only in a time pass, and only
 * if the pages can be made writable; else the object is as it was.
 */
void tables_write(const void *object, const void *with, size_t bytes);

/* By its name; NULL: the family has no such variant. */
const struct sg_variant *tables_variant(const char *name);

#endif
