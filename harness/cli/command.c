#include "cli/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "builds/store.h"
#include "results/accepted_place.h"
#include "util/text.h"

static enum sg_code set_folder(const char *variable, const char *found, struct sg_err *err)
{
    if (!*found)
        return sg_fail(err, SG_BAD_USAGE, NULL, "expected a folder, found ''");
    return setenv(variable, found, 1) == 0 ? SG_SUCCESS : sg_fail(err, SG_SYSTEM, variable, "%s", strerror(errno));
}

enum sg_code sg_read_reason(void *place, const char *found, struct sg_err *err)
{
    if (sg_is_blank(found))
        return sg_fail(err, SG_BAD_USAGE, NULL, "expected a reason in words, found '%s'", sg_show(found, strlen(found)).text);
    *(const char **)place = found;
    return SG_SUCCESS;
}

enum sg_code sg_read_baselines(void *place, const char *found, struct sg_err *err)
{
    (void)place;
    return set_folder(SG_BASELINES_VARIABLE, found, err);
}

enum sg_code sg_read_builds(void *place, const char *found, struct sg_err *err)
{
    (void)place;
    return set_folder(SG_BUILDS_VARIABLE, found, err);
}

const struct sg_command *sg_commands(size_t *count)
{
    static const struct sg_command commands[] = {
        {"list", "families, cases, variants, metrics, groups, gpus, suites", sg_cmd_list},
        {"doctor", "what can be measured here, and what stands in the way of the rest", sg_cmd_doctor},
        {"run", "check, time and count the variants of a suite, each in a process of its own", sg_cmd_run},
        {"ab", "may a candidate be merged? It and its baseline, interleaved, until it is decided", sg_cmd_ab},
        {"bisect", "which commit made a variant slower, by git bisect and interleaved A/Bs", sg_cmd_bisect},
        {"aa", "the false-alarm rate: pairs of a kernel with itself", sg_cmd_aa},
        {"compare", "a run against accepted numbers: what regressed, by how much, why", sg_cmd_compare},
        {"gap", "how far each variant is from the speed of light", sg_cmd_gap},
        {"sol", "the speed of light of a product of matrices, from its shapes alone", sg_cmd_sol},
        {"explain", "which counters moved between two variants, and what that usually means", sg_cmd_explain},
        {"report", "every table and chart of a run, and an index.html", sg_cmd_report},
        {"import", "another tool's results as a run", sg_cmd_import},
        {"baseline", "show, accept or verify accepted numbers", sg_cmd_baseline},
        {"nightly", "a night: run, compare, measure on what is open, history, report; one verdict", sg_cmd_nightly},
        {"history", "nights as plain files: steps, slow creep, trends", sg_cmd_history},
        {"builds", "the store of accepted builds: list, show, prune, rebuild", sg_cmd_builds},
    };
    *count = sizeof(commands) / sizeof(commands[0]);
    return commands;
}

int sg_command_run_part(const struct sg_command_part *parts, size_t count, const struct sg_options *table, int argc, char **argv,
                        struct sg_err *err)
{
    for (size_t i = 0; argc > 1 && i < count; i++)
        if (strcmp(argv[1], parts[i].name) == 0) {
            struct sg_text name = {0};
            sg_text_addf(&name, "%s %s", argv[0], argv[1]);
            argv[1] = name.data;
            const int exit_code = parts[i].run(argc - 1, argv + 1, err);
            sg_text_release(&name);
            return exit_code;
        }
    unsigned part = 0;
    sg_options_parse(table, &part, argc, argv, err);
    return 0;
}
