/* NVBench, --csv, or --json and --jsonbin of file version 1: `benchmarks` with a state for each
 * point of their axes; each state has summaries with tags. Numbers are written as strings. Samples
 * are in separate files: little-endian floats, in seconds. */
#include <math.h>
#include <string.h>

#include "import/importer.h"
#include "util/file.h"

#define SAMPLES_TAG "nv/json/bin:"

/* Units for the hints of summaries. */
static const struct {
    const char *hint, *unit;
} hints[] = {{"duration", "s"},
             {"bytes", "byte"},
             {"byte_rate", "byte/s"},
             {"item_rate", "1/s"},
             {"frequency", "hz"}};

/* The times of a state, the best one first. */
static const struct {
    const char *mean, *sd, *size, *how;
} times[] = {
    {"nv/cold/time/gpu/mean", "nv/cold/time/gpu/stdev/relative", "nv/cold/sample_size", "mean"},
    {"nv/batch/time/gpu/mean", NULL, "nv/batch/sample_size", "mean in batches, L2 warm"},
    {"nv/cpu_only/time/cpu/mean", "nv/cpu_only/time/cpu/stdev/relative", "nv/cpu_only/sample_size",
     "mean on the host"},
};

static const char *unit_of(const json_t *summary)
{
    const char *hint = sg_json_words(summary, "hint", "");
    for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++)
        if (strcmp(hints[i].hint, hint) == 0)
            return hints[i].unit;
    return "";
}

/* Returns the value with that name from a summary's list `data`; NULL: none. */
static const json_t *datum_of(const json_t *summary, const char *name)
{
    const json_t *data = json_object_get(summary, "data");
    for (size_t i = 0; i < json_array_size(data); i++) {
        const json_t *datum = json_array_get(data, i);
        if (strcmp(sg_json_words(datum, "name", ""), name) == 0)
            return json_object_get(datum, "value");
    }
    return NULL;
}

static const json_t *value_of(const json_t *summaries, const char *tag)
{
    for (size_t i = 0; tag && i < json_array_size(summaries); i++)
        if (strcmp(sg_json_words(json_array_get(summaries, i), "tag", ""), tag) == 0)
            return datum_of(json_array_get(summaries, i), "value");
    return NULL;
}

/* ---- samples ---- */

/* The file is in a folder next to the document. Before NVBench 0.3 its path was relative to the
 * benchmark's working directory, so only the last two parts are reliable. */
static enum sg_code read_samples(const char *document, const char *name, struct sg_text *bytes)
{
    SG_SCOPED(sg_text) path = {0};
    const char *slash = strrchr(document, '/'), *from = name;
    for (const char *at = name; (at = strchr(at, '/')) && strchr(at + 1, '/'); at++)
        from = at + 1;
    sg_text_add_bytes(&path, document, slash ? (size_t)(slash + 1 - document) : 0);
    sg_text_add(&path, from);
    return sg_read_file(path.data, bytes, SG_IGNORED);
}

static enum sg_code take_samples(struct sg_gathering *g, size_t item, const json_t *summary,
                                 struct sg_err *err)
{
    const char *name = json_string_value(datum_of(summary, "filename"));
    SG_SCOPED(sg_text) bytes = {0};
    double size = 0;
    float seconds;
    if (!name || !sg_json_is_number(datum_of(summary, "size"), &size)) /* not written */
        return SG_SUCCESS;
    if (read_samples(g->path, name, &bytes) != SG_SUCCESS)
        sg_gather_words(g, item, SG_TOOL_PREFIX "samples", SG_UNAVAILABLE, name);
    else if (bytes.length != 4 * size)
        sg_fail(err, SG_BAD_INPUT, NULL, "%s: expected %.0f samples of 4 bytes, found %zu bytes",
                sg_show_string(name).text, size, bytes.length);
    sg_gather_single(g, item);
    for (size_t i = 0; i + sizeof(seconds) <= bytes.length && err->code == SG_SUCCESS;
         i += sizeof(seconds)) {
        memcpy(&seconds, bytes.data + i, sizeof(seconds)); /* CUDA hosts are little-endian */
        sg_gather(g, item, SG_TIME_METRIC, "s", seconds, err);
    }
    return err->code;
}

/* ---- a state ---- */

static enum sg_code check_data(const json_t *summary, const char *tag, struct sg_err *err)
{
    const json_t *data = json_object_get(summary, "data");
    sg_json_check(summary, tag, "s:hint a:data", err);
    for (size_t i = 0; i < json_array_size(data); i++)
        sg_json_check(json_array_get(data, i), tag, "s:name n:value", err);
    return err->code;
}

