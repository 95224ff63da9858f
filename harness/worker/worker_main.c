#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "device/guest.h"
#include "plan/gate_script.h"
#include "util/options.h"
#include "util/text.h"
#include "worker/session.h"
#include "worker/worker_main.h"

#define PROCESS_MAX    UINT16_MAX
#define SEGMENT_MS_MAX 60000

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

static enum sg_code read_setting(void *place, const char *found, struct sg_err *err)
{
    return sg_setting_parse(found, place, err);
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
    SG_VALUE("case", "FAMILY/CASE:SIZES@PLACE", struct command_line, order.cases,
             .help = "a case of these sizes, which the suite asks for at PLACE", .repeats = true),
    SG_VALUE("built", "DIGEST", struct command_line, order.built,
             .help = "verify: the digest of what was built of the module, which is then not read"),
    SG_VALUE("baseline", "VARIANT", struct command_line, order.baseline,
             .help = "time: what items are paired with", .standard = "their family's"),
    SG_VALUE("drift", "FILE", struct command_line, order.drift,
             .help = "time: a module with the drift references, timed at start and end"),
    SG_VALUE("tolerance", "RATIO", struct command_line, tolerance,
             .help = "time: what the items behind it are to resolve; at more places of memory "
                     "where that is fine",
             .read = read_ratio, .repeats = true, .standard = ""),
    SG_VALUE("noise", "RATIO", struct command_line, noise,
             .help = "time: what blocks may add to the noise of items behind it; more blocks where "
                     "their first ones add more",
             .read = read_ratio, .repeats = true, .standard = ""),
    {.name = "item",
     .arg = "FAMILY/CASE/VARIANT",
     .read = read_item,
     .repeats = true,
     .help = "what to work on"},
    SG_VALUE("setting", "FAMILY/CASE/NAME:VARIANT:KNOB=VALUE ...", struct command_line,
             order.settings, .help = "items of this NAME are VARIANT with these knobs",
             .read = read_setting, .repeats = true),
    SG_VALUE("metric", "NAME", struct command_line, order.metrics,
             .help = "count: a metric or a group", .repeats = true),
    SG_VALUE("seed", "N", struct command_line, order.seed,
             .help = "of inputs, order of batches and simulated times"),
    SG_VALUE("gpu", "N", struct command_line, order.gpu, .help = "index of the GPU",
             .most = SG_GPU_MAX),
    SG_VALUE("process", "P", struct command_line, order.process,
             .help = "time: number of this process", .most = PROCESS_MAX),
    SG_VALUE("attempt", "N", struct command_line, order.attempt,
             .help = "time: how many of this number were dropped before", .most = PROCESS_MAX),
    SG_VALUE("blocks", "N", struct command_line, order.blocks,
             .help = "time: ABBA rounds; at least, with --noise", .least = 1,
             .most = SG_BLOCKS_MAX),
    SG_VALUE("launches", "N", struct command_line, order.launches,
             .help = "time: timed launches of a batch", .least = 1, .most = SG_LAUNCHES_MAX),
    SG_VALUE("pilot-ms", "MS", struct command_line, order.pilot_ms,
             .help = "time: what the blocks of a pair may take because of --noise", .least = 1,
             .most = SEGMENT_MS_MAX),
    SG_VALUE("repeats", "N", struct command_line, order.repeats,
             .help = "count: how often each item is counted, in turns", .least = 1,
             .most = SG_REPEATS_MAX),
    SG_VALUE("segment-ms", "MS", struct command_line, order.segment_ms,
             .help = "time: a batch is so many milliseconds of launches on end; L2 warm",
             .least = 1, .most = SEGMENT_MS_MAX, .standard = ""),
    SG_FLAG("standby", struct command_line, order.standby,
            .help = "time, count: prepares, writes a byte to standard input, which is a socket, "
                    "and reads one before it goes on"),
    SG_VALUE("code", "FOLDER", struct command_line, order.code,
             .help = "where: the code of what is sampled is left in it"),
    SG_VALUE("l2", SG_L2_CHOICES, struct command_line, order.l2,
             .help = "time, count, where: the L2 cache before each launch"),
    {0},
};

