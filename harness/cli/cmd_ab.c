#include <string.h>

#include "ab/ab.h"
#include "cli/command.h"
#include "reports/report.h"
#include "util/options.h"

#define DEFAULT_SEED      1
#define DEFAULT_TOLERANCE 0.005
#define GPU_MAX           63

enum {
    CASE = 256,
    TOLERANCE,
    MODULE,
    CONFIG,
    OUT,
    SEED,
    GPU,
    L2,
    FORMAT,
    INCONCLUSIVE,
    NEIGHBOURS,
    SUSTAINED,
    RESUME
}; /* above every character: long options only */

static const struct argp_option table[] = {
    {.name = "case",
     .key = CASE,
     .arg = "C",
     .flags = SG_OPTION_REPEATS,
     .doc = "only this case; may repeat (default: all that both support)"},
    {.name = "tolerance", .key = TOLERANCE, .arg = "PERCENT", .doc = "how much slower is still fine (default: 0.5%)"},
    {.name = "module",
     .key = MODULE,
     .arg = "FILE",
     .flags = SG_OPTION_REPEATS,
     .doc = "a kernel module to look for the family in; may repeat"},
    {.name = "config", .key = CONFIG, .arg = "FILE", .doc = "a file of knobs (`solgate list knobs`) that both sides are set by"},
    {.name = "out", .key = OUT, .arg = "DIR", .doc = "folder of the run, new or empty (default: out/ab-<date>)"},
    {.name = "seed", .key = SEED, .arg = "N", .doc = "seed of inputs, orders and simulated times (default: 1)"},
    {.name = "gpu", .key = GPU, .arg = "N", .doc = "number of the GPU, as the driver counts (default: 0)"},
    {.name = "l2", .key = L2, .arg = "STATE", .doc = "the L2 cache before each launch: " SG_L2_CHOICE " (default: cold)"},
    {.name = "format", .key = FORMAT, .arg = "FORMAT", .doc = "text (default), csv, markdown or junit"},
    {.name = "inconclusive", .key = INCONCLUSIVE, .arg = "pass|fail", .doc = "what a case does that cannot be decided (default: fail)"},
    {.name = "sustained",
     .key = SUSTAINED,
     .doc = "turns of 2 s of launches on end, so that power draw counts too; minutes a case, warm L2"},
    {.name = "allow-neighbours", .key = NEIGHBOURS, .doc = "judge even if others use the GPU, or MIG or MPS is on (default: invalid)"},
    {.name = "resume", .key = RESUME, .doc = "go on with an unfinished run in --out: only what is missing is measured"},
    {0},
};

static const char help[] =
    "May CANDIDATE be merged? Checks both variants, times them interleaved and the baseline against itself, in as many "
    "processes as it takes to decide (5 to 20), and says which cases got slower by more than the tolerance, and why. BASELINE and "
    "CANDIDATE "
    "are [MODULE.so:]FAMILY/VARIANT: two variants, one variant of two builds, or the same thing twice.\v"
    "Examples:\n"
    "  solgate ab matvec/vec16_rows matvec/warp_per_row\n"
    "  solgate ab old.so:matvec/vec16_rows new.so:matvec/vec16_rows --tolerance=0.25%\n"
    "  scripts/ab_commits.sh main HEAD matvec      one family at two commits\n\n" SG_EXIT_CODES_HELP;

struct input {
    struct sg_ab_options options;
    bool l2_given;
    struct sg_err *err;
};

static error_t take_tolerance(struct input *in, const struct argp_state *state, const char *found)
{
    struct sg_err why = {0};
    double *tolerance = &in->options.tolerance;
    if (sg_parse_percent(found, tolerance, &why) == SG_SUCCESS && *tolerance > 0 && *tolerance < 1)
        return 0;
    return sg_option_fail(in->err, state, "--tolerance: expected more than 0%% and less than 100%%, with its sign, found '%s'",
                          sg_show(found, strlen(found)).text);
}

