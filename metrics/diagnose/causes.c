#include "diagnose/causes.h"
#include "util/hypot.h"

#include <math.h>
#include <string.h>

/* Changes that reach this share of a place's growth explain it. */
#define EXPLAINED 0.8
/* Error of the points of a change that adds all of the time, as a share of that time: larger in one
 * pair of ten (studies/probe_causes.sh). */
#define MODEL_ERROR 0.33
#define TOO_MUCH    1.05 /* share of the added time beyond which savings are listed */
/* share of the added time, or of its ln, that a cause without points needs */
#define LARGE_ENOUGH 0.5

/* Points of all mechanisms, the points of all places, and the part of each place that no mechanism
 * explains. */
struct amounts {
    double mechanism[SG_MECHANISMS_MAX], points[SG_PLACE_COUNT], place[SG_PLACE_COUNT];
};
struct shares {
    struct sg_split split;
    struct amounts of;
    double change[SG_MECHANISMS_MAX], of_active[SG_MECHANISMS_MAX];
};

/* Points of active time that a change can cause: a factor f causes f - 1 times the old time. */
static double most(const struct shares *shares, size_t mechanism)
{
    return expm1(shares->change[mechanism]) * shares->split.active / EXPLAINED;
}

/* Weight of a mechanism that adds load to a unit: the share of its places in the longer waits. */
static double is_waited_for(const struct shares *shares, size_t mechanism)
{
    double all = 0, its = 0;
    for (int i = SG_AT_ISSUED; i < SG_PLACE_COUNT; i++) {
        const double part = fmax(0, shares->split.part[i]);
        all += part;
        its += ((sg_mechanisms[mechanism].places >> i) & 1) != 0 ? part : 0;
    }
    return all > 0 ? 0.05 + its / all : 1;
}

/* Distributes the rest of a place in proportion to the changes that are below their limit. */
static void share_place(struct shares *shares, int place)
{
    const double rest = shares->of.place[place];
    double changes = 0, part[SG_MECHANISMS_MAX] = {0};
    for (size_t i = 0; i < sg_mechanism_count; i++)
        if (((sg_mechanisms[i].places >> place) & 1) != 0 &&
            (place < SG_AT_TENSOR || shares->of_active[i] < most(shares, i)))
            changes += part[i] =
                expm1(shares->change[i]) *
                (place >= SG_AT_TENSOR && place <= SG_AT_L1 ? is_waited_for(shares, i) : 1);
    for (size_t i = 0; i < sg_mechanism_count && rest > 0 && changes > 0; i++) {
        double points = rest * part[i] / changes;
        if (place >= SG_AT_TENSOR) {
            points = fmin(points, fmax(0, most(shares, i) - shares->of_active[i]));
            shares->of_active[i] += points;
        }
        shares->of.mechanism[i] += points;
        shares->of.place[place] -= points;
    }
}

static void find_shares(const struct sg_versus *sides, struct shares *shares)
{
    memset(shares, 0, sizeof(*shares));
    sg_split_time(sides, &shares->split);
    for (size_t i = 0; i < sg_mechanism_count; i++) {
        const double change = sg_mechanism_change(&sg_mechanisms[i], sides);
        shares->change[i] = change > 0 ? fmin(change, SG_LN_MAX) : 0; /* also false for NaN */
    }
    memcpy(shares->of.points, shares->split.points, sizeof(shares->of.points));
    memcpy(shares->of.place, shares->split.points, sizeof(shares->of.place));
    for (int i = 0; i < SG_PLACE_COUNT && !shares->split.why_not; i++)
        share_place(shares, i);
}

/* Squared errors of the points: each count is moved by its spread. */
static void find_errors(const struct sg_versus *sides, const struct shares *shares,
                        struct amounts *errors)
{
    memset(errors, 0, sizeof(*errors));
    for (int i = 0; i < SG_INPUT_COUNT; i++) {
        struct sg_versus moved = *sides;
        struct shares other;
        moved.value[SG_IS][i] += moved.error[i];
        moved.unmoved = sides;
        if (!(moved.error[i] > 0) || !sg_has(sides, (enum sg_input)i))
            continue;
        find_shares(&moved, &other);
        const double *from = (const double *)&shares->of, *to = (const double *)&other.of;
        for (size_t k = 0; k < sizeof(*errors) / sizeof(double) && !other.split.why_not; k++)
            ((double *)errors)[k] += (to[k] - from[k]) * (to[k] - from[k]);
    }
}

/* Relative error of a share: that of the time, and the time that was not counted. */
static double relative_error(const struct sg_versus *sides, const struct sg_split *split)
{
    const double *points = split->points;
    const double counted =
        100 * (sides->value[SG_IS][SG_cycles] / sides->value[SG_WAS][SG_cycles] - 1);
    const double timed =
        split->added - points[SG_AT_CLOCK] - points[SG_AT_LAUNCHES] - points[SG_AT_TIMING];
    return sg_hypot(isnan(sides->added_error) ? 0 : sides->added_error / sides->added,
                    timed > 0 ? (counted - timed) / timed : 0);
}

/* Unexplained points rank after a cause of about the same size. */
static double size_of(const struct sg_cause *cause)
{
    return isnan(cause->points) ? cause->factor
                                : cause->points * (cause->mechanism ? 1 : EXPLAINED);
}

