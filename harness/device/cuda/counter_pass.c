#include "device/cuda/counter_pass.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue/catalogue.h"
#include "results/counter_repeats.h"
#include "solgate_cuda_error.h"
#include "util/text.h"

/* Orders exact L1 counters first, because CUPTI assigns passes in the order of names. Requested
 * last, the sectors of global stores combine hits of one pass and misses of another: 979 to 1021
 * instead of 1000 on an H200. Requested first: 1000. */
static void order_metrics(const struct sg_cuda_counter *c, size_t *order)
{
    size_t count = 0;
    for (int turn = 0; turn < 2; turn++)
        for (size_t i = 0; i < c->metric_count; i++)
            if (sg_metric_leads(c->metrics[i], c->chip) == (turn == 0))
                order[count++] = i;
}

/* Selects the names of the metrics that this chip has. A missing metric is reported with its
 * value, not as an error. */
static enum sg_code choose_names(struct sg_cuda_counter *c, struct sg_err *err)
{
    SG_FREED size_t *order = sg_alloc(c->metric_count + 1, sizeof(*order));
    c->cupti_names = sg_alloc(c->metric_count + 1, sizeof(*c->cupti_names));
    c->cupti_of = sg_alloc(c->metric_count + 1, sizeof(*c->cupti_of));
    order_metrics(c, order);
    for (size_t k = 0; k < c->metric_count && err->code == SG_SUCCESS; k++) {
        const size_t i = order[k];
        const char *name = sg_metric_key(c->metrics[i], c->chip);
        bool known = false;
        if (name)
            sg_counters_known(c->counters, c->chip, name, &known, err);
        c->cupti_of[i] = known ? c->cupti_count : SIZE_MAX;
        if (known)
            c->cupti_names[c->cupti_count++] = name;
    }
    return err->code;
}

static void *start(void *context)
{
    struct sg_cuda_counter *c = context;
    if (choose_names(c, &c->none) != SG_SUCCESS || c->cupti_count == 0)
        return NULL;
    const struct sg_counters_options counters = {.cupti_names = c->cupti_names,
                                                 .count = c->cupti_count,
                                                 .context = c->context,
                                                 .chip = c->chip};
    sg_counters_start(c->counters, &counters, &c->none);
    return NULL;
}

static void wait_for_start(struct sg_cuda_counter *c)
{
    if (c->is_starting)
        pthread_join(c->starting, NULL);
    c->is_starting = false;
}

void sg_cuda_counter_init(struct sg_cuda_counter *counter, struct sg_cuda_work *work,
                          CUdevice device, CUcontext context, const struct sg_counting_order *order)
{
    struct sg_err *none = &counter->none;
    *counter = (struct sg_cuda_counter){
        .work = work, .context = context, .metrics = order->metrics, .metric_count = order->count};
    counter->facts = (struct sg_facts){.cuda = work->cuda, .device = device};
    if (sg_cupti_open(&counter->cupti, none) != SG_SUCCESS ||
        sg_facts_open(&counter->facts, &counter->cupti, none) != SG_SUCCESS ||
        sg_counters_open(&counter->counters, none) != SG_SUCCESS ||
        sg_counters_chip(counter->counters, (size_t)device, counter->chip, sizeof(counter->chip),
                         none) != SG_SUCCESS)
        return;
    counter->is_starting = pthread_create(&counter->starting, NULL, start, counter) == 0;
    if (!counter->is_starting)
        start(counter);
}

void sg_cuda_counter_release(struct sg_cuda_counter *counter)
{
    wait_for_start(counter);
    sg_calls_close(&counter->facts.calls);
    sg_counters_close(counter->counters);
    sg_cupti_close(&counter->cupti);
    free(counter->cupti_names);
    free(counter->cupti_of);
    *counter = (struct sg_cuda_counter){0};
}

/* Launches and waits. `result`: result of enqueuing the work before the launch. */
static void launch_prepared(struct sg_cuda_counter *c, struct sg_count_item *item, CUresult result)
{
    const struct sg_cuda *cuda = c->work->cuda;
    const struct sg_family *family = item->what->module->family;
    if (result == CUDA_SUCCESS)
        item->what->variant->variant->launch(&item->what->launch);
    SG_THEN(result, sg_cuda_take_returned(c->work, item->what));
    const int refused = family->last_error ? family->last_error(&item->why) : 0;
    if (refused != 0) {
        item->status = sg_cuda_status(refused, SG_LAUNCH_FAILED);
        return;
    }
    SG_THEN(result, cuda->context_synchronize());
    if (result != CUDA_SUCCESS) {
        item->status = sg_cuda_status((int)result, SG_CUDA_ERROR);
        sg_cuda_words(cuda, result, &item->why);
    }
}

