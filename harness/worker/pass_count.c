/*
 * The count pass: hardware counters, facts of the launch, and metrics derived from them.
 *
 * All counters of the pass are passed to the device at once, before the first item. Every requested
 * metric gets a row: a number (the median and range of several counts, see
 * results/counter_repeats.h), or `nan` or `unavailable` with the reason. Invariant: `count_passes`
 * is an item's last row.
 */
#include "worker/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue/catalogue.h"
#include "results/counter_repeats.h"
#include "util/text.h"
#include "worker/counted_check.h"
#include "worker/fresh_buffers.h"
#include "worker/marks.h"

struct sg_counting {
    struct sg_catalogue catalogue;
    const struct sg_metric **wanted; /* owned array: metrics to report */
    size_t wanted_count;
    const struct sg_metric **counters; /* owned array: those that the device counts */
    size_t counter_count;
    const struct sg_source *const *sources;
    size_t source_count;
    void **states; /* owned array; results of the sources' `begin` */
};

struct counts {
    const struct sg_counting *of;
    struct sg_counted *found; /* owned: found[repeat * of->wanted_count + metric] */
    unsigned repeats;
};

/* Passes each source its own metrics. */
static void begin_sources(struct sg_counting *c)
{
    const struct sg_metric **own = sg_alloc(c->wanted_count + 1, sizeof(*own));
    c->sources = sg_sources(&c->source_count);
    c->states = sg_alloc(c->source_count, sizeof(*c->states));
    for (size_t k = 0; k < c->source_count; k++) {
        size_t count = 0;
        for (size_t i = 0; i < c->wanted_count; i++)
            if (c->wanted[i]->source == c->sources[k])
                own[count++] = c->wanted[i];
        if (count > 0 && c->sources[k]->begin)
            c->states[k] = c->sources[k]->begin(own, count);
    }
    free(own);
}

enum sg_code sg_counting_open(struct sg_counting **counting, const struct sg_names *names,
                              struct sg_err *err)
{
    struct sg_counting *c = sg_alloc(1, sizeof(*c));
    *counting = c;
    if (sg_catalogue_load(&c->catalogue, err) != SG_SUCCESS ||
        sg_catalogue_select(&c->catalogue, (const char *const *)names->items, names->count,
                            &c->wanted, &c->wanted_count, err) != SG_SUCCESS)
        return err->code;
    c->counters = sg_alloc(c->wanted_count, sizeof(*c->counters));
    for (size_t i = 0; i < c->wanted_count; i++)
        if (c->wanted[i]->source->of_device)
            c->counters[c->counter_count++] = c->wanted[i];
    begin_sources(c);
    return SG_SUCCESS;
}

void sg_counting_end(struct sg_counting *counting)
{
    if (!counting)
        return;
    for (size_t k = 0; k < counting->source_count; k++)
        if (counting->states[k] && counting->sources[k]->end)
            counting->sources[k]->end(counting->states[k]);
}

enum sg_code sg_counting_begin(struct sg_counting *counting, struct sg_device *device,
                               const struct sg_order *order, struct sg_err *err)
{
    const struct sg_counting_order counting_order = {
        .l2 = order->settings.l2,
        .seed = order->seed,
        .metrics = counting->counters,
        .count = counting->counter_count,
    };
    return device->ops->begin_counting(device, &counting_order, err);
}

/* Gets the values that a metric is computed from; NaN: absent. */
static void take_inputs(const struct sg_counting *c, const char *const *names,
                        const struct sg_counted *all, double *inputs)
{
    for (size_t i = 0; i < SG_SOURCE_INPUTS && names[i]; i++) {
        inputs[i] = NAN;
        for (size_t k = 0; k < c->wanted_count; k++)
            if (strcmp(c->wanted[k]->name, names[i]) == 0)
                inputs[i] = all[k].value;
    }
}

