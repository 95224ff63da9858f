/* GPU specs: metrics/gpus/KEY.gpu (catalogue/catalogue.h). */
#include <stdlib.h>
#include <string.h>

#include "catalogue/catalogue.h"
#include "catalogue/ini_schema.h"
#include "util/paths.h"
#include "util/text.h"

static const char gpu_ending[] = ".gpu";

/* Keys of a number for each number format. */
static const struct {
    const char *prefix;
    size_t offset; /* of an array by number format */
} by_dtype[] = {
    {"flop_per_s.", offsetof(struct sg_gpu_spec, flop_per_s)},
    {"sm_clock_hz.", offsetof(struct sg_gpu_spec, flop_clock_hz)},
};
#define BY_DTYPE (sizeof(by_dtype) / sizeof(by_dtype[0]))

static const struct sg_field gpu_fields[] = {
    {.key = "name", .kind = SG_FIELD_TEXT, .offset = offsetof(struct sg_gpu_spec, name), .required = true},
    {.key = "match", .kind = SG_FIELD_TEXT, .offset = offsetof(struct sg_gpu_spec, match), .required = true, .may_be_empty = true},
    {.key = "chip", .kind = SG_FIELD_TEXT, .offset = offsetof(struct sg_gpu_spec, chip), .required = true},
    {.key = "dram_bytes_per_s", .kind = SG_FIELD_NUMBER, .offset = offsetof(struct sg_gpu_spec, dram_bytes_per_s), .required = true},
    {.key = "l2_bytes", .kind = SG_FIELD_NUMBER, .offset = offsetof(struct sg_gpu_spec, l2_bytes), .required = true},
    {.key = "sm_count", .kind = SG_FIELD_NUMBER, .offset = offsetof(struct sg_gpu_spec, sm_count), .required = true},
    {.key = "sm_warps", .kind = SG_FIELD_NUMBER, .offset = offsetof(struct sg_gpu_spec, sm_warps)},
    {.key = "sm_clock_hz", .kind = SG_FIELD_NUMBER, .offset = offsetof(struct sg_gpu_spec, sm_clock_hz), .required = true},
    {.key = "source", .kind = SG_FIELD_LINES, .offset = offsetof(struct sg_gpu_spec, source), .required = true},
};

static struct sg_fields fields_of(struct sg_gpu_spec *spec)
{
    return (struct sg_fields){.field = gpu_fields,
                              .count = sizeof(gpu_fields) / sizeof(gpu_fields[0]),
                              .record = spec,
                              .other = "flop_per_s.DTYPE sm_clock_hz.DTYPE"};
}

struct reader {
    struct sg_gpu_spec *spec;
    struct sg_fields fields;
    bool given[BY_DTYPE][SG_DTYPE_COUNT];
    long line; /* where the section begins; 0: it has not */
};

static enum sg_code set_by_dtype(struct reader *reader, size_t which, const struct sg_ini_entry *entry, struct sg_err *err)
{
    const char *word = entry->key + strlen(by_dtype[which].prefix);
    const enum sg_dtype dtype = sg_dtype_from_word(word);
    if (dtype == SG_DTYPE_COUNT)
        return sg_fail_at(err, SG_BAD_INPUT, entry->path, entry->line, "expected a number format as in %sbf16, found '%s'",
                          by_dtype[which].prefix, sg_show_string(word).text);
    if (reader->given[which][dtype])
        return sg_fail_at(err, SG_BAD_INPUT, entry->path, entry->line, "[gpu] %s: given twice, expected once", entry->key);
    reader->given[which][dtype] = true;
    double *numbers = (double *)((char *)reader->spec + by_dtype[which].offset);
    return sg_entry_number(entry, &numbers[dtype], err);
}

