#include "util/names.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

/* Takes ownership of the string. */
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

/* Appends the word at *at and moves *at to its end. Returns false if a quote or a backslash is
 * not complete. */
static bool add_command_word(struct sg_text *word, const char **at)
{
    char quote = '\0';
    const char *c = *at;
    for (; *c && (quote || !strchr(" \t\n", *c)); c++) {
        const bool is_escape = *c == '\\' && quote != '\'' && (!quote || strchr("\"\\$`", c[1]));
        if (is_escape && c[1] == '\0')
            return false;
        if (is_escape)
            sg_text_add_bytes(word, ++c, 1);
        else if (quote ? *c == quote : *c == '\'' || *c == '"')
            quote = quote ? '\0' : *c;
        else
            sg_text_add_bytes(word, c, 1);
    }
    *at = c;
    return !quote;
}

enum sg_code sg_names_add_command(struct sg_names *names, const char *command, struct sg_err *err)
{
    for (const char *at = command + strspn(command, " \t\n"); *at; at += strspn(at, " \t\n")) {
        SG_SCOPED(sg_text) word = {0};
        if (!add_command_word(&word, &at))
            return sg_fail(err, SG_BAD_USAGE, NULL,
                           "expected a command with closed quotes, found "
                           "%s",
                           sg_show_string(command).text);
        sg_names_add(names, sg_text_string(&word));
    }
    if (names->count == 0)
        return sg_fail(err, SG_BAD_USAGE, NULL, "expected a command, found '%s'",
                       sg_show_string(command).text);
    return SG_SUCCESS;
}

bool sg_names_have(const struct sg_names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0)
            return true;
    return false;
}

/* Number of letters that differ or are shifted by one, after removing the common prefix and
 * suffix. A transposition counts as one if nothing else differs. */
static size_t distance(const char *a, const char *b)
{
    size_t m = strlen(a), n = strlen(b);
    while (*a && *a == *b)
        a++, b++, m--, n--;
    while (m > 0 && n > 0 && a[m - 1] == b[n - 1])
        m--, n--;
    if (m == 2 && n == 2 && a[0] == b[1] && a[1] == b[0])
        return 1;
    return m > n ? m : n;
}

struct sg_hint sg_names_hint(const struct sg_names *names, const char *word)
{
    struct sg_hint hint = {""};
    size_t least = 3; /* a larger distance is another word */
    for (size_t i = 0; i < names->count; i++) {
        const size_t d = distance(names->items[i], word);
        if (d < least && 2 * d < strlen(names->items[i])) {
            least = d;
            snprintf(hint.text, sizeof(hint.text), ": is it %s", names->items[i]);
        }
    }
    return hint;
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
