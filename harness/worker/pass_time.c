/*
 * Times a candidate and its family's baseline in turn (docs/method.md 2), in this process.
 *
 * Both are prepared on the same buffers; the order of preparation alternates between processes.
 * After one warm-up batch per side come the order's blocks of four batches, ABBA or BAAB by
 * sg_abba_coin(seed of the run, process, block). So the seed tells which batches were the
 * candidate's, even if both sides are the same variant (the A/A pair). Invariant: samples are
 * reported only when all of them are taken.
 */
#include "worker/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device/energy.h"
#include "device/gate_host.h"
#include "device/null/noise_model.h"
#include "results/message.h"
#include "results/pair_samples.h"
#include "results/row_kind.h"
#include "results/samples.h"
#include "stats/abba.h"
#include "stats/statistics.h"
#include "util/random.h"
#include "util/text.h"
#include "worker/fresh_buffers.h"
#include "worker/marks.h"
#include "worker/timed_check.h"

#define SHARED_BYTES_MAX \
    (UINT64_C(1) << 30)   /* limit on a case's buffers while other processes also wait */
#define ALONE_BATCHES  20 /* batches of one side at most, to see if it fails alone */
#define IDLE_READINGS  50 /* readings of memory in use while nothing is launched, 10 ms apart */
#define REFERENCE_EACH 5  /* one process in five checks outputs against the slow reference */

struct prepared_side {
    unsigned placement;
    bool candidate;
};

/* A pair in progress. Side 0 is the baseline, side 1 the candidate, as in sg_abba_is_candidate. */
struct pair {
    struct sg_pass *pass;
    const struct sg_target *target;
    struct sg_device *device;
    struct sg_placement *placement;                       /* owned; SG_PLACEMENTS_MAX */
    unsigned placements, at;                              /* at: placement of the next batch */
    unsigned launches;                                    /* per batch */
    double segment_s;                                     /* seconds of a segment; 0: batches */
    struct prepared_side prepared[2 * SG_PLACEMENTS_MAX]; /* in order of preparation */
    unsigned prepared_count;
    struct sg_timed_check check;
    struct sg_err *err; /* borrowed */
    bool judged;        /* the side to judge: the candidate, or the baseline of an accepted build */
    struct sg_sample *samples;     /* owned; room for SG_BLOCKS_MAX * SG_BLOCK_BATCHES */
    size_t count;                  /* of samples */
    const char *no_energy;         /* why no energy was measured; NULL: no reason */
    unsigned batches[2], bound[2]; /* per side; bound: those that were host_bound */
    const char *launched[2];       /* per side, in its last batch */
};

/* Records an outcome with the side that caused it. The first outcome counts. */
static void fail_side(const struct sg_target *target, bool candidate, const struct sg_outcome *what,
                      struct sg_outcome *outcome)
{
    if (what->status == SG_OK || outcome->status != SG_OK)
        return;
    sg_outcome_set(outcome, what->status, "%s", what->message);
    outcome->of_baseline = !candidate && !sg_is_aa_pair(target);
}

/* Call before any code of a side runs, until "neither": if the process dies, that side failed. */
static void enter_side(struct pair *pair, bool candidate)
{
    SG_EMIT(pair->pass->emitter, SIDE, .side = candidate ? SG_SIDE_CANDIDATE : SG_SIDE_BASELINE);
}

static void go_to(struct pair *pair, unsigned placement)
{
    pair->at = placement;
    pair->check.kept.buffers = pair->placement[placement].buffers;
}

static bool prepare_side(struct pair *pair, struct prepared_side which, struct sg_outcome *outcome)
{
    struct sg_outcome one = {.status = SG_OK};
    struct sg_placement *placement = &pair->placement[which.placement];
    const struct sg_configured_variant configured =
        which.candidate ? sg_target_configured(&placement->target)
                        : sg_target_baseline_configured(&placement->target);
    enter_side(pair, which.candidate);
    pair->prepared[pair->prepared_count++] = which;
    sg_runnable_prepare(&placement->side[which.candidate], placement->buffers, &configured, &one);
    SG_EMIT(pair->pass->emitter, SIDE, .side = SG_SIDE_NEITHER);
    fail_side(pair->target, which.candidate, &one, outcome);
    return one.status == SG_OK;
}

