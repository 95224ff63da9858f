#include "results/run_writer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "results/env.h"
#include "results/row_kind.h"
#include "results/samples.h"
#include "util/csv_reader.h"
#include "util/file.h"

#define LOCK_MOST_MS 2000

void sg_run_writer_init(struct sg_run_writer *folder)
{
    *folder = (struct sg_run_writer){.lock = -1};
}

static char *join(const char *folder, const char *name)
{
    struct sg_text path = {0};
    sg_text_addf(&path, "%s/%s", folder, name);
    return path.data;
}

static void name_files(struct sg_run_writer *folder, const char *path)
{
    folder->path = sg_copy_string(path);
    folder->rows_path = join(path, "run.csv");
    folder->samples_path = join(path, "samples.csv");
    folder->processes_path = join(path, "processes.csv");
    folder->env_path = join(path, "env.csv");
}

#define HEADER_MAX 512 /* bytes: more than any of the headers has */

/* Does the file hold a header, or the beginning of it, and nothing else? */
static bool holds_header(const char *path, const char *header)
{
    struct sg_text line = {0};
    char bytes[HEADER_MAX];
    size_t got = 0;
    int descriptor = -1;
    struct sg_err none = {0};
    sg_text_addf(&line, "%s\n", header);
    bool bare = sg_open_to_read(path, &descriptor, &none) == SG_SUCCESS;
    bare = bare && sg_read_bytes(path, descriptor, bytes, sizeof(bytes), &got, &none) == SG_SUCCESS && got <= line.length &&
           memcmp(bytes, line.data, got < line.length ? got : line.length) == 0;
    if (descriptor >= 0)
        close(descriptor);
    sg_text_release(&line);
    return bare;
}

/* Files are made before env.csv says what the run is, and rows come after that. */
static bool is_bare(const char *folder, const char *name)
{
    static const struct {
        const char *name, *header;
    } files[] = {
        {"run.csv", SG_RUN_HEADER},
        {"samples.csv", SG_SAMPLES_HEADER},
        {"processes.csv", SG_PROCESSES_HEADER},
    };
    static const char unfinished_env[] = "env.csv."; /* of sg_write_file, in a process that is no more */
    bool bare = strncmp(name, unfinished_env, sizeof(unfinished_env) - 1) == 0;
    char *path = join(folder, name);
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && !bare; i++)
        bare = strcmp(name, files[i].name) == 0 && holds_header(path, files[i].header);
    free(path);
    return bare;
}

enum sg_code sg_run_writer_check_bare(const char *path, struct sg_err *err)
{
    DIR *dir = opendir(path);
    if (!dir)
        return sg_fail(err, sg_code_of_errno(errno, SG_BAD_USAGE), path, "cannot be read as a folder: %s", strerror(errno));
    for (const struct dirent *entry; (entry = readdir(dir));) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && !is_bare(path, entry->d_name)) {
            sg_fail(err, SG_BAD_USAGE, path, "the folder is not empty (%s is in it); --resume goes on with an unfinished run",
                    entry->d_name);
            break;
        }
    }
    closedir(dir);
    return err->code;
}

bool sg_run_writer_is_bare(const char *path)
{
    struct sg_err none = {0};
    return sg_run_writer_check_bare(path, &none) == SG_SUCCESS;
}

/* The guards of a solgate that was just killed hold its lock a moment longer than it does. */
static enum sg_code lock(struct sg_run_writer *folder, struct sg_err *err)
{
    folder->lock = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder->lock < 0)
        return sg_fail(err, sg_code_of_errno(errno, SG_BAD_USAGE), folder->path, "cannot be opened as a folder: %s", strerror(errno));
    if (sg_hold_folder(folder->lock, LOCK_MOST_MS))
        return SG_SUCCESS;
    return sg_fail(err, SG_BAD_USAGE, folder->path, "another solgate is writing to this run");
}

static enum sg_code add_lines(struct sg_journal *journal, const struct sg_text *lines, struct sg_err *err)
{
    return sg_journal_add(journal, sg_text_string(lines), lines->length, err);
}