static error_t take_l2(struct input *in, const struct argp_state *state, const char *found)
{
    struct sg_err why = {0};
    in->l2_given = true;
    if (sg_l2_parse(found, &in->options.l2, &why) == SG_SUCCESS)
        return 0;
    return sg_option_fail(in->err, state, "--l2: %s", why.message);
}

static error_t take_inconclusive(struct input *in, const struct argp_state *state, const char *found)
{
    bool *fails = &in->options.inconclusive_fails;
    *fails = strcmp(found, "fail") == 0;
    if (*fails || strcmp(found, "pass") == 0)
        return 0;
    return sg_option_fail(in->err, state, "--inconclusive: expected pass or fail, found '%s'", sg_show(found, strlen(found)).text);
}

static error_t take_format(struct input *in, const char *found)
{
    in->options.format = found;
    return sg_format_of_comparison(found, in->err) ? 0 : EINVAL;
}

static error_t take_argument(struct input *in, const struct argp_state *state, const char *arg)
{
    struct sg_ab_options *o = &in->options;
    if (state->arg_num > 1)
        return sg_option_fail(in->err, state, "BASELINE and CANDIDATE expected, found '%s' after them", sg_show(arg, strlen(arg)).text);
    return sg_option_text(in->err, state, state->arg_num == 0 ? "BASELINE" : "CANDIDATE", arg,
                          state->arg_num == 0 ? &o->baseline : &o->candidate);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct input *in = state->input;
    struct sg_ab_options *o = &in->options;
    switch (key) {
    case ARGP_KEY_ARG:
        return take_argument(in, state, arg);
    case ARGP_KEY_END:
        return o->candidate ? 0 : sg_option_fail(in->err, state, "BASELINE and CANDIDATE expected: [MODULE.so:]FAMILY/VARIANT each");
    case CASE:
        sg_names_add(&o->cases, arg);
        return 0;
    case MODULE:
        sg_names_add(&o->modules, arg);
        return 0;
    case CONFIG:
        return sg_option_text(in->err, state, "--config=FILE", arg, &o->config);
    case TOLERANCE:
        return take_tolerance(in, state, arg);
    case OUT:
        return sg_option_text(in->err, state, "--out=DIR", arg, &o->out);
    case SEED:
        o->seed_given = true;
        return sg_option_number(in->err, state, &(struct sg_option_range){"--seed", 0, UINT64_MAX}, arg, &o->seed);
    case GPU:
        return sg_option_number(in->err, state, &(struct sg_option_range){"--gpu", 0, GPU_MAX}, arg, &o->gpu);
    case L2:
        return take_l2(in, state, arg);
    case FORMAT:
        return take_format(in, arg);
    case INCONCLUSIVE:
        return take_inconclusive(in, state, arg);
    case SUSTAINED:
        o->sustained = true;
        return 0;
    case NEIGHBOURS:
        o->neighbours_allowed = true;
        return 0;
    case RESUME:
        o->resume = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int sg_cmd_ab(int argc, char **argv, struct sg_err *err)
{
    static const struct argp argp = {.options = table, .parser = parse, .args_doc = "BASELINE CANDIDATE", .doc = help};
    struct input in = {
        .options = {.seed = DEFAULT_SEED, .tolerance = DEFAULT_TOLERANCE, .format = "text", .inconclusive_fails = true},
        .err = err,
    };
    struct sg_ab_options *o = &in.options;
    bool helped = false;
    int exit_code = 0;
    if (sg_options_parse(&(struct sg_options){&argp, &in}, argc, argv, &helped, err) != SG_SUCCESS || helped)
        goto out;
    if (o->resume && !o->out)
        sg_fail(err, SG_BAD_USAGE, "ab", "--resume needs --out=DIR, the folder of the run to go on with");
    else if (o->sustained && in.l2_given && o->l2 != SG_L2_WARM)
        sg_fail(err, SG_BAD_USAGE, "ab", "--sustained launches on end, so L2 is warm: it cannot go with --l2=%s", sg_l2_word(o->l2));
    else
        sg_ab_run(o, &exit_code, err);
out:
    sg_names_release(&o->cases);
    sg_names_release(&o->modules);
    return exit_code;
}