static bool prepare_sides(struct pair *pair, unsigned placement, struct sg_outcome *outcome)
{
    const bool first = (sg_loads_candidate_first(pair->pass) + placement) % 2 == 1;
    return prepare_side(pair, (struct prepared_side){placement, first}, outcome) &&
           prepare_side(pair, (struct prepared_side){placement, !first}, outcome);
}

/* Finishes the sides in reverse order of preparation. */
static void finish_sides(struct pair *pair, struct sg_outcome *outcome)
{
    while (pair->prepared_count > 0) {
        const struct prepared_side side = pair->prepared[--pair->prepared_count];
        struct sg_outcome one = {.status = SG_OK};
        enter_side(pair, side.candidate);
        sg_runnable_finish(&pair->placement[side.placement].side[side.candidate], pair->device,
                           &one);
        SG_EMIT(pair->pass->emitter, SIDE, .side = SG_SIDE_NEITHER);
        fail_side(pair->target, side.candidate, &one, outcome);
    }
    for (; pair->placements > 1; pair->placements--)
        sg_placement_close(&pair->placement[pair->placements - 1]);
}

static enum sg_status run_batch(struct pair *pair, bool candidate, bool second,
                                struct sg_batch *batch, struct sg_reason *why)
{
    const struct sg_device_ops *ops = pair->device->ops;
    const struct sg_batch_hooks hooks = sg_timed_check_hooks(&pair->check, second);
    if (pair->segment_s > 0)
        return ops->sustain(pair->device, &pair->placement[pair->at].side[candidate],
                            pair->segment_s, &hooks, batch, why);
    return ops->batch(pair->device, &pair->placement[pair->at].side[candidate], pair->launches,
                      &hooks, batch, why);
}

/* The sides with mostly host_bound batches; NULL: none. */
static const char *host_bound(const struct pair *pair)
{
    const bool base = 2 * pair->bound[0] > pair->batches[0],
               cand = 2 * pair->bound[1] > pair->batches[1];
    return base && cand ? "both" : cand ? SG_SIDE_CANDIDATE : base ? SG_SIDE_BASELINE : NULL;
}

/* Runs a batch without checking guards. */
static bool launch_batch(struct pair *pair, bool candidate, bool second, struct sg_batch *batch,
                         struct sg_outcome *outcome)
{
    struct sg_reason why = {""};
    struct sg_outcome one = {.status = SG_OK};
    struct sg_context_settings settings;
    enter_side(pair, candidate);
    pair->device->ops->read_settings(pair->device, &settings);
    sg_mark(SG_MARK_VARIANT, candidate ? pair->target->name : pair->target->baseline_name);
    const enum sg_status status = run_batch(pair, candidate, second, batch, &why);
    if (status != SG_OK)
        sg_outcome_set(&one, status, "%s", why.text);
    else
        sg_runnable_check_settings(pair->device, &settings, &one);
    SG_EMIT(pair->pass->emitter, SIDE, .side = SG_SIDE_NEITHER);
    pair->batches[candidate]++;
    pair->bound[candidate] += batch->host_bound;
    pair->launched[candidate] = batch->launched;
    if (sg_gate_host && !candidate && one.status == SG_OK && pair->segment_s == 0)
        sg_compare_with_alone(pair->pass, pair->target, batch, outcome);
    fail_side(pair->target, candidate, &one, outcome);
    return outcome->status == SG_OK;
}

