/* Finds out which tool wrote a file, and passes its rows or elements to the importer. */
#include <math.h>
#include <string.h>

#include "import/import_file.h"
#include "import/imported_run.h"
#include "import/importer.h"
#include "util/csv_reader.h"
#include "util/paths.h"

struct reading {
    const struct sg_importer *importer; /* NULL: unknown so far */
    struct sg_gathering gathering;
    struct sg_csv_table table;
    long last_line;
    struct sg_digest digest;
    const struct other *other; /* first of `others` found in the file; NULL: none */
    bool lacks_end;            /* the file ends inside of this line */
    bool in_table;             /* a CSV header was read */
    bool is_second;            /* the next line follows the header; may have units */
};

/* Known files without an importer, found by words in their lines. The first match counts. */
#define TRACE   "make `nsys stats --report cuda_gpu_trace --format csv`"
#define PROFILE "run the program under `nsys profile`, and " TRACE
#define NO_GPU  "of a GPU that is not NVIDIA's", "solgate supports CUDA only"
static const struct other {
    const char *words, *is, *instead;
} others[] = {
    {"CorrID,Pid,", "cuda_api_trace of nsys, which lists calls", TRACE},
    {"DurNonChild (", "nvtx_pushpop_trace of nsys, which lists ranges", TRACE},
    {",Num Calls,", "cuda_api_sum or osrt_sum of nsys, which lists calls", TRACE},
    {",Instances,", "nvtx_sum or a table in other units of nsys, which lists no launches", TRACE},
    {"),Operation", "cuda_gpu_mem_time_sum or cuda_gpu_mem_size_sum of nsys, which lists copies",
     TRACE},
    {"Start (", "another report or format of nsys", TRACE},
    {"Total Time (", "another report or format of nsys", TRACE},
    {"\"Invocations\"", "a summary of ncu, which has no launches", "leave --print-summary out"},
    {"Section: ", "text of ncu", "add --csv"},
    {"| GPU Time", "text of NVBench", "use --json or --csv"},
    {"Self CUDA", "a table of torch.profiler", "use export_chrome_trace"},
    {"x_val", "CSV of tritonbench, which has no kernels", PROFILE},
    {"TotalDurationNs", "rocprof's, " NO_GPU},
    {"Kernel_Name", "rocprof's, " NO_GPU},
    {NULL, "CSV of numbers alone, as perf_report of Triton writes it",
     "give its lines a unit, line_names=[\"Triton (GB/s)\"], or " PROFILE},
};

static const struct other *other_of(const char *line)
{
    const bool is_numbers = strchr(line, ',') && line[strspn(line, "0123456789.,+-einfa")] == '\0';
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (others[i].words ? strstr(line, others[i].words) != NULL : is_numbers)
            return &others[i];
    return NULL;
}

/* A file has one tool only. */
static enum sg_code choose(struct reading *reading, const struct sg_importer *importer,
                           struct sg_err *err)
{
    if (reading->importer && reading->importer != importer)
        return sg_fail(err, SG_BAD_INPUT, NULL, "expected only %s as before, found %s",
                       reading->importer->name, importer->name);
    reading->importer = importer;
    reading->gathering.family = importer->name;
    return SG_SUCCESS;
}

/* What ncu and nsys say of a program that did not end well. */
static void note_death(struct sg_gathering *g, const char *line)
{
    static const char *const words[] = {"The application returned an error code (",
                                        "The target application terminated with signal"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && !g->unfit; i++)
        if (strstr(line, words[i]))
            g->unfit = sg_copy_string(strstr(line, words[i]));
}

/* ---- CSV ---- */

static enum sg_code split(const char *line, struct sg_names *names, struct sg_err *err)
{
    SG_SCOPED(sg_csv_fields) fields = {.count = 0};
    SG_FREED char *row = sg_copy_string(line);
    sg_names_release(names);
    if (!sg_csv_split(row, &fields))
        return sg_csv_fail(&fields, err);
    for (size_t i = 0; i < fields.count; i++)
        sg_names_add(names, fields.items[i]);
    return SG_SUCCESS;
}

static void take_units(struct sg_csv_table *table)
{
    sg_names_release(&table->units);
    for (size_t i = 0; i < table->names.count; i++) {
        char *unit = strstr(table->names.items[i], " (");
        const bool has_unit = unit && unit[2] && unit[strlen(unit) - 1] == ')';
        sg_names_addf(&table->units, "%.*s", has_unit ? (int)strlen(unit) - 3 : 0,
                      has_unit ? unit + 2 : "");
        if (has_unit)
            *unit = '\0';
    }
}

static const char *in_column(const struct sg_csv_table *table, const struct sg_names *row,
                             const char *name)
{
    for (size_t i = 0; i < table->names.count && i < row->count; i++)
        if (strcmp(table->names.items[i], name) == 0)
            return row->items[i];
    return "";
}

