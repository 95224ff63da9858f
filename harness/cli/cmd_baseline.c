#include "cli/command.h"

#include <string.h>

#include "cli/cmd_baseline.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv, struct sg_err *err);
} parts[] = {
    {"show", sg_baseline_show},
    {"accept", sg_baseline_accept_runs},
    {"verify", sg_baseline_verify},
    {"seal", sg_baseline_seal},
};
enum { PARTS = sizeof(parts) / sizeof(parts[0]) };

struct command {
    struct sg_err *err;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    const struct command *command = state->input;
    if (key == ARGP_KEY_ARG)
        return sg_option_fail(command->err, state, "show, accept, verify or seal expected, found '%s'", arg);
    if (key == ARGP_KEY_NO_ARGS)
        return sg_option_fail(command->err, state, "show, accept, verify or seal expected; %s -h says more", state->argv[0]);
    return ARGP_ERR_UNKNOWN;
}

int sg_cmd_baseline(int argc, char **argv, struct sg_err *err)
{
    static const struct argp argp = {
        .parser = parse,
        .args_doc = "show [FILE|GPU/SUITE]\naccept RUN... [--unit|--out=FILE] [--reason=TEXT] [--waive=ITEM [--until=DATE]] [--prune] "
                    "[--dry-run]\nverify [FILE] [--max-age=90d] [--driver=VERSION]\nseal FILE|RUN --reason=TEXT",
        .doc = "The accepted numbers of baselines/: what they are, taking new ones, whether they are still good."
               "\vEach of the four has its own -h.\n\n"
               "Example: solgate baseline accept night/ --reason='larger tiles, fewer registers'\n\n" SG_EXIT_CODES_UNJUDGED_HELP,
    };
    for (size_t i = 0; argc > 1 && i < PARTS; i++)
        if (strcmp(argv[1], parts[i].name) == 0) {
            struct sg_text name = {0};
            sg_text_addf(&name, "%s %s", argv[0], argv[1]);
            argv[1] = name.data;
            const int exit_code = parts[i].run(argc - 1, argv + 1, err);
            sg_text_release(&name);
            return exit_code;
        }
    struct command command = {.err = err};
    bool helped = false;
    sg_options_parse(&(struct sg_options){&argp, &command}, argc, argv, &helped, err);
    return 0;
}