/* True if batches of this side alone change memory that they must not. */
static bool does_alone(struct pair *pair, bool candidate, struct sg_err *err)
{
    struct sg_outcome one = {.status = SG_OK};
    if (sg_is_aa_pair(pair->target) ||
        sg_buffers_renew_guards(pair->check.kept.buffers, err) != SG_SUCCESS)
        return false;
    for (unsigned i = 0; i < ALONE_BATCHES && one.status == SG_OK && err->code == SG_SUCCESS; i++) {
        struct sg_batch batch;
        sg_timed_check_begin(&pair->check, pair->pass->secret);
        if (launch_batch(pair, candidate, false, &batch, &one))
            sg_timed_check_memory(&pair->check, &one, err);
    }
    return one.status != SG_OK;
}

/* Memory changed after a batch of this side. On a host family a thread may write late, so the
 * judged side is blamed unless the other side also does it alone. */
static void fail_by_memory(struct pair *pair, bool side, const struct sg_outcome *what,
                           struct sg_outcome *outcome, struct sg_err *err)
{
    const bool is_known = side == pair->judged || pair->target->home->family->device != SG_HOST;
    if (what->status != SG_OK)
        fail_side(pair->target, is_known || does_alone(pair, side, err) ? side : pair->judged, what,
                  outcome);
}

/* Guards are checked after each batch, to know which side wrote out of bounds. */
static bool time_batch(struct pair *pair, bool candidate, bool second, struct sg_batch *batch,
                       struct sg_outcome *outcome)
{
    struct sg_outcome guards = {.status = SG_OK};
    if (!launch_batch(pair, candidate, second, batch, outcome))
        return false;
    sg_buffers_check_guards(pair->check.kept.buffers, &guards, pair->err);
    fail_by_memory(pair, candidate, &guards, outcome, pair->err);
    return outcome->status == SG_OK && pair->err->code == SG_SUCCESS;
}

static bool judge_round(struct pair *pair, bool first_is_candidate, struct sg_outcome *outcome,
                        struct sg_err *err)
{
    struct sg_timed_finding finding;
    if (sg_timed_check_judge(&pair->check, &finding, err) != SG_SUCCESS)
        return false;
    fail_side(pair->target, finding.first ? first_is_candidate : !first_is_candidate,
              &finding.outcome, outcome);
    return finding.outcome.status == SG_OK;
}

static void take_batch(const struct sg_batch *batch, unsigned spikes, struct sg_sample *sample)
{
    sample->ns = sg_mean(batch->ns, batch->launches);
    sample->sm_clock = batch->sm_clock;
    sample->energy = batch->joules;
    sample->spikes = (uint8_t)(spikes < UINT8_MAX ? spikes : UINT8_MAX);
    sg_sample_round(sample);
}

/* Takes two batches, one per side, and their samples in that order. A batch with a spike is
 * repeated, together with the batch of the other side, since inputs must be new to both. The batch
 * without a spike keeps its first time. */
static bool take_round(struct pair *pair, bool first_is_candidate, struct sg_sample samples[2],
                       struct sg_outcome *outcome, struct sg_err *err)
{
    unsigned spikes[2] = {0, 0};
    bool again = false;
    for (unsigned attempt = 0; attempt < 2 && (attempt == 0 || again); attempt++) {
        again = false;
        sg_timed_check_begin(&pair->check, pair->pass->secret);
        for (unsigned i = 0; i < 2; i++) {
            struct sg_batch batch = {.launches = 0};
            if (!time_batch(pair, (i == 0) == first_is_candidate, i == 1, &batch, outcome))
                return false;
            const unsigned found = sg_abba_spikes(batch.ns, batch.launches);
            const bool counts = attempt == 0 || spikes[i] > 0;
            spikes[i] += counts ? found : 0;
            again |= attempt == 0 && found > 0;
            if (counts)
                take_batch(&batch, spikes[i], &samples[i]);
        }
        if (!judge_round(pair, first_is_candidate, outcome, err))
            return false;
    }
    return true;
}