const char *sg_csv_value(const struct sg_csv_table *table, const char *name)
{
    return in_column(table, &table->fields, name);
}

const char *sg_csv_unit(const struct sg_csv_table *table, const char *name)
{
    return in_column(table, &table->units, name);
}

void sg_csv_add_columns(const struct sg_csv_table *table, const char *behind, const char *before,
                        bool numbers_only, struct sg_text *out)
{
    bool is_between = false;
    double number;
    for (size_t i = 0; i < table->names.count && strcmp(table->names.items[i], before) != 0; i++) {
        const char *name = table->names.items[i], *value = table->fields.items[i];
        const bool is_again = i > 0 && strcmp(name, table->names.items[i - 1]) == 0;
        if (is_between && *value && !is_again &&
            (!numbers_only || sg_parse_double(value, false, &number)))
            sg_text_addf(out, "%s%s=%s", out->length > 0 ? " " : "", name, value);
        is_between |= strcmp(name, behind) == 0;
    }
}

enum sg_code sg_csv_number(const struct sg_csv_table *table, const char *name, double otherwise,
                           double *number, struct sg_err *err)
{
    const char *found = sg_csv_value(table, name);
    struct sg_tool_number figure;
    if (sg_number_of_tool(found, &figure, err) == SG_SUCCESS && figure.status == SG_OK &&
        isnan(figure.value))
        sg_fail(err, SG_BAD_INPUT, NULL, "%s: expected a number, found '%s'", name,
                sg_show_string(found).text);
    *number = *found ? figure.value : otherwise;
    return err->code;
}

static bool is_header_of(const struct sg_importer *importer, const char *text)
{
    return importer->header && strncmp(text, importer->header, strlen(importer->header)) == 0 &&
           (!importer->column || strstr(text, importer->column));
}

static const struct sg_importer *importer_of(const char *header)
{
    const struct sg_importer *found = NULL;
    size_t count = 0;
    const struct sg_importer *const *importers = sg_importers(&count);
    for (size_t i = 0; i < count; i++)
        found = is_header_of(importers[i], header) ? importers[i] : found;
    for (size_t i = 0; i < count && !found && !other_of(header); i++)
        found = importers[i]->is_header && importers[i]->is_header(header) ? importers[i] : NULL;
    return found;
}

/* If the line is an importer's header, a table begins after the line. */
static enum sg_code take_header(struct reading *reading, const char *text, struct sg_err *err)
{
    const struct sg_importer *found = importer_of(text);
    if (!found && !reading->other)
        reading->other = other_of(text);
    note_death(&reading->gathering, text);
    if (!found || choose(reading, found, err) != SG_SUCCESS ||
        split(text, &reading->table.names, err) != SG_SUCCESS)
        return err->code;
    take_units(&reading->table);
    reading->in_table = reading->is_second = true;
    return SG_SUCCESS;
}

/* Rows of ncu may lack their last fields, but still end with a comma. */
static enum sg_code take_row(struct reading *reading, const char *text, struct sg_err *err)
{
    struct sg_csv_table *table = &reading->table;
    const bool is_strict = !reading->importer->is_mixed,
               has_units = reading->is_second && !is_strict && strncmp(text, "\"\",", 3) == 0;
    if (split(text, has_units ? &table->units : &table->fields, err) != SG_SUCCESS)
        return err->code;
    const struct other *other =
        is_strict && table->fields.count != table->names.count ? other_of(text) : NULL;
    reading->is_second = false;
    reading->in_table = !other || !other->words;
    if (has_units || !reading->in_table)
        return SG_SUCCESS;
    const size_t count = table->fields.count, names = table->names.count, most = names + !is_strict;
    const bool is_cut = reading->lacks_end && !sg_ends_in(text, ",");
    if (count > most || ((is_strict || is_cut) && count < names))
        return sg_fail(err, SG_BAD_INPUT, NULL,
                       "expected %s%zu fields as in the header, found %zu%s",
                       is_strict || is_cut ? "" : "at most ", names, count,
                       is_cut ? ": was the file cut off?" : "");
    if (reading->importer->item && !*sg_csv_value(table, reading->importer->item))
        return sg_fail(err, SG_BAD_INPUT, NULL, "%s: expected a name, found none",
                       reading->importer->item);
    return reading->importer->on_row(&reading->gathering, table, err);
}

static enum sg_code take_line(struct reading *reading, const char *text, struct sg_err *err)
{
    const bool begins_row = text[0] == '"' && text[1] && strchr("0123456789\"", text[1]);
    if (!reading->in_table || (reading->importer->is_mixed && !begins_row) ||
        is_header_of(reading->importer, text))
        return take_header(reading, text, err);
    reading->in_table = *text != '\0';
    return *text ? take_row(reading, text, err) : SG_SUCCESS;
}

