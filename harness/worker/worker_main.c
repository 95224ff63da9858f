#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "device/gate_host.h"
#include "plan/gate_script.h"
#include "util/dynlib.h"
#include "util/options.h"
#include "util/text.h"
#include "worker/session.h"
#include "worker/worker_main.h"

#define PROCESS_MAX UINT16_MAX

struct command_line {
    struct sg_order order;
    double tolerance, noise; /* apply to the items that follow */
};

/* ---- options with their own types ---- */

/* `place` is the command line: an item gets the ratios given before it. */
static enum sg_code read_item(void *place, const char *item, struct sg_err *err)
{
    struct command_line *line = place;
    struct sg_asked_items *asked = &line->order.asked;
    (void)err;
    *SG_APPEND(asked->items, asked->count, asked->capacity) =
        (struct sg_asked){.item = item, .tolerance = line->tolerance, .noise = line->noise};
    return SG_SUCCESS;
}

static enum sg_code read_ratio(void *place, const char *found, struct sg_err *err)
{
    double *ratio = place;
    if (sg_parse_double(found, false, ratio) && *ratio > 0 && *ratio < 1)
        return SG_SUCCESS;
    return sg_fail(err, SG_BAD_USAGE, NULL, "expected a ratio above 0 and below 1, found '%s'",
                   sg_show_string(found).text);
}

#define X(constant, word) "|" word
#define PASSES            (&("" SG_PASS_TABLE(X))[1])

static const struct sg_option options[] = {
    SG_VALUE("pass", PASSES, struct command_line, order.kind, .help = "what to do",
             .required = true),
    SG_VALUE("module", "FILE", struct command_line, order.modules, .help = "a kernel module",
             .repeats = true),
    SG_VALUE("against", "FILE", struct command_line, order.against,
             .help = "another build of a family; its variants are those that --other names",
             .repeats = true),
    SG_VALUE("other", "NAME:VARIANT", struct command_line, order.others,
             .help = "NAME is VARIANT of the --against module; time, without --baseline: it is "
                     "paired with VARIANT of the --module",
             .repeats = true),
    SG_VALUE("case", "FAMILY/CASE:SIZES@FILE:LINE", struct command_line, order.cases,
             .help = "a case of these sizes, named by the suite at FILE:LINE", .repeats = true),
    SG_VALUE("built", "DIGEST", struct command_line, order.built,
             .help = "verify: build digest of the module, so that the module file is not read "
                     "again"),
    SG_VALUE("baseline", "VARIANT", struct command_line, order.baseline,
             .help = "time: variant that items are paired with", .standard = "their family's"),
    SG_VALUE("drift", "FILE", struct command_line, order.drift,
             .help = "time: a module with the drift references, timed at start and end"),
    SG_VALUE("tolerance", "RATIO", struct command_line, tolerance,
             .help = "time: ratio that the following items must resolve; a small one needs more "
                     "placements in memory",
             .read = read_ratio, .repeats = true, .standard = ""),
    SG_VALUE("noise", "RATIO", struct command_line, noise,
             .help = "time: noise that blocks may add to the following items; more blocks run if "
                     "the first ones add more",
             .read = read_ratio, .repeats = true, .standard = ""),
    {.name = "item",
     .arg = "FAMILY/CASE/VARIANT",
     .read = read_item,
     .repeats = true,
     .help = "an item to work on"},
    SG_VALUE("setting", "FAMILY/CASE/NAME:VARIANT:KNOB=VALUE ...", struct command_line, order.knobs,
             .help = "items with this NAME are VARIANT with these knobs",
             .read = sg_knob_setting_parse, .repeats = true),
    SG_VALUE("metric", "NAME", struct command_line, order.metrics,
             .help = "count: a metric or a group", .repeats = true),
    SG_VALUE("seed", "N", struct command_line, order.seed,
             .help = "seed of inputs, order of batches and simulated times"),
    SG_VALUE("gpu", "N", struct command_line, order.gpu, .help = "index of the GPU",
             .most = SG_GPU_MAX),
    SG_VALUE("process", "P", struct command_line, order.process,
             .help = "time: number of this process", .most = PROCESS_MAX),
    SG_VALUE("attempt", "N", struct command_line, order.attempt,
             .help = "time: how many processes of this number were dropped before",
             .most = PROCESS_MAX),
    SG_VALUE("set", "KEY=VALUE", struct command_line, order.settings,
             .help = "a setting of the measurement (harness/results/settings.h), as in env.csv",
             .read = sg_settings_take_argument, .repeats = true),
    SG_FLAG("standby", struct command_line, order.standby,
            .help = "time, count: prepare, write a byte to standard input (a socket), and wait "
                    "for a byte"),
    SG_VALUE("code", "FOLDER", struct command_line, order.code,
             .help = "where: folder for the code of the sampled kernels"),
    SG_VALUE("out", "FOLDER", struct command_line, order.out,
             .help = "trace: folder of the run; the program's output goes to CASE.out in it"),
    SG_VALUE("range", "PATTERN", struct command_line, order.range,
             .help = "trace: only launches in NVTX ranges that match"),
    SG_VALUE("kernel", "REGEX", struct command_line, order.kernel,
             .help = "trace: only kernels whose symbol or readable name matches"),
    SG_VALUE("file", "FILE", struct command_line, order.file,
             .help = "trace: the program is not traced, but writes this file of results"),
    SG_VALUE("gpu-name", "NAME", struct command_line, order.gpu_name,
             .help = "trace: the GPU, as an earlier start reported it; the driver is not asked"),
    SG_VALUE("keep", "FOLDER", struct command_line, order.kept,
             .help = "trace: becomes the folder with the traces of a good start, instead of rows"),
};

