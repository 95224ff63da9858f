#include "builds/module_images.h"

#include <string.h>

#define DIGITS "0123456789"

/* Length of a word at the start of a string: sm_90a, compute_100f; 0: no such word. */
static size_t word_length(const char *at)
{
    const size_t prefix = strncmp(at, "sm_", 3) == 0 ? 3 : strncmp(at, "compute_", 8) == 0 ? 8 : 0;
    const size_t digits = prefix ? strspn(at + prefix, DIGITS) : 0;
    return digits ? prefix + digits + (at[prefix + digits] == 'a' || at[prefix + digits] == 'f')
                  : 0;
}

static bool is_list(const char *string)
{
    for (size_t word; (word = word_length(string)) > 0; string++) {
        string += word;
        if (*string != ' ')
            return *string == '\0';
    }
    return false;
}

void sg_module_images(const char *bytes, size_t count, struct sg_text *images)
{
    const char *best = NULL;
    size_t most = 0;
    for (size_t i = 0; i < count;) {
        const char *at = bytes + i;
        const char *end = memchr(at, '\0', count - i);
        if (!end)
            break;
        const size_t length = (size_t)(end - at);
        if (length > most && is_list(at)) {
            best = at;
            most = length;
        }
        i += length + 1;
    }
    if (best)
        sg_text_add(images, best);
}