static enum sg_code read_lines(struct reading *reading, struct sg_import_file *file,
                               struct sg_err *err)
{
    SG_SCOPED(sg_text) line = {0};
    for (long number = file->line; sg_import_file_line(file, &line, err); number = file->line) {
        reading->lacks_end = file->line == number;
        if (take_line(reading, sg_text_string(&line), err) != SG_SUCCESS)
            return sg_fail_here(err, file->path, number);
    }
    return err->code;
}

/* ---- JSON ---- */

bool sg_json_is_number(const json_t *value, double *number)
{
    *number = json_is_number(value) ? json_number_value(value) : NAN;
    return json_is_number(value) ||
           (json_is_string(value) && sg_parse_double(json_string_value(value), false, number));
}

enum sg_code sg_json_number(const json_t *object, const char *name, double *value,
                            struct sg_err *err)
{
    const json_t *found = json_object_get(object, name);
    return sg_json_is_number(found, value)
               ? SG_SUCCESS
               : sg_fail(err, SG_BAD_INPUT, NULL, "%s: expected a number, found '%s'", name,
                         found ? sg_show_string(sg_json_words(object, name, "no number")).text
                               : "");
}

const char *sg_json_words(const json_t *object, const char *name, const char *otherwise)
{
    const char *words = json_string_value(json_object_get(object, name));
    return words ? words : otherwise;
}

enum sg_code sg_json_check(const json_t *object, const char *where, const char *types,
                           struct sg_err *err)
{
    static const char letters[] = "oasnnbb0"; /* in the order of json_type */
    static const char *const words[] = {"an object", "an array",      "a string",      "a number",
                                        "a number",  "true or false", "true or false", "null"};
    for (const char *at = types; at && *at && err->code == SG_SUCCESS;
         at += strcspn(at, " "), at += *at == ' ') {
        const int length = (int)strcspn(at + 2, " ");
        const json_t *found = json_object_getn(object, at + 2, (size_t)length);
        const char letter = found ? letters[json_typeof(found)] : *at;
        if (letter != *at && !(*at == 'n' && letter == 's'))
            sg_fail(err, SG_BAD_INPUT, NULL, "%s%s%.*s: expected %s, found %s",
                    sg_show_string(where).text, *where ? ": " : "", length, at + 2,
                    words[strchr(letters, *at) - letters], words[json_typeof(found)]);
    }
    return err->code;
}

static bool has_member(const json_t *element, const char *names)
{
    bool has = false;
    for (const char *at = names; *at; at += strcspn(at, " "), at += *at == ' ')
        has |= json_object_getn(element, at, strcspn(at, " ")) != NULL;
    return has;
}

/* Trace events may be written without the enclosing document. */
static enum sg_code take_element(void *context, const char *key, const json_t *element,
                                 struct sg_err *err)
{
    struct reading *reading = context;
    const struct sg_importer *found = NULL;
    const json_t *version =
        json_object_get(json_object_get(json_object_get(element, "version"), "json"), "major");
    size_t count = 0, of_array = 0;
    const struct sg_importer *const *importers = sg_importers(&count);
    for (size_t i = 0; i < count; i++)
        if (importers[i]->array && (strcmp(importers[i]->array, key) == 0 ||
                                    (!*key && strcmp(importers[i]->array, "traceEvents") == 0))) {
            of_array++;
            found = has_member(element, importers[i]->members) ? importers[i] : found;
        }
    if (version && json_integer_value(version) != 1)
        return sg_fail(err, SG_BAD_INPUT, NULL,
                       "expected version 1 of an NVBench file, found another version");
    if (strcmp(key, "devices") == 0 || strcmp(key, "deviceProperties") == 0)
        sg_gather_gpu(&reading->gathering, sg_json_words(element, "name", ""));
    if (of_array > 0 && !found)
        return sg_fail(
            err, SG_BAD_INPUT, NULL,
            "expected an element of '%s' as a supported tool writes it, found another element",
            key);
    if (!found || choose(reading, found, err) != SG_SUCCESS ||
        sg_json_check(element, "", found->types, err) != SG_SUCCESS)
        return err->code;
    return found->on_element(&reading->gathering, element, err);
}

/* ---- either ---- */

static enum sg_code read_once(struct reading *reading, struct sg_err *err)
{
    const char *path = reading->gathering.path;
    struct sg_import_file file;
    if (sg_ends_in(path, ".nsys-rep") || sg_ends_in(path, ".sqlite"))
        return sg_fail(err, SG_BAD_INPUT, path,
                       "expected text, found a report of nsys: import what `nsys stats --report "
                       "cuda_gpu_trace --format csv %s` prints",
                       path);
    if (sg_import_file_open(&file, path, err) == SG_SUCCESS && file.is_json)
        sg_import_file_elements(&file, take_element, reading, err);
    else if (err->code == SG_SUCCESS)
        read_lines(reading, &file, err);
    if (sg_import_file_close(&file, err) == SG_SUCCESS && !reading->importer)
        sg_fail_at(err, SG_BAD_INPUT, path, 1,
                   "expected a file of a tool that `solgate import -h` lists, found %s%s%s",
                   reading->other ? reading->other->is : "none of their headers or arrays",
                   reading->other ? ": " : "", reading->other ? reading->other->instead : "");
    reading->last_line = file.line;
    reading->digest = file.digest;
    return err->code;
}

