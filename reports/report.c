#include "report.h"

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