static bool take_block(struct pair *pair, unsigned block, struct sg_outcome *outcome,
                       struct sg_err *err)
{
    const struct sg_order *order = pair->pass->order;
    const bool baab = sg_abba_coin(order->seed, order->process, block);
    go_to(pair, block % pair->placements);
    for (unsigned position = 0; position < SG_BLOCK_BATCHES; position += 2) {
        struct sg_sample *samples = &pair->samples[pair->count];
        for (unsigned i = 0; i < 2; i++)
            samples[i] = (struct sg_sample){.process = (uint16_t)order->process,
                                            .block = (uint16_t)block,
                                            .position = (uint8_t)(position + i)};
        pair->count += 2;
        if (!take_round(pair, sg_abba_is_candidate(baab, position), samples, outcome, err))
            return false;
    }
    return true;
}

static bool take_blocks(struct pair *pair, struct sg_outcome *outcome, struct sg_err *err)
{
    const struct sg_order *order = pair->pass->order;
    const struct sg_pilot pilot = {.least = order->settings.blocks,
                                   .launches = order->settings.launches,
                                   .noise = pair->target->noise,
                                   .most_ms = order->settings.pilot_ms};
    size_t wanted = (size_t)order->settings.blocks * SG_BLOCK_BATCHES;
    for (unsigned block = 0; pair->count < wanted; block++) {
        if (!take_block(pair, block, outcome, err))
            return false;
        if (block + 1 == SG_PILOT_BLOCKS)
            wanted = sg_pair_samples_wanted(&(struct sg_pair_samples){pair->samples, pair->count},
                                            &pilot, order->seed);
    }
    return true;
}

/* NULL: the energy of the pair can be measured. */
static const char *why_no_energy(const struct pair *pair)
{
    const struct sg_runnable *side = pair->placement[0].side;
    double figure[SG_FIGURE_COUNT] = {0};
    if (side[0].restore_count + side[1].restore_count > 0)
        return "a kernel that overwrites its inputs cannot launch back to back";
    sg_watch_item(pair->pass, figure);
    return figure[SG_FIGURE_OTHERS] + figure[SG_FIGURE_MIG] + figure[SG_FIGURE_MPS] > 0
               ? SG_ENERGY_SHARED
               : pair->device->no_energy;
}

/* Takes the energy of both sides in the order of the first block, A B B A or B A A B: a drift of
 * the GPU's temperature adds the same to both. If a segment has none, all are repeated once. */
static bool take_energy(struct pair *pair, struct sg_outcome *outcome, struct sg_err *err)
{
    const struct sg_order *order = pair->pass->order;
    const double segment_s = pair->segment_s;
    const unsigned launches = pair->check.launches;
    const bool baab = sg_abba_coin(order->seed, order->process, 0);
    struct sg_sample segments[SG_BLOCK_BATCHES] = {0};
    bool done = true, is_whole = false;
    pair->no_energy = why_no_energy(pair);
    if (pair->no_energy)
        return true;
    pair->segment_s = 1e-3 * SG_ENERGY_SEGMENT_MS;
    pair->check.launches = 1;
    pair->check.has_warm_up = false;
    for (unsigned attempt = 0; attempt < 2 && done && !is_whole; attempt++) {
        is_whole = true;
        for (unsigned i = 0; i < SG_BLOCK_BATCHES && done; i += 2) {
            done = take_round(pair, sg_abba_is_candidate(baab, i), &segments[i], outcome, err);
            is_whole &= segments[i].energy > 0 && segments[i + 1].energy > 0;
        }
    }
    pair->segment_s = segment_s;
    pair->check.launches = launches;
    if (!is_whole)
        pair->no_energy = pair->device->no_energy ? pair->device->no_energy : SG_ENERGY_SELDOM;
    for (unsigned i = 0; i < SG_BLOCK_BATCHES && is_whole; i++)
        pair->samples[i].energy = segments[i].energy;
    return done;
}

/* Checks the candidate's last batch. For an A/A pair the first of five processes also asks the
 * reference: only that finds errors that both sides share. */
