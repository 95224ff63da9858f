/* GPU specs: metrics/gpus/KEY.gpu (catalogue/catalogue.h). */
#include <stdlib.h>
#include <string.h>

#include "catalogue/catalogue.h"
#include "util/ini_fields.h"
#include "util/paths.h"
#include "util/text.h"

static const char gpu_ending[] = ".gpu";

/* One number per number format: "flop_per_s.bf16". */
static enum sg_code take_by_dtype(const struct sg_field *field, void *place,
                                  const struct sg_ini_entry *entry, struct sg_err *err)
{
    const char *word = entry->key + strlen(field->name);
    const enum sg_dtype dtype = sg_dtype_from_word(word);
    double *numbers = place;
    if (dtype == SG_DTYPE_COUNT)
        return sg_fail(err, SG_BAD_INPUT, NULL, "expected a number format as in %sbf16, found '%s'",
                       field->name, sg_show_string(word).text);
    if (numbers[dtype] != 0)
        return sg_fail(err, SG_BAD_INPUT, NULL, "given twice, expected once");
    const struct sg_field number = {
        .type = SG_FIELD_REAL, .required = true, .expected = SG_NOT_NEGATIVE};
    return sg_field_read(&number, entry, &numbers[dtype], NULL, err);
}

/* Accepts an empty value. */
static enum sg_code take_match(const struct sg_field *field, void *place,
                               const struct sg_ini_entry *entry, struct sg_err *err)
{
    (void)field;
    (void)err;
    *(char **)place = sg_copy_string(entry->value);
    return SG_SUCCESS;
}

#define SPEC(kind, member, ...) SG_FIELD(kind, #member, struct sg_gpu_spec, member, __VA_ARGS__)
#define NUMBER(member, ...) \
    SPEC(REAL, member, .required = true, .expected = SG_NOT_NEGATIVE, __VA_ARGS__)
static const struct sg_field gpu_fields[] = {
    SPEC(STRING, name, .required = true),
    SPEC(STRING, match, .take = take_match, .required = true),
    SPEC(STRING, chip, .required = true),
    NUMBER(dram_bytes_per_s),
    NUMBER(l2_bytes),
    NUMBER(sm_count),
    SPEC(REAL, sm_warps, .expected = SG_NOT_NEGATIVE),
    NUMBER(sm_clock_hz),
    SPEC(STRING, source, .required = true, .repeats = true),
    {.name = "flop_per_s.",
     .take = take_by_dtype,
     .offset = offsetof(struct sg_gpu_spec, flop_per_s),
     .repeats = true},
    {.name = "sm_clock_hz.",
     .take = take_by_dtype,
     .offset = offsetof(struct sg_gpu_spec, flop_clock_hz),
     .repeats = true},
    {0},
};

/* Refuses a zero in numbers that are used as divisors. */
static enum sg_code read_spec(const char *path, struct sg_gpu_spec *spec, struct sg_err *err)
{
    struct sg_fields fields = {.field = gpu_fields, .record = spec};
    if (sg_fields_read(path, "gpu", &fields, err) == SG_SUCCESS &&
        (spec->dram_bytes_per_s == 0 || spec->l2_bytes == 0 || spec->sm_count == 0 ||
         spec->sm_clock_hz == 0))
        sg_fail_at(err, SG_BAD_INPUT, path, fields.line,
                   "expected dram_bytes_per_s, l2_bytes, sm_count and sm_clock_hz over 0, found "
                   "%g, %g, %g and %g",
                   spec->dram_bytes_per_s, spec->l2_bytes, spec->sm_count, spec->sm_clock_hz);
    return err->code;
}

/* Names of the spec files. `folder` gets their folder. */
static enum sg_code list_specs(struct sg_text *folder, struct sg_names *files, struct sg_err *err)
{
    if (sg_path_in_home(folder, "metrics/gpus", err) != SG_SUCCESS)
        return err->code;
    return sg_list_files(sg_text_string(folder), gpu_ending, files, err);
}

static bool is_file_of(const char *file, const char *key)
{
    const size_t length = strlen(key);
    return strncasecmp(file, key, length) == 0 && strcmp(file + length, gpu_ending) == 0;
}

