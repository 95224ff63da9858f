/*
 * util/names.h - a growing list of strings of its own.
 *
 * Invariant: once anything was added, items[count] is NULL, as exec
 * wants it. All zero is an empty list.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "util/err.h"

struct sg_names {
    char **items; /* owned */
    size_t count, capacity;
};

void sg_names_add(struct sg_names *names, const char *name);
void sg_names_addf(struct sg_names *names, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sg_names_add_split(struct sg_names *names, const char *list, char separator); /* the parts of "a,b" */
/* The words of a command as a shell parts them, with quotes and backslashes, and nothing in it that
 * a shell would replace. SG_BAD_USAGE: a quote does not end, or there is no word. */
enum sg_code sg_names_add_command(struct sg_names *names, const char *command, struct sg_err *err);
bool sg_names_have(const struct sg_names *names, const char *name);
const char *sg_names_nearest(const struct sg_names *names, const char *word); /* what a typing error may have stood for; NULL: none */
void sg_names_sort(struct sg_names *names);
void sg_names_release(struct sg_names *names);
