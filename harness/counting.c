#include "counting.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue.h"
#include "text.h"

struct sg_counting {
    struct sg_catalogue catalogue;
    const struct sg_metric **wanted; /* owned array: what rows are said of */
    size_t wanted_count;
    const struct sg_metric **counters; /* owned array: those of them that the device counts */
    size_t counter_count;
};

/* What is known of each wanted metric after a count; same index as `wanted`. */
struct found {
    double value; /* NaN unless status is SG_OK */
    enum sg_status status;
    char message[160];
};

enum sg_code sg_counting_open(struct sg_counting **counting, const struct sg_words *names, struct sg_err *err)
{
    struct sg_counting *c = sg_alloc(1, sizeof(*c));
    *counting = c;
    if (sg_catalogue_load(&c->catalogue, err) != SG_DONE)
        return err->code;
    if (sg_catalogue_select(&c->catalogue, names->items, names->count, &c->wanted, &c->wanted_count, err) != SG_DONE)
        return err->code;
    c->counters = sg_alloc(c->wanted_count, sizeof(*c->counters));
    for (size_t i = 0; i < c->wanted_count; i++)
        if (c->wanted[i]->source == SG_FROM_CUPTI)
            c->counters[c->counter_count++] = c->wanted[i];
    return SG_DONE;
}

void sg_counting_free(struct sg_counting *counting)
{
    if (!counting)
        return;
    free(counting->counters);
    free(counting->wanted);
    sg_catalogue_release(&counting->catalogue);
    free(counting);
}

enum sg_code sg_counting_begin(struct sg_counting *counting, struct sg_device *device, enum sg_l2 l2, struct sg_err *err)
{
    return device->ops->begin_counting(device, l2, counting->counters, counting->counter_count, err);
}

static void set_value(struct found *found, double value, const char *why_not)
{
    *found = (struct found){.value = value, .status = isnan(value) ? SG_UNAVAILABLE : SG_OK};
    if (isnan(value))
        snprintf(found->message, sizeof(found->message), "%s", why_not);
}

static void find_fact(const struct sg_metric *metric, const struct sg_launch_facts *facts, struct found *found)
{
    const struct {
        const char *key;
        double value;
    } known[] = {
        {"kernels", facts->kernels},
        {"registers", facts->registers},
        {"shared_static_bytes", facts->shared_static_bytes},
        {"shared_dynamic_bytes", facts->shared_dynamic_bytes},
        {"local_bytes", facts->local_bytes},
        {"grid_blocks", facts->grid_blocks},
        {"block_threads", facts->block_threads},
        {"cluster_blocks", facts->cluster_blocks},
        {"occupancy_theoretical", facts->occupancy_theoretical},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(known[i].key, metric->key) != 0)
            continue;
        set_value(found, known[i].value, "the launch does not tell");
        /* The number alone does not say what to change. */
        if (strcmp(metric->key, "occupancy_theoretical") == 0 && found->status == SG_OK && facts->occupancy_limit)
            snprintf(found->message, sizeof(found->message), "limited by %s", facts->occupancy_limit);
        return;
    }
    *found = (struct found){.value = NAN, .status = SG_UNAVAILABLE};
    snprintf(found->message, sizeof(found->message), "no launch has a fact named %s", metric->key);
}

static void find_derived(const struct sg_counting *c, const struct sg_metric *metric, const struct found *all, struct found *found)
{
    const struct sg_derived *derived = sg_derived_find(metric->key);
    double inputs[4] = {NAN, NAN, NAN, NAN};
    const char *missing = NULL;
    for (size_t i = 0; i < 4 && derived->inputs[i]; i++) {
        for (size_t k = 0; k < c->wanted_count; k++)
            if (strcmp(c->wanted[k]->name, derived->inputs[i]) == 0)
                inputs[i] = all[k].value;
        missing = isnan(inputs[i]) && !missing ? derived->inputs[i] : missing;
    }
    *found = (struct found){.value = derived->compute(inputs)};
    if (!isnan(found->value))
        return;
    /* Nothing over nothing is not the same as not known. */
    found->status = missing ? SG_UNAVAILABLE : SG_NAN;
    if (missing)
        snprintf(found->message, sizeof(found->message), "computed from %s, which is not there", missing);
    else
        snprintf(found->message, sizeof(found->message), "zero over zero");
}