enum sg_code sg_run_writer_create(const char *path, struct sg_run_writer *folder, struct sg_err *err)
{
    name_files(folder, path);
    // Locked first: of two that find the folder empty at the same time, the second
    // would cut off what the first wrote.
    if (sg_make_folders(path, err) != SG_SUCCESS || lock(folder, err) != SG_SUCCESS || sg_run_writer_check_bare(path, err) != SG_SUCCESS)
        return err->code;
    if (sg_journal_open(folder->rows_path, SG_RUN_HEADER, 0, &folder->rows, err) != SG_SUCCESS ||
        sg_journal_open(folder->samples_path, SG_SAMPLES_HEADER, 0, &folder->samples, err) != SG_SUCCESS)
        return err->code;
    return sg_journal_open(folder->processes_path, SG_PROCESSES_HEADER, 0, &folder->processes, err);
}

enum sg_code sg_run_writer_facts(const char *path, struct sg_env *env, struct sg_err *err)
{
    char *file = join(path, "env.csv");
    sg_env_read(file, env, err);
    free(file);
    return err->code;
}

/* Does a row belong to the verification of its item (status, expect, role,
 * shape, work_*, error_*, kernels)? */
static bool is_verify_metric(const char *metric)
{
    static const char *const names[] = {"status", "expect", "role", "shape", "kernels"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(metric, names[i]) == 0)
            return true;
    return strncmp(metric, "work_", 5) == 0 || strncmp(metric, "error_", 6) == 0;
}

bool sg_is_reported(const struct sg_row *row)
{
    return (row->has & SG_HAS_N) == 0;
}

bool sg_is_computed_row(const struct sg_table *table, const struct sg_row *row)
{
    static const char *const names[] = {"time_ratio", "sm_clock", "sol_time", "sol_gap", "l2_state"};
    const char *metric = sg_table_string(table, row->metric);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(metric, names[i]) == 0)
            return true;
    // Of an accepted build that failed only the failure was found out.
    if (strcmp(metric, SG_BUILD_RATIO_METRIC) == 0)
        return row->status == SG_OK || row->status == SG_UNAVAILABLE;
    // A time that failed is what a process found out; one that was
    // skipped follows from its baseline.
    return strcmp(metric, "time") == 0 && (row->status == SG_OK || row->status == SG_SKIPPED);
}

/* Keeps what is whole of the rows [first, last) of one item; returns how many rows `table` has now,
 * of which `kept` were kept before. */
static size_t keep_item(struct sg_table *table, size_t first, size_t last, size_t kept)
{
    bool verified = false, counted = false;
    for (size_t i = first; i < last; i++) {
        const char *metric = sg_table_string(table, table->rows[i].metric);
        verified |= strcmp(metric, "status") == 0;
        counted |= strcmp(metric, "count_passes") == 0;
    }
    for (size_t i = first; i < last; i++) {
        const struct sg_row row = table->rows[i];
        const char *metric = sg_table_string(table, row.metric);
        const bool is_time = strcmp(metric, "time") == 0, whole = is_verify_metric(metric) || sg_is_reported(&row) || is_time || counted;
        if (verified && whole && (!sg_is_computed_row(table, &row) || (is_time && row.status == SG_SKIPPED)))
            table->rows[kept++] = row;
    }
    return kept;
}

static enum sg_code take_up_rows(struct sg_run_writer *folder, struct sg_table *table, struct sg_err *err)
{
    uint64_t whole_bytes;
    if (sg_table_read_journal(folder->rows_path, table, &whole_bytes, err) != SG_SUCCESS ||
        sg_table_sort_with(table, &(struct sg_beside){.path = folder->rows_path}, err) != SG_SUCCESS)
        return err->code;
    size_t kept = 0;
    for (size_t first = 0, last; first < table->count; first = last) {
        for (last = first; last < table->count && sg_row_same_item(&table->rows[first], &table->rows[last]); last++)
            continue;
        kept = keep_item(table, first, last, kept);
    }
    table->count = kept;
    return sg_run_writer_write_rows(folder, table, err);
}

