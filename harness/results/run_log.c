#include "results/run_log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "results/message.h"
#include "results/row_kind.h"
#include "results/run_folder.h"
#include "results/run_reader.h"
#include "results/shards.h"
#include "stats/verdict.h"
#include "util/file.h"

#define SYNC_S 1.0 /* an fsync takes longer than most items */

void sg_run_log_init(struct sg_run_log *run)
{
    *run = (struct sg_run_log){.lock = -1, .log = -1};
}

static char *join(const char *folder, const char *name)
{
    struct sg_text path = sg_text_of("%s/%s", folder, name);
    return path.data;
}

/* ---- the folder ---- */

bool sg_run_log_is_bare(const char *path)
{
    return sg_run_folder_check(path, NULL, SG_IGNORED) == SG_SUCCESS;
}

static enum sg_code open_log(struct sg_run_log *run, int flags, struct sg_err *err)
{
    run->log = open(run->log_path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC | flags, 0666);
    return run->log >= 0 ? SG_SUCCESS
                         : sg_fail(err, SG_SYSTEM, run->log_path,
                                   "cannot be opened for writing: %s", strerror(errno));
}

static void name_files(struct sg_run_log *run, const char *path)
{
    run->path = sg_copy_string(path);
    run->log_path = join(path, SG_RUN_LOG_NAME);
    run->env_path = join(path, "env.csv");
}

enum sg_code sg_run_log_create(const char *path, struct sg_run_log *run, struct sg_err *err)
{
    name_files(run, path);
    /* Lock first: otherwise two processes could both find the folder empty, */
    /* and the second would write to the log of the first. */
    if (sg_make_folders(path, err) != SG_SUCCESS ||
        sg_run_folder_lock(path, &run->lock, err) != SG_SUCCESS ||
        sg_run_folder_check(path, NULL, err) != SG_SUCCESS)
        return err->code;
    return open_log(run, O_CREAT, err);
}

/* ---- adding a group ---- */

static enum sg_code sync_periodically(struct sg_run_log *run, struct sg_err *err)
{
    const double now = sg_monotonic_s();
    run->behind = now - run->synced_s < SYNC_S;
    if (run->behind)
        return SG_SUCCESS;
    if (fsync(run->log) != 0)
        return sg_fail(err, SG_SYSTEM, run->log_path, "cannot be written to the disk (fsync): %s",
                       strerror(errno));
    run->synced_s = now;
    return SG_SUCCESS;
}

/* Writes the lines as a group and releases them. */
static enum sg_code append(struct sg_run_log *run, struct sg_text *lines, struct sg_err *err)
{
    struct sg_err failed = {0};
    sg_message_add(lines, &(struct sg_message){.kind = SG_MESSAGE_WHOLE});
    if (!run->path) {
        sg_text_release(lines);
        return err->code;
    }
    if (sg_write_bytes(run->log_path, run->log, lines->data, lines->length, &failed) ==
            SG_SUCCESS &&
        sync_periodically(run, &failed) == SG_SUCCESS) {
        run->whole_bytes += lines->length;
    } else {
        const bool cut = ftruncate(run->log, (off_t)run->whole_bytes) == 0;
        sg_fail(err, failed.code, run->log_path,
                "%s; the %" PRIu64 " bytes before this group of %zu are kept%s", failed.message,
                run->whole_bytes, lines->length,
                cut ? "" : ", and the last line may be incomplete");
    }
    sg_text_release(lines);
    return err->code;
}

enum sg_code sg_run_log_add(struct sg_run_log *run, const struct sg_table *rows,
                            const struct sg_samples *samples, struct sg_err *err)
{
    struct sg_text lines = {0};
    for (size_t i = 0; rows && i < rows->count; i++) {
        const struct sg_message message = {.kind = SG_MESSAGE_VALUE,
                                           .value = sg_value_of(rows, &rows->rows[i])};
        sg_table_add(&run->rows, &message.value);
        sg_message_add(&lines, &message);
    }
    if (samples)
        sg_text_add_bytes(&lines, sg_text_string(&samples->lines), samples->lines.length);
    for (size_t i = 0; samples && i < samples->count; i++) {
        const struct sg_message message = sg_sample_message(samples, &samples->items[i]);
        if (samples->lines.length == 0)
            sg_message_add(&lines, &message);
        sg_samples_add_copy(&run->samples, samples, &samples->items[i]);
    }
    return append(run, &lines, err);
}

/* Replaces the last row if it has no end and is of the same worker; otherwise adds a row. */
static void put(struct sg_process_log *all, const struct sg_process *process)
{
    struct sg_process *last = all->count > 0 ? &all->items[all->count - 1] : NULL;
    if (last && last->process == process->process && last->attempt == process->attempt &&
        !last->ended[0])
        *last = *process;
    else
        sg_process_log_add(all, process);
}