/* Gathers what the device counted, what the launch tells and what follows from both. */
static void gather(const struct sg_counting *c, const struct sg_counted *counted, const struct sg_launch_facts *facts, struct found *found)
{
    size_t next = 0;
    for (size_t i = 0; i < c->wanted_count; i++) {
        if (c->wanted[i]->source == SG_FROM_CUPTI) {
            const struct sg_counted *one = &counted[next++];
            found[i] = (struct found){.value = one->status == SG_OK ? one->value : NAN, .status = one->status};
            snprintf(found[i].message, sizeof(found[i].message), "%s", one->message);
        } else if (c->wanted[i]->source == SG_FROM_LAUNCH) {
            find_fact(c->wanted[i], facts, &found[i]);
        }
    }
    for (size_t i = 0; i < c->wanted_count; i++)
        if (c->wanted[i]->source == SG_FROM_DERIVED)
            find_derived(c, c->wanted[i], found, &found[i]);
}

static void say_values(struct sg_pass *pass, const struct sg_target *target, const struct found *found, unsigned passes)
{
    const struct sg_counting *c = pass->counting;
    for (size_t i = 0; i < c->wanted_count; i++) {
        /* Times and the model have passes of their own. */
        if (c->wanted[i]->source == SG_FROM_TIME || c->wanted[i]->source == SG_FROM_MODEL)
            continue;
        const bool there = found[i].status == SG_OK || found[i].status == SG_NAN;
        sg_say_value(pass->say, target,
                     &(struct sg_value){.metric = c->wanted[i]->name,
                                        .unit = c->wanted[i]->unit,
                                        .message = found[i].message,
                                        .value = found[i].value,
                                        .n = passes,
                                        .has = (uint8_t)(SG_HAS_N | (there ? SG_HAS_VALUE : 0)),
                                        .status = found[i].status});
    }
    const struct sg_metric *last = sg_catalogue_find(&c->catalogue, "count_passes");
    sg_say_value(
        pass->say, target,
        &(struct sg_value){
            .metric = "count_passes", .unit = last ? last->unit : "1", .value = passes, .n = passes, .has = SG_HAS_VALUE | SG_HAS_N});
}

enum sg_code sg_count_item(struct sg_pass *pass, const struct sg_target *target, struct sg_outcome *outcome, struct sg_err *err)
{
    const struct sg_counting *c = pass->counting;
    struct sg_device *device = sg_pass_device(pass, target);
    struct sg_buffers *buffers = sg_pass_buffers(pass, target, outcome, err);
    struct sg_runnable runnable;
    if (!buffers || sg_buffers_fill(buffers, pass->order->seed, false, err) != SG_DONE ||
        sg_runnable_prepare(&runnable, buffers, target->module, target->variant, outcome) != SG_OK)
        return err->code;
    struct sg_counted *counted = sg_alloc(c->counter_count + 1, sizeof(*counted));
    struct found *found = sg_alloc(c->wanted_count + 1, sizeof(*found));
    struct sg_launch_facts facts = {.kernels = NAN};
    struct sg_why why = {""};
    unsigned passes = 0;
    const enum sg_status status = device->ops->count(device, &runnable, counted, &passes, &facts, &why);
    if (status == SG_OK) {
        gather(c, counted, &facts, found);
        say_values(pass, target, found, passes);
    } else {
        sg_outcome_set(outcome, status, "while it was counted: %s", why.text);
    }
    sg_runnable_finish(&runnable);
    free(counted);
    free(found);
    return err->code;
}