static void collect(const struct sg_counting *c, size_t i, struct sg_collection *from,
                    struct sg_counted *all)
{
    const struct sg_metric *metric = c->wanted[i];
    const struct sg_source *source = metric->source;
    size_t k = 0;
    while (c->sources[k] != source)
        k++;
    from->state = c->states[k];
    if (source->inputs)
        take_inputs(c, source->inputs(sg_metric_key(metric, "*")), all, from->inputs);
    if (source->collect)
        source->collect(from, metric, &all[i]);
    else
        sg_counted_fail(&all[i], SG_UNAVAILABLE, "a count pass cannot measure this metric");
}

/* Collects each wanted metric from one count of an item; derived metrics last. */
static void gather(const struct sg_counting *c, const struct sg_count_item *item, size_t number,
                   unsigned repeat, struct sg_counted *all)
{
    const struct sg_counted *counted = item->values + repeat * c->counter_count;
    for (int turn = 0; turn < 2; turn++)
        for (size_t i = 0; i < c->wanted_count; i++) {
            const struct sg_source *source = c->wanted[i]->source;
            struct sg_collection from = {.item = number, .repeat = repeat, .facts = &item->facts};
            if ((source->inputs != NULL) != (turn == 1))
                continue;
            if (source->of_device)
                from.counted = counted++;
            collect(c, i, &from, all);
        }
}

/* Combines all counts of metric i: the value, and remarks in `message`. */
static struct sg_value summarise(const struct counts *counts, size_t i, struct sg_text *message)
{
    const struct sg_metric *metric = counts->of->wanted[i];
    struct sg_counter_repeats all = {.count = metric->source->is_constant ? 1 : counts->repeats};
    const struct sg_counted *lacking = NULL;
    unsigned lacks = 0;
    for (size_t repeat = 0; repeat < all.count; repeat++) {
        const struct sg_counted *one = &counts->found[repeat * counts->of->wanted_count + i];
        all.value[repeat] = one->value;
        lacking = one->status != SG_OK ? one : lacking;
        lacks += one->status != SG_OK;
    }
    struct sg_value value = {
        .metric = metric->name, .unit = metric->unit, .status = lacking ? lacking->status : SG_OK};
    if (!lacking) {
        sg_counter_repeats_summarise(&all, &value);
        sg_text_add(message, counts->found[i].message);
        sg_counter_repeats_add_message(message, &all, metric->klass == SG_EXACT);
        return value;
    }
    value.value = NAN;
    value.n = (uint32_t)all.count;
    value.has = (uint8_t)(SG_HAS_N | (lacking->status == SG_NAN ? SG_HAS_VALUE : 0));
    if (lacks < all.count)
        sg_text_addf(message, "in %u of %zu counts: ", lacks, all.count);
    sg_text_add(message, lacking->message);
    return value;
}

static void emit_values(struct sg_pass *pass, const struct sg_target *target,
                        const struct counts *counts, unsigned passes)
{
    const struct sg_counting *c = counts->of;
    for (size_t i = 0; i < c->wanted_count; i++) {
        /* Other passes measure times and the model. */
        if (!c->wanted[i]->source->is_counted)
            continue;
        SG_SCOPED(sg_text) message = {0};
        struct sg_value value = summarise(counts, i, &message);
        value.message = sg_text_string(&message);
        sg_emit_value(pass->emitter, target, &value);
    }
    const struct sg_metric *last = sg_catalogue_find(&c->catalogue, "count_passes");
    sg_emit_value(pass->emitter, target,
                  &(struct sg_value){.metric = "count_passes",
                                     .unit = last ? last->unit : "1",
                                     .value = passes,
                                     .n = passes,
                                     .has = SG_HAS_VALUE | SG_HAS_N});
}

/* Limit on the buffers of a set, so that a nightly suite fits any GPU. A single case may exceed
 * it. */
#define SET_BYTES (8ull << 30)

