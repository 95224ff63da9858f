#include "import/importer.h"

#include <ctype.h>

#define NAME_MOST 63

void sg_add_imported_name(struct sg_text *out, const char *name, size_t length)
{
    for (size_t i = 0; i < length && i < NAME_MOST; i++) {
        const unsigned char c = (unsigned char)name[i];
        sg_text_addf(out, "%c", c < 128 && isalnum(c) ? tolower(c) : '_');
    }
}
