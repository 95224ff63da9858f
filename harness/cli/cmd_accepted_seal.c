#include "cli/command.h"

#include <string.h>
#include <unistd.h>

#include "baseline/find.h"
#include "results/accepted_file.h"
#include "results/run_reader.h"
#include "util/file.h"
#include "util/paths.h"

#define SG_SEAL_REASON_KEY "seal_reason" /* in env.csv: why the files were changed by hand */

struct command {
    const char *name, *reason;
    bool whole;
};

/* A digest that does not match is expected, because files were edited. All other faults are
 * errors. */
static enum sg_code seal_run(const struct command *command, struct sg_err *err)
{
    SG_SCOPED(sg_run) run = {0};
    SG_SCOPED(sg_text) env = {0};
    struct sg_err changed = {0};
    sg_run_read(command->name, &run, &changed);
    if (changed.code != SG_SUCCESS && !run.is_readable) {
        *err = changed;
    } else {
        sg_env_set(&run.env, SG_SEAL_REASON_KEY, command->reason);
        sg_text_addf(&env, "%s/env.csv", run.folder);
        if (sg_run_seal(run.folder, &run.env, err) == SG_SUCCESS)
            sg_env_write(env.data, &run.env, err);
    }
    return err->code;
}

/* An item missing from the file is new only if all items of the suite were accepted: known from the
 * runs, or stated by --whole. */
static void set_plan(const struct command *command, struct sg_accepted_file *file)
{
    const char *items = sg_env_get(&file->env, SG_ACCEPTED_ITEMS_KEY);
    uint64_t were = 0;
    const bool known =
        items && sg_parse_u64(items, &were) && sg_env_get(&file->env, SG_ACCEPTED_PLAN_KEY);
    if (command->whole)
        sg_env_set(&file->env, SG_ACCEPTED_PLAN_KEY, SG_PLAN_WHOLE);
    else if (!known || sg_accepted_file_count_items(&file->table) < were ||
             sg_env_get(&file->env, SG_SELECTION_KEY))
        sg_env_set(&file->env, SG_ACCEPTED_PLAN_KEY, SG_PLAN_PARTIAL);
}

static void describe(const struct sg_accepted_file *file, struct sg_text *text)
{
    size_t gates = 0;
    for (size_t i = 0; i < file->table.count; i++)
        gates += file->accepted[i].gate;
    sg_text_addf(text, "%s of %s: %zu items, %zu rows gate, plan %s\n", file->path, file->gpu,
                 sg_accepted_file_count_items(&file->table), gates,
                 sg_env_get(&file->env, SG_ACCEPTED_PLAN_KEY));
    if (!sg_accepted_file_is_whole(file))
        sg_text_add(text, "other items of a run are not_accepted (exit 3); --whole states that "
                          "these are all items of the suite\n");
}

static enum sg_code seal_accepted(const struct command *command, struct sg_err *err)
{
    struct sg_accepted_suite suite = {.path = NULL};
    SG_SCOPED(sg_text) path = {0}, gpu = {0}, text = {0};
    int lock = -1;
    if (sg_accepted_path(command->name, &path, &gpu, err) == SG_SUCCESS &&
        sg_lock_folder_of(path.data, &lock, err) == SG_SUCCESS &&
        sg_accepted_suite_read(path.data, &suite, err) == SG_SUCCESS) {
        for (size_t i = 0; i < suite.count; i++) {
            struct sg_accepted_file *file = &suite.items[i];
            if (gpu.length > 0 && strcmp(gpu.data, file->gpu) != 0)
                continue;
            set_plan(command, file);
            sg_env_set(&file->env, SG_SEAL_REASON_KEY, command->reason);
            describe(file, &text);
        }
        if (sg_accepted_suite_write(path.data, &suite, err) == SG_SUCCESS)
            sg_print(&text, err);
    }
    if (lock >= 0)
        close(lock);
    return err->code;
}

int sg_cmd_accepted_seal(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {
        SG_VALUE("reason", "TEXT", struct command, reason,
                 .help = "why it was changed by hand; kept in its facts", .read = sg_read_reason,
                 .required = true),
        SG_FLAG("whole", struct command, whole,
                .help = "the accepted numbers hold every item of their suite, so that any other "
                        "item is new"),
    };
    static const struct sg_options table = {
        .options = SG_OPTIONS(options),
        .arguments = {SG_ARGUMENT(SG_BASELINE_FORMS "|RUN", struct command, name,
                                  .help = "the file or run that was changed by hand")},
        .summary = "Renews the digest of accepted numbers, or of a run's folder, that were changed "
                   "by hand.",
        .notes =
            "Until then `solgate compare` refuses them with exit code 3. Accepted numbers are "
            "written anew, sorted. If items were removed, or the file does not state that it is "
            "complete, any other item of a run is not_accepted (3); --whole declares it new."
            "\n\n"
            "Example: solgate accepted seal h200/smoke --reason='cublas gates at 3 %'",
        .exits = SG_EXITS_UNJUDGED,
    };
    struct command command = {.name = NULL};
    if (sg_options_parse(&table, &command, argc, argv, err))
        (sg_is_folder(command.name) ? seal_run : seal_accepted)(&command, err);
    return 0;
}