static enum sg_code check_order(const struct sg_order *order, struct sg_err *err)
{
    const bool works = order->kind != SG_PASS_LIST && order->kind != SG_PASS_DESCRIBE &&
                       order->kind != SG_PASS_DOCTOR;
    if (order->kind != SG_PASS_DOCTOR && order->modules.count + order->against.count == 0)
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
    if (order->segment_ms > 0 && order->l2 != SG_L2_WARM)
        return sg_fail(err, SG_BAD_USAGE, NULL,
                       "--segment-ms is launches on end: it needs --l2=warm");
    return SG_SUCCESS;
}

/* If solgate dies before it can end its workers, they must not remain. */
static enum sg_code die_with_parent(pid_t parent, struct sg_err *err)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        return sg_fail(err, SG_SYSTEM, NULL, "cannot ask to be ended with the parent process");
    /* A parent that died before the line above sends no signal. If it died before main, descriptor
     * 3 has no reader. */
    if (getppid() != parent)
        return sg_fail(err, SG_INTERRUPTED, NULL, "the parent process is gone");
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
    sg_emit_setup(&emitter, seconds);
}

static enum sg_code work(const struct command_line *line, struct sg_err *err)
{
    struct sg_err closed = {0};
    if (sg_emit_open(&emitter, SG_PROTOCOL_FD, &closed) != SG_SUCCESS) {
        return sg_fail(err, closed.code, closed.where, "%s", closed.message);
    }
    if (err->code == SG_SUCCESS && check_order(&line->order, err) == SG_SUCCESS)
        sg_pass_run(&line->order, &emitter, err);
    else
        sg_emit_fail(&emitter, err);
    sg_emit_release(&emitter);
    return err->code;
}

/* Hands the whole command line to a program that is the source of the variants. */
static enum sg_code become_gate(const struct sg_order *order, int argc, char **argv,
                                struct sg_err *err)
{
    for (size_t i = 0; !sg_guest && i < order->modules.count; i++)
        if (sg_is_gate_script(order->modules.items[i]))
            return sg_gate_script_become(order->modules.items[i], argc, argv, err);
    return SG_SUCCESS;
}

int sg_worker_main(int argc, char **argv)
{
    static const struct sg_options table = {
        .options = options,
        .summary = "Does one pass over kernel variants and reports on descriptor 3. Started by "
                   "solgate, not by hand.",
        .exits = {{SG_EXIT_DONE, "done"},
                  {SG_EXIT_INVALID, NULL},
                  {SG_EXIT_USAGE, NULL},
                  {SG_EXIT_NO_GPU, NULL},
                  {SG_EXIT_INTERRUPTED, NULL}},
    };
    const pid_t parent = getppid();
    struct sg_err err = {0};
    struct command_line line = {.order = {.seed = 0,
                                          .blocks = SG_BLOCKS_DEFAULT,
                                          .launches = SG_LAUNCHES_DEFAULT,
                                          .pilot_ms = SG_PILOT_MS_DEFAULT,
                                          .repeats = SG_REPEATS_DEFAULT}};
    signal(SIGPIPE, SIG_IGN);
    /* A wrong command line is also reported through the protocol; help is not. */
    if (die_with_parent(parent, &err) == SG_SUCCESS &&
        (sg_options_parse(&table, &line, argc, argv, &err) || err.code != SG_SUCCESS)) {
        if (err.code == SG_SUCCESS)
            become_gate(&line.order, argc, argv, &err);
        work(&line, &err);
    }
    if (err.code != SG_SUCCESS)
        fprintf(stderr, "solgate-worker: %s%s%s\n", err.where, err.where[0] ? ": " : "",
                err.message);
    sg_names_release(&line.order.modules);
    sg_names_release(&line.order.against);
    sg_names_release(&line.order.others);
    sg_names_release(&line.order.cases);
    free(line.order.asked.items);
    sg_names_release(&line.order.metrics);
    sg_settings_release(&line.order.settings);
    return sg_exit_code(err.code);
}
