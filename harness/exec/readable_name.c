#include "exec/readable_name.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "device/kernel_name.h"

#define CUTE   "kernel_cutlass_"
#define OBJECT "_object_at_"

/* Length of the function's name without the part that describes its arguments. */
static size_t without_arguments(const char *name)
{
    static const char *const words[] = {"_TiledMMA", "_CopyAtom", "_tensorptr"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const char *found = strstr(name, words[i]);
        length = found && found > name && (size_t)(found - name) < length ? (size_t)(found - name)
                                                                          : length;
    }
    return length;
}

/* kernel_cutlass_FUNCTION_MODULE_CLASS_object_at_...: adds FUNCTION, up to the module, which begins
 * after two underscores, and CLASS. */
static bool add_cute_name(struct sg_text *out, const char *symbol)
{
    if (strncmp(symbol, CUTE, strlen(CUTE)) != 0)
        return false;
    const char *name = symbol + strlen(CUTE), *end = strstr(name, OBJECT), *of_class = end;
    while (of_class && of_class > name && isalnum((unsigned char)of_class[-1]))
        of_class--;
    const char *module = strstr(name, "__");
    if (!end || of_class == end) {
        sg_text_add_bytes(out, name, without_arguments(name));
        return true;
    }
    sg_text_add_bytes(out, of_class, (size_t)(end - of_class));
    if (module && module < of_class && module > name)
        sg_text_addf(out, ".%.*s", (int)(module - name), name);
    return true;
}

/* Length up to the number: "triton_red_fused_add_12", "loop_add_fusion_3". */
static size_t without_number(const char *symbol)
{
    const size_t length = strlen(symbol);
    size_t digits = length;
    while (digits > 0 && isdigit((unsigned char)symbol[digits - 1]))
        digits--;
    const bool is_numbered = digits < length && digits > 1 && symbol[digits - 1] == '_';
    const bool is_generated = strncmp(symbol, "triton_", 7) == 0 || strstr(symbol, "fusion_");
    return is_numbered && is_generated ? digits - 1 : length;
}

void sg_add_readable_name(struct sg_text *out, const char *symbol)
{
    if (add_cute_name(out, symbol))
        return;
    if (strncmp(symbol, "_Z", 2) == 0)
        sg_text_add(out, sg_kernel_name(symbol).text);
    else
        sg_text_add_bytes(out, symbol, without_number(symbol));
}

void sg_add_stable_symbol(struct sg_text *out, const char *symbol)
{
    for (const char *at = sg_kernel_without_file(symbol); *at;) {
        char *end = (char *)at + strcspn(at, "0123456789"); /* parses <length><identifier> */
        sg_text_add_bytes(out, at, (size_t)(end - at));
        const char *number = end;
        const unsigned long length = strtoul(number, &end, 10);
        const bool is_nameless = strncmp(end, SG_NAMELESS_SPACE, strlen(SG_NAMELESS_SPACE)) == 0 &&
                                 length <= strlen(end);
        sg_text_add_bytes(out, number, is_nameless ? 0 : (size_t)(end - number));
        at = is_nameless ? end + length : end;
    }
}
