#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "results/counter_repeats.h"
#include "stats/abba.h"
#include "util/options.h"
#include "util/text.h"
#include "worker/session.h"

#define PROCESS_MAX    UINT16_MAX
#define SEGMENT_MS_MAX 60000

enum option_key {
    KEY_PASS = 256,
    KEY_MODULE,
    KEY_AGAINST,
    KEY_BASELINE,
    KEY_DRIFT,
    KEY_TOLERANCE,
    KEY_ITEM,
    KEY_SETTING,
    KEY_METRIC,
    KEY_SEED,
    KEY_GPU,
    KEY_PROCESS,
    KEY_ATTEMPT,
    KEY_BLOCKS,
    KEY_LAUNCHES,
    KEY_REPEATS,
    KEY_SEGMENT,
    KEY_L2,
    KEY_SIGNED
};

struct command_line {
    struct sg_order order;
    double tolerance; /* of the items that follow */
    struct sg_err *err;
    bool is_signed;
};

static const struct argp_option options[] = {
    {.name = "pass", .key = KEY_PASS, .arg = "PASS", .doc = "list, doctor, verify, time, count or launch"},
    {.name = "module", .key = KEY_MODULE, .arg = "FILE", .flags = SG_OPTION_REPEATS, .doc = "a kernel module; may repeat"},
    {.name = "against",
     .key = KEY_AGAINST,
     .arg = "FILE",
     .flags = SG_OPTION_REPEATS,
     .doc = "a module of baselines; its variants are called VARIANT_base; may repeat"},
    {.name = "baseline", .key = KEY_BASELINE, .arg = "VARIANT", .doc = "time: what items are paired with; their family's if not given"},
    {.name = "drift", .key = KEY_DRIFT, .arg = "FILE", .doc = "time: a module with the drift references, timed at start and end"},
    {.name = "tolerance",
     .key = KEY_TOLERANCE,
     .arg = "RATIO",
     .flags = SG_OPTION_REPEATS,
     .doc = "time: what the items behind it are to resolve; more blocks where their first ones are too noisy for it; may repeat"},
    {.name = "item", .key = KEY_ITEM, .arg = "FAMILY/CASE/VARIANT", .flags = SG_OPTION_REPEATS, .doc = "what to work on; may repeat"},
    {.name = "setting",
     .key = KEY_SETTING,
     .arg = "FAMILY/CASE/NAME:VARIANT:KNOB=VALUE ...",
     .flags = SG_OPTION_REPEATS,
     .doc = "items of this NAME are VARIANT with these knobs; may repeat"},
    {.name = "metric", .key = KEY_METRIC, .arg = "NAME", .flags = SG_OPTION_REPEATS, .doc = "count: a metric or a group; may repeat"},
    {.name = "seed", .key = KEY_SEED, .arg = "N", .doc = "of inputs, order of visits and simulated times"},
    {.name = "gpu", .key = KEY_GPU, .arg = "N", .doc = "index of the GPU; 0 if not given"},
    {.name = "process", .key = KEY_PROCESS, .arg = "P", .doc = "time: number of this process, from 0"},
    {.name = "attempt", .key = KEY_ATTEMPT, .arg = "N", .doc = "time: how many of this number were dropped before; 0 if not given"},
    {.name = "blocks", .key = KEY_BLOCKS, .arg = "N", .doc = "time: blocks of four visits, 1 to 512; at least, with --tolerance"},
    {.name = "launches", .key = KEY_LAUNCHES, .arg = "N", .doc = "time: timed launches of a visit, 1 to 64"},
    {.name = "repeats",
     .key = KEY_REPEATS,
     .arg = "N",
     .doc = "count: how often each item is counted, interleaved, 1 to 16; 1 if not given"},
    {.name = "segment-ms",
     .key = KEY_SEGMENT,
     .arg = "MS",
     .doc = "time: a visit is so many milliseconds of launches on end, 1 to 60000; L2 warm"},
    {.name = "signed",
     .key = KEY_SIGNED,
     .doc = "a key for the lines of the protocol is read from standard input (harness/process/line_key.h)"},
    {.name = "l2", .key = KEY_L2, .arg = "STATE", .doc = "time, count: " SG_L2_CHOICE},
    {0},
};

