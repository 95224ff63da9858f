#include "device/kernel_name.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUT      "..."
#define NAMELESS "without a name"
/* <length>__<file and hash><name>: internal linkage in linked code */
#define LINKED "__nv_static_"

/* A text of limited size that ends with CUT if truncated. */
struct line {
    char *out;
    size_t size, length;
};

static void add(struct line *line, const char *more, size_t length)
{
    const size_t room = line->size - 1 - line->length;
    const size_t taken = length < room ? length : room;
    memcpy(line->out + line->length, more, taken);
    line->length += taken;
    line->out[line->length] = '\0';
    if (taken < length && line->size > sizeof(CUT))
        memcpy(line->out + line->size - sizeof(CUT), CUT, sizeof(CUT));
}

/* Adds one <length><identifier> of a mangled name, after the scope already added. Returns NULL
 * if there is none at `at`. */
static const char *add_identifier(struct line *line, const char *at)
{
    char *end = NULL;
    if (*at == 'L')
        at++; /* internal linkage */
    if (!isdigit((unsigned char)*at))
        return NULL;
    const unsigned long length = strtoul(at, &end, 10);
    if (length > strlen(end))
        return NULL;
    if (strncmp(end, SG_NAMELESS_SPACE, strlen(SG_NAMELESS_SPACE)) != 0) {
        if (line->length > 0)
            add(line, "::", 2);
        add(line, end, length);
    }
    return end + length;
}

const char *sg_kernel_without_file(const char *mangled)
{
    char *end = NULL;
    if (strncmp(mangled, LINKED, strlen(LINKED)) != 0)
        return mangled;
    const unsigned long length = strtoul(mangled + strlen(LINKED), &end, 10);
    return strncmp(end, "__", 2) == 0 && length < strlen(end + 2) ? end + 2 + length : mangled;
}

struct sg_kernel_name sg_kernel_name(const char *mangled)
{
    struct sg_kernel_name name = {""};
    struct line line = {name.text, sizeof(name.text), 0};
    if (!mangled || !*mangled)
        mangled = NAMELESS;
    mangled = sg_kernel_without_file(mangled);
    if (strncmp(mangled, "_ZN", 3) == 0)
        for (const char *at = mangled + 3; at;)
            at = add_identifier(&line, at);
    else if (strncmp(mangled, "_Z", 2) == 0)
        add_identifier(&line, mangled + 2);
    if (line.length == 0)
        add(&line, mangled, strlen(mangled));
    return name;
}

static size_t find(const struct sg_kernel_names *names, const char *mangled)
{
    size_t i = 0;
    while (i < names->count && strcmp(names->item[i].mangled, mangled) != 0)
        i++;
    return i;
}

void sg_kernel_names_add(struct sg_kernel_names *names, const char *mangled)
{
    const char *known = mangled ? mangled : NAMELESS;
    const size_t i = find(names, known);
    if (i == SG_KERNEL_NAMES_MAX) {
        names->others++;
        return;
    }
    if (i == names->count)
        names->item[names->count++].mangled = known;
    names->item[i].times++;
}

unsigned sg_kernel_names_times(const struct sg_kernel_names *names, const char *mangled)
{
    const size_t i = find(names, mangled);
    return i < names->count ? names->item[i].times : 0;
}

/* Runs of all kernels shown with the name of item i; 0 if an earlier item has that name. */
static unsigned times_shown(const struct sg_kernel_names *names, size_t i)
{
    const struct sg_kernel_name shown = sg_kernel_name(names->item[i].mangled);
    unsigned times = 0;
    for (size_t k = 0; k < names->count; k++) {
        if (strcmp(sg_kernel_name(names->item[k].mangled).text, shown.text) != 0)
            continue;
        if (k < i)
            return 0;
        times += names->item[k].times;
    }
    return times;
}

static void add_times(struct line *line, const char *what, unsigned times)
{
    char number[16];
    if (times == 0)
        return;
    if (line->length > 0)
        add(line, "; ", 2);
    add(line, what, strlen(what));
    if (times > 1)
        add(line, number, (size_t)snprintf(number, sizeof(number), " x%u", times));
}

void sg_kernel_names_format(const struct sg_kernel_names *names, char *out, size_t size)
{
    struct line line = {out, size, 0};
    out[0] = '\0';
    for (size_t i = 0; i < names->count; i++)
        add_times(&line, sg_kernel_name(names->item[i].mangled).text, times_shown(names, i));
    add_times(&line, "others", names->others);
}
