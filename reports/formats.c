#include "reports/report.h"

#include <string.h>

const struct sg_format *sg_format_find(const char *name)
{
    size_t count = 0;
    const struct sg_format *const *formats = sg_formats(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

static bool has_comparison(const struct sg_format *format)
{
    return format->comparison != NULL;
}

static bool has_gap(const struct sg_format *format)
{
    return format->gap != NULL;
}

static const struct sg_format *find_able(const char *name, bool (*can)(const struct sg_format *format), struct sg_err *err)
{
    size_t count = 0;
    const struct sg_format *const *formats = sg_formats(&count);
    const struct sg_format *found = sg_format_find(name);
    struct sg_text able = {0};
    if (found && can(found))
        return found;
    for (size_t i = 0; i < count; i++)
        if (can(formats[i]))
            sg_text_addf(&able, " %s", formats[i]->name);
    sg_fail(err, SG_BAD_USAGE, "--format", "expected one of%s, found '%s'", sg_text_string(&able), sg_show(name, strlen(name)).text);
    sg_text_release(&able);
    return NULL;
}

const struct sg_format *sg_format_of_comparison(const char *name, struct sg_err *err)
{
    return find_able(name, has_comparison, err);
}

const struct sg_format *sg_format_of_gap(const char *name, struct sg_err *err)
{
    return find_able(name, has_gap, err);
}