static bool same_batches(const struct sg_sample *a, const struct sg_sample *b)
{
    return a->family == b->family && a->case_ == b->case_ && a->pair == b->pair && a->process == b->process;
}

static enum sg_code take_up_samples(struct sg_run_writer *folder, const struct sg_pair_samples_judge *judge, struct sg_samples *samples,
                                    struct sg_err *err)
{
    uint64_t whole_bytes;
    struct sg_text text = {0};
    if (sg_samples_read_journal(folder->samples_path, samples, &whole_bytes, err) != SG_SUCCESS)
        return err->code;
    sg_text_add(&text, SG_SAMPLES_HEADER "\n");
    size_t kept = 0;
    for (size_t first = 0, last; first < samples->count; first = last) {
        for (last = first; last < samples->count && same_batches(&samples->items[first], &samples->items[last]); last++)
            continue;
        const struct sg_pair_samples batches = {samples->items + first, last - first};
        const bool is_kept = judge->keep(judge->context, samples, &batches);
        for (size_t i = first; i < last && is_kept; i++) {
            samples->items[kept++] = samples->items[i];
            sg_sample_format(&text, samples, &samples->items[kept - 1]);
        }
    }
    samples->count = kept;
    sg_write_file(folder->samples_path, text.data, text.length, err);
    sg_text_release(&text);
    return err->code;
}

static enum sg_code open_at_end(const char *path, const char *header, struct sg_journal *journal, struct sg_err *err)
{
    struct stat facts;
    if (stat(path, &facts) != 0)
        return sg_fail(err, SG_SYSTEM, path, "cannot be looked at: %s", strerror(errno));
    return sg_journal_open(path, header, (uint64_t)facts.st_size, journal, err);
}

enum sg_code sg_run_writer_take_up(const char *path, const struct sg_pair_samples_judge *judge, struct sg_run_writer *folder,
                                   struct sg_table *table, struct sg_samples *samples, struct sg_err *err)
{
    name_files(folder, path);
    if (lock(folder, err) != SG_SUCCESS || sg_env_read(folder->env_path, &folder->env, err) != SG_SUCCESS ||
        sg_env_check(&folder->env, folder->env_path, SG_SCHEMA, err) !=
            SG_SUCCESS || /* what is begun anew must be readable when it is done */
        take_up_rows(folder, table, err) != SG_SUCCESS ||
        take_up_samples(folder, judge, samples, err) != SG_SUCCESS)
        return err->code;
    if (open_at_end(folder->rows_path, SG_RUN_HEADER, &folder->rows, err) != SG_SUCCESS)
        return err->code;
    return open_at_end(folder->samples_path, SG_SAMPLES_HEADER, &folder->samples, err);
}

/* Replaces what a journal holds; it goes on behind that. */
static enum sg_code begin_anew(struct sg_journal *journal, const char *path, const char *header, const struct sg_text *lines,
                               struct sg_err *err)
{
    sg_journal_close(journal);
    if (sg_write_file(path, lines->data, lines->length, err) != SG_SUCCESS)
        return err->code;
    return open_at_end(path, header, journal, err);
}

enum sg_code sg_run_writer_write_samples(struct sg_run_writer *folder, const struct sg_samples *samples, struct sg_err *err)
{
    struct sg_text text = {0};
    sg_text_add(&text, SG_SAMPLES_HEADER "\n");
    for (size_t i = 0; i < samples->count; i++)
        sg_sample_format(&text, samples, &samples->items[i]);
    begin_anew(&folder->samples, folder->samples_path, SG_SAMPLES_HEADER, &text, err);
    sg_text_release(&text);
    return err->code;
}

