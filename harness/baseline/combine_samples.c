#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/combine.h"
#include "results/samples.h"
#include "stats/statistics.h"

struct sg_accept_batch {
    const char *family, *case_, *variant;
    bool own;     /* from its own pair */
    size_t order; /* order of measurement */
    struct sg_batch_point point;
};

static int by_variant(const void *left, const void *right)
{
    const struct sg_accept_batch *a = left, *b = right;
    int order = strcmp(a->family, b->family);
    if (order == 0)
        order = strcmp(a->case_, b->case_);
    return order != 0 ? order : strcmp(a->variant, b->variant);
}

static int by_process(const void *left, const void *right)
{
    const struct sg_accept_batch *a = left, *b = right;
    const size_t x[] = {a->point.run, a->point.process, a->order},
                 y[] = {b->point.run, b->point.process, b->order};
    int order = by_variant(left, right);
    for (size_t i = 0; i < 3 && order == 0; i++)
        order = (x[i] > y[i]) - (x[i] < y[i]);
    return order;
}

void sg_accept_batches_init(struct sg_accept_batches *batches, const struct sg_accept_run *runs,
                            size_t run_count)
{
    size_t capacity = 0;
    *batches = (struct sg_accept_batches){0};
    for (size_t r = 0; r < run_count; r++) {
        const struct sg_samples *samples = runs[r].samples;
        for (size_t i = 0; samples && i < samples->count; i++) {
            const struct sg_sample *sample = &samples->items[i];
            if (sample->ns > 0.0)
                *SG_APPEND(batches->batch, batches->count, capacity) = (struct sg_accept_batch){
                    .family = sg_samples_string(samples, sample->family),
                    .case_ = sg_samples_string(samples, sample->case_),
                    .variant = sg_samples_string(samples, sample->variant),
                    .own = sample->variant == sample->pair,
                    .order = i,
                    .point = {.run = r,
                              .process = sample->process,
                              .ns = sample->ns,
                              .hz = sample->sm_clock},
                };
        }
    }
    if (batches->count > 0)
        qsort(batches->batch, batches->count, sizeof(*batches->batch), by_process);
}

static struct sg_row_range find_batches(const struct sg_accept_batches *batches,
                                        const struct sg_value *item)
{
    const struct sg_accept_batch key = {SG_NAMED(*item)};
    const struct sg_accept_batch *any =
        batches->count > 0 ? bsearch(&key, batches->batch, batches->count, sizeof(key), by_variant)
                           : NULL;
    struct sg_row_range range = {0};
    if (!any)
        return range;
    range.from = range.to = (size_t)(any - batches->batch);
    while (range.from > 0 && by_variant(&batches->batch[range.from - 1], &key) == 0)
        range.from--;
    while (range.to < batches->count && by_variant(&batches->batch[range.to], &key) == 0)
        range.to++;
    return range;
}

size_t sg_accept_batches_time(const struct sg_accept_batches *batches, size_t run,
                              const struct sg_value *item, double *time_ns)
{
    const struct sg_row_range range = find_batches(batches, item);
    double ln_sum = 0.0, *ns = sg_alloc(range.to - range.from, sizeof(*ns));
    size_t processes = 0;
    for (size_t i = range.from; i < range.to;) {
        const struct sg_batch_point *first = &batches->batch[i].point;
        size_t own = 0;
        for (; i < range.to && batches->batch[i].point.run == first->run &&
               batches->batch[i].point.process == first->process;
             i++)
            if (batches->batch[i].own && first->run == run)
                ns[own++] = batches->batch[i].point.ns;
        if (own > 0) {
            ln_sum += log(sg_median(ns, own));
            processes++;
        }
    }
    free(ns);
    *time_ns = processes > 0 ? exp(ln_sum / (double)processes) : 0.0;
    return processes;
}

struct sg_clock_fit sg_accept_batches_fit(const struct sg_accept_batches *batches,
                                          const struct sg_value *item)
{
    const struct sg_row_range range = find_batches(batches, item);
    SG_FREED struct sg_batch_point *points = sg_alloc(range.to - range.from, sizeof(*points));
    for (size_t i = range.from; i < range.to; i++)
        points[i - range.from] = batches->batch[i].point;
    return sg_clock_fit_of(points, range.to - range.from);
}