static bool check_batch(struct pair *pair, struct sg_outcome *outcome, struct sg_err *err)
{
    struct sg_outcome memory = {.status = SG_OK};
    if (sg_timed_check_memory(&pair->check, &memory, err) == SG_SUCCESS && memory.status != SG_OK)
        fail_by_memory(pair, true, &memory, outcome, err);
    else if (err->code == SG_SUCCESS && sg_is_aa_pair(pair->target) &&
             pair->pass->order->process % REFERENCE_EACH == 0)
        sg_timed_check_reference(&pair->check, outcome, err);
    return err->code == SG_SUCCESS && outcome->status == SG_OK;
}

/* The growth of memory in use over batches of this side alone; stops once it is a leak. */
static uint64_t growth_of(struct pair *pair, bool candidate, struct sg_outcome *outcome)
{
    const uint64_t before = pair->device->ops->memory_used(pair->device);
    uint64_t now = before;
    for (unsigned i = 0;
         i < ALONE_BATCHES && outcome->status == SG_OK && now < before + SG_LEAK_BYTES; i++) {
        struct sg_batch batch;
        sg_timed_check_begin(&pair->check, pair->pass->secret);
        time_batch(pair, candidate, false, &batch, outcome);
        now = pair->device->ops->memory_used(pair->device);
    }
    return now > before ? now - before : 0;
}

/* True if other processes take memory that is counted here: they are visible, or the memory in use
 * changes without a launch. */
static bool is_shared(struct sg_device *device)
{
    double figure[SG_FIGURE_COUNT] = {0};
    uint64_t events = 0;
    const uint64_t before = device->ops->memory_used(device);
    bool is_seen = device->ops->read_state(device, figure, &events) && figure[SG_FIGURE_OTHERS] > 0;
    for (unsigned i = 0; i < IDLE_READINGS && !is_seen; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        is_seen = device->ops->memory_used(device) != before;
    }
    return is_seen;
}

/* Runs each side alone to find which side leaks. If neither does, other processes took the
 * memory. */
static bool check_memory(struct pair *pair, uint64_t before, struct sg_outcome *outcome)
{
    const uint64_t now = pair->device->ops->memory_used(pair->device);
    struct sg_outcome leak = {.status = SG_OK};
    if (now <= before || now - before < SG_LEAK_BYTES)
        return true;
    const bool is_own = pair->device->memory_is_own, counts = is_own || !is_shared(pair->device);
    const uint64_t of_judged = counts ? growth_of(pair, pair->judged, outcome) : 0;
    const uint64_t of_other = counts ? growth_of(pair, !pair->judged, outcome) : 0;
    if (!is_own && of_judged + of_other == 0) {
        sg_emit_note(pair->pass->emitter,
                     "%s/%s/%s: leaks are not judged, because other processes also allocate "
                     "memory on the GPU",
                     SG_TARGET_NAMES(pair->target));
        return outcome->status == SG_OK;
    }
    sg_outcome_set(&leak, SG_LEAK, "device memory grew by %llu bytes over %u rounds of launches",
                   (unsigned long long)(now - before), pair->check.round);
    fail_side(pair->target, of_other > of_judged ? !pair->judged : pair->judged, &leak, outcome);
    return false;
}

static void begin_item(struct pair *pair)
{
    const struct sg_order *order = pair->pass->order;
    SG_SCOPED(sg_text) name = {0};
    if (!pair->device->ops->begin_item)
        return;
    sg_text_addf(&name, "%u/%s/%s/%s", order->process, SG_TARGET_NAMES(pair->target));
    pair->device->ops->begin_item(pair->device, sg_simulate_seed(order->seed, name.data));
}

/* First launches load a side's code, which then keeps its address. */
static bool warm_up(struct pair *pair, struct prepared_side side, struct sg_outcome *outcome)
{
    struct sg_batch unused;
    go_to(pair, side.placement);
    sg_timed_check_begin(&pair->check, pair->pass->secret);
    pair->launches = 1;
    const bool done = time_batch(pair, side.candidate, false, &unused, outcome);
    pair->launches = pair->pass->order->settings.launches;
    return done;
}

