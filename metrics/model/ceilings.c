#include "model/ceilings.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/refusals.h"
#include "model/roofline.h"
#include "util/csv_reader.h"
#include "results/accepted_place.h"

bool sg_ceilings_any(const struct sg_ceilings *ceilings)
{
    bool any = ceilings->dram_bytes_per_s > 0 || ceilings->launch_ns > 0;
    for (int d = 0; d < SG_DTYPE_COUNT; d++)
        any |= ceilings->flop_per_s[d] > 0;
    return any;
}

const char *sg_ceiling_word(size_t i)
{
    return i == 0                   ? "dram"
           : i == SG_CEILING_LAUNCH ? "launch"
                                    : sg_dtype_word((enum sg_dtype)(i - 1));
}

const char *sg_ceiling_unit(size_t i)
{
    return i == 0 ? "B/s" : i == SG_CEILING_LAUNCH ? "ns" : "flop/s";
}

double *sg_ceiling_value(struct sg_ceilings *ceilings, size_t i)
{
    if (i == SG_CEILING_LAUNCH)
        return &ceilings->launch_ns;
    return i == 0 ? &ceilings->dram_bytes_per_s : &ceilings->flop_per_s[i - 1];
}

static void take_place(struct sg_ceilings *ceilings, const char *const field[5])
{
    char **const place[] = {&ceilings->gpu, &ceilings->gpu_name, &ceilings->gpu_uuid_hash,
                            &ceilings->driver, &ceilings->date};
    for (size_t i = 0; i < sizeof(place) / sizeof(place[0]); i++) {
        free(*place[i]);
        *place[i] = sg_copy_string(field[i] ? field[i] : "");
    }
}

/* ---- ceilings of a run ---- */

/* Rates measured with different L2 states are not comparable, so the state must be known. */
static enum sg_code take_l2(const struct sg_env *env, struct sg_ceilings *ceilings,
                            struct sg_err *err)
{
    const char *l2 = sg_env_get(env, "l2");
    struct sg_err why = {0};
    if (!l2)
        return sg_env_fail(err, env, "l2",
                           "the key is missing: the L2 state of these ceilings is not known");
    if (sg_l2_parse(l2, &ceilings->l2, &why) != SG_SUCCESS)
        return sg_env_fail(err, env, "l2", "%s", why.message);
    return SG_SUCCESS;
}

static void take_value_from(const struct sg_gap *gap, size_t i, double value,
                            struct sg_ceilings *ceilings)
{
    struct sg_text from = sg_text_of("%s/%s/%s", SG_NAMES(*gap));
    free(ceilings->from[i]);
    ceilings->from[i] = from.data;
    *sg_ceiling_value(ceilings, i) = value;
}

static void take_gap(const struct sg_gap *gap, struct sg_ceilings *ceilings)
{
    if (gap->sol.time_ns < SG_LAUNCH_WORK_NS) {
        if (!(ceilings->launch_ns > 0) || gap->measured_ns < ceilings->launch_ns)
            take_value_from(gap, SG_CEILING_LAUNCH, gap->measured_ns, ceilings);
        return;
    }
    /* A warm L2 supplies bytes that do not come from DRAM. */
    if (ceilings->l2 == SG_L2_WARM && gap->sol.memory_bound)
        return;
    const size_t i = gap->sol.memory_bound ? 0 : 1 + (size_t)gap->sol.dtype;
    const double work =
        gap->sol.memory_bound ? sg_work_bytes(&gap->work) : gap->work.flop[gap->sol.dtype];
    const double rate = work / (gap->measured_ns * 1e-9);
    if (rate > *sg_ceiling_value(ceilings, i))
        take_value_from(gap, i, rate, ceilings);
}

