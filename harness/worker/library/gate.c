#include "worker/library/gate.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "device/gate_host.h"
#include "results/message.h"
#include "results/row_kind.h"
#include "util/dtype.h"
#include "util/text.h"
#include "worker/worker_main.h"

#define QUIET_CALLS 2 /* consecutive calls that load nothing */
#define SETTLING_S  30

/* The layout of a case, after the first request. */
struct known {
    size_t count; /* number of buffers; 0: not yet requested */
    struct sg_buffer buffer[SG_MAX_BUFFERS];
    double tolerance[SG_MAX_BUFFERS + 1]; /* rel_max; the last is the largest */
    bool partly;                          /* functions may write only part of an output */
    bool is_declared;
    double bytes; /* of declared work */
    struct sg_work work;
};

static struct sg_program_gate *gate;
static struct known *known;
static int failed; /* error of the last call */
static struct sg_gate_host host;

/* `more` of a case: twice its number, plus 1 if the case belongs to the commit's module. */
static uint64_t number_of(const struct sg_case *c)
{
    return (uint64_t)(uintptr_t)c->more / 2;
}

static enum sg_gate_side side_of(const struct sg_case *c, bool is_candidate)
{
    const bool is_then = (uintptr_t)c->more % 2 == 1;
    return (is_then ? SG_GATE_BASELINE_THEN : SG_GATE_BASELINE) + is_candidate;
}

static const struct known *ask(const struct sg_case *c)
{
    struct known *k = &known[number_of(c)];
    if (k->count == 0) {
        sg_worker_announce_setup(SG_SETUP_S);
        gate->first_side = host.loads_candidate_first ? SG_GATE_CANDIDATE : SG_GATE_BASELINE;
        k->count = gate->layout(number_of(c), k->buffer, k->tolerance);
        sg_worker_announce_setup(0);
        k->partly = gate->partly != 0;
        k->is_declared = gate->is_declared != 0;
        k->bytes = gate->work_bytes;
        memcpy(k->work.flop, gate->work_flop, sizeof(k->work.flop));
    }
    return k;
}

static size_t layout(const struct sg_case *c, struct sg_buffer out[SG_MAX_BUFFERS])
{
    const struct known *k = ask(c);
    memcpy(out, k->buffer, k->count * sizeof(out[0]));
    return k->count;
}

/* Guessed work is whole arrays: it is unknown which inputs a function needs, and how much of its
 * outputs it writes. */
static struct sg_work work(const struct sg_case *c)
{
    const struct known *k = ask(c);
    struct sg_work work = k->work;
    for (size_t i = 0; i < k->count; i++) {
        const double bytes = (double)sg_dtype_array_bytes(k->buffer[i].dtype, k->buffer[i].count);
        const enum sg_use use = k->buffer[i].use;
        work.write_bytes += use == SG_OUTPUT || use == SG_INOUT ? bytes : 0;
        work.read_bytes += use == SG_INPUT || use == SG_INOUT ? bytes : 0;
    }
    host.guesses = k->is_declared ? NULL : k->partly ? "whole outputs" : SG_WHOLE_INPUTS;
    if (k->is_declared) {
        work.write_bytes = fmin(work.write_bytes, k->bytes);
        work.read_bytes = k->bytes - work.write_bytes;
    }
    return work;
}

static struct sg_tolerance tolerance_of(const struct sg_case *c, size_t buffer)
{
    const double most = ask(c)->tolerance[buffer];
    return (struct sg_tolerance){.rel_rms = most / 2, .rel_max = most, .reason = "set by the gate"};
}

static struct sg_tolerance tolerance(const struct sg_case *c)
{
    return tolerance_of(c, SG_MAX_BUFFERS);
}

static void fill(const struct sg_fill_request *request)
{
    gate->fill(number_of(request->c), request->seed, request->host);
}

static void reference(const struct sg_reference_request *request)
{
    sg_worker_announce_setup(SG_SETUP_S);
    gate->reference(number_of(request->c), request->device ? request->device : request->host,
                    request->expected);
    sg_worker_announce_setup(0);
}

static void launch(const struct sg_launch *l, bool is_candidate)
{
    failed = gate->launch(number_of(l->c), side_of(l->c, is_candidate), l->buffer, host.returned);
    host.waits = gate->simulated_waits != 0;
    host.launched = gate->simulated_launched;
}

static int last_error(struct sg_reason *why)
{
    const int error = failed;
    if (error != 0)
        snprintf(why->text, sizeof(why->text), "%.*s", (int)sizeof(why->text) - 1, gate->failure);
    failed = 0;
    return error;
}

static unsigned loads(void)
{
    return gate->simulated ? gate->simulated_loads : host.loads;
}