/* A file is read twice if its NVTX ranges follow their kernels, or if its values join those of
 * other files. */
static enum sg_code read_file(struct reading *reading, const char *path, bool is_one_of_several,
                              struct sg_err *err)
{
    struct reading first = {.gathering = {.catalogue = reading->gathering.catalogue, .path = path}};
    first.importer = reading->importer;
    if (read_once(&first, err) != SG_SUCCESS)
        return err->code;
    const char *was = reading->gathering.gpu_name, *is = first.gathering.gpu_name;
    if (was && is && strcmp(was, is) != 0) /* their times have no common mean */
        return sg_fail_at(err, SG_BAD_INPUT, path, 1, "expected the GPU %s as before, found %s",
                          was, is);
    if (is_one_of_several || first.gathering.range_count > 0) {
        sg_gather_sort_ranges(&first.gathering);
        *reading = (struct reading){.importer = reading->importer, .gathering = reading->gathering};
        sg_gather_begin_file(&reading->gathering, path);
        reading->gathering.ranges = &first.gathering;
        read_once(reading, err);
        reading->gathering.ranges = NULL;
        sg_gathering_release(&first.gathering);
    } else {
        *reading = first;
    }
    if (err->code == SG_SUCCESS &&
        sg_gather_end_file(&reading->gathering, is_one_of_several, err) != SG_SUCCESS)
        sg_fail_here(err, path, reading->last_line);
    return err->code;
}

enum sg_code sg_import_read(const struct sg_names *paths, const struct sg_catalogue *catalogue,
                            struct sg_table *run, struct sg_imported *imported, struct sg_err *err)
{
    struct reading reading = {.gathering = {.catalogue = catalogue}};
    struct sg_text digests = {0};
    for (size_t i = 0; i < paths->count && err->code == SG_SUCCESS; i++) {
        for (size_t k = 0; k < i; k++)
            if (sg_is_same_file(paths->items[k], paths->items[i]))
                sg_fail(err, SG_BAD_INPUT, paths->items[i],
                        "expected results of another start, found those of %s again",
                        paths->items[k]);
        if (err->code == SG_SUCCESS)
            read_file(&reading, paths->items[i], paths->count > 1, err);
        const struct sg_digest_word word = sg_digest_word(&reading.digest);
        sg_text_addf(&digests, "%s%s", i > 0 ? "+" : "", word.text);
    }
    const char *first = sg_text_string(&digests), *next = strchr(first, '+');
    if (err->code == SG_SUCCESS && next && strncmp(first, next + 1, strlen(next + 1)) == 0)
        sg_fail(err, SG_BAD_INPUT, paths->items[0],
                "expected %zu starts, found the same content in all files: give files of other "
                "starts, or let the tool print more digits",
                paths->count);
    if (err->code == SG_SUCCESS && sg_gather_rows(&reading.gathering, run, err) != SG_SUCCESS)
        sg_fail_here(err, paths->items[paths->count - 1], reading.last_line);
    *imported = (struct sg_imported){reading.importer, reading.gathering.gpu_name,
                                     reading.gathering.unfit, digests};
    return err->code;
}

enum sg_code sg_imported_run_of(const struct sg_names *files, const char *gpu,
                                const struct sg_catalogue *catalogue, struct sg_run *run,
                                struct sg_err *err)
{
    struct sg_imported imported = {.importer = NULL};
    *run = (struct sg_run){.folder = NULL};
    struct sg_text title = sg_text_of("%s", files->items[0]);
    if (files->count > 1)
        sg_text_addf(&title, " and %zu more", files->count - 1);
    run->folder = title.data;
    if (sg_import_read(files, catalogue, &run->table, &imported, err) != SG_SUCCESS ||
        !imported.importer)
        return err->code;
    const struct sg_imported_run facts = {.tool = imported.importer->name,
                                          .source = title.data,
                                          .gpu = gpu,
                                          .gpu_name = imported.gpu_name,
                                          .unfit = imported.unfit};
    if (sg_imported_run_complete(&facts, files->items[0], run, err) != SG_SUCCESS)
        return err->code;
    sg_env_setf(&run->env, SG_FILES_KEY, "%zu", files->count);
    sg_env_set(&run->env, SG_CONTENTS_KEY, imported.digests.data);
    return err->code;
}