static enum sg_code take_summary(struct sg_gathering *g, size_t item, const json_t *summary,
                                 struct sg_err *err)
{
    const char *tag = sg_json_words(summary, "tag", "");
    const json_t *value = datum_of(summary, "value");
    struct sg_tool_number figure;
    double number;
    if (!*tag)
        return sg_fail(err, SG_BAD_INPUT, NULL, "summaries: expected a tag, found none");
    if (check_data(summary, tag, err) != SG_SUCCESS)
        return err->code;
    if (strncmp(tag, SAMPLES_TAG, sizeof(SAMPLES_TAG) - 1) == 0)
        return take_samples(g, item, summary, err);
    const char *metric =
        strcmp(tag, "nv/cold/sm_clock_rate/mean") == 0 ? "sm_clock" : sg_gather_metric(g, tag, "");
    if (sg_json_is_number(value, &number))
        return sg_gather(g, item, metric, unit_of(summary), number, err);
    if (!value || sg_number_of_tool(json_string_value(value), &figure, err) != SG_SUCCESS)
        return err->code;
    if (figure.status == SG_OK && strncmp(tag, "nv/", 3) == 0 &&
        strcmp(sg_json_words(summary, "hint", ""), "duration") == 0)
        return sg_fail(err, SG_BAD_INPUT, NULL, "%s: expected a number, found '%s'", tag,
                       sg_show_string(json_string_value(value)).text);
    sg_gather_words(g, item, metric, figure.status, json_string_value(value));
    return SG_SUCCESS;
}

/* The numbers of a state, from JSON or CSV. */
struct figures {
    size_t of;                                     /* index in `times` */
    double mean, sd, n, reads, writes, per_second; /* seconds, a ratio, bytes; NaN: unknown */
};

/* Bytes without a name are only known from the bandwidth. NVBench drops samples of a throttled GPU;
 * without samples, the mean is -nan. */
static enum sg_code gather_figures(struct sg_gathering *g, size_t item, const struct figures *f,
                                   struct sg_err *err)
{
    const struct sg_time_figure time = {f->mean, "s", f->sd, f->n > 0 ? f->n : 0, times[f->of].how};
    const double reads = f->reads + f->writes > 0 ? f->reads : round(f->per_second * f->mean);
    if (isnan(f->mean))
        sg_gather_words(g, item, SG_TIME_METRIC, SG_NAN,
                        "the mean is not a number: NVBench kept no sample");
    else if (sg_gather_time(g, item, &time, err) == SG_SUCCESS && reads > 0)
        sg_gather(g, item, "work_read_bytes", "byte", reads, err);
    if (err->code == SG_SUCCESS && f->writes > 0)
        sg_gather(g, item, "work_write_bytes", "byte", f->writes, err);
    return err->code;
}

/* Sum over all tags with that prefix; NaN if one has no number. */
static double sum_of(const json_t *summaries, const char *tag)
{
    double sum = 0, value;
    for (size_t i = 0; i < json_array_size(summaries); i++) {
        const json_t *summary = json_array_get(summaries, i);
        if (strncmp(sg_json_words(summary, "tag", ""), tag, strlen(tag)) == 0)
            sum += sg_json_is_number(datum_of(summary, "value"), &value) ? value : NAN;
    }
    return sum;
}

static enum sg_code take_time(struct sg_gathering *g, size_t item, const json_t *summaries,
                              struct sg_err *err)
{
    struct figures f = {.of = 0};
    const size_t count = sizeof(times) / sizeof(times[0]);
    for (size_t i = 0; i < json_array_size(summaries) && err->code == SG_SUCCESS; i++)
        take_summary(g, item, json_array_get(summaries, i), err);
    while (f.of < count && !value_of(summaries, times[f.of].mean))
        f.of++;
    if (f.of == count || err->code != SG_SUCCESS)
        return err->code;
    f.mean = sum_of(summaries, times[f.of].mean);
    f.sd = times[f.of].sd && value_of(summaries, times[f.of].sd) ? sum_of(summaries, times[f.of].sd)
                                                                 : NAN;
    f.n = sum_of(summaries, times[f.of].size);
    f.reads = sum_of(summaries, "nv/gmem/reads/");
    f.writes = sum_of(summaries, "nv/gmem/writes/");
    f.per_second = sum_of(summaries, "nv/cold/bw/global/bytes_per_second");
    return gather_figures(g, item, &f, err);
}

