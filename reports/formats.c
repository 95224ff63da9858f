#include "reports/report.h"

#include <string.h>
#include <unistd.h>

#include "util/options.h"

const struct sg_format *sg_format_find(const char *name)
{
    size_t count = 0;
    const struct sg_format *const *formats = sg_formats(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

void sg_format_comparison(const struct sg_format *format, const struct sg_report_input *input,
                          struct sg_text *out)
{
    struct sg_document document = {.name = input->comparison->of_pairs ? "ab" : "compare",
                                   .is_comment = true};
    if (format->comparison) {
        format->comparison(input, out);
        return;
    }
    sg_document_of_comparison(&document, input);
    format->document(&document, input->colour, out);
}

enum sg_code sg_print_document(const struct sg_document *document, const struct sg_format *format,
                               struct sg_err *err)
{
    SG_SCOPED(sg_text) text = {0};
    format->document(document, isatty(STDOUT_FILENO) != 0, &text);
    return sg_print(&text, err);
}

/* "csv|html|...", made once; `any`: including formats of comparisons only. */
static const char *names(bool any)
{
    static struct sg_text made[2];
    size_t count = 0;
    const struct sg_format *const *formats = sg_formats(&count);
    if (made[any].length > 0)
        return sg_text_string(&made[any]);
    for (size_t i = 0; i < count; i++)
        if (any || formats[i]->document)
            sg_text_addf(&made[any], "%s%s", made[any].length > 0 ? "|" : "", formats[i]->name);
    return sg_text_string(&made[any]);
}

const char *sg_formats_of_comparison(void)
{
    return names(true);
}

const char *sg_formats_of_document(void)
{
    return names(false);
}

static enum sg_code find(const struct sg_format **place, const char *name, bool any,
                         struct sg_err *err)
{
    unsigned index = 0;
    if (sg_parse_choice(names(any), name, &index, err) == SG_SUCCESS)
        *place = sg_format_find(name);
    return err->code;
}

enum sg_code sg_format_of_comparison(void *place, const char *name, struct sg_err *err)
{
    return find(place, name, true, err);
}

enum sg_code sg_format_of_document(void *place, const char *name, struct sg_err *err)
{
    return find(place, name, false, err);
}
