#include "catalogue/source.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void sg_counted_fail(struct sg_counted *counted, enum sg_status status, const char *format, ...)
{
    va_list arguments;
    *counted = (struct sg_counted){.value = NAN, .status = status};
    va_start(arguments, format);
    vsnprintf(counted->message, sizeof(counted->message), format, arguments);
    va_end(arguments);
}

const struct sg_source *sg_source_find(const char *word)
{
    size_t count = 0;
    const struct sg_source *const *sources = sg_sources(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(sources[i]->word, word) == 0)
            return sources[i];
    return NULL;
}