enum sg_code sg_ceilings_of_gaps(const struct sg_gap *gaps, size_t count, const struct sg_env *env,
                                 struct sg_ceilings *ceilings, struct sg_err *err)
{
    const char *const facts[] = {sg_env_get(env, "gpu"), sg_env_get(env, "gpu_name"),
                                 sg_env_get(env, "gpu_uuid_hash"), sg_env_get(env, "driver"),
                                 sg_env_get(env, "date")};
    const char *why = sg_env_why_invalid(env);
    *ceilings = (struct sg_ceilings){0};
    if (!facts[0])
        return sg_env_fail(err, env, "gpu",
                           "the key is missing: the GPU of these ceilings is not known");
    if (take_l2(env, ceilings, err) != SG_SUCCESS)
        return err->code;
    if (why)
        return sg_fail(err, SG_INVALID, NULL, "no ceilings from this run: %s", why);
    for (size_t i = 0; i < count; i++) {
        if (gaps[i].refusal)
            sg_fail(err, SG_INVALID, NULL, "no ceilings from this run: %s/%s/%s: %s",
                    SG_NAMES(gaps[i]), gaps[i].refusal->why);
        else if (gaps[i].status == SG_OK && !isnan(gaps[i].measured_ns))
            take_gap(&gaps[i], ceilings);
    }
    take_place(ceilings, facts);
    if (err->code == SG_SUCCESS && !sg_ceilings_any(ceilings))
        sg_fail(err, SG_INVALID, NULL,
                "no ceilings from this run: none of its %zu variants was right and timed%s", count,
                ceilings->l2 == SG_L2_WARM
                    ? " and bound by arithmetic; with its warm L2, no DRAM rate was measured"
                    : "");
    if (err->code != SG_SUCCESS)
        *ceilings = (struct sg_ceilings){0};
    return err->code;
}

/* ---- files ---- */

struct line {
    const char *ceiling, *unit;
    double value;
    const char *from, *l2;
    const char *place[5]; /* gpu, gpu_name, gpu_uuid_hash, driver, date */
};
#define FIELD(type, title, member, ...) SG_FIELD(type, title, struct line, member, __VA_ARGS__)
static const struct sg_field columns[] = {
    FIELD(TEXT, "ceiling", ceiling),
    FIELD(TEXT, "unit", unit),
    FIELD(REAL, "value", value, .least = DBL_MIN, .required = true, .expected = "a number over 0"),
    FIELD(TEXT, "from", from),
    FIELD(TEXT, "l2", l2),
    FIELD(TEXT, "gpu", place[0]),
    FIELD(TEXT, "gpu_name", place[1]),
    FIELD(TEXT, "gpu_uuid_hash", place[2]),
    FIELD(TEXT, "driver", place[3]),
    FIELD(TEXT, "date", place[4]),
};
static const struct sg_record record = SG_RECORD(columns);

/* The state belongs to the run, so all lines must agree. */
static enum sg_code take_state(struct sg_ceilings *ceilings, const struct line *line,
                               struct sg_err *err)
{
    enum sg_l2 l2;
    if (sg_l2_parse(line->l2, &l2, SG_IGNORED) != SG_SUCCESS)
        return sg_field_fail("l2", SG_L2_CHOICE, line->l2, err);
    if (ceilings->gpu && l2 != ceilings->l2)
        return sg_field_fail("l2", "the state of the line before", line->l2, err);
    if (l2 == SG_L2_WARM && strcmp(line->ceiling, sg_ceiling_word(0)) == 0)
        return sg_field_fail("l2", "another state for a rate of DRAM", line->l2, err);
    ceilings->l2 = l2;
    return SG_SUCCESS;
}

static enum sg_code take_value(struct sg_ceilings *ceilings, const struct line *line,
                               struct sg_err *err)
{
    size_t i = 0;
    while (i < SG_CEILING_COUNT && strcmp(sg_ceiling_word(i), line->ceiling) != 0)
        i++;
    if (i == SG_CEILING_COUNT)
        return sg_field_fail("ceiling", "dram, launch, or a number format such as bf16",
                             line->ceiling, err);
    if (strcmp(line->unit, sg_ceiling_unit(i)) != 0)
        return sg_field_fail("unit", sg_ceiling_unit(i), line->unit, err);
    if (ceilings->from[i])
        return sg_field_fail("ceiling", "each of them once", line->ceiling, err);
    *sg_ceiling_value(ceilings, i) = line->value;
    ceilings->from[i] = sg_copy_string(line->from);
    return SG_SUCCESS;
}

static enum sg_code on_row(void *context, const struct sg_csv_row *row, struct sg_err *err)
{
    struct sg_ceilings *ceilings = context;
    struct line line;
    if (row->line == 1)
        return sg_record_check_header(&record, row, err);
    if (sg_record_read(&record, row->field, &line, NULL, err) != SG_SUCCESS)
        return sg_fail_here(err, row->path, row->line);
    if (ceilings->gpu && (strcmp(ceilings->gpu, line.place[0]) != 0 ||
                          strcmp(ceilings->gpu_uuid_hash, line.place[2]) != 0))
        sg_field_fail("gpu", "the GPU of the line before", line.place[0], err);
    else if (take_state(ceilings, &line, err) == SG_SUCCESS &&
             take_value(ceilings, &line, err) == SG_SUCCESS)
        take_place(ceilings, line.place);
    return sg_fail_here(err, row->path, row->line);
}