struct entry {
    const struct sg_target *target;
    struct sg_runnable runnable;
    struct counted_case *of;
    size_t number; /* index among the items of its case */
};

struct counted_case {
    struct sg_buffers *buffers; /* owned */
    struct sg_counted_check check;
};

/* Items that are counted together, and the buffers of their cases. */
struct set {
    struct sg_pass *pass;
    struct sg_device *device;
    struct counted_case *
        *cases; /* owned; addresses are stable, because runnables point into them */
    size_t case_count, case_capacity;
    uint64_t bytes;        /* total of all cases */
    struct entry *entries; /* owned */
    size_t count;
    size_t done;                         /* number of items in earlier sets */
    struct sg_count_item *items;         /* one per entry, during counting */
    struct sg_context_settings settings; /* before all launches */
};

static void free_case(struct counted_case *c)
{
    sg_counted_check_release(&c->check);
    sg_buffers_free(c->buffers);
    free(c);
}

/* The case in this set. The first item that needs the case opens and fills its buffers. NULL with
 * the reason in outcome or err. */
static struct counted_case *find_case(struct set *set, const struct sg_target *target,
                                      struct sg_outcome *outcome, struct sg_err *err)
{
    for (size_t i = 0; i < set->case_count; i++)
        if (set->cases[i]->buffers->c == target->c)
            return set->cases[i];
    struct counted_case *opened = sg_alloc(1, sizeof(*opened));
    opened->buffers = sg_pass_open_case(set->pass, target, outcome, err);
    if (opened->buffers &&
        sg_fill_inputs(opened->buffers, set->pass->order->seed, false, outcome, err) ==
            SG_SUCCESS &&
        outcome->status == SG_OK)
        sg_counted_check_open(&opened->check, opened->buffers, set->pass->secret, outcome, err);
    if (outcome->status != SG_OK || err->code != SG_SUCCESS) {
        free_case(opened);
        return NULL;
    }
    *SG_APPEND(set->cases, set->case_count, set->case_capacity) = opened;
    set->bytes += sg_buffers_bytes(opened->buffers);
    return opened;
}

static void set_failure(struct sg_count_item *item, const struct sg_outcome *outcome)
{
    item->status = outcome->status;
    snprintf(item->why.text, sizeof(item->why.text), "%.255s", outcome->message);
}

static void launching(void *context, size_t item)
{
    const struct set *set = context;
    const struct sg_counting *c = set->pass->counting;
    const struct sg_target *target = set->entries[item].target;
    SG_EMIT(set->pass->emitter, AT, SG_OF_TARGET(target));
    sg_mark(SG_MARK_CASE, target->c->name);
    sg_mark(SG_MARK_VARIANT, target->name);
    for (size_t k = 0; k < c->source_count; k++)
        if (c->states[k] && c->sources[k]->before)
            c->sources[k]->before(c->states[k], set->done + item);
}

static enum sg_code launched(void *context, size_t item, struct sg_err *err)
{
    const struct set *set = context;
    const struct sg_counting *c = set->pass->counting;
    const struct entry *entry = &set->entries[item];
    struct sg_outcome outcome = {.status = SG_OK};
    for (size_t k = 0; k < c->source_count; k++)
        if (c->states[k] && c->sources[k]->after)
            c->sources[k]->after(c->states[k], set->done + item);
    if (sg_runnable_check_settings(set->device, &set->settings, &outcome) != SG_OK) {
        set_failure(&set->items[item], &outcome);
        return sg_fail(err, SG_INVALID, "counting", "%s", outcome.message);
    }
    return sg_counted_check_launched(&entry->of->check, entry->number, err);
}