static void add_word(struct sg_words *words, const char *word)
{
    words->items = sg_grow(words->items, &words->capacity, words->count + 1, sizeof(*words->items));
    words->items[words->count++] = word;
}

static void add_item(struct command_line *line, const char *item)
{
    struct sg_asked_items *asked = &line->order.asked;
    asked->items = sg_grow(asked->items, &asked->capacity, asked->count + 1, sizeof(*asked->items));
    asked->items[asked->count++] = (struct sg_asked){.item = item, .tolerance = line->tolerance};
}

static error_t read_tolerance(struct command_line *line, const struct argp_state *state, const char *arg)
{
    if (sg_parse_double(arg, false, &line->tolerance) && line->tolerance > 0 && line->tolerance < 1)
        return 0;
    return sg_option_fail(line->err, state, "--tolerance=%s: expected a ratio above 0 and below 1", arg);
}

static error_t read_number(const struct command_line *line, const struct argp_state *state, const char *arg, uint64_t low, uint64_t high,
                           uint64_t *out)
{
    if (sg_parse_u64(arg, out) && *out >= low && *out <= high)
        return 0;
    return sg_option_fail(line->err, state, "%s: expected a number from %llu to %llu", arg, (unsigned long long)low,
                          (unsigned long long)high);
}

static error_t read_pass(struct command_line *line, const struct argp_state *state, const char *arg)
{
    for (int kind = 0; kind < SG_PASS_KINDS; kind++) {
        if (strcmp(sg_pass_word((enum sg_pass_kind)kind), arg) == 0) {
            line->order.kind = (enum sg_pass_kind)kind;
            return 0;
        }
    }
    return sg_option_fail(line->err, state, "--pass=%s: expected list, doctor, verify, time, count or launch", arg);
}

static error_t read_l2(struct command_line *line, const struct argp_state *state, const char *arg)
{
    struct sg_err why = {0};
    if (sg_l2_parse(arg, &line->order.l2, &why) == SG_SUCCESS)
        return 0;
    return sg_option_fail(line->err, state, "--l2: %s", why.message);
}

/* A field of the order that is a number, with its range. */
struct field {
    unsigned *out;
    uint64_t low, high;
};

static error_t read_field(const struct command_line *line, const struct argp_state *state, const char *arg, const struct field *field)
{
    uint64_t number = 0;
    const error_t failed = read_number(line, state, arg, field->low, field->high, &number);
    *field->out = (unsigned)number;
    return failed;
}