static enum sg_code load_file(const char *folder, const char *file, struct sg_gpu_spec *spec,
                              struct sg_err *err)
{
    SG_FORMATTED(path, "%s/%s", folder, file);
    *spec = (struct sg_gpu_spec){0};
    read_spec(sg_text_string(&path), spec, err);
    spec->key = sg_copy_string(file);
    spec->key[strlen(file) - strlen(gpu_ending)] = '\0';
    if (err->code == SG_SUCCESS && !sg_is_name(spec->key))
        sg_fail(err, SG_BAD_INPUT, sg_text_string(&path),
                "expected a file name of [a-z0-9_] before %s", gpu_ending);
    if (err->code != SG_SUCCESS)
        *spec = (struct sg_gpu_spec){0};
    return err->code;
}

static enum sg_code fail_unknown(const char *key, const struct sg_names *files, struct sg_err *err)
{
    SG_SCOPED(sg_text) known = {0};
    SG_SCOPED(sg_names) keys = {0};
    for (size_t i = 0; i < files->count; i++)
        sg_names_addf(&keys, "%.*s", (int)(strlen(files->items[i]) - strlen(gpu_ending)),
                      files->items[i]);
    for (size_t i = 0; i < keys.count; i++)
        sg_text_addf(&known, " %s", keys.items[i]);
    return sg_fail(err, SG_BAD_INPUT, "metrics/gpus",
                   "expected the key of a GPU, one of%s; found '%s'%s", sg_text_string(&known),
                   sg_show_string(key).text, sg_names_hint(&keys, key).text);
}

enum sg_code sg_gpu_load(const char *key, struct sg_gpu_spec *spec, struct sg_err *err)
{
    SG_SCOPED(sg_text) folder = {0};
    SG_SCOPED(sg_names) files = {0};
    size_t i = 0;
    *spec = (struct sg_gpu_spec){0};
    if (list_specs(&folder, &files, err) != SG_SUCCESS)
        return err->code;
    while (i < files.count && !is_file_of(files.items[i], key))
        i++;
    if (i == files.count)
        fail_unknown(key, &files, err);
    else
        load_file(sg_text_string(&folder), files.items[i], spec, err);
    return err->code;
}

enum sg_code sg_gpu_load_file(const char *path, struct sg_gpu_spec *spec, struct sg_err *err)
{
    SG_SCOPED(sg_text) folder = {0};
    const char *slash = strrchr(path, '/');
    sg_text_add_bytes(&folder, slash ? path : ".", slash ? (size_t)(slash - path) : 1);
    return load_file(sg_text_string(&folder), slash ? slash + 1 : path, spec, err);
}

/* Number of characters that the pattern matches; 0: no match. */
static size_t fit(const char *match, const char *device_name)
{
    const size_t length = strlen(match);
    if (length > 0 && match[length - 1] == '*')
        return strncmp(match, device_name, length - 1) == 0 ? length - 1 : 0;
    return strcmp(match, device_name) == 0 ? length : 0;
}

enum sg_code sg_gpu_key_for(const char *device_name, char **key, struct sg_err *err)
{
    SG_SCOPED(sg_text) folder = {0};
    SG_SCOPED(sg_names) files = {0};
    size_t best = 0;
    *key = sg_copy_string("");
    if (list_specs(&folder, &files, err) != SG_SUCCESS)
        goto out;
    for (size_t i = 0; i < files.count; i++) {
        struct sg_gpu_spec spec;
        if (load_file(sg_text_string(&folder), files.items[i], &spec, err) != SG_SUCCESS)
            goto out;
        const size_t fits = fit(spec.match, device_name);
        if (fits > 0 && fits == best)
            sg_fail(err, SG_BAD_INPUT, files.items[i],
                    "expected a match that no other GPU has, found '%s', which %s%s has too",
                    spec.match, *key, gpu_ending);
        if (fits > best) {
            best = fits;
            free(*key);
            *key = sg_copy_string(spec.key);
        }
        if (err->code != SG_SUCCESS)
            goto out;
    }
out:
    if (err->code != SG_SUCCESS) {
        free(*key);
        *key = NULL;
    }
    return err->code;
}
