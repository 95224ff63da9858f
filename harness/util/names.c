#include "util/names.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

/* Takes the string over. */
static void keep(struct sg_names *names, char *name)
{
    names->items = sg_grow(names->items, &names->capacity, names->count + 2, sizeof(*names->items));
    names->items[names->count++] = name;
    names->items[names->count] = NULL;
}

void sg_names_add(struct sg_names *names, const char *name)
{
    keep(names, sg_copy_string(name));
}

void sg_names_addf(struct sg_names *names, const char *format, ...)
{
    struct sg_text name = {0};
    va_list args;
    va_start(args, format);
    sg_text_addv(&name, format, args);
    va_end(args);
    keep(names, name.data);
}

void sg_names_add_split(struct sg_names *names, const char *list, char separator)
{
    const char ends[] = {separator, '\0'};
    char *parts = sg_copy_string(list), *rest = parts;
    for (const char *part; (part = strsep(&rest, ends)) != NULL;)
        sg_names_add(names, part);
    free(parts);
}

bool sg_names_have(const struct sg_names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0)
            return true;
    return false;
}

static int by_string(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

void sg_names_sort(struct sg_names *names)
{
    if (names->count > 0)
        qsort(names->items, names->count, sizeof(*names->items), by_string);
}

void sg_names_release(struct sg_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i]);
    free(names->items);
    *names = (struct sg_names){0};
}