static void emit_item(struct set *set, size_t i, const struct sg_count_item *item, unsigned passes)
{
    const struct sg_counting *c = set->pass->counting;
    const struct sg_target *target = set->entries[i].target;
    struct sg_outcome outcome = {.status = SG_OK};
    SG_EMIT(set->pass->emitter, BEGIN, SG_OF_TARGET(target));
    if (item->status != SG_OK) {
        sg_outcome_set(&outcome, item->status, "%s", item->why.text);
        sg_pass_report_failure(set->pass, target, &outcome);
        return;
    }
    struct counts counts = {.of = c, .repeats = set->pass->order->settings.repeats};
    counts.found = sg_alloc(counts.repeats * c->wanted_count + 1, sizeof(*counts.found));
    for (unsigned repeat = 0; repeat < counts.repeats; repeat++)
        gather(c, item, set->done + i, repeat, counts.found + repeat * c->wanted_count);
    emit_values(set->pass, target, &counts, passes);
    free(counts.found);
}

/* Turns a wrong output into a failure of its item. */
static enum sg_code check_outputs(const struct set *set, struct sg_count_item *items,
                                  struct sg_err *err)
{
    for (size_t i = 0; i < set->case_count && err->code == SG_SUCCESS; i++)
        sg_counted_check_judge(&set->cases[i]->check, err);
    for (size_t i = 0; i < set->count && err->code == SG_SUCCESS; i++) {
        const struct entry *entry = &set->entries[i];
        const struct sg_outcome *outcome = &entry->of->check.items[entry->number].outcome;
        if (items[i].status != SG_OK || outcome->status == SG_OK)
            continue;
        set_failure(&items[i], outcome);
    }
    return err->code;
}

/* Counts next to a failure are not reliable: only the failed item is reported, and the others run
 * in another process. */
static size_t find_culprit(const struct set *set, const struct sg_count_item *items)
{
    size_t i = 0;
    while (i < set->count && !sg_status_is_spoiling(items[i].status))
        i++;
    return i;
}

static enum sg_code count_set(struct set *set, struct sg_err *err)
{
    const unsigned repeats = set->pass->order->settings.repeats;
    const size_t counters = set->pass->counting->counter_count * repeats;
    if (set->count == 0 || !set->device)
        return SG_SUCCESS;
    struct sg_count_item *items = sg_alloc(set->count, sizeof(*items));
    SG_FREED struct sg_counted *values = sg_alloc(set->count * counters + 1, sizeof(*values));
    for (size_t i = 0; i < set->count; i++)
        items[i] = (struct sg_count_item){.what = &set->entries[i].runnable,
                                          .values = values + i * counters};
    set->items = items;
    set->device->ops->read_settings(set->device, &set->settings);
    struct sg_count_set work = {.items = items,
                                .count = set->count,
                                .repeats = repeats,
                                .launching = launching,
                                .launched = launched,
                                .context = set};
    set->device->ops->count(set->device, &work);
    size_t culprit = find_culprit(set, items);
    if (culprit == set->count && check_outputs(set, items, err) == SG_SUCCESS)
        culprit = find_culprit(set, items);
    if (culprit < set->count)
        emit_item(set, culprit, &items[culprit], 0);
    for (size_t i = 0; err->code == SG_SUCCESS && culprit == set->count && i < set->count; i++)
        emit_item(set, i, &items[i], work.passes);
    free(items);
    return err->code;
}

/* The counts of the entry are already reported and stay valid. An error left behind by `finish`
 * would affect the next set, so another process continues. */
static void finish_entry(struct set *set, struct entry *entry)
{
    struct sg_outcome outcome = {.status = SG_OK};
    const struct sg_target *target = entry->target;
    sg_runnable_finish(&entry->runnable, set->device, &outcome);
    if (outcome.status == SG_OK)
        return;
    sg_emit_note(set->pass->emitter, "%s/%s/%s: %s: %s", SG_TARGET_NAMES(target),
                 sg_status_word(outcome.status), outcome.message);
    set->pass->spoiled = true;
}

