#include "other_rules_tally.h"

#include <stdio.h>

const struct solgate_rule solgate_rules[SOLGATE_RULES] = {{"solgate", 0.005}, {"solgate_0.25", 0.0025}, {"solgate_0.1", 0.001}};

void tally_add(struct tally *tally, int says)
{
    tally->comparisons++;
    tally->slower += says > 0;
    tally->faster += says < 0;
}

void tally_print(const struct tally *tally)
{
    printf("%s,%s,%s,%g,%zu,%zu,%zu\n", tally->source, tally->samples, tally->rule, tally->change, tally->comparisons, tally->slower,
           tally->faster);
}

int engine_says(const struct sg_sequential_pair *pair)
{
    return (pair->verdict == SG_REGRESSED) - (pair->verdict == SG_IMPROVED);
}

struct values {
    const double *y;
    size_t count;
};

static enum sg_code replay(void *context, unsigned process, const size_t *pairs, size_t count, struct sg_sequential *engine,
                           struct sg_err *err)
{
    const struct values *values = context;
    (void)count;
    if (process >= values->count)
        return sg_fail(err, SG_INTERRUPTED, "", "no more processes were measured");
    sg_sequential_take(engine, pairs[0], (struct sg_process_value){.y = values->y[process]});
    return SG_SUCCESS;
}

int solgate_says(const double *y, size_t count, double tolerance, size_t *used)
{
    struct values values = {y, count};
    struct sg_sequential_pair pair = {.tolerance = tolerance};
    struct sg_sequential engine = {.pairs = &pair, .count = 1, .lambda = 1};
    struct sg_err ended = {0};
    sg_sequential_run(&engine, &(struct sg_measurer){.context = &values, .measure = replay}, &ended);
    *used = pair.n;
    return engine_says(&pair);
}