static error_t read_numeric(struct command_line *line, const struct argp_state *state, int key, const char *arg)
{
    struct sg_order *order = &line->order;
    switch (key) {
    case KEY_SEED:
        return read_number(line, state, arg, 0, UINT64_MAX, &order->seed);
    case KEY_GPU:
        return read_field(line, state, arg, &(struct field){&order->gpu, 0, INT_MAX});
    case KEY_PROCESS:
        return read_field(line, state, arg, &(struct field){&order->process, 0, PROCESS_MAX});
    case KEY_SEGMENT:
        return read_field(line, state, arg, &(struct field){&order->segment_ms, 1, SEGMENT_MS_MAX});
    case KEY_ATTEMPT:
        return read_field(line, state, arg, &(struct field){&order->attempt, 0, PROCESS_MAX});
    case KEY_BLOCKS:
        return read_field(line, state, arg, &(struct field){&order->blocks, 1, SG_BLOCKS_MAX});
    case KEY_LAUNCHES:
        return read_field(line, state, arg, &(struct field){&order->launches, 1, SG_LAUNCHES_MAX});
    case KEY_REPEATS:
        return read_field(line, state, arg, &(struct field){&order->repeats, 1, SG_REPEATS_MAX});
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct command_line *line = state->input;
    switch (key) {
    case KEY_PASS:
        return read_pass(line, state, arg);
    case KEY_L2:
        return read_l2(line, state, arg);
    case KEY_MODULE:
        add_word(&line->order.modules, arg);
        return 0;
    case KEY_SIGNED:
        line->is_signed = true;
        return 0;
    case KEY_AGAINST:
        add_word(&line->order.against, arg);
        return 0;
    case KEY_BASELINE:
        line->order.baseline = arg;
        return 0;
    case KEY_DRIFT:
        line->order.drift = arg;
        return 0;
    case KEY_TOLERANCE:
        return read_tolerance(line, state, arg);
    case KEY_ITEM:
        add_item(line, arg);
        return 0;
    case KEY_SETTING:
        return sg_setting_parse(arg, &line->order.settings, line->err) == SG_SUCCESS ? 0 : EINVAL;
    case KEY_METRIC:
        add_word(&line->order.metrics, arg);
        return 0;
    case ARGP_KEY_ARG:
        return sg_option_fail(line->err, state, "'%s': expected options only", arg);
    default:
        return read_numeric(line, state, key, arg);
    }
}

static enum sg_code check_order(const struct sg_order *order, struct sg_err *err)
{
    const bool works = order->kind != SG_PASS_LIST && order->kind != SG_PASS_DOCTOR;
    if (order->kind == SG_PASS_KINDS)
        return sg_fail(err, SG_BAD_USAGE, NULL, "--pass is missing; solgate-worker -h shows what there is");
    if (order->kind != SG_PASS_DOCTOR && order->modules.count + order->against.count == 0)
        return sg_fail(err, SG_BAD_USAGE, NULL, "--module is missing: --pass=%s needs one or more", sg_pass_word(order->kind));
    if (works && order->asked.count == 0)
        return sg_fail(err, SG_BAD_USAGE, NULL, "--item is missing: --pass=%s needs one or more", sg_pass_word(order->kind));
    if (order->kind == SG_PASS_COUNT && order->metrics.count == 0)
        return sg_fail(err, SG_BAD_USAGE, NULL, "--metric is missing: --pass=count needs one or more");
    if (order->segment_ms > 0 && order->l2 != SG_L2_WARM)
        return sg_fail(err, SG_BAD_USAGE, NULL, "--segment-ms is launches on end: it needs --l2=warm");
    return SG_SUCCESS;
}

/* solgate may die before it could end its workers; then they must not stay behind. */
static enum sg_code die_with_parent(pid_t parent, struct sg_err *err)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        return sg_fail(err, SG_SYSTEM, NULL, "cannot ask to be ended with the parent process");
    /* A parent that had died before the line above sends no signal any more; one that died before main closed descriptor 3's reader. */
    if (getppid() != parent)
        return sg_fail(err, SG_INTERRUPTED, NULL, "the parent process is gone");
    return SG_SUCCESS;
}

static enum sg_code work(const struct command_line *line, struct sg_err *err)
{
    struct sg_emitter say;
    struct sg_err closed = {0};
    if (sg_emit_open(&say, SG_PROTOCOL_FD, &closed) != SG_SUCCESS) {
        sg_fail(err, closed.code, closed.where, "%s", closed.message);
        return err->code;
    }
    /* Before any module is loaded. */
    if (line->is_signed)
        sg_line_key_read(&say.key, STDIN_FILENO, err);
    if (err->code == SG_SUCCESS && check_order(&line->order, err) == SG_SUCCESS)
        sg_pass_run(&line->order, &say, err);
    else
        sg_emit_fail(&say, err);
    sg_emit_release(&say);
    return err->code;
}

int main(int argc, char **argv)
{
    const pid_t parent = getppid();
    struct sg_err err = {0};
    bool helped = false;
    struct command_line line = {.order = {.kind = SG_PASS_KINDS, .blocks = 24, .launches = 4, .repeats = 1}, .err = &err};
    const struct argp argp = {.options = options,
                              .parser = parse,
                              .doc = "Does one pass over kernel variants and reports on descriptor 3. Started by solgate, not by hand."};
    signal(SIGPIPE, SIG_IGN);
    if (die_with_parent(parent, &err) == SG_SUCCESS) {
        sg_options_parse(&(struct sg_options){.argp = &argp, .input = &line}, argc, argv, &helped, &err);
        if (!helped)
            work(&line, &err);
    }
    if (err.code != SG_SUCCESS)
        fprintf(stderr, "solgate-worker: %s%s%s\n", err.where, err.where[0] ? ": " : "", err.message);
    free(line.order.modules.items);
    free(line.order.against.items);
    free(line.order.asked.items);
    free(line.order.metrics.items);
    sg_settings_release(&line.order.settings);
    return sg_exit_code(err.code);
}
