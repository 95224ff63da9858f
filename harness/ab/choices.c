#include "ab/choices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ab/triton_cache.h"
#include "stats/decision.h"
#include "stats/statistics.h"

#define CHOICES_MOST 3 /* choices named for each side */
#define KERNELS_MOST 3 /* kernels named for each choice */
#define PINNED_LEAST 3 /* number of starts with the same choice that an interval needs */

void sg_choices_release(struct sg_choices *choices)
{
    sg_intern_pool_free(choices->kernels);
    free(choices->in);
    *choices = (struct sg_choices){.starts = 0};
}

void sg_choices_add(struct sg_choices *choices, unsigned start, const char *kernel)
{
    const sg_id number = sg_intern(&choices->kernels, kernel);
    const size_t before = choices->capacity;
    choices->in =
        sg_grow(choices->in, &choices->capacity, (size_t)number + 1, sizeof(*choices->in));
    memset(choices->in + before, 0, (choices->capacity - before) * sizeof(*choices->in));
    choices->in[number] |= UINT32_C(1) << start;
}

static uint32_t all_of(const struct sg_choices *choices)
{
    return (UINT32_C(1) << choices->starts) - 1;
}

/* The starts with the same choice of kernels as this start, one bit each. */
static uint32_t starts_like(const struct sg_choices *choices, unsigned start)
{
    uint32_t like = all_of(choices);
    for (sg_id i = 1; i < sg_intern_pool_count(choices->kernels); i++)
        like &= choices->in[i] >> start & 1 ? choices->in[i] : ~choices->in[i];
    return like;
}

/* The starts with the most frequent choice, without those in `before`. In a tie the choice of the
 * earliest start. */
static uint32_t most_frequent(const struct sg_choices *choices, uint32_t before)
{
    uint32_t most = 0;
    for (unsigned start = 0; start < choices->starts; start++) {
        const uint32_t like = starts_like(choices, start);
        if (!(before & like) && __builtin_popcount(like) > __builtin_popcount(most))
            most = like;
    }
    return most;
}

/* Names the kernels of these starts that others lack. */
static void add_choice(const struct sg_choices *choices, uint32_t starts, struct sg_text *out)
{
    size_t named = 0;
    for (sg_id i = 1; i < sg_intern_pool_count(choices->kernels); i++) {
        const char *kernel = sg_intern_pool_string(choices->kernels, i);
        if (choices->in[i] == all_of(choices) || !(choices->in[i] & starts) ||
            ++named > KERNELS_MOST)
            continue;
        sg_text_addf(out, "%s%s", named > 1 ? " and " : "", kernel);
        sg_triton_add_constants(kernel, out);
    }
    if (named > KERNELS_MOST)
        sg_text_addf(out, " and %zu more", named - KERNELS_MOST);
    sg_text_addf(out, "%s in %d of %u starts", named > 0 ? "" : "only the kernels of all starts",
                 __builtin_popcount(starts), choices->starts);
}

void sg_choices_name(const struct sg_choices *choices, struct sg_text *out)
{
    const uint32_t all = all_of(choices);
    uint32_t named = 0;
    if (most_frequent(choices, 0) == all) /* also of no start */
        return;
    for (unsigned i = 0; i < CHOICES_MOST && named != all; i++) {
        const uint32_t next = most_frequent(choices, named);
        add_choice(choices, next, sg_text_next(out));
        named |= next;
    }
    if (named != all)
        sg_text_addf(out, "; other choices in %d", __builtin_popcount(all & ~named));
}

/* Starts that both sides share are compared pair by pair if there are enough of them. Otherwise
 * the errors of the sides count as independent, which widens the interval. */
static void decide(const struct sg_choices *const side[2], bool is_paired, double tolerance,
                   struct sg_text *out)
{
    uint32_t pinned[2] = {most_frequent(side[0], 0), most_frequent(side[1], 0)};
    const uint32_t both = pinned[0] & pinned[1];
    struct sg_errors errors = {.count = 0};
    double mean[2];
    int count[2];
    is_paired = is_paired && __builtin_popcount(both) >= PINNED_LEAST;
    for (int s = 0; s < 2; s++) {
        double y[SG_SEQUENTIAL_PROCESSES_MAX] = {0};
        count[s] = 0;
        for (unsigned start = 0; start < side[s]->starts; start++)
            if ((is_paired ? both : pinned[s]) >> start & 1)
                y[count[s]++] = side[s]->y[start] - (is_paired ? side[0]->y[start] : 0);
        if (count[s] < PINNED_LEAST) {
            sg_text_add(out, "no choice has the three starts that an interval needs");
            return;
        }
        mean[s] = sg_mean(y, (size_t)count[s]);
        sg_errors_add(&errors, "starts", sg_sd(y, (size_t)count[s]) / sqrt(count[s]), count[s] - 1);
    }
    const struct sg_decision pin =
        sg_decide(&(struct sg_difference){.mean = mean[1] - mean[0],
                                          .se = sg_errors_se(&errors),
                                          .bounds = sg_bounds_of_one_look(sg_errors_df(&errors)),
                                          .tolerance = tolerance});
    sg_text_addf(out, "with the most frequent choice of each side (%d and %d starts): %s, ",
                 count[0], count[1], sg_verdict_word(pin.verdict));
    sg_text_addf(out, "%+.2f %% [%+.2f, %+.2f]", 100 * pin.change, 100 * pin.low, 100 * pin.high);
}

void sg_choices_add_pinned(const struct sg_choices *baseline, const struct sg_choices *candidate,
                           bool is_paired, double tolerance, struct sg_text *out)
{
    SG_SCOPED(sg_text) of_baseline = {0}, of_candidate = {0};
    sg_choices_name(baseline, &of_baseline);
    sg_choices_name(candidate, &of_candidate);
    if (baseline->starts == 0 || of_baseline.length + of_candidate.length == 0)
        return;
    sg_text_addf(sg_text_next(out), "starts chose different kernels: baseline %s; candidate %s; ",
                 of_baseline.length > 0 ? of_baseline.data : "always the same",
                 of_candidate.length > 0 ? of_candidate.data : "always the same");
    decide((const struct sg_choices *const[]){baseline, candidate}, is_paired, tolerance, out);
}