/* Number of kernels that CUPTI sees for an item in one pass and repeat, from the unused warm-up
 * launch, the preparation and the counted launch. */
static size_t kernels_seen(const struct sg_cuda_counter *c, const struct sg_count_item *item)
{
    return sg_cuda_kernels_before(c->work, item->what) + 2 * (size_t)item->facts.kernels;
}

/* CUPTI does not see kernels of a CUDA graph. Profiling their ranges makes CUPTI 13.0 fail for
 * the whole set, or crash. So an item without a visible kernel is not counted. */
static bool is_counted(const struct sg_count_item *item)
{
    return item->status == SG_OK && item->facts.kernels > 0;
}

/* The first launch is a warm-up: for a warm L2, and for the caches of instructions and constants.
 * L2 lines that it pins affect the second launch, as in timing; all other lines are flushed before
 * that. */
static void launch_twice(struct sg_cuda_counter *c, struct sg_count_item *item)
{
    launch_prepared(c, item, sg_cuda_restore(c->work, item->what));
    if (item->status == SG_OK)
        launch_prepared(c, item, sg_cuda_prepare_launch(c->work, item->what));
}

static enum sg_code run_pass(void *context, struct sg_err *err)
{
    struct sg_cuda_counter *c = context;
    struct sg_count_set *set = c->set;
    for (size_t launch = 0; launch < set->count * set->repeats; launch++) {
        const size_t i = sg_counter_repeats_item(set->count, launch);
        struct sg_count_item *item = &set->items[i];
        if (!is_counted(item))
            continue;
        set->launching(set->context, i);
        /* All items of a case are prepared by now, and one may have set an access policy window
         * that the others would use. */
        sg_cuda_forget_window(c->work);
        launch_twice(c, item);
        if (item->status != SG_OK)
            return sg_fail(err, SG_INVALID, "counting",
                           "the launch failed while it was counted: %s", item->why.text);
        if (set->launched(set->context, i, err) != SG_SUCCESS)
            return err->code;
    }
    return SG_SUCCESS;
}

/* A launch outside of the profiler gives the geometry through callbacks, and loads the kernel
 * before it is counted. */
static void take_facts(struct sg_cuda_counter *c, struct sg_count_item *item)
{
    struct sg_err err = {0};
    sg_launch_facts_init(&item->facts);
    /* Prepare before watching: kernels of the flush are not the variant's. */
    const CUresult prepared = sg_cuda_prepare_launch(c->work, item->what);
    bool watching = c->facts.calls.subscriber && sg_facts_begin(&c->facts, &err) == SG_SUCCESS;
    launch_prepared(c, item, prepared);
    if (watching && item->status == SG_OK)
        sg_facts_end(&c->facts, item->what, &item->facts, &err);
}

/* Combines the values of a launch's kernels. Amounts, which end in .sum, .avg or .max over all
 * units, are added; all others are averaged, weighted by the kernels' times. */
static double over_kernels(const struct sg_cuda_counter *c, const double *values, size_t kernels,
                           size_t metric, size_t duration)
{
    const char *rollup = strrchr(c->cupti_names[metric], '.');
    const bool amount = rollup && (strcmp(rollup, ".sum") == 0 || strcmp(rollup, ".avg") == 0 ||
                                   strcmp(rollup, ".max") == 0);
    double sum = 0, weights = 0;
    for (size_t k = 0; k < kernels; k++) {
        double value = values[k * c->cupti_count + metric];
        double weight = amount || duration == SIZE_MAX ? 1 : values[k * c->cupti_count + duration];
        sum += value * weight;
        weights += weight;
    }
    return amount ? sum : sum / weights;
}

static size_t find_duration(const struct sg_cuda_counter *c)
{
    for (size_t i = 0; i < c->cupti_count; i++) {
        if (strcmp(c->cupti_names[i], "gpu__time_duration.sum") == 0)
            return i;
    }
    return SIZE_MAX;
}

