#define _GNU_SOURCE /* for memmem */
#include "ab/triton_cache.h"

#include <glob.h>
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/file.h"

/* The section .nv.info of a cubin has for its function the attribute REGCOUNT: the format, kind and
 * size, the number of the function, its registers. 0: not there. */
static uint32_t registers_of(const char *metadata)
{
    static const char attribute[] = {0x04, 0x2f, 0x08, 0x00};
    uint32_t found[2] = {0, 0};
    SG_SCOPED(sg_text) path = {0}, cubin = {0};
    sg_text_addf(&path, "%.*s.cubin", (int)(strlen(metadata) - strlen(".json")), metadata);
    sg_read_file(path.data, &cubin, SG_IGNORED);
    const char *bytes = sg_text_string(&cubin),
               *at = memmem(bytes, cubin.length, attribute, sizeof(attribute));
    if (at && bytes + cubin.length - at >= (ptrdiff_t)(sizeof(attribute) + sizeof(found)))
        memcpy(found, at + sizeof(attribute), sizeof(found));
    return found[1];
}

/* Adds the constants in NAME.json if they and NAME.cubin agree with the launch. */
static void add_entry(const char *path, const char *kernel, struct sg_text *out)
{
    static const char *const constants[] = {"num_warps", "num_stages", "num_ctas", "maxnreg"};
    SG_SCOPED(sg_text) launch = {0}, found = {0};
    json_t *metadata = json_load_file(path, 0, NULL);
    sg_text_addf(&launch, "block (%lld, 1, 1), %lld B dynamic shared, %u registers",
                 32 * (long long)json_integer_value(json_object_get(metadata, "num_warps")),
                 (long long)json_integer_value(json_object_get(metadata, "shared")),
                 registers_of(path));
    for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++) {
        const json_t *value = json_object_get(metadata, constants[i]);
        if (json_is_integer(value))
            sg_text_addf(&found, ", %s %lld", constants[i], (long long)json_integer_value(value));
    }
    if (strstr(kernel, launch.data) && !strstr(sg_text_string(out), sg_text_string(&found)))
        sg_text_addf(out, "%s%s", out->length > 0 ? ", or" : "", found.data);
    json_decref(metadata);
}

static const char *or_else(const char *variable, const char *otherwise)
{
    return getenv(variable) ? getenv(variable) : otherwise;
}

void sg_triton_add_constants(const char *kernel, struct sg_text *out)
{
    glob_t files = {.gl_pathc = 0};
    SG_SCOPED(sg_text) pattern = {0}, usual = {0}, inductor = {0}, all = {0};
    sg_text_addf(&usual, "%s/.triton/cache", or_else("TRITON_HOME", or_else("HOME", "")));
    sg_text_addf(&inductor, "/tmp/torchinductor_%s", or_else("USER", "root"));
    sg_text_addf(&pattern, "{%s,%s/triton/*}/*/%.*s.json", or_else("TRITON_CACHE_DIR", usual.data),
                 or_else("TORCHINDUCTOR_CACHE_DIR", inductor.data), (int)strcspn(kernel, ","),
                 kernel);
    glob(pattern.data, GLOB_BRACE, NULL, &files);
    for (size_t i = 0; i < files.gl_pathc; i++)
        add_entry(files.gl_pathv[i], kernel, &all);
    sg_text_add(out, sg_text_string(&all));
    globfree(&files);
}
