/*
 * How evenly --gpu=all deals the suite `nightly` to 2, 4 and 8 GPUs (schedule/deal.h): the time
 * until the last GPU ends, relative to the sum of all cases over the number of GPUs.
 *
 * Cases and kernel times are those of baselines/nightly.csv for an H200. Assumed: an item takes 5 s
 * and 5 s a millisecond of its kernel, off by 20 % (sd); an unsupported one 0.5 s; a part 2 s to
 * start. Seeds are fixed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/load.h"
#include "check.h"
#include "schedule/deal.h"
#include "util/random.h"

#define ITEM_S        5.0
#define UNSUPPORTED_S 0.5
#define PART_S        2.0
#define NS_TWICE      1e6 /* kernel time of an item that takes 2 * ITEM_S */
#define SD            0.2
#define RUNS          200
#define ITEMS         200
#define GPUS_MOST     8

struct suite {
    struct sg_run_plan plan;
    struct sg_suite names;
    struct sg_module_list modules;
    double seconds[ITEMS]; /* expected, of each item; 0: unsupported */
};

static void take_item(struct suite *suite, const struct sg_accepted_file *file,
                      const struct sg_row *row)
{
    static struct sg_listed_family families[ITEMS];
    static struct sg_listed_case cases[ITEMS];
    static struct sg_listed_variant variants[ITEMS];
    const size_t n = suite->plan.own_count++;
    const struct sg_value value = sg_value_of(&file->table, row);
    const bool is_new = n == 0 || strcmp(value.case_, cases[n - 1].name) != 0;
    families[n].name = (char *)value.family;
    families[n].module = ""; /* declares no work */
    cases[n] = (struct sg_listed_case){.name = (char *)value.case_};
    variants[n].name = (char *)value.variant;
    suite->plan.items[n] =
        (struct sg_item){.family = &families[n],
                         .case_ = is_new ? &cases[n] : suite->plan.items[n - 1].case_,
                         .variant = &variants[n]};
    suite->seconds[n] =
        strcmp(value.metric, "time") == 0 ? ITEM_S * (1 + value.value / NS_TWICE) : 0;
}

static void load(struct suite *suite, struct sg_env *gpu)
{
    struct sg_accepted_file file = {.path = NULL};
    struct sg_err err = {0};
    setenv("SOLGATE_BASELINES", "../baselines", 1);
    sg_env_set(gpu, "gpu", "h200");
    sg_env_set(gpu, "suite", "nightly");
    assert_int_equal(sg_accepted_load(gpu, "nightly", &file, &err), SG_SUCCESS);
    suite->names.name = "nightly";
    suite->plan.suite = &suite->names;
    suite->plan.modules = &suite->modules;
    suite->plan.items = sg_alloc(ITEMS, sizeof(*suite->plan.items));
    for (size_t i = 0; i < file.table.count; i++) {
        const char *metric = sg_table_string(&file.table, file.table.rows[i].metric);
        if (strcmp(metric, "time") == 0 || strcmp(metric, "status") == 0)
            take_item(suite, &file, &file.table.rows[i]);
    }
}

/* When the last of the GPUs ends, relative to all cases in equal shares. */
static double simulate(const struct suite *suite, const struct sg_deal *dealt, size_t gpus,
                       uint64_t *random)
{
    double seconds[ITEMS], end[GPUS_MOST] = {0}, sum = 0, last = 0;
    struct sg_deal deal = *dealt;
    deal.items = sg_alloc(deal.count, sizeof(*deal.items));
    memcpy(deal.items, dealt->items, deal.count * sizeof(*deal.items));
    for (size_t i = 0; i < suite->plan.own_count; i++) {
        const double item = suite->seconds[i] * exp(SD * sg_random_normal(random));
        sum += seconds[i] = item > 0 ? item : UNSUPPORTED_S;
    }
    for (;;) {
        size_t next = 0;
        for (size_t g = 1; g < gpus; g++)
            next = end[g] < end[next] ? g : next;
        struct sg_shards part = sg_deal_next(&deal, gpus);
        if (part.count == 0)
            break;
        end[next] += PART_S;
        for (size_t i = 0; i < suite->plan.own_count; i++)
            if (sg_shards_have(&part, suite->plan.items[i].family->name,
                               suite->plan.items[i].case_->name))
                end[next] += seconds[i];
        last = fmax(last, end[next]);
        free(part.index);
    }
    free(deal.items);
    return last / (sum / (double)gpus);
}

TEST(gpus_end_together)
{
    static const struct {
        size_t gpus;
        double most; /* of the mean */
    } rows[] = {{2, 1.1}, {4, 1.15}, {8, 1.27}};
    struct suite suite = {.names = {0}};
    struct sg_env gpu = {0};
    struct sg_deal deal;
    uint64_t random = 1;
    load(&suite, &gpu);
    sg_deal_begin(&suite.plan, &(struct sg_shards){0}, &gpu, &deal);
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        double mean = 0;
        for (size_t run = 0; run < RUNS; run++)
            mean += simulate(&suite, &deal, rows[r].gpus, &random) / RUNS;
        printf("%zu GPUs: %.3f of an equal share\n", rows[r].gpus, mean);
        assert_true(mean <= rows[r].most);
    }
}
