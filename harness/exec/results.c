#include "exec/results.h"

#include <string.h>
#include <unistd.h>

#include "exec/program.h"
#include "import/gather.h"
#include "results/run_reader.h"
#include "results/shards.h"
#include "util/file.h"
#include "util/paths.h"

#define VARIABLE "SOLGATE_RESULTS" /* marks the processes of a start */

/* Starts the program without the injected library: a tool that profiles the program must be CUPTI's
 * only client. */
static enum sg_code start(const struct sg_program_start *how, int *status, struct sg_err *err)
{
    static const struct sg_environment_change changes[] = {{VARIABLE, "1"}};
    SG_SCOPED(sg_text) unused = {0};
    struct sg_program_end end = {0};
    struct sg_descendants descendants = {
        .argv = how->argv, .variable = VARIABLE "=1", .complaint = &unused};
    sg_descendants_begin(&descendants);
    sg_program_run(how, changes, 1, &descendants, &end, err);
    if (err->code == SG_SUCCESS)
        sg_descendants_wait(&descendants, sg_program_is_stopped);
    sg_descendants_end(&descendants);
    *status = end.status;
    return err->code;
}

/* Adds the rows of an imported run as rows of the suite's program, without skipped items. */
static enum sg_code take_rows(const struct sg_run *run, const char *label, struct sg_table *rows,
                              struct sg_err *err)
{
    for (size_t i = 0; i < run->table.count; i++) {
        struct sg_value value = sg_value_of(&run->table, &run->table.rows[i]);
        const struct sg_row *status = sg_table_find(&run->table, SG_NAMES(value), "status");
        SG_SCOPED(sg_text) case_ = {0}, name = {0};
        if (status && status->status == SG_SKIPPED)
            continue;
        const bool is_all = strcmp(value.case_, "all") == 0;
        sg_text_addf(&case_, "%s%s%s", label, is_all ? "" : "_", is_all ? "" : value.case_);
        sg_add_imported_name(&name, case_.data, NULL);
        value.family = SG_EXEC_FAMILY;
        value.case_ = name.data;
        sg_table_add(rows, &value);
    }
    return sg_table_sort(rows, err);
}

/* Starts `solgate import` on the file; its output goes to the file `words`. */
static enum sg_code import(const struct sg_exec_options *options, struct sg_exec_found *found,
                           struct sg_err *err)
{
    SG_SCOPED(sg_text) program = {0}, folder = {0}, out = {0}, words = {0};
    SG_SCOPED(sg_run) run = {0};
    int status = 0;
    if (sg_path_next_to_program(&program, "solgate", err) != SG_SUCCESS)
        return err->code;
    sg_text_addf(&folder, "%s/%s.imported", options->out, options->label);
    sg_text_addf(&out, "--out=%s", folder.data);
    sg_text_addf(&words, "%s.out", folder.data);
    char *const argv[] = {program.data, (char[]){"import"}, (char *)options->file, out.data, NULL};
    const struct sg_program_start how = {.argv = argv, .output = words.data, .is_in_worker = true};
    if (start(&how, &status, err) != SG_SUCCESS)
        return err->code;
    if (status != 0)
        sg_read_file(words.data, &found->complaint, err);
    else if (sg_run_read(folder.data, &run, err) == SG_SUCCESS)
        take_rows(&run, options->label, &found->rows, err);
    unlink(words.data);
    while (found->complaint.length > 0 &&
           found->complaint.data[found->complaint.length - 1] == '\n')
        found->complaint.data[--found->complaint.length] = '\0';
    return err->code;
}

enum sg_code sg_exec_results(const struct sg_exec_options *options, struct sg_exec_found *found,
                             struct sg_err *err)
{
    SG_SCOPED(sg_text) bus = {0}, before = {0}, after = {0};
    struct sg_err none = {0};
    const struct sg_program_start how = {
        .argv = options->argv, .output = options->output, .is_in_worker = true};
    *found = (struct sg_exec_found){.has_launched = true};
    sg_text_add(&found->gpu, options->gpu ? options->gpu : "");
    if ((!options->gpu && sg_find_gpu(&found->gpu, &bus, err) != SG_SUCCESS) ||
        sg_make_folders(options->out, err) != SG_SUCCESS)
        return err->code;
    options->on_progress(options->given, found->gpu.data);
    sg_file_mark(options->file, &before, &none);
    if (start(&how, &found->status, err) != SG_SUCCESS || found->status != 0)
        return err->code;
    options->on_progress(options->given, found->gpu.data);
    none = (struct sg_err){0};
    if (sg_file_mark(options->file, &after, &none) == SG_SUCCESS &&
        strcmp(sg_text_string(&before), after.data) != 0)
        return import(options, found, err);
    sg_text_addf(&found->complaint, "expected the program to write %s, found %s", options->file,
                 after.length > 0 ? "a file that this start did not write" : "no such file");
    return err->code;
}