static bool is_wrong(const struct sg_case *c, struct sg_reason *why)
{
    failed = gate->prepare(number_of(c), SG_GATE_CANDIDATE, NULL);
    return last_error(why) != 0;
}

/* Compiling, tuning and lazy loading must finish before anything is timed. */
static enum sg_status prepare(const struct sg_launch *l, bool is_candidate, struct sg_reason *why)
{
    const double end_s = sg_monotonic_s() + SETTLING_S;
    for (unsigned quiet = 0; quiet < QUIET_CALLS;) {
        const unsigned before = loads();
        sg_worker_announce_setup(SG_SETUP_S);
        failed = gate->prepare(number_of(l->c), side_of(l->c, is_candidate), l->buffer);
        sg_worker_announce_setup(0);
        const int error = last_error(why);
        if (error != 0)
            return error == SG_GATE_UNFIT ? SG_UNAVAILABLE : SG_LAUNCH_FAILED;
        quiet = loads() == before ? quiet + 1 : 0;
        if (quiet == 0 && sg_monotonic_s() > end_s) {
            snprintf(why->text, sizeof(why->text),
                     "the function still loads code into the device after %d s of calls",
                     SETTLING_S);
            return SG_LAUNCH_FAILED;
        }
    }
    return SG_OK;
}

#define SIDE(name, is_candidate, as, of_role)                                     \
    static enum sg_status prepare_##name(const struct sg_launch *l, void **state, \
                                         struct sg_reason *why)                   \
    {                                                                             \
        (void)state;                                                              \
        return prepare(l, is_candidate, why);                                     \
    }                                                                             \
    static void launch_##name(const struct sg_launch *l)                          \
    {                                                                             \
        launch(l, is_candidate);                                                  \
    }                                                                             \
    static const struct sg_variant name = {                                       \
        .summary = (as), .role = (of_role), .prepare = prepare_##name, .launch = launch_##name};
SIDE(baseline, false, "before the change", SG_BASELINE)
SIDE(candidate, true, "after the change", SG_CANDIDATE)

static const struct sg_named_variant variants[] = {{"baseline", &baseline},
                                                   {"candidate", &candidate}};

static struct sg_simulation simulate(const struct sg_case *c, const char *variant,
                                     const int64_t *knob)
{
    (void)knob;
    return (struct sg_simulation){
        .time_ns = gate->simulated_ns[side_of(c, strcmp(variant, "candidate") == 0)]};
}

static const struct sg_case *make_cases(bool is_then)
{
    struct sg_case *cases = sg_alloc(gate->case_count, sizeof(*cases));
    for (uint64_t i = 0; i < gate->case_count; i++) {
        const struct sg_gate_case *from = &gate->cases[i];
        cases[i] = (struct sg_case){.name = from->name,
                                    .dtype = SG_F32,
                                    .summary = from->words,
                                    .more = (const void *)(uintptr_t)(2 * i + is_then)};
        memcpy(cases[i].dim, from->dim, sizeof(cases[i].dim));
    }
    return cases;
}

__attribute__((visibility("default"))) void sg_gate_refuse(const char *why)
{
    sg_worker_refuse(why);
}

__attribute__((visibility("default"))) int sg_gate_work(struct sg_program_gate *given, int argc,
                                                        char **argv)
{
    static struct sg_family family, family_then;
    static struct sg_module module, of_commit;
    if (given->version != SG_GATE_VERSION)
        return -1;
    /* The program may have set a locale with a decimal comma. */
    uselocale(newlocale(LC_NUMERIC_MASK, "C", duplocale(LC_GLOBAL_LOCALE)));
    gate = given;
    known = sg_alloc(gate->case_count, sizeof(*known));
    family = (struct sg_family){
        .summary = "functions of a program",
        .device = gate->simulated ? SG_HOST : SG_CUDA,
        .dims = gate->dims,
        .cases = make_cases(false),
        .case_count = gate->case_count,
        .layout = layout,
        .work = work,
        .tolerance = tolerance,
        .fill = fill,
        .reference = reference,
        .last_error = last_error,
        .simulate = simulate,
    };
    module = (struct sg_module){
        .abi_version = SG_ABI_VERSION,
        .name = gate->name,
        .commit = gate->commit,
        .family = &family,
        .variants = variants,
        .variant_count = gate->sides,
    };
    of_commit = module;
    of_commit.commit = gate->then;
    family_then = family;
    family_then.cases = make_cases(true);
    of_commit.family = &family_then;
    host.tolerance = tolerance_of;
    host.module = &module;
    host.of_commit = &of_commit;
    host.is_wrong = is_wrong;
    sg_gate_host = &host;
    return sg_worker_main(argc, argv);
}
