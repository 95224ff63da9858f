#include "cli/cmd_baseline.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "baseline/find.h"
#include "results/accepted_file.h"
#include "results/env.h"
#include "results/run_reader.h"
#include "util/file.h"

enum { KEY_REASON = 256, KEY_WHOLE }; /* above every character: long options only */

#define SG_SEAL_REASON_KEY "seal_reason" /* of env.csv: why its files were changed by hand */

struct command {
    const char *name, *reason;
    bool whole;
    struct sg_err *err;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct command *command = state->input;
    switch (key) {
    case KEY_REASON:
        return sg_option_text(command->err, state, "--reason=TEXT", arg, &command->reason);
    case KEY_WHOLE:
        command->whole = true;
        return 0;
    case ARGP_KEY_ARG:
        if (command->name)
            return sg_option_fail(command->err, state, "one FILE, GPU/SUITE or RUN expected, found '%s' after '%s'", arg, command->name);
        command->name = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        return sg_option_fail(command->err, state, "FILE, GPU/SUITE or RUN is missing: what was changed by hand");
    case ARGP_KEY_SUCCESS:
        return command->reason ? 0 : sg_option_fail(command->err, state, "--reason=TEXT is missing: why it was changed by hand");
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static enum sg_code seal_run(const struct command *command, struct sg_err *err)
{
    struct sg_run run = {0};
    struct sg_text env = {0};
    struct sg_err changed = {0};
    /* That its digest is another one is what this is for; whatever else is wrong with it stays an error. */
    sg_run_read(command->name, &run, &changed);
    if (changed.code != SG_SUCCESS && !run.is_readable) {
        *err = changed;
        goto out;
    }
    sg_env_set(&run.env, SG_SEAL_REASON_KEY, command->reason);
    sg_text_addf(&env, "%s/env.csv", run.folder);
    if (sg_run_seal(run.folder, &run.env, err) == SG_SUCCESS)
        sg_env_write(env.data, &run.env, err);
out:
    sg_text_release(&env);
    sg_run_release(&run);
    return err->code;
}

/* Nobody vouches for items that are not there: only who accepted whole runs, or says so here. */
static void set_plan(const struct command *command, struct sg_accepted_file *baseline)
{
    const char *items = sg_env_get(&baseline->env, SG_ACCEPTED_ITEMS_KEY);
    uint64_t were = 0;
    const bool known = items && sg_parse_u64(items, &were) && sg_env_get(&baseline->env, SG_ACCEPTED_PLAN_KEY);
    const bool lost = known && sg_accepted_file_count_items(&baseline->table) < were;
    if (command->whole)
        sg_env_set(&baseline->env, SG_ACCEPTED_PLAN_KEY, SG_PLAN_WHOLE);
    else if (!known || lost || sg_env_get(&baseline->env, SG_SELECTION_KEY))
        sg_env_set(&baseline->env, SG_ACCEPTED_PLAN_KEY, SG_PLAN_PARTIAL);
}

static enum sg_code print_sealed(const struct sg_accepted_file *baseline, size_t items, struct sg_err *err)
{
    struct sg_text text = {0};
    size_t gates = 0;
    for (size_t i = 0; i < baseline->table.count; i++)
        gates += baseline->accepted[i].gate;
    sg_text_addf(&text, "%s: %zu items, %zu rows gate, plan %s\n", baseline->path, items, gates,
                 sg_env_get(&baseline->env, SG_ACCEPTED_PLAN_KEY));
    if (!sg_accepted_file_is_whole(baseline))
        sg_text_add(&text, "what a run has beyond these items is not_accepted (exit 3); if they are all of the suite: --whole\n");
    sg_print(&text, err);
    sg_text_release(&text);
    return err->code;
}

static enum sg_code seal_accepted(const struct command *command, struct sg_err *err)
{
    struct sg_accepted_file baseline = {0};
    struct sg_text path = {0};
    int lock = -1;
    if (sg_baseline_path(command->name, &path, err) != SG_SUCCESS || sg_lock_folder_of(path.data, &lock, err) != SG_SUCCESS ||
        sg_accepted_file_read(path.data, &baseline, err) != SG_SUCCESS)
        goto out;
    set_plan(command, &baseline);
    sg_env_set(&baseline.env, SG_SEAL_REASON_KEY, command->reason);
    if (sg_accepted_file_write(path.data, &baseline, err) == SG_SUCCESS)
        print_sealed(&baseline, sg_accepted_file_count_items(&baseline.table), err);
out:
    if (lock >= 0)
        close(lock);
    sg_accepted_file_release(&baseline);
    sg_text_release(&path);
    return err->code;
}

int sg_baseline_seal(int argc, char **argv, struct sg_err *err)
{
    static const struct argp_option known[] = {
        {.name = "reason", .key = KEY_REASON, .arg = "TEXT", .doc = "why it was changed by hand; kept in its env file"},
        {.name = "whole", .key = KEY_WHOLE, .doc = "accepted numbers: they are of every item of their suite, so that others are new"},
        {0},
    };
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .args_doc = "FILE|GPU/SUITE|GPU/UNIT/SUITE|RUN",
        .doc = "Renews the digest of accepted numbers, or of a run's folder, that were changed by hand."
               "\vUntil then `solgate compare` refuses them with exit code 3. Accepted numbers are written anew, sorted. Where some were "
               "taken away, "
               "or nobody ever said that there are all, what else a run has is not_accepted (3) unless --whole says that it is new.\n\n"
               "Example: solgate baseline seal h200/smoke --reason='cublas gates at 3 %'\n\n" SG_EXIT_CODES_UNJUDGED_HELP,
    };
    struct command command = {.err = err};
    struct stat facts;
    bool helped = false;

    if (sg_options_parse(&(struct sg_options){&argp, &command}, argc, argv, &helped, err) != SG_SUCCESS || helped)
        return 0;
    if (stat(command.name, &facts) == 0 && S_ISDIR(facts.st_mode))
        seal_run(&command, err);
    else
        seal_accepted(&command, err);
    return 0;
}
