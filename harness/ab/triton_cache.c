#define _GNU_SOURCE /* for memmem */
#include "ab/triton_cache.h"

#include <glob.h>
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/file.h"

#define WARP   32 /* threads */
#define DIGITS "0123456789"
/* The numbers of a launch in words: SG_GEOMETRY_WORDS, registers. */
enum { BLOCK = 3, SHARED = 6, REGISTERS, NUMBERS };

struct launch {
    const char *symbol;
    int length; /* of the symbol */
    unsigned long number[NUMBERS];
};

static bool parse(const char *kernel, struct launch *launch)
{
    const char *at = strstr(kernel, ", grid (");
    size_t count = 0;
    *launch = (struct launch){.symbol = kernel, .length = at ? (int)(at - kernel) : 0};
    while (at && count < NUMBERS && *(at += strcspn(at, DIGITS)) != '\0') {
        char *end;
        launch->number[count++] = strtoul(at, &end, 10);
        at = end;
    }
    return count == NUMBERS;
}

/* The section .nv.info of a cubin has the attribute REGCOUNT: its format, kind and size, the number
 * of a function, its registers. */
static bool has_registers(const char *metadata, unsigned long registers)
{
    static const char attribute[] = {0x04, 0x2f, 0x08, 0x00};
    const uint32_t wanted = (uint32_t)registers;
    SG_SCOPED(sg_text) path = {0}, cubin = {0};
    struct sg_err none = {0};
    sg_text_addf(&path, "%.*s.cubin", (int)(strlen(metadata) - strlen(".json")), metadata);
    sg_read_file(path.data, &cubin, &none);
    const char *at = sg_text_string(&cubin), *end = at + cubin.length;
    while ((at = memmem(at, (size_t)(end - at), attribute, sizeof(attribute))) && end - at >= 12) {
        if (memcmp(at + 8, &wanted, sizeof(wanted)) == 0)
            return true;
        at++;
    }
    return false;
}

static void read_entry(const char *path, const struct launch *launch, struct sg_text *out)
{
    static const char *const constants[] = {"num_warps", "num_stages", "num_ctas", "maxnreg"};
    const unsigned long *block = &launch->number[BLOCK];
    json_t *metadata = json_load_file(path, 0, NULL);
    const json_int_t warps = json_integer_value(json_object_get(metadata, "num_warps")),
                     shared = json_integer_value(json_object_get(metadata, "shared"));
    const bool is_it = warps * WARP == (json_int_t)(block[0] * block[1] * block[2]) &&
                       shared == (json_int_t)launch->number[SHARED] &&
                       has_registers(path, launch->number[REGISTERS]);
    for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]) && is_it; i++) {
        const json_t *value = json_object_get(metadata, constants[i]);
        if (json_is_integer(value))
            sg_text_addf(out, ", %s %lld", constants[i], (long long)json_integer_value(value));
    }
    json_decref(metadata);
}

static const char *or_else(const char *variable, const char *otherwise)
{
    return getenv(variable) ? getenv(variable) : otherwise;
}

void sg_triton_add_constants(const char *kernel, struct sg_text *out)
{
    struct launch launch;
    glob_t files = {.gl_pathc = 0};
    SG_SCOPED(sg_text) pattern = {0}, usual = {0}, inductor = {0}, all = {0};
    if (!parse(kernel, &launch))
        return;
    sg_text_addf(&usual, "%s/.triton/cache", or_else("TRITON_HOME", or_else("HOME", "")));
    sg_text_addf(&inductor, "/tmp/torchinductor_%s", or_else("USER", "root"));
    sg_text_addf(&pattern, "{%s,%s/triton/*}/*/%.*s.json", or_else("TRITON_CACHE_DIR", usual.data),
                 or_else("TORCHINDUCTOR_CACHE_DIR", inductor.data), launch.length, launch.symbol);
    glob(pattern.data, GLOB_BRACE, NULL, &files);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        SG_SCOPED(sg_text) found = {0};
        read_entry(files.gl_pathv[i], &launch, &found);
        if (!strstr(sg_text_string(&all), sg_text_string(&found)))
            sg_text_addf(&all, "%s%s", all.length > 0 ? ", or" : "", found.data);
    }
    sg_text_add(out, sg_text_string(&all));
    globfree(&files);
}
