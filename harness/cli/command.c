#include "cli/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "results/accepted_place.h"
#include "util/text.h"

static enum sg_code set_folder(const char *variable, const char *found, struct sg_err *err)
{
    if (!*found)
        return sg_fail(err, SG_BAD_USAGE, NULL, "expected a folder, found ''");
    return setenv(variable, found, 1) == 0
               ? SG_SUCCESS
               : sg_fail(err, SG_SYSTEM, variable, "%s", strerror(errno));
}

enum sg_code sg_budget_read(void *place, const char *found, struct sg_err *err)
{
    double *budget_s = place;
    if (sg_parse_duration(found, budget_s, err) == SG_SUCCESS && *budget_s <= 0)
        sg_fail(err, SG_BAD_USAGE, NULL, "expected a time such as 20m, found '%s'",
                sg_show_string(found).text);
    return err->code;
}

enum sg_code sg_read_reason(void *place, const char *found, struct sg_err *err)
{
    if (sg_is_blank(found))
        return sg_fail(err, SG_BAD_USAGE, NULL, "expected a reason in words, found '%s'",
                       sg_show_string(found).text);
    *(const char **)place = found;
    return SG_SUCCESS;
}

enum sg_code sg_read_accepted_folder(void *place, const char *found, struct sg_err *err)
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
#define X(name, summary) {#name, summary, sg_cmd_##name},
        SG_COMMAND_TABLE(X)
#undef X
    };
    *count = sizeof(commands) / sizeof(commands[0]);
    return commands;
}

int sg_command_run_part(const struct sg_options *table, int argc, char **argv, struct sg_err *err)
{
    static const struct part {
        const char *command, *name;
        int (*run)(int argc, char **argv, struct sg_err *err);
    } parts[] = {
#define X(command, part) {#command, #part, sg_cmd_##command##_##part},
        SG_PART_TABLE(X)
#undef X
    };
    SG_SCOPED(sg_text) names = {0}, name = {0};
    for (const struct part *part = parts; part < parts + sizeof(parts) / sizeof(parts[0]); part++) {
        if (strcmp(part->command, strchr(argv[0], ' ') + 1) != 0)
            continue;
        sg_text_addf(&names, "%s%s", names.length > 0 ? "|" : "", part->name);
        if (argc > 1 && strcmp(argv[1], part->name) == 0) {
            sg_text_addf(&name, "%s %s", argv[0], argv[1]);
            argv[1] = name.data;
            return part->run(argc - 1, argv + 1, err);
        }
    }
    unsigned part = 0;
    struct sg_options with_parts = *table;
    with_parts.arguments[0] = (struct sg_option){
        .name = names.data, .type = SG_FIELD_COUNT, .help = "each of them has its own -h"};
    sg_options_parse(&with_parts, &part, argc, argv, err);
    return 0;
}