enum sg_code sg_run_writer_write_processes(struct sg_run_writer *folder, const struct sg_process_log *processes, struct sg_err *err)
{
    struct sg_text text = {0};
    sg_text_add(&text, SG_PROCESSES_HEADER "\n");
    for (size_t i = 0; i < processes->count; i++)
        sg_process_format(&text, &processes->items[i]);
    begin_anew(&folder->processes, folder->processes_path, SG_PROCESSES_HEADER, &text, err);
    sg_text_release(&text);
    return err->code;
}

enum sg_code sg_run_writer_take_up_processes(struct sg_run_writer *folder, struct sg_process_log *processes, struct sg_err *err)
{
    if (access(folder->processes_path, F_OK) != 0)
        return sg_journal_open(folder->processes_path, SG_PROCESSES_HEADER, 0, &folder->processes, err);
    if (sg_process_log_read(folder->processes_path, processes, err) != SG_SUCCESS)
        return err->code;
    return sg_run_writer_write_processes(folder, processes, err);
}

enum sg_code sg_run_writer_add_process(struct sg_run_writer *folder, const struct sg_process *process, struct sg_err *err)
{
    struct sg_text line = {0};
    sg_process_format(&line, process);
    add_lines(&folder->processes, &line, err);
    sg_text_release(&line);
    return err->code;
}

enum sg_code sg_run_writer_add_rows(struct sg_run_writer *folder, const struct sg_table *group, struct sg_err *err)
{
    struct sg_text lines = {0};
    for (size_t i = 0; i < group->count; i++) {
        sg_row_format(&lines, group, &group->rows[i]);
        sg_row_format_errors(&lines, group, &group->rows[i]);
    }
    add_lines(&folder->rows, &lines, err);
    sg_text_release(&lines);
    return err->code;
}

enum sg_code sg_run_writer_add_samples(struct sg_run_writer *folder, const struct sg_samples *group, struct sg_err *err)
{
    struct sg_text lines = {0};
    for (size_t i = 0; i < group->count; i++)
        sg_sample_format(&lines, group, &group->items[i]);
    add_lines(&folder->samples, &lines, err);
    sg_text_release(&lines);
    return err->code;
}

enum sg_code sg_run_writer_write_env(struct sg_run_writer *folder, struct sg_err *err)
{
    struct sg_text text = {0};
    sg_env_format(&text, &folder->env);
    sg_write_file(folder->env_path, text.data, text.length, err);
    sg_text_release(&text);
    return err->code;
}

enum sg_code sg_run_writer_write_rows(struct sg_run_writer *folder, const struct sg_table *table, struct sg_err *err)
{
    struct sg_text text = {0};
    sg_table_format(&text, table);
    sg_write_file(folder->rows_path, text.data, text.length, err);
    sg_text_release(&text);
    return err->code;
}

enum sg_code sg_run_writer_check(struct sg_run_writer *folder, struct sg_err *err)
{
    if (sg_journal_check(&folder->rows, err) == SG_SUCCESS && sg_journal_check(&folder->samples, err) == SG_SUCCESS)
        sg_journal_check(&folder->processes, err);
    if (err->code == SG_NOT_COMPARABLE) {
        struct sg_err unwritten = {0}; /* of two failures the first one is the reason */
        sg_env_set(&folder->env, "state", "finished");
        sg_env_set(&folder->env, SG_DIGEST_KEY, sg_digest_word(&folder->rows.content).text);
        sg_run_writer_write_env(folder, &unwritten);
    }
    return err->code;
}

void sg_run_writer_undo(struct sg_run_writer *folder)
{
    unlink(folder->rows_path);
    unlink(folder->samples_path);
    unlink(folder->processes_path);
    unlink(folder->env_path);
    rmdir(folder->path);
}

void sg_run_writer_release(struct sg_run_writer *folder)
{
    sg_journal_close(&folder->rows);
    sg_journal_close(&folder->samples);
    sg_journal_close(&folder->processes);
    sg_env_release(&folder->env);
    free(folder->path);
    free(folder->rows_path);
    free(folder->samples_path);
    free(folder->processes_path);
    free(folder->env_path);
    if (folder->lock >= 0)
        close(folder->lock);
    sg_run_writer_init(folder);
}