static enum sg_code take(void *context, const struct sg_ini_entry *entry, struct sg_err *err)
{
    struct reader *reader = context;
    if (strcmp(entry->section, "gpu") != 0)
        return sg_fail_at(err, SG_BAD_INPUT, entry->path, entry->line, "expected the section [gpu], found [%s]",
                          sg_show_string(entry->section).text);
    if (!entry->key) {
        reader->line = entry->line;
        return SG_SUCCESS;
    }
    for (size_t i = 0; i < BY_DTYPE; i++)
        if (strncmp(entry->key, by_dtype[i].prefix, strlen(by_dtype[i].prefix)) == 0)
            return set_by_dtype(reader, i, entry, err);
    return sg_fields_set(&reader->fields, entry, err);
}

/* Each of these numbers is something to divide by. */
static enum sg_code check_numbers(const struct reader *reader, const char *path, struct sg_err *err)
{
    const struct sg_gpu_spec *spec = reader->spec;
    if (spec->dram_bytes_per_s == 0 || spec->l2_bytes == 0 || spec->sm_count == 0 || spec->sm_clock_hz == 0)
        return sg_fail_at(err, SG_BAD_INPUT, path, reader->line,
                          "expected dram_bytes_per_s, l2_bytes, sm_count and sm_clock_hz over 0, found %g, %g, %g and %g",
                          spec->dram_bytes_per_s, spec->l2_bytes, spec->sm_count, spec->sm_clock_hz);
    return SG_SUCCESS;
}

static enum sg_code read_spec(const char *path, struct sg_gpu_spec *spec, struct sg_err *err)
{
    struct reader reader = {.spec = spec, .fields = fields_of(spec)};
    sg_fields_init(&reader.fields);
    if (sg_ini_read(path, take, &reader, err) != SG_SUCCESS)
        return err->code;
    if (reader.line == 0)
        return sg_ini_fail_missing(path, "the section [gpu]", err);
    if (sg_fields_complete(&reader.fields, path, reader.line, err) != SG_SUCCESS)
        return err->code;
    return check_numbers(&reader, path, err);
}

/* Names of the spec files, without their folder, which is left in `folder`. */
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

static enum sg_code load_file(const char *folder, const char *file, struct sg_gpu_spec *spec, struct sg_err *err)
{
    SG_SCOPED(sg_text) path = {0};
    sg_text_addf(&path, "%s/%s", folder, file);
    *spec = (struct sg_gpu_spec){0};
    read_spec(sg_text_string(&path), spec, err);
    spec->key = sg_copy_string(file);
    spec->key[strlen(file) - strlen(gpu_ending)] = '\0';
    if (err->code == SG_SUCCESS && !sg_is_name(spec->key))
        sg_fail(err, SG_BAD_INPUT, sg_text_string(&path), "expected a file name of [a-z0-9_] before %s", gpu_ending);
    if (err->code != SG_SUCCESS)
        sg_gpu_release(spec);
    return err->code;
}

static enum sg_code fail_unknown(const char *key, const struct sg_names *files, struct sg_err *err)
{
    SG_SCOPED(sg_text) known = {0};
    for (size_t i = 0; i < files->count; i++)
        sg_text_addf(&known, " %.*s", (int)(strlen(files->items[i]) - strlen(gpu_ending)), files->items[i]);
    return sg_fail(err, SG_BAD_INPUT, "metrics/gpus", "expected the key of a GPU, one of%s; found '%s'", sg_text_string(&known),
                   sg_show_string(key).text);
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

void sg_gpu_release(struct sg_gpu_spec *spec)
{
    const struct sg_fields fields = fields_of(spec);
    sg_fields_release(&fields);
    free(spec->key);
    *spec = (struct sg_gpu_spec){0};
}

/* How many characters of the device's name the pattern gives; 0: it does not fit. */
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
            sg_fail(err, SG_BAD_INPUT, files.items[i], "expected a match of its own, found '%s', which %s%s has too", spec.match, *key,
                    gpu_ending);
        if (fits > best) {
            best = fits;
            free(*key);
            *key = sg_copy_string(spec.key);
        }
        sg_gpu_release(&spec);
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