enum sg_code sg_run_log_put_process(struct sg_run_log *run, const struct sg_process *process,
                                    struct sg_err *err)
{
    struct sg_text lines = {0};
    sg_message_add(&lines, &(struct sg_message){.kind = SG_MESSAGE_PROCESS, .row = *process});
    put(&run->processes, process);
    return append(run, &lines, err);
}

static void drop(struct sg_run_log *run, unsigned process, const char *why)
{
    struct sg_samples *samples = &run->samples;
    size_t kept = 0;
    for (size_t i = 0; i < samples->count; i++)
        if (samples->items[i].process != process)
            samples->items[kept++] = samples->items[i];
    samples->count = kept;
    if (!*why)
        sg_process_log_forget(&run->processes, process);
    for (size_t i = 0; i < run->processes.count; i++) {
        struct sg_process *row = &run->processes.items[i];
        if (row->process == process && !row->dropped[0])
            snprintf(row->dropped, sizeof(row->dropped), "%s", why);
    }
}

enum sg_code sg_run_log_drop_process(struct sg_run_log *run, unsigned process, const char *why,
                                     struct sg_err *err)
{
    struct sg_text lines = {0};
    sg_message_add(&lines,
                   &(struct sg_message){.kind = SG_MESSAGE_DROP, .process = process, .text = why});
    drop(run, process, why);
    return append(run, &lines, err);
}

/* ---- reading the log ---- */

static enum sg_code take(struct sg_run_log *run, const struct sg_message *message,
                         struct sg_err *err)
{
    switch (message->kind) {
    case SG_MESSAGE_VALUE:
        sg_table_add(&run->rows, &message->value);
        return SG_SUCCESS;
    case SG_MESSAGE_SAMPLE:
        sg_take_sample(message, &run->samples);
        return SG_SUCCESS;
    case SG_MESSAGE_PROCESS:
        put(&run->processes, &message->row);
        return SG_SUCCESS;
    case SG_MESSAGE_DROP:
        drop(run, message->process, message->text);
        return SG_SUCCESS;
    case SG_MESSAGE_WHOLE:
        return SG_SUCCESS;
    default:
        return sg_fail(err, SG_BAD_INPUT, NULL, "expected a message of a run's log");
    }
}

/* Bytes up to the end of the last whole group. */
static size_t whole_length(const char *text)
{
    SG_SCOPED(sg_text) mark = {0};
    size_t length = 0;
    sg_text_add(&mark, "\n"); /* match a whole line; a group has a line before it */
    sg_message_add(&mark, &(struct sg_message){.kind = SG_MESSAGE_WHOLE});
    for (const char *at = text; (at = strstr(at, mark.data)) != NULL; at += mark.length - 1)
        length = (size_t)(at - text) + mark.length;
    return length;
}

static enum sg_code replay(struct sg_run_log *run, const char *text, struct sg_err *err)
{
    long line = 1;
    SG_SCOPED(sg_text) room = {0};
    for (const char *at = text, *end = text + run->whole_bytes; at < end && err->code == SG_SUCCESS;
         line++) {
        const size_t length = strcspn(at, "\n");
        struct sg_message message;
        if (sg_message_parse(at, length, &room, &message, err) == SG_SUCCESS)
            take(run, &message, err);
        sg_fail_here(err, run->log_path, line);
        at += length + 1;
    }
    sg_text_release(&run->samples.lines); /* they are in the log */
    return err->code;
}

static enum sg_code read_log(struct sg_run_log *run, struct sg_err *err)
{
    SG_SCOPED(sg_text) text = {0};
    if (sg_read_file(run->log_path, &text, err) == SG_SUCCESS) {
        run->whole_bytes = whole_length(sg_text_string(&text));
        replay(run, sg_text_string(&text), err);
    }
    return err->code;
}

enum sg_code sg_run_log_open(const char *path, struct sg_run_log *run, struct sg_err *err)
{
    name_files(run, path);
    /* Check env.csv before the run continues: it must be readable when the run ends. */
    if (sg_run_folder_lock(path, &run->lock, err) == SG_SUCCESS &&
        sg_env_read(run->env_path, &run->env, err) == SG_SUCCESS)
        sg_env_check(&run->env, run->env_path, SG_SCHEMA, err);
    return err->code;
}

enum sg_code sg_run_log_resume(struct sg_run_log *run, struct sg_err *err)
{
    if (read_log(run, err) != SG_SUCCESS || open_log(run, 0, err) != SG_SUCCESS)
        return err->code;
    if (ftruncate(run->log, (off_t)run->whole_bytes) != 0)
        return sg_fail(err, SG_SYSTEM, run->log_path, "cannot be cut at byte %" PRIu64 ": %s",
                       run->whole_bytes, strerror(errno));
    return err->code;
}