/* "Device=0 N=2^24" is the case N=2^24; for other devices, the case includes the device. */
static const char *case_of(const char *state)
{
    static const char first[] = "Device=0";
    const size_t length = sizeof(first) - 1;
    if (strncmp(state, first, length) != 0 || (state[length] && state[length] != ' '))
        return *state ? state : "all";
    return state[length] ? state + length + 1 : "all";
}

static size_t item_of(struct sg_gathering *g, const char *benchmark, const char *state)
{
    SG_FORMATTED(what, "%s %s", benchmark, state);
    return sg_gather_item(g, case_of(state), benchmark, what.data);
}

static enum sg_code take_state(struct sg_gathering *g, const char *benchmark, const json_t *state,
                               struct sg_err *err)
{
    const char *name = sg_json_words(state, "name", "");
    if (sg_json_check(state, benchmark, "s:name b:is_skipped s:skip_reason", err) != SG_SUCCESS)
        return err->code;
    const size_t item = item_of(g, benchmark, name);
    const json_t *summaries = json_object_get(state, "summaries");
    if (json_is_true(json_object_get(state, "is_skipped")))
        sg_gather_status(g, item, SG_SKIPPED, sg_json_words(state, "skip_reason", ""));
    else if (!json_is_array(summaries))
        sg_fail(err, SG_BAD_INPUT, NULL, "state '%s': expected an array of summaries, found none",
                sg_show_string(name).text);
    else
        take_time(g, item, summaries, err);
    return err->code;
}

static enum sg_code on_element(struct sg_gathering *g, const json_t *benchmark, struct sg_err *err)
{
    const char *name = sg_json_words(benchmark, "name", "");
    const json_t *states = json_object_get(benchmark, "states");
    if (!*name || !json_is_array(states))
        return sg_fail(err, SG_BAD_INPUT, NULL,
                       "benchmark '%s': expected a name and an array of states",
                       sg_show_string(name).text);
    for (size_t i = 0; i < json_array_size(states) && err->code == SG_SUCCESS; i++)
        take_state(g, name, json_array_get(states, i), err);
    return err->code;
}

/* ---- CSV: one row per state; the column after a time is its noise ---- */

static enum sg_code take_columns(struct sg_gathering *g, size_t item,
                                 const struct sg_csv_table *row, struct sg_err *err)
{
    static const char *const columns[] = {"GPU Time", "Batch GPU", "CPU Time"}; /* like `times` */
    struct figures f = {.of = 0, .sd = NAN};
    while (f.of < 2 && !*sg_csv_value(row, columns[f.of]))
        f.of++;
    for (size_t i = 0; i + 1 < row->names.count; i++)
        if (strcmp(row->names.items[i], columns[f.of]) == 0 &&
            strcmp(row->names.items[i + 1], "Noise") == 0)
            sg_parse_double(row->fields.items[i + 1], false, &f.sd);
    if (sg_csv_number(row, columns[f.of], 0, &f.mean, err) == SG_SUCCESS &&
        sg_csv_number(row, "Samples", 0, &f.n, err) == SG_SUCCESS &&
        sg_csv_number(row, "Memory Reads", 0, &f.reads, err) == SG_SUCCESS &&
        sg_csv_number(row, "Memory Writes", 0, &f.writes, err) == SG_SUCCESS &&
        sg_csv_number(row, "GlobalMem BW", 0, &f.per_second, err) == SG_SUCCESS)
        gather_figures(g, item, &f, err);
    return err->code;
}

static enum sg_code on_row(struct sg_gathering *g, const struct sg_csv_table *row,
                           struct sg_err *err)
{
    const char *name = sg_csv_value(row, "Benchmark");
    SG_FORMATTED(state, "Device=%s", sg_csv_value(row, "Device"));
    sg_gather_gpu(g, sg_csv_value(row, "Device Name"));
    sg_csv_add_columns(row, "Device Name", "Skipped", false, &state);
    const size_t item = item_of(g, name, state.data);
    if (strcmp(sg_csv_value(row, "Skipped"), "Yes") != 0)
        return take_columns(g, item, row, err);
    sg_gather_status(g, item, SG_SKIPPED, "");
    return SG_SUCCESS;
}

const struct sg_importer sg_importer_nvbench = {.name = "nvbench",
                                                .what = "NVBench, --json, --jsonbin or --csv",
                                                .header = "Benchmark,Device,",
                                                .item = "Benchmark",
                                                .on_row = on_row,
                                                .array = "benchmarks",
                                                .members = "states",
                                                .types = "s:name",
                                                .on_element = on_element};
