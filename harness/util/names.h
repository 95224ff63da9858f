/*
 * util/names.h - a growing list that owns its strings.
 *
 * Invariant: after the first addition items[count] is NULL, as exec requires. All zero is an empty
 * list.
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
void sg_names_addf(struct sg_names *names, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* the parts of "a,b" */
void sg_names_add_split(struct sg_names *names, const char *list, char separator);
/* Splits a command like a shell, with quotes and backslashes but without expansions.
 * SG_BAD_USAGE: an unterminated quote, or no word. */
enum sg_code sg_names_add_command(struct sg_names *names, const char *command, struct sg_err *err);
bool sg_names_have(const struct sg_names *names, const char *name);
/* The likely intent of a typing error, for a message: ": is it smoke"; "" if nothing is near. */
struct sg_hint {
    char text[96];
};
struct sg_hint sg_names_hint(const struct sg_names *names, const char *word);
void sg_names_sort(struct sg_names *names);
void sg_names_release(struct sg_names *names);