static enum sg_code check_order(const struct sg_order *order, struct sg_err *err)
{
    const bool works = order->kind != SG_PASS_LIST && order->kind != SG_PASS_DESCRIBE &&
                       order->kind != SG_PASS_DOCTOR;
    if (order->kind == SG_PASS_TRACE && (!order->program || !order->out))
        return sg_fail(err, SG_BAD_USAGE, NULL,
                       "expected --out, and -- with a program after it: --pass=trace needs them");
    if (order->kind != SG_PASS_DOCTOR && order->kind != SG_PASS_TRACE &&
        order->modules.count + order->against.count == 0)
        return sg_fail(err, SG_BAD_USAGE, NULL, "--module is missing: --pass=%s needs one or more",
                       sg_pass_word(order->kind));
    if (works && order->asked.count == 0)
        return sg_fail(err, SG_BAD_USAGE, NULL, "--item is missing: --pass=%s needs one or more",
                       sg_pass_word(order->kind));
    if (order->kind == SG_PASS_COUNT && order->metrics.count == 0)
        return sg_fail(err, SG_BAD_USAGE, NULL,
                       "--metric is missing: --pass=count needs one or more");
    if (order->kind == SG_PASS_WHERE && !order->code)
        return sg_fail(err, SG_BAD_USAGE, NULL, "--code is missing: --pass=where needs it");
    if (order->settings.sustained && order->settings.l2 != SG_L2_WARM)
        return sg_fail(err, SG_BAD_USAGE, NULL,
                       "--set=sustained=yes launches back to back: it needs --set=l2=warm");
    return SG_SUCCESS;
}

/* If solgate dies before it can end its workers, they must not remain. */
static enum sg_code die_with_parent(pid_t parent, struct sg_err *err)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        return sg_fail(err, SG_SYSTEM, NULL, "cannot set the parent-death signal");
    /* A parent that died before the line above sends no signal. If it died before main, descriptor
     * 3 has no reader. */
    if (getppid() != parent)
        return sg_fail(err, SG_INTERRUPTED, NULL, "the parent process has ended");
    return SG_SUCCESS;
}

static struct sg_emitter emitter = {.fd = -1};

void sg_worker_refuse(const char *why)
{
    struct sg_err err = {0};
    sg_fail(&err, SG_BAD_INPUT, NULL, "%s", why);
    sg_emit_fail(&emitter, &err);
}

void sg_worker_announce_setup(double seconds)
{
    SG_EMIT(&emitter, SETUP, .seconds = seconds);
}

static enum sg_code work(const struct command_line *line, struct sg_err *err)
{
    struct sg_err closed = {0};
    if (sg_emit_open(&emitter, SG_PROTOCOL_FD, &closed) != SG_SUCCESS)
        return sg_fail(err, closed.code, closed.where, "%s", closed.message);
    if (err->code == SG_SUCCESS && check_order(&line->order, err) == SG_SUCCESS)
        sg_pass_run(&line->order, &emitter, err);
    else
        sg_emit_fail(&emitter, err);
    sg_emit_release(&emitter);
    return err->code;
}

/* If a module is a gate script, executes the script's program with this command line. */
static enum sg_code become_gate(const struct sg_order *order, int argc, char **argv,
                                struct sg_err *err)
{
    for (size_t i = 0; !sg_gate_host && i < order->modules.count; i++)
        if (sg_is_gate_script(order->modules.items[i]))
            return sg_gate_script_become(order->modules.items[i], argc, argv, err);
    return SG_SUCCESS;
}

/* Variants of vendors open libraries below CUDA_HOME. Sets it, unless it is set, to the folder of
 * the toolkit, or to that of the Python into which solgate was installed: PyTorch brings cuBLAS. */
static void find_vendor_libraries(void)
{
    SG_SCOPED(sg_text) path = {0};
    if (getenv("CUDA_HOME") || !sg_toolkit_file(&path, "libcublas.so.13"))
        return;
    *strrchr(path.data, '/') = '\0'; /* FOLDER/lib/FILE */
    *strrchr(path.data, '/') = '\0';
    setenv("CUDA_HOME", path.data, 0);
}

int sg_worker_main(int argc, char **argv)
{
    static const struct sg_options table = {
        .options = SG_OPTIONS(options),
        .usage = "[-- PROGRAM ARG...]",
        .summary = "Does one pass over kernel variants and reports on descriptor 3. Started by "
                   "solgate, not by hand.",
        .exits = {{SG_EXIT_DONE, "done"},
                  {SG_EXIT_INVALID, NULL},
                  {SG_EXIT_USAGE, NULL},
                  {SG_EXIT_NO_GPU, NULL},
                  {SG_EXIT_INTERRUPTED, NULL}},
    };
    const pid_t parent = getppid();
    const int dashes = sg_find_program(argc, argv);
    struct sg_err err = {0};
    struct command_line line = {.order.settings = sg_settings_of_defaults()};
    line.order.program = dashes + 1 < argc ? argv + dashes + 1 : NULL;
    signal(SIGPIPE, SIG_IGN);
    find_vendor_libraries();
    /* A wrong command line is also reported through the protocol; help is not. */
    if (die_with_parent(parent, &err) == SG_SUCCESS &&
        (sg_options_parse(&table, &line, dashes, argv, &err) || err.code != SG_SUCCESS)) {
        if (err.code == SG_SUCCESS)
            become_gate(&line.order, argc, argv, &err);
        work(&line, &err);
    }
    if (err.code != SG_SUCCESS)
        fprintf(stderr, "solgate-worker: %s%s%s\n", err.where, err.where[0] ? ": " : "",
                err.message);
    return sg_exit_code(err.code);
}