static void fill_values(const struct sg_cuda_counter *c, const double *values, size_t kernels,
                        struct sg_counted *out)
{
    size_t duration = find_duration(c);
    for (size_t i = 0; i < c->metric_count; i++) {
        if (c->cupti_of[i] == SIZE_MAX) {
            sg_counted_fail(&out[i], SG_UNAVAILABLE, "%s has no such counter", c->chip);
            continue;
        }
        out[i] = (struct sg_counted){
            .value = over_kernels(c, values, kernels, c->cupti_of[i], duration), .status = SG_OK};
        if (isnan(out[i].value))
            sg_counted_fail(&out[i], SG_NAN,
                            "CUPTI gave no number: the unit may be shared or switched off here");
    }
}

static void fill_unavailable(const struct sg_cuda_counter *c, const struct sg_err *err,
                             unsigned repeats, struct sg_counted *out)
{
    for (size_t i = 0; i < c->metric_count * repeats; i++)
        sg_counted_fail(&out[i], SG_UNAVAILABLE, "%.60s: %.240s", err->where, err->message);
}

/* Returns the indices of the items' kernels; CUPTI numbers kernels in launch order. Owned by the
 * caller. */
static size_t *find_own(const struct sg_cuda_counter *c, const struct sg_count_set *set,
                        struct sg_counters_job *job)
{
    size_t *own = NULL, capacity = 0;
    for (size_t launch = 0; launch < set->count * set->repeats; launch++) {
        const struct sg_count_item *item = &set->items[sg_counter_repeats_item(set->count, launch)];
        if (!is_counted(item))
            continue;
        job->kernels += kernels_seen(c, item);
        for (size_t k = (size_t)item->facts.kernels; k > 0; k--)
            *SG_APPEND(own, job->wanted_count, capacity) = job->kernels - k;
    }
    return own;
}

static void deal_out(struct sg_cuda_counter *c, struct sg_count_set *set, const double *values)
{
    for (size_t launch = 0; launch < set->count * set->repeats; launch++) {
        const struct sg_count_item *item = &set->items[sg_counter_repeats_item(set->count, launch)];
        if (!is_counted(item))
            continue;
        const size_t kernels = (size_t)item->facts.kernels;
        fill_values(c, values, kernels, item->values + launch / set->count * c->metric_count);
        values += kernels * c->cupti_count;
    }
}

static enum sg_code collect(struct sg_cuda_counter *c, struct sg_count_set *set, struct sg_err *err)
{
    if (c->none.code != SG_SUCCESS)
        return sg_fail(err, c->none.code, c->none.where, "%s", c->none.message);
    struct sg_counters_job job = {.work = run_pass, .context = c};
    size_t *own = c->cupti_count > 0 ? find_own(c, set, &job) : NULL;
    if (!own)
        return SG_SUCCESS;
    double *values = sg_alloc(job.wanted_count * c->cupti_count, sizeof(*values));
    job.wanted = own;
    job.values = values;
    c->set = set;
    if (sg_counters_collect(c->counters, &job, err) == SG_SUCCESS) {
        deal_out(c, set, values);
        set->passes = job.passes;
    }
    free(own);
    free(values);
    return err->code;
}

void sg_cuda_counter_count(struct sg_cuda_counter *counter, struct sg_count_set *set)
{
    struct sg_err err = {0}, unseen = {0}, ignored = {0};
    wait_for_start(counter);
    set->passes = 0;
    for (size_t i = 0; i < set->count; i++) {
        struct sg_count_item *item = &set->items[i];
        item->status = SG_OK;
        set->launching(set->context, i);
        take_facts(counter, item);
        if (item->status == SG_OK)
            set->launched(set->context, i, &ignored);
        for (unsigned repeat = 0; repeat < set->repeats; repeat++)
            fill_values(counter, NULL, 0, item->values + repeat * counter->metric_count);
        if (item->status == SG_CUDA_ERROR)
            return; /* the context is lost, and no later launch can run in this process */
    }
    const bool collected = collect(counter, set, &err) == SG_SUCCESS;
    sg_fail(&unseen, SG_INVALID, "counting",
            "no kernel was seen: kernels of a CUDA graph are not counted");
    for (size_t i = 0; i < set->count; i++) {
        const struct sg_count_item *item = &set->items[i];
        if (item->status == SG_OK && !(collected && is_counted(item)))
            fill_unavailable(counter, collected ? &unseen : &err, set->repeats, item->values);
    }
}
