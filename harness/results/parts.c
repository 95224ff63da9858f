#include "results/parts.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "results/env.h"
#include "util/csv_reader.h"

static const struct sg_field columns[] = {
    SG_FIELD(TEXT, "part", struct sg_part, path, .required = true),
    SG_FIELD(TEXT, "shard", struct sg_part, shard),
    SG_FIELD(TEXT, "digest", struct sg_part, digest),
};
const struct sg_record sg_part_record = SG_RECORD(columns);

struct reading {
    const char *folder; /* of the merged run */
    struct sg_samples *samples;
};

static enum sg_code read_part(const struct reading *reading, const struct sg_part *part,
                              struct sg_err *err)
{
    SG_SCOPED(sg_text) folder = {0}, path = {0};
    SG_SCOPED(sg_env) env = {.count = 0};
    sg_text_addf(&folder, "%s/%s", reading->folder, part->path);
    sg_text_addf(&path, "%s/env.csv", folder.data);
    if (access(path.data, R_OK) != 0 || !sg_run_has_samples(folder.data))
        return sg_fail(err, SG_INVALID, folder.data,
                       "this part of %s is gone, and the samples were in it (%s): copy the part "
                       "back, or merge again",
                       reading->folder, strerror(errno));
    if (sg_env_read(path.data, &env, err) != SG_SUCCESS)
        return err->code;
    if (strcmp(sg_env_word(&env, SG_DIGEST_KEY), part->digest) != 0)
        return sg_fail(err, SG_NOT_COMPARABLE, folder.data,
                       "this part has changed since it was merged into %s (expected the digest %s, "
                       "found '%s'): merge again",
                       reading->folder, part->digest, sg_env_word(&env, SG_DIGEST_KEY));
    return sg_run_read_samples(folder.data, reading->samples, err);
}

static enum sg_code on_row(void *context, const struct sg_csv_row *row, struct sg_err *err)
{
    struct sg_part part = {.path = NULL};
    if (row->line == 1)
        return sg_record_check_header(&sg_part_record, row, err);
    if (sg_record_read(&sg_part_record, row->field, &part, NULL, err) == SG_SUCCESS)
        read_part(context, &part, err);
    return sg_fail_here(err, row->path, row->line);
}

static bool find(const char *folder, const char *name, struct sg_text *path)
{
    path->length = 0;
    sg_text_addf(path, "%s/%s", folder, name);
    return access(path->data, F_OK) == 0;
}

bool sg_run_has_samples(const char *folder)
{
    SG_SCOPED(sg_text) path = {0};
    return find(folder, SG_PARTS_FILE, &path) || find(folder, "samples.csv", &path);
}

enum sg_code sg_run_read_samples(const char *folder, struct sg_samples *samples, struct sg_err *err)
{
    SG_SCOPED(sg_text) path = {0};
    struct reading reading = {.folder = folder, .samples = samples};
    if (find(folder, SG_PARTS_FILE, &path))
        return sg_csv_read(path.data, on_row, &reading, err);
    find(folder, "samples.csv", &path);
    return sg_samples_read(path.data, samples, err);
}
