#include "results/identity.h"

#include <string.h>

#define FILES   "; files "
#define UNKNOWN "unknown: "

static const char *shown(const char *part)
{
    return *part ? part : "-";
}

void sg_identity_add(struct sg_text *out, const struct sg_identity *identity)
{
    sg_text_addf(out, "code %s; knobs %s" FILES, shown(identity->code), shown(identity->knobs));
    if (identity->unknown)
        sg_text_addf(out, UNKNOWN "%s", identity->unknown);
    else
        sg_text_add(out, shown(identity->files));
}

/* NULL: unknown. */
static const char *files_of(const char *message)
{
    const char *files = message ? strstr(message, FILES) : NULL;
    files = files ? files + strlen(FILES) : NULL;
    return files && strncmp(files, UNKNOWN, strlen(UNKNOWN)) != 0 ? files : NULL;
}

bool sg_identity_same(const char *a, const char *b)
{
    return files_of(a) && files_of(b) && strcmp(a, b) == 0;
}

bool sg_identity_unknown_files(const char *message)
{
    return message && !files_of(message) && !strstr(message, SG_OF_A_PROGRAM);
}

bool sg_identity_other_files(const char *a, const char *b)
{
    const char *x = files_of(a), *y = files_of(b);
    return x && y && strcmp(x, y) != 0;
}

/* An item that the time budget omitted has a row `time`; an identical item has none. */
bool sg_is_untimed(const struct sg_row *build_ratio, const struct sg_row *time)
{
    return build_ratio && build_ratio->status == SG_SKIPPED && !time;
}