/* Adds placements for both sides. The code is loaded in random order, so that neither side
 * systematically gets the driver's next address. */
static bool add_placements(struct pair *pair, double launch_ns, struct sg_outcome *outcome,
                           struct sg_err *err)
{
    const struct sg_order *order = pair->pass->order;
    struct sg_buffers *first = pair->placement[0].buffers;
    const double placement_ns = order->settings.sustained ? 0 : pair->device->placement_ns;
    const unsigned wanted = sg_placements_wanted(placement_ns, launch_ns, pair->target->tolerance,
                                                 sg_buffers_bytes(first));
    size_t order_of_load[2 * SG_PLACEMENTS_MAX], count = 0;
    while (pair->placements < wanted &&
           sg_placement_open(&pair->placement[pair->placements], pair->pass, pair->target, first,
                             pair->placements, err)) {
        if (!prepare_sides(pair, pair->placements++, outcome))
            return false;
        order_of_load[count] = count;
        order_of_load[count + 1] = count + 1;
        count += 2;
    }
    uint64_t state = sg_fresh_key(order->seed, order->process);
    sg_random_shuffle(&state, order_of_load, count);
    for (size_t i = 0; i < count && err->code == SG_SUCCESS; i++)
        if (!warm_up(pair,
                     (struct prepared_side){1 + (unsigned)order_of_load[i] / 2,
                                            order_of_load[i] % 2 == 1},
                     outcome))
            return false;
    return err->code == SG_SUCCESS;
}

static bool take_samples(struct pair *pair, struct sg_outcome *outcome, struct sg_err *err)
{
    struct sg_sample first[2];
    if (!take_round(pair, sg_loads_candidate_first(pair->pass), first, outcome, err) ||
        !add_placements(pair, fmin(first[0].ns, first[1].ns), outcome, err))
        return false;
    const uint64_t before = pair->device->ops->memory_used(pair->device);
    if (!take_blocks(pair, outcome, err))
        return false;
    go_to(pair, 0);
    if (pair->pass->order->settings.energy && !take_energy(pair, outcome, err))
        return false;
    sg_fresh_show_unseen(pair->placement[0].buffers);
    /* The last round ends with the candidate's batch, so that inputs it wrote are detected. The
     * reference comes last, because loading its kernels takes memory. */
    return take_round(pair, false, first, outcome, err) && check_memory(pair, before, outcome) &&
           check_batch(pair, outcome, err);
}

/* The baseline of an A/A pair is its candidate. */
static void emit_choices(const struct pair *pair)
{
    for (int side = sg_is_aa_pair(pair->target) ? 1 : 0; side < 2; side++) {
        SG_FORMATTED(metric, SG_CHOICE_PREFIX "%02u%s", pair->pass->order->process,
                     side == 1 ? "" : SG_OTHER_SUFFIX);
        if (pair->launched[side])
            sg_emit_word(pair->pass->emitter, pair->target, metric.data, pair->launched[side]);
    }
}

static void emit_samples(const struct pair *pair)
{
    const struct sg_order *order = pair->pass->order;
    for (size_t i = 0; i < pair->count; i++) {
        const struct sg_sample *sample = &pair->samples[i];
        const bool candidate = sg_abba_is_candidate(
            sg_abba_coin(order->seed, order->process, sample->block), sample->position);
        SG_EMIT(pair->pass->emitter, SAMPLE, SG_OF_TARGET(pair->target),
                .ran = candidate ? pair->target->name : pair->target->baseline_name,
                .sample = *sample);
    }
    if (pair->no_energy)
        sg_emit_value(pair->pass->emitter, pair->target,
                      &(struct sg_value){.metric = SG_ENERGY_METRIC,
                                         .unit = "J",
                                         .message = pair->no_energy,
                                         .status = SG_UNAVAILABLE});
    emit_choices(pair);
    if (host_bound(pair))
        sg_emit_word(pair->pass->emitter, pair->target, SG_HOST_BOUND_METRIC, host_bound(pair));
}

