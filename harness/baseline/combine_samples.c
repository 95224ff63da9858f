#include "baseline/combine.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "results/samples.h"
#include "stats/statistics.h"

struct sg_accept_batch {
    const char *family, *case_, *variant;
    bool own;     /* of its own pair */
    size_t order; /* as it was measured */
    struct sg_batch_point point;
};

static int by_variant(const void *left, const void *right)
{
    const struct sg_accept_batch *a = left;
    const struct sg_accept_batch *b = right;
    int order = strcmp(a->family, b->family);
    if (order == 0)
        order = strcmp(a->case_, b->case_);
    return order != 0 ? order : strcmp(a->variant, b->variant);
}

static int by_process(const void *left, const void *right)
{
    const struct sg_accept_batch *a = left;
    const struct sg_accept_batch *b = right;
    const int order = by_variant(left, right);
    if (order != 0)
        return order;
    if (a->point.run != b->point.run)
        return a->point.run > b->point.run ? 1 : -1;
    if (a->point.process != b->point.process)
        return a->point.process > b->point.process ? 1 : -1;
    return (a->order > b->order) - (a->order < b->order);
}

void sg_accept_batches_init(struct sg_accept_batches *batches, const struct sg_accept_run *runs, size_t run_count)
{
    size_t capacity = 0;
    *batches = (struct sg_accept_batches){0};
    for (size_t r = 0; r < run_count; r++) {
        const struct sg_samples *samples = runs[r].samples;
        for (size_t i = 0; samples && i < samples->count; i++) {
            const struct sg_sample *sample = &samples->items[i];
            if (!(sample->ns > 0.0))
                continue;
            struct sg_accept_batch *batch = SG_APPEND(batches->batch, batches->count, capacity);
            *batch = (struct sg_accept_batch){
                .order = i,
                .family = sg_samples_string(samples, sample->family),
                .case_ = sg_samples_string(samples, sample->case_),
                .variant = sg_samples_string(samples, sample->variant),
                .own = sample->variant == sample->pair,
                .point = {.run = r, .process = sample->process, .ns = sample->ns, .hz = sample->sm_clock},
            };
        }
    }
    if (batches->count > 0)
        qsort(batches->batch, batches->count, sizeof(*batches->batch), by_process);
}

void sg_accept_batches_release(struct sg_accept_batches *batches)
{
    free(batches->batch);
    *batches = (struct sg_accept_batches){0};
}

/* The batches [from, to) of a variant. */
static size_t find_batches(const struct sg_accept_batches *batches, const struct sg_accept_batch *key, size_t *to)
{
    size_t from = 0;
    for (size_t step = batches->count; step > 0;) {
        const size_t half = step / 2;
        if (by_variant(&batches->batch[from + half], key) < 0) {
            from += half + 1;
            step -= half + 1;
        } else {
            step = half;
        }
    }
    *to = from;
    while (*to < batches->count && by_variant(&batches->batch[*to], key) == 0)
        ++*to;
    return from;
}

static bool is_of_process(const struct sg_accept_batch *batch, const struct sg_accept_batch *first)
{
    return batch->point.run == first->point.run && batch->point.process == first->point.process;
}

size_t sg_accept_batches_time(const struct sg_accept_batches *batches, size_t run, const struct sg_value *item, double *time_ns)
{
    const struct sg_accept_batch key = {.family = item->family, .case_ = item->case_, .variant = item->variant};
    size_t to, processes = 0;
    const size_t from = find_batches(batches, &key, &to);
    double ln_sum = 0.0, *ns = sg_alloc(to - from + 1, sizeof(*ns));
    for (size_t i = from, next; i < to; i = next) {
        size_t own = 0;
        for (next = i; next < to && is_of_process(&batches->batch[next], &batches->batch[i]); next++)
            if (batches->batch[next].own && batches->batch[next].point.run == run)
                ns[own++] = batches->batch[next].point.ns;
        if (own > 0) {
            ln_sum += log(sg_median(ns, own));
            processes++;
        }
    }
    free(ns);
    *time_ns = processes > 0 ? exp(ln_sum / (double)processes) : 0.0;
    return processes;
}

struct sg_clock_fit sg_accept_batches_fit(const struct sg_accept_batches *batches, const char *family, const char *case_,
                                          const char *variant)
{
    const struct sg_accept_batch key = {.family = family, .case_ = case_, .variant = variant};
    size_t to;
    const size_t from = find_batches(batches, &key, &to);
    struct sg_batch_point *points = sg_alloc(to - from + 1, sizeof(*points));
    for (size_t i = from; i < to; i++)
        points[i - from] = batches->batch[i].point;
    const struct sg_clock_fit fit = sg_clock_fit_of(points, to - from);
    free(points);
    return fit;
}
