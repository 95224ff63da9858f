#include <inttypes.h>
#include <string.h>

#include "cli.h"
#include "options.h"
#include "pipeline.h"

#define DEFAULT_JOBS 4
#define DEFAULT_SEED 1
#define GPU_MAX      63

enum { OUT = 256, FAMILY, CASE, VARIANT, METRICS, MODULE, GPU, SEED, JOBS, RESUME }; /* above every character: long options only */

static const struct argp_option table[] = {
    {.name = "out", .key = OUT, .arg = "DIR", .doc = "folder of the run, new or empty (default: out/<suite>-<date>)"},
    {.name = "family", .key = FAMILY, .arg = "F", .doc = "only this family; may repeat"},
    {.name = "case", .key = CASE, .arg = "C", .doc = "only this case; may repeat"},
    {.name = "variant", .key = VARIANT, .arg = "V", .doc = "only this variant, and the baseline it is compared with; may repeat"},
    {.name = "metrics", .key = METRICS, .arg = "NAME,...", .doc = "groups or metrics to count, in place of the suite's"},
    {.name = "module",
     .key = MODULE,
     .arg = "FILE",
     .doc = "a kernel module: adds its family, or replaces the one built with solgate; may repeat"},
    {.name = "gpu", .key = GPU, .arg = "N", .doc = "number of the GPU, as the driver counts (default: 0)"},
    {.name = "seed", .key = SEED, .arg = "N", .doc = "seed of inputs, orders and simulated times (default: 1)"},
    {.name = "jobs",
     .key = JOBS,
     .arg = "N",
     .doc = "verifications at a time, 1 to 16 (default: 4); nothing else is ever done in parallel"},
    {.name = "resume", .key = RESUME, .doc = "go on with an unfinished run in --out: only what is missing is done"},
    {0},
};

static const char help[] = "Check, time and count the variants of a suite, each in a process of its own. SUITE is a name of "
                           "`solgate list suites`, or the path of a .suite file.\v"
                           "Exit codes: 0 every variant is as expected, 3 the run could not finish (what was found out is kept), 4 usage "
                           "or input, 5 a variant that should be correct is not, 77 a GPU is needed and there is none, 130 stopped.\n\n"
                           "Example: solgate run smoke --out=R && solgate compare R";

static void add_list(struct sg_names *names, const char *list)
{
    while (*list) {
        size_t length = strcspn(list, ",");
        struct sg_text name = {0};
        sg_text_add_bytes(&name, list, length);
        sg_names_add(names, name.data);
        sg_text_release(&name);
        list += length + (list[length] == ',');
    }
}

struct input {
    struct sg_run_options options;
    struct sg_err *err;
};

static error_t take_number(const struct input *in, const struct argp_state *state, const char *option, uint64_t least, uint64_t most,
                           const char *found, uint64_t *out)
{
    if (sg_parse_u64(found, out) && *out >= least && *out <= most)
        return 0;
    return sg_option_fail(in->err, state, "%s: expected a whole number from %" PRIu64 " to %" PRIu64 ", found '%s'", option, least, most,
                          sg_show(found, strlen(found)).text);
}

static error_t take_text(struct input *in, const struct argp_state *state, const char **place, const char *what, const char *found)
{
    if (*place)
        return sg_option_fail(in->err, state, "expected %s once, found '%s'", what, found);
    *place = found;
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct input *in = state->input;
    struct sg_run_options *o = &in->options;
    if (arg && !*arg)
        return sg_option_fail(in->err, state, "an option or argument is empty");
    switch (key) {
    case ARGP_KEY_ARG:
        return take_text(in, state, &o->suite, "a SUITE", arg);
    case OUT:
        return take_text(in, state, &o->out, "--out=DIR", arg);
    case FAMILY:
        sg_names_add(&o->filters.families, arg);
        return 0;
    case CASE:
        sg_names_add(&o->filters.cases, arg);
        return 0;
    case VARIANT:
        sg_names_add(&o->filters.variants, arg);
        return 0;
    case METRICS:
        add_list(&o->metrics, arg);
        return 0;
    case MODULE:
        sg_names_add(&o->modules, arg);
        return 0;
    case GPU:
        return take_number(in, state, "--gpu", 0, GPU_MAX, arg, &o->gpu);
    case SEED:
        o->seed_given = true;
        return take_number(in, state, "--seed", 0, UINT64_MAX, arg, &o->seed);
    case JOBS:
        return take_number(in, state, "--jobs", 1, SG_JOBS_MAX, arg, &o->jobs);
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
    if (sg_options_parse(&options, argc, argv, &helped, err) != SG_DONE || helped)
        goto out;
    if (!o->suite)
        sg_fail(err, SG_BAD_USAGE, argv[0], "SUITE is missing; `solgate list suites` lists them");
    else if (o->resume && !o->out)
        sg_fail(err, SG_BAD_USAGE, argv[0], "--resume needs --out=DIR, the folder of the run to go on with");
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