static void add_cause(struct sg_found *found, const struct sg_cause *cause)
{
    /* each has at least a twentieth, so there is room */
    size_t at = found->count < SG_FOUND_MAX ? found->count++ : SG_FOUND_MAX - 1;
    for (; at > 0 && size_of(&found->cause[at - 1]) < size_of(cause); at--)
        found->cause[at] = found->cause[at - 1];
    found->cause[at] = *cause;
}

static void add_if_sure(struct sg_found *found, struct sg_cause cause, double squares,
                        double relative)
{
    const double counts = sg_hypot(sqrt(squares), relative * cause.points);
    cause.error = sg_hypot(counts, MODEL_ERROR * found->split.added);
    if (cause.points > counts && cause.points >= SG_SHARE_MIN * found->split.added)
        add_cause(found, &cause);
}

/* If the causes exceed the added time, adds the savings, at the place that saved the most. */
static void add_saved(struct sg_found *found)
{
    const double *points = found->split.points;
    struct sg_cause saved = {.error = MODEL_ERROR * found->split.added};
    double named = 0;
    for (size_t i = 0; i < found->count; i++)
        named += found->cause[i].points;
    for (int i = 0; i < SG_PLACE_COUNT; i++) {
        saved.points += fmin(0, points[i]);
        saved.place = points[i] < points[saved.place] ? (enum sg_place)i : saved.place;
    }
    if (named > TOO_MUCH * found->split.added)
        add_cause(found, &saved);
}

/* True if fewer warps issue the same instructions at a rate that explains most of the time. The
 * waits of these warps may be spread over many places, each of them within its error. */
static bool is_fewer_warps(const struct sg_versus *sides, const struct shares *shares,
                           size_t mechanism, double enough)
{
    const double *was = sides->value[SG_WAS], *is = sides->value[SG_IS];
    return sg_mechanisms[mechanism].places == UINT64_C(1) << SG_AT_WARPS &&
           shares->change[mechanism] >= enough &&
           sg_ln_ratio(is[SG_issue_active], was[SG_issue_active]) >= enough &&
           fabs(sg_ln_ratio(was[SG_instructions], is[SG_instructions])) < enough;
}

/* ln of the largest change of the counters that show a cause. */
static double moved(const struct sg_versus *sides, const struct sg_cause *cause)
{
    double most = 0;
    for (int i = 0; i < SG_EVIDENCE_MAX; i++) {
        const enum sg_input input = cause->mechanism->evidence[i];
        most =
            fmax(most, fabs(sg_ln_ratio(sides->value[SG_WAS][input], sides->value[SG_IS][input])));
    }
    return most;
}

/* Keeps the likeliest cause, which is first, and those whose own counter moved more than its. */
static void keep_likeliest(const struct sg_versus *sides, struct sg_found *found)
{
    size_t kept = 0;
    for (size_t i = 0; i < found->count; i++)
        if (i == 0 || moved(sides, &found->cause[i]) > moved(sides, &found->cause[0]))
            found->cause[kept++] = found->cause[i];
    found->count = kept;
}

/* For a time that is not split, or whose parts are all within their errors. Adds mechanisms shown
 * by exact counts. If the time's error is below half, also adds mechanisms that may explain most of
 * the added time. */
static void add_likely(const struct sg_versus *sides, const struct shares *shares,
                       struct sg_found *found)
{
    const double added = found->split.added,
                 most = added > 200 * sides->added_error ? LARGE_ENOUGH * added : INFINITY;
    const double enough = LARGE_ENOUGH * log1p(added / 100);
    for (size_t i = 0; i < sg_mechanism_count; i++)
        if ((sg_mechanisms[i].exact && shares->change[i] >= enough) ||
            (sg_mechanisms[i].change && shares->of.mechanism[i] >= most) ||
            (isfinite(most) && is_fewer_warps(sides, shares, i, enough)))
            add_cause(found, &(struct sg_cause){.mechanism = &sg_mechanisms[i],
                                                .place = SG_PLACE_COUNT,
                                                .factor = exp(shares->change[i]),
                                                .points = NAN,
                                                .error = NAN});
    keep_likeliest(sides, found);
}

void sg_causes_find(const struct sg_versus *sides, struct sg_found *found)
{
    struct shares shares;
    struct amounts errors;
    find_shares(sides, &shares);
    *found = (struct sg_found){.split = shares.split};
    if (!(shares.split.added > 0) || shares.split.added <= 100 * sides->added_error)
        return;
    if (shares.split.why_not) {
        add_likely(sides, &shares, found);
        return;
    }
    find_errors(sides, &shares, &errors);
    const double relative = relative_error(sides, &shares.split);
    for (int i = 0; i < SG_PLACE_COUNT; i++) {
        found->error[i] = sg_hypot(sqrt(errors.points[i]), relative * shares.split.points[i]);
        add_if_sure(found,
                    (struct sg_cause){.place = (enum sg_place)i, .points = shares.of.place[i]},
                    errors.place[i], relative);
    }
    for (size_t i = 0; i < sg_mechanism_count; i++)
        add_if_sure(found,
                    (struct sg_cause){.mechanism = &sg_mechanisms[i],
                                      .place = SG_PLACE_COUNT,
                                      .factor = exp(shares.change[i]),
                                      .points = shares.of.mechanism[i]},
                    errors.mechanism[i], relative);
    if (found->count == 0) /* all parts are within their errors */
        add_likely(sides, &shares, found);
    else
        add_saved(found);
}