/* A failed item is not undone, because the process ends. */
static void empty_set(struct set *set)
{
    if (set->pass->spoiled)
        return;
    for (size_t i = 0; i < set->count; i++)
        finish_entry(set, &set->entries[i]);
    for (size_t i = 0; i < set->case_count; i++)
        free_case(set->cases[i]);
    set->done += set->count;
    set->count = set->case_count = 0;
    set->bytes = 0;
}

/* Adds an item to the set; a failure goes to outcome. */
static enum sg_code add_item(struct set *set, const struct sg_target *target,
                             struct sg_outcome *outcome, struct sg_err *err)
{
    const struct sg_configured_variant configured = sg_target_configured(target);
    struct entry *entry = &set->entries[set->count];
    entry->of = find_case(set, target, outcome, err);
    if (!entry->of ||
        sg_runnable_prepare(&entry->runnable, entry->of->buffers, &configured, outcome) != SG_OK)
        return err->code;
    entry->target = target;
    entry->number = entry->of->check.count;
    sg_counted_check_add(&entry->of->check, &entry->runnable, outcome);
    if (outcome->status == SG_OK)
        set->count++;
    else
        sg_runnable_finish(&entry->runnable, set->device, outcome);
    return SG_SUCCESS;
}

/* True if the last item's `prepare` changed settings of the context, which affect the whole set. */
static bool sets_context(const struct set *set)
{
    const struct entry *last = &set->entries[set->count - 1];
    struct sg_device *device = last->of->buffers->device;
    struct sg_context_settings now;
    device->ops->read_settings(device, &now);
    return sg_context_settings_differ(&last->runnable.before, &now);
}

/* Counts the last item alone. Another process takes the items that were prepared before but not
 * reported, and those that follow. */
static enum sg_code count_by_itself(struct set *set, struct sg_err *err)
{
    set->entries[0] = set->entries[set->count - 1];
    set->count = 1;
    count_set(set, err);
    set->pass->spoiled = true;
    return err->code;
}

static enum sg_code take_item(struct set *set, const struct sg_target *target, struct sg_err *err)
{
    struct sg_outcome outcome = {.status = SG_OK};
    struct sg_device *device = sg_pass_device(set->pass, target);
    if (set->bytes > SET_BYTES || device != set->device) {
        count_set(set, err);
        empty_set(set);
    }
    if (set->pass->spoiled || err->code != SG_SUCCESS)
        return err->code;
    set->device = device;
    SG_EMIT(set->pass->emitter, AT, SG_OF_TARGET(target));
    if (sg_pass_can_run(set->pass, target, &outcome) &&
        add_item(set, target, &outcome, err) != SG_SUCCESS)
        return err->code;
    if (outcome.status == SG_OOM && set->count > 0) {
        /* Release the other items' memory and retry. */
        outcome = (struct sg_outcome){.status = SG_OK};
        count_set(set, err);
        empty_set(set);
        if (set->pass->spoiled || err->code != SG_SUCCESS ||
            add_item(set, target, &outcome, err) != SG_SUCCESS)
            return err->code;
    }
    if (outcome.status == SG_OK && sets_context(set))
        return count_by_itself(set, err);
    if (outcome.status != SG_OK) {
        SG_EMIT(set->pass->emitter, BEGIN, SG_OF_TARGET(target));
        sg_pass_report_failure(set->pass, target, &outcome);
    }
    return set->pass->emitter->err.code;
}

enum sg_code sg_count_items(struct sg_pass *pass, struct sg_err *err)
{
    const size_t count = pass->order->asked.count;
    struct set set = {.pass = pass, .entries = sg_alloc(count + 1, sizeof(*set.entries))};
    enum sg_code code = SG_SUCCESS;
    for (size_t i = 0; code == SG_SUCCESS && i < count && !pass->spoiled; i++)
        code = take_item(&set, &pass->targets[i], err);
    if (code == SG_SUCCESS && !pass->spoiled)
        count_set(&set, err);
    empty_set(&set);
    free(set.entries);
    free(set.cases);
    return err->code;
}
