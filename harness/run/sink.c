#include "run/sink.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "results/run_reader.h"

#define ROW_DIGITS 9 /* of a number in run.csv, significant */

void sg_sink_init(struct sg_sink *sink)
{
    *sink = (struct sg_sink){.env_changed = false};
    sg_run_writer_init(&sink->folder);
    sg_table_init(&sink->rows);
    sg_samples_init(&sink->samples);
}

void sg_sink_release(struct sg_sink *sink)
{
    sg_table_release(&sink->rows);
    sg_samples_release(&sink->samples);
    sg_process_log_release(&sink->processes);
    sg_run_writer_release(&sink->folder);
}

static bool is_written(const struct sg_sink *sink)
{
    return sink->folder.path != NULL;
}

static double as_written(double value)
{
    char text[32];
    snprintf(text, sizeof(text), "%.*g", ROW_DIGITS, value);
    return isfinite(value) ? strtod(text, NULL) : NAN;
}

enum sg_code sg_sink_add_rows(struct sg_sink *sink, const struct sg_table *group, struct sg_err *err)
{
    for (size_t i = 0; i < group->count; i++) {
        struct sg_value value = sg_value_of(group, &group->rows[i]);
        value.value = as_written(value.value);
        value.low = as_written(value.low);
        value.high = as_written(value.high);
        sg_table_add(&sink->rows, &value);
    }
    return is_written(sink) ? sg_run_writer_add_rows(&sink->folder, group, err) : SG_SUCCESS;
}

enum sg_code sg_sink_add_samples(struct sg_sink *sink, const struct sg_samples *group, struct sg_err *err)
{
    for (size_t i = 0; i < group->count; i++) {
        struct sg_sample sample = group->items[i];
        sample.family = sg_samples_intern(&sink->samples, sg_samples_string(group, sample.family));
        sample.case_ = sg_samples_intern(&sink->samples, sg_samples_string(group, sample.case_));
        sample.pair = sg_samples_intern(&sink->samples, sg_samples_string(group, sample.pair));
        sample.variant = sg_samples_intern(&sink->samples, sg_samples_string(group, sample.variant));
        sg_samples_add(&sink->samples, &sample);
    }
    return is_written(sink) ? sg_run_writer_add_samples(&sink->folder, group, err) : SG_SUCCESS;
}

enum sg_code sg_sink_add_process(struct sg_sink *sink, const struct sg_process *row, struct sg_err *err)
{
    sg_process_log_add(&sink->processes, row);
    return is_written(sink) ? sg_run_writer_add_process(&sink->folder, row, err) : SG_SUCCESS;
}

enum sg_code sg_sink_write_samples(struct sg_sink *sink, struct sg_err *err)
{
    return is_written(sink) ? sg_run_writer_write_samples(&sink->folder, &sink->samples, err) : SG_SUCCESS;
}

enum sg_code sg_sink_write_processes(struct sg_sink *sink, struct sg_err *err)
{
    return is_written(sink) ? sg_run_writer_write_processes(&sink->folder, &sink->processes, err) : SG_SUCCESS;
}

enum sg_code sg_sink_write_env(struct sg_sink *sink, struct sg_err *err)
{
    sink->env_changed = false;
    return is_written(sink) ? sg_run_writer_write_env(&sink->folder, err) : SG_SUCCESS;
}

enum sg_code sg_sink_write_env_if_changed(struct sg_sink *sink, struct sg_err *err)
{
    return sink->env_changed ? sg_sink_write_env(sink, err) : err->code;
}

enum sg_code sg_sink_check(struct sg_sink *sink, struct sg_err *err)
{
    return is_written(sink) ? sg_run_writer_check(&sink->folder, err) : err->code;
}

enum sg_code sg_sink_finish(struct sg_sink *sink, const struct sg_table *final, struct sg_err *err)
{
    if (is_written(sink) && sg_run_writer_write_rows(&sink->folder, final, err) != SG_SUCCESS)
        return err->code;
    sg_env_set(&sink->folder.env, "state", "finished");
    if (is_written(sink) && sg_run_seal(sink->folder.path, &sink->folder.env, err) == SG_SUCCESS)
        sg_run_writer_write_env(&sink->folder, err);
    return err->code;
}