enum sg_code sg_ceilings_read(const char *path, struct sg_ceilings *ceilings, struct sg_err *err)
{
    *ceilings = (struct sg_ceilings){0};
    if (sg_csv_read(path, on_row, ceilings, err) == SG_SUCCESS && !sg_ceilings_any(ceilings))
        sg_fail_at(err, SG_BAD_INPUT, path, 1, "expected ceilings below the header, found none");
    if (err->code != SG_SUCCESS)
        *ceilings = (struct sg_ceilings){0};
    else
        ceilings->path = sg_copy_string(path);
    return err->code;
}

enum sg_code sg_ceilings_write(const char *path, const struct sg_ceilings *ceilings,
                               struct sg_err *err)
{
    struct sg_ceilings copy = *ceilings; /* sg_ceiling_value returns writable pointers */
    struct sg_text text = {0};
    sg_record_add_header(&text, &record);
    sg_text_add(&text, "\n");
    for (size_t i = 0; i < SG_CEILING_COUNT; i++) {
        const struct line line = {.ceiling = sg_ceiling_word(i),
                                  .unit = sg_ceiling_unit(i),
                                  .value = *sg_ceiling_value(&copy, i),
                                  .from = ceilings->from[i],
                                  .l2 = sg_l2_word(ceilings->l2),
                                  .place = {ceilings->gpu, ceilings->gpu_name,
                                            ceilings->gpu_uuid_hash, ceilings->driver,
                                            ceilings->date}};
        if (!ceilings->from[i])
            continue;
        sg_record_add(&text, &record, &line, NULL);
        sg_text_add(&text, "\n");
    }
    sg_write_file(path, text.data, text.length, err);
    sg_text_release(&text);
    return err->code;
}

void sg_ceilings_place(const char *folder, const char *gpu, const char *unit, struct sg_text *path)
{
    sg_text_addf(path, "%s/%s/%s%s" SG_CEILINGS_FILE, folder, gpu, unit ? unit : "",
                 unit ? "/" : "");
}

/* *there: true if the file exists. */
static enum sg_code read_if_there(const char *folder, const char *gpu, const char *unit,
                                  struct sg_ceilings *ceilings, bool *there, struct sg_err *err)
{
    SG_SCOPED(sg_text) path = {0};
    sg_ceilings_place(folder, gpu, unit, &path);
    *there = access(path.data, F_OK) == 0;
    if (*there && sg_ceilings_read(path.data, ceilings, err) == SG_SUCCESS &&
        (strcmp(ceilings->gpu, gpu) != 0 || (unit && strcmp(ceilings->gpu_uuid_hash, unit) != 0))) {
        sg_fail(err, SG_BAD_INPUT, path.data,
                "expected ceilings of gpu %s%s%s, found gpu %s, gpu_uuid_hash '%s'", gpu,
                unit ? ", gpu_uuid_hash " : "", unit ? unit : "", ceilings->gpu,
                ceilings->gpu_uuid_hash);
        *ceilings = (struct sg_ceilings){0};
    }
    return err->code;
}

/* Shortens the path to the part below the folder of accepted numbers. */
static void shorten_path(const char *gpu, const char *unit, struct sg_ceilings *ceilings)
{
    SG_SCOPED(sg_text) path = {0};
    sg_ceilings_place(SG_BASELINES_FOLDER, gpu, unit, &path);
    ceilings->path = sg_copy_string(path.data);
}

enum sg_code sg_ceilings_find(const struct sg_env *env, const char *gpu,
                              struct sg_ceilings *ceilings, struct sg_err *err)
{
    const char *own = sg_env_get(env, "gpu"), *unit = sg_env_get(env, "gpu_uuid_hash");
    const char *units[] = {own && strcmp(own, gpu) == 0 && unit && sg_is_name(unit) ? unit : NULL,
                           NULL};
    SG_SCOPED(sg_names) folders = {0};
    bool there = false;
    *ceilings = (struct sg_ceilings){0};
    sg_accepted_places(&folders, err);
    for (size_t i = 0; i < folders.count; i++)
        for (size_t k = units[0] ? 0 : 1; k < 2 && !there && err->code == SG_SUCCESS; k++)
            if (read_if_there(folders.items[i], gpu, units[k], ceilings, &there, err) ==
                    SG_SUCCESS &&
                there)
                shorten_path(gpu, units[k], ceilings);
    return err->code;
}