/* All processes use one pool; otherwise different inputs would add to the spread between processes.
 */
static struct sg_pool_plan plan_of(const struct sg_pass *pass)
{
    return (struct sg_pool_plan){
        .seed = pass->order->seed, .sets = SG_FRESH_SETS, .unseen = sg_gate_host != NULL};
}

void sg_time_prepare(struct sg_pass *pass, const struct sg_target *target)
{
    struct sg_outcome ignored = {.status = SG_OK};
    struct sg_err none = {0};
    const struct sg_pool_plan plan = plan_of(pass);
    struct sg_buffers *buffers = sg_pass_can_run(pass, target, &ignored)
                                     ? sg_pass_buffers(pass, target, &ignored, &none)
                                     : NULL;
    if (buffers && sg_buffers_bytes(buffers) > SHARED_BYTES_MAX)
        sg_pass_forget(pass);
    else if (buffers)
        sg_pools_make(buffers, &plan, &ignored, &none);
}

/* Opens the buffers of the pair's case and their checks. False: too little memory, or an error that
 * ends the pass. */
static bool try_buffers(struct pair *pair, struct sg_buffers **buffers, struct sg_outcome *outcome,
                        struct sg_err *err)
{
    const struct sg_order *order = pair->pass->order;
    *buffers = sg_pass_buffers(pair->pass, pair->target, outcome, err);
    const struct sg_pool_plan plan = plan_of(pair->pass);
    if (!*buffers || sg_pools_make(*buffers, &plan, outcome, err) != SG_SUCCESS ||
        outcome->status != SG_OK || sg_place_inputs(*buffers, err) != SG_SUCCESS ||
        sg_buffers_renew_guards(*buffers, err) != SG_SUCCESS)
        return false;
    sg_timed_check_open(&pair->check, *buffers,
                        order->settings.sustained ? 1 : order->settings.launches, outcome);
    return outcome->status == SG_OK;
}

/* Retries after releasing the buffers of other cases. NULL: as above. */
static struct sg_buffers *open_buffers(struct pair *pair, struct sg_outcome *outcome,
                                       struct sg_err *err)
{
    struct sg_buffers *buffers = NULL;
    struct sg_outcome first_try = {.status = SG_OK};
    if (try_buffers(pair, &buffers, &first_try, err))
        return buffers;
    if (err->code != SG_SUCCESS)
        return NULL;
    sg_pass_forget(pair->pass);
    return try_buffers(pair, &buffers, outcome, err) ? buffers : NULL;
}

enum sg_code sg_time_item(struct sg_pass *pass, const struct sg_target *target,
                          struct sg_outcome *outcome, struct sg_err *err)
{
    struct pair pair = {.pass = pass,
                        .target = target,
                        .device = sg_pass_device(pass, target),
                        .err = err,
                        .judged = pass->order->baseline || target->home == target->module};
    struct sg_buffers *buffers =
        sg_check_layout(target, outcome) ? open_buffers(&pair, outcome, err) : NULL;
    if (!buffers)
        return err->code;
    pair.samples = sg_alloc((size_t)SG_BLOCKS_MAX * SG_BLOCK_BATCHES, sizeof(*pair.samples));
    pair.placement = sg_alloc(SG_PLACEMENTS_MAX, sizeof(*pair.placement));
    pair.placement[0] = (struct sg_placement){.target = *target, .buffers = buffers};
    pair.placements = 1;
    pair.launches = pass->order->settings.launches;
    pair.segment_s = pass->order->settings.sustained ? 1e-3 * SG_SEGMENT_MS : 0;
    if (prepare_sides(&pair, 0, outcome)) {
        begin_item(&pair);
        take_samples(&pair, outcome, err);
    }
    finish_sides(&pair, outcome);
    if (err->code == SG_SUCCESS && outcome->status == SG_OK)
        emit_samples(&pair);
    free(pair.samples);
    free(pair.placement);
    return err->code;
}
