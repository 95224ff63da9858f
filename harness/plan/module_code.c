#include "plan/module_code.h"

#include <string.h>

#include "util/object_file.h"

/* Device code, sections with their names, one after the other. */
static enum sg_code gather_code(const struct sg_object_file *file, struct sg_text *code, struct sg_err *err)
{
    struct sg_section section;
    size_t count;
    if (sg_object_file_sections(file, &count, err) != SG_SUCCESS)
        return err->code;
    for (size_t i = 0; i < count && sg_object_file_section(file, i, &section, err) == SG_SUCCESS; i++) {
        if (section.header.sh_type != SHT_PROGBITS ||
            (strcmp(section.name, ".nv_fatbin") != 0 && strcmp(section.name, "__nv_relfatbin") != 0))
            continue;
        sg_text_add(code, section.name);
        sg_text_add_bytes(code, section.bytes, section.header.sh_size);
    }
    return err->code;
}

static bool equal(const char *a, size_t a_size, const char *b, size_t b_size)
{
    return a && b && a_size == b_size && memcmp(a, b, a_size) == 0;
}

enum sg_code sg_same_code(const char *path, const char *other, bool *same, struct sg_err *err)
{
    struct sg_object_file a = {0}, b = {0};
    struct sg_text code = {0}, other_code = {0};
    *same = false;
    if (sg_object_file_read(path, &a, err) == SG_SUCCESS && gather_code(&a, &code, err) == SG_SUCCESS &&
        sg_object_file_read(other, &b, err) == SG_SUCCESS && gather_code(&b, &other_code, err) == SG_SUCCESS)
        *same = code.length > 0 ? equal(code.data, code.length, sg_text_string(&other_code), other_code.length)
                                : equal(a.bytes, a.size, b.bytes, b.size);
    sg_text_release(&code);
    sg_text_release(&other_code);
    sg_object_file_release(&a);
    sg_object_file_release(&b);
    return err->code;
}
