#include "cli/cmd_history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "util/escape.h"
#include "util/number_format.h"

static const struct sg_command_part parts[] = {
    {"add", sg_history_add_runs}, {"import", sg_history_import_files}, {"show", sg_history_show},
    {"check", sg_history_check},  {"confirm", sg_history_confirm},     {"accept", sg_history_accept},
};

int sg_cmd_history(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option arguments[] = {
        {.name = "add|import|show|check|confirm|accept", .type = SG_OPTION_NUMBER, .help = "each of them has its own -h"},
        {0},
    };
    static const struct sg_options table = {
        .arguments = arguments,
        .usage = "add RUN...\nimport FILE...\nshow [SERIES] [--chart=DIR]\ncheck [--alarms=usual|few] [--repo=DIR]\nconfirm RUN\n"
                 "accept SERIES --night=DATE --reason=TEXT",
        .summary = "Nights kept as plain files: adding them, their steps and slow creep, and what was decided about those.",
        .notes = "Each of the six has its own -h, and takes --history=DIR.\n\n"
                 "Example: solgate history add R && solgate history check",
        .exits = SG_EXITS_JUDGED,
    };
    return sg_command_run_part(parts, sizeof(parts) / sizeof(parts[0]), &table, argc, argv, err);
}

const char *sg_history_folder(void)
{
    const char *given = getenv(SG_HISTORY_VARIABLE);
    return given && *given ? given : SG_HISTORY_FOLDER;
}

enum sg_code sg_history_choose(const char *folder, const char *group, struct sg_names *groups, struct sg_err *err)
{
    if (sg_history_groups(folder, groups, err) != SG_SUCCESS || !group)
        return err->code;
    if (!sg_names_have(groups, group))
        return sg_fail(err, SG_BAD_INPUT, folder, "expected a group of this history (%s%s), found '%s'", groups->items[0],
                       groups->count > 1 ? ", ..." : "", sg_show(group, strlen(group)).text);
    sg_names_release(groups);
    sg_names_add(groups, group);
    return SG_SUCCESS;
}

void sg_add_step_change(struct sg_text *out, const struct sg_series_step *step)
{
    if (isnan(step->change)) {
        sg_text_add(out, "by an unknown amount");
        return;
    }
    sg_add_change(out, expm1(step->change));
    sg_text_addf(out, " [%+.2f, %+.2f]", 100 * expm1(step->low), 100 * expm1(step->high));
}
