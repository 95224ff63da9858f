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

static enum sg_code find_able(const struct sg_format **place, const char *name, bool (*can)(const struct sg_format *format),
                              struct sg_err *err)
{
    size_t count = 0;
    unsigned index = 0;
    const struct sg_format *const *formats = sg_formats(&count);
    struct sg_text able = {0};
    for (size_t i = 0; i < count; i++)
        if (can(formats[i]))
            sg_text_addf(&able, "%s%s", able.length > 0 ? "|" : "", formats[i]->name);
    if (sg_parse_choice(sg_text_string(&able), name, &index, err) == SG_SUCCESS)
        *place = sg_format_find(name);
    sg_text_release(&able);
    return err->code;
}

enum sg_code sg_format_of_comparison(void *place, const char *name, struct sg_err *err)
{
    return find_able(place, name, has_comparison, err);
}

enum sg_code sg_format_of_gap(void *place, const char *name, struct sg_err *err)
{
    return find_able(place, name, has_gap, err);
}
