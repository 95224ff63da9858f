#include <string.h>

#include "cli/command.h"
#include "run/pipeline.h"
#include "sweep/sweep.h"
#include "util/options.h"

#define DEFAULT_JOBS 4
#define DEFAULT_SEED 1
#define GPU_MAX      63

enum {
    OUT = 256,
    FAMILY,
    CASE,
    VARIANT,
    METRICS,
    CONFIG,
    MODULE,
    GPU,
    SEED,
    JOBS,
    NEIGHBOURS,
    SWEEP,
    RESUME
}; /* above every character: long options only */

static const struct argp_option table[] = {
    {.name = "out", .key = OUT, .arg = "DIR", .doc = "folder of the run, new or empty (default: out/<suite>-<date>)"},
    {.name = "family", .key = FAMILY, .arg = "F", .flags = SG_OPTION_REPEATS, .doc = "only this family; may repeat"},
    {.name = "case", .key = CASE, .arg = "C", .flags = SG_OPTION_REPEATS, .doc = "only this case; may repeat"},
    {.name = "variant",
     .key = VARIANT,
     .arg = "V",
     .flags = SG_OPTION_REPEATS,
     .doc = "only this variant, and the baseline it is compared with; may repeat"},
    {.name = "metrics",
     .key = METRICS,
     .arg = "NAME,...",
     .flags = SG_OPTION_REPEATS,
     .doc = "groups or metrics to count, in place of the suite's; may repeat"},
    {.name = "config", .key = CONFIG, .arg = "FILE", .doc = "a file of knobs (`solgate list knobs`), in place of the suite's"},
    {.name = "module",
     .key = MODULE,
     .arg = "FILE",
     .flags = SG_OPTION_REPEATS,
     .doc = "a kernel module: adds its family, or replaces the one built with solgate; may repeat"},
    {.name = "gpu", .key = GPU, .arg = "N", .doc = "number of the GPU, as the driver counts (default: 0)"},
    {.name = "seed", .key = SEED, .arg = "N", .doc = "seed of inputs, orders and simulated times (default: 1)"},
    {.name = "jobs",
     .key = JOBS,
     .arg = "N",
     .doc = "verifications at a time, 1 to 16 (default: 4); nothing else is ever done in parallel"},
    {.name = "allow-neighbours",
     .key = NEIGHBOURS,
     .doc = "let times count even if others use the GPU, or MIG or MPS is on (default: `solgate compare` calls them invalid)"},
    {.name = "sweep",
     .key = SWEEP,
     .arg = "FAMILY/VARIANT",
     .flags = OPTION_ARG_OPTIONAL,
     .doc = "try the grid of its knobs, case by case, against its default; without a name, of every variant that has some"},
    {.name = "resume", .key = RESUME, .doc = "go on with an unfinished run in --out: only what is missing is done"},
    {0},
};

static const char help[] =
    "Check, time and count the variants of a suite, each in a process of its own. SUITE is a name of "
    "`solgate list suites`, or the path of a .suite file.\v"
    "Exit codes: 0 every variant is as its source declares it and is measured, 3 something was not measured or is not to be "
    "believed, or the run could not finish (what was found out is kept), 4 usage or input, 5 a variant is not what it "
    "is declared to be, 77 a GPU is needed and there is none, 130 stopped.\n\n"
    "Examples:\n"
    "  solgate run smoke --out=R && solgate compare R\n"
    "  solgate run null --sweep=null/tuned --case=tiny --out=S     the best knobs, in S/null.config";

struct input {
    struct sg_run_options options;
    bool is_sweep;
    const char *swept; /* FAMILY/VARIANT; NULL: all */
    struct sg_err *err;
};

static error_t take_name(const struct input *in, const struct argp_state *state, struct sg_names *names, const char *name)
{
    if (!*name)
        return sg_option_fail(in->err, state, "expected something behind an option's =, found it empty");
    sg_names_add(names, name);
    return 0;
}

/* Names with commas between. */
static error_t take_names(const struct input *in, const struct argp_state *state, struct sg_names *names, const char *list)
{
    if (!*list)
        return take_name(in, state, names, list);
    while (*list) {
        size_t length = strcspn(list, ",");
        struct sg_text name = {0};
        sg_text_add_bytes(&name, list, length);
        sg_names_add(names, name.data);
        sg_text_release(&name);
        list += length + (list[length] == ',');
    }
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct input *in = state->input;
    struct sg_run_options *o = &in->options;
    switch (key) {
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            return sg_option_fail(in->err, state, "one SUITE expected, found '%s' after '%s'", sg_show(arg, strlen(arg)).text,
                                  sg_show(o->suite, strlen(o->suite)).text);
        return sg_option_text(in->err, state, "a SUITE", arg, &o->suite);
    case OUT:
        return sg_option_text(in->err, state, "--out=DIR", arg, &o->out);
    case FAMILY:
        return take_name(in, state, &o->filters.families, arg);
    case CASE:
        return take_name(in, state, &o->filters.cases, arg);
    case VARIANT:
        return take_name(in, state, &o->filters.variants, arg);
    case METRICS:
        return take_names(in, state, &o->metrics, arg);
    case CONFIG:
        return sg_option_text(in->err, state, "--config=FILE", arg, &o->config);
    case MODULE:
        return take_name(in, state, &o->modules, arg);
    case GPU:
        return sg_option_number(in->err, state, &(struct sg_option_range){"--gpu", 0, GPU_MAX}, arg, &o->gpu);
    case SEED:
        o->seed_given = true;
        return sg_option_number(in->err, state, &(struct sg_option_range){"--seed", 0, UINT64_MAX}, arg, &o->seed);
    case JOBS:
        return sg_option_number(in->err, state, &(struct sg_option_range){"--jobs", 1, SG_JOBS_MAX}, arg, &o->jobs);
    case NEIGHBOURS:
        o->neighbours_allowed = true;
        return 0;
    case SWEEP:
        in->is_sweep = true;
        return arg ? sg_option_text(in->err, state, "--sweep=FAMILY/VARIANT", arg, &in->swept) : 0;
    case RESUME:
        o->resume = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int sg_cmd_run(int argc, char **argv, struct sg_err *err)
{
    static const struct argp argp = {.options = table, .parser = parse, .args_doc = "SUITE", .doc = help};
    struct input in = {.options = {.seed = DEFAULT_SEED, .jobs = DEFAULT_JOBS}, .err = err};
    struct sg_run_options *o = &in.options;
    const struct sg_options options = {.argp = &argp, .input = &in};
    bool helped;
    int exit_code = 0;
    if (sg_options_parse(&options, argc, argv, &helped, err) != SG_SUCCESS || helped)
        goto out;
    if (!o->suite)
        sg_fail(err, SG_BAD_USAGE, "run", "SUITE is missing; `solgate list suites` lists them");
    else if (o->resume && !o->out)
        sg_fail(err, SG_BAD_USAGE, argv[0], "--resume needs --out=DIR, the folder of the run to go on with");
    else if (in.is_sweep && (o->config || o->metrics.count > 0))
        sg_fail(err, SG_BAD_USAGE, argv[0],
                "--sweep takes the variant's default for a baseline and counts nothing: neither --config nor --metrics");
    else if (in.is_sweep)
        sg_sweep_run(o, in.swept, &exit_code, err);
    else
        sg_pipeline_run(o, &exit_code, err);
out:
    sg_names_release(&o->filters.families);
    sg_names_release(&o->filters.cases);
    sg_names_release(&o->filters.variants);
    sg_names_release(&o->metrics);
    sg_names_release(&o->modules);
    return exit_code;
}
