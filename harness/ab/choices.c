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
    sg_text_addf(out, "%s in %d of %u starts", named > 0 ? "" : "none of them",
                 __builtin_popcount(starts), choices->starts);
}

void sg_choices_name(const struct sg_choices *choices, struct sg_text *out)
{
    const uint32_t all = all_of(choices);
    uint32_t named = most_frequent(choices, 0);
    if (named == all) /* also of no start */
        return;
    add_choice(choices, named, sg_text_next(out));
    for (unsigned i = 1; i < CHOICES_MOST && named != all; i++) {
        const uint32_t next = most_frequent(choices, named);
        add_choice(choices, next, sg_text_next(out));
        named |= next;
    }
    if (named != all)
        sg_text_addf(out, "; other choices in %d", __builtin_popcount(all & ~named));
}

/* Adds the mean over these starts of the side's time, or of its ratio to the time of `base`. */
static double add_mean(const struct sg_choices *side, const struct sg_choices *base,
                       uint32_t starts, struct sg_errors *errors)
{
    double y[SG_SEQUENTIAL_PROCESSES_MAX] = {0};
    size_t count = 0;
    for (unsigned start = 0; start < side->starts; start++)
        if (starts >> start & 1)
            y[count++] = side->y[start] - (base ? base->y[start] : 0);
    sg_errors_add(errors, "starts", sg_sd(y, count) / sqrt((double)count), (double)count - 1);
    return sg_mean(y, count);
}

/* Starts that both sides share are compared pair by pair if there are enough of them. Otherwise
 * the errors of the sides count as independent, which widens the interval. */
static void add_decision(const struct sg_choices sides[2], const uint32_t pinned[2], bool is_paired,
                         double tolerance, struct sg_text *out)
{
    struct sg_errors errors = {.count = 0};
    const uint32_t both = pinned[0] & pinned[1];
    const bool in_pairs = is_paired && __builtin_popcount(both) >= PINNED_LEAST;
    const double change = in_pairs ? add_mean(&sides[1], &sides[0], both, &errors)
                                   : add_mean(&sides[1], NULL, pinned[1], &errors) -
                                         add_mean(&sides[0], NULL, pinned[0], &errors);
    const struct sg_decision decision =
        sg_decide(&(struct sg_difference){.mean = change,
                                          .se = sg_errors_se(&errors),
                                          .bounds = sg_bounds_of_one_look(sg_errors_df(&errors)),
                                          .tolerance = tolerance});
    sg_text_addf(out, "with the most frequent choice of each side (%d and %d starts): %s, ",
                 __builtin_popcount(in_pairs ? both : pinned[0]),
                 __builtin_popcount(in_pairs ? both : pinned[1]),
                 sg_verdict_word(decision.verdict));
    sg_text_addf(out, "%+.2f %% [%+.2f, %+.2f]", 100 * decision.change, 100 * decision.low,
                 100 * decision.high);
}

void sg_choices_add_pinned(const struct sg_choices sides[2], bool is_paired, double tolerance,
                           struct sg_text *out)
{
    SG_SCOPED(sg_text) of_baseline = {0}, of_candidate = {0};
    const uint32_t pinned[2] = {most_frequent(&sides[0], 0), most_frequent(&sides[1], 0)};
    if (sides[0].starts == 0 || sides[1].starts == 0)
        return;
    sg_choices_name(&sides[0], &of_baseline);
    sg_choices_name(&sides[1], &of_candidate);
    if (of_baseline.length + of_candidate.length == 0)
        return;
    sg_text_addf(sg_text_next(out), "starts chose different kernels: baseline %s; candidate %s; ",
                 of_baseline.length > 0 ? of_baseline.data : "always the same",
                 of_candidate.length > 0 ? of_candidate.data : "always the same");
    if (__builtin_popcount(pinned[0]) < PINNED_LEAST ||
        __builtin_popcount(pinned[1]) < PINNED_LEAST)
        sg_text_add(out, "no choice has the three starts that an interval needs");
    else
        add_decision(sides, pinned, is_paired, tolerance, out);
}