bool sg_is_wrong_kernel(const struct sg_value *row)
{
    return strcmp(row->family, SG_EXEC_FAMILY) == 0 && strcmp(row->metric, "status") == 0 &&
           strcmp(row->variant, SG_WHOLE_PROGRAM) != 0 && /* that start is repeated */
           sg_verdict_of_status(SG_OK, row->status) == SG_BROKEN;
}

/* A program is started several times: its row is the mean of the starts, with their range. A kernel
 * that is wrong in one start is wrong. */
static void join_starts(struct sg_table *rows, const struct sg_row *was, struct sg_row *is)
{
    const double before = was->has & SG_HAS_LOW ? was->n : 1,
                 low = before > 1 ? was->low : was->value,
                 high = before > 1 ? was->high : was->value;
    const struct sg_value then = sg_value_of(rows, was);
    if (sg_is_wrong_kernel(&then))
        *is = *was;
    if (!sg_row_use_of(then.metric).is_of_start || !(was->has & is->has & SG_HAS_VALUE))
        return;
    is->low = fmin(low, is->value);
    is->high = fmax(high, is->value);
    is->value = (before * was->value + is->value) / (before + 1);
    is->n = (uint32_t)before + 1;
    is->has |= SG_HAS_N | SG_HAS_LOW | SG_HAS_HIGH;
    SG_FORMATTED(words, "mean of %u starts", is->n);
    if (*sg_table_string(rows, is->message)) /* a percentile "of 250" launches of one start */
        is->message = sg_table_intern(rows, words.data);
}

void sg_run_log_sort(struct sg_run_log *run)
{
    struct sg_table *rows = &run->rows;
    size_t kept = 0;
    sg_table_sort(rows, SG_IGNORED); /* a stable order: of equal rows the later one comes last */
    for (size_t i = 0; i < rows->count; i++)
        if (i + 1 == rows->count || sg_row_compare(rows, &rows->rows[i], &rows->rows[i + 1]) != 0)
            rows->rows[kept++] = rows->rows[i];
        else
            join_starts(rows, &rows->rows[i], &rows->rows[i + 1]);
    rows->count = kept;
}

/* ---- the output files ---- */

enum sg_code sg_run_log_write_env(struct sg_run_log *run, struct sg_err *err)
{
    run->env_changed = false;
    return run->path ? sg_env_write(run->env_path, &run->env, err) : err->code;
}

enum sg_code sg_run_log_write_env_if_changed(struct sg_run_log *run, struct sg_err *err)
{
    return run->env_changed ? sg_run_log_write_env(run, err) : err->code;
}

static enum sg_code write_table(const struct sg_run_log *run, const char *name,
                                struct sg_text *text, struct sg_err *err)
{
    SG_FREED char *path = join(run->path, name);
    sg_write_file(path, text->data, text->length, err);
    sg_text_release(text);
    return err->code;
}

static enum sg_code write_tables(const struct sg_run_log *run, const struct sg_table *rows,
                                 struct sg_err *err)
{
    struct sg_text text = {0};
    sg_table_format(&text, rows);
    if (write_table(run, "run.csv", &text, err) != SG_SUCCESS)
        return err->code;
    sg_samples_format(&text, &run->samples);
    if (write_table(run, "samples.csv", &text, err) != SG_SUCCESS)
        return err->code;
    sg_process_log_format(&text, &run->processes);
    return write_table(run, "processes.csv", &text, err);
}

enum sg_code sg_run_log_write_tables(struct sg_run_log *run, struct sg_err *err)
{
    if (!run->path)
        return err->code;
    sg_run_log_sort(run);
    return write_tables(run, &run->rows, err);
}

enum sg_code sg_run_log_finish(struct sg_run_log *run, const struct sg_table *final,
                               struct sg_err *err)
{
    if (run->path && write_tables(run, final, err) != SG_SUCCESS)
        return err->code;
    sg_env_set(&run->env, "state", "finished");
    if (run->path && sg_run_seal(run->path, &run->env, err) == SG_SUCCESS)
        sg_run_log_write_env(run, err);
    return err->code;
}

void sg_run_log_undo(const struct sg_run_log *run)
{
    unlink(run->log_path);
    unlink(run->env_path);
    rmdir(run->path);
}

void sg_run_log_release(struct sg_run_log *run)
{
    if (run->log >= 0 && run->behind)
        fsync(run->log); /* best effort: a failure loses no written data */
    if (run->log >= 0)
        close(run->log);
    if (run->lock >= 0)
        close(run->lock);
    sg_env_release(&run->env);
    sg_table_release(&run->rows);
    sg_samples_release(&run->samples);
    free(run->path);
    free(run->log_path);
    free(run->env_path);
    sg_run_log_init(run);
}
