#include "stats/build_pairs.h"

#include <math.h>

#include "stats/statistics.h"

/* One-sided error of `regressed` for one row. Holm's correction of SG_SEQUENTIAL_ERROR covers
 * all rows. */
#define ONE_LOOK_ERROR 0.005
/* Two-sided level of `within` at each look, after 10 and after 20 processes. Over both looks the
 * error is 10 %. */
#define TWO_LOOKS_LEVEL 0.058
/* Lower bound of the chance of a spread: two outlier processes are not a slow state. */
#define CHANCE_LEAST 0.001
/* Upper bound of a row's usual sd, in tolerances, when the row's share of the error is computed. */
#define SHARE_SD_MOST 4.0

static bool is_noisier(const struct sg_build_pair *pair)
{
    return pair->usual.chance < SG_NOISY_ROW;
}

/* The sd between processes, pooled from this run and earlier nightly runs, with its degrees of
 * freedom at a look after `processes` processes. */
static struct sg_usual_spread pooled(const struct sg_build_pair *pair, unsigned processes)
{
    const double own = pair->se * sqrt(pair->n), own_df = pair->n - 1.0,
                 df = is_noisier(pair) ? 0 : pair->usual.df;
    const double sd =
        df > 0 ? sqrt((own_df * own * own + df * pair->usual.sd * pair->usual.sd) / (own_df + df))
               : own;
    return (struct sg_usual_spread){.sd = sd, .df = processes - 1.0 + df};
}

static double upper(double level, double df)
{
    return sg_t_quantile(1 - level, df);
}

static struct sg_bounds bounds_of(const struct sg_build_pair *pair, double df)
{
    if (pair->is_sequential)
        return sg_bounds_of_gate(pair->n);
    return (struct sg_bounds){
        .within = pair->n < SG_WITHIN_PROCESSES ? INFINITY : upper(TWO_LOOKS_LEVEL / 2, df),
        .interval = df != pair->n - 1.0 ? upper(sg_look_level(SG_ALPHA_05) / 2, df)
                                        : sg_look_constant(SG_ALPHA_05, pair->n),
        .regressed = upper(ONE_LOOK_ERROR, df)};
}

/* One-sided p that the row is slower by more than `ln`. */
static double p_beyond(const struct sg_build_pair *pair, const struct sg_usual_spread *spread,
                       double ln)
{
    const double se = spread->sd / sqrt(pair->n),
                 level = se > 0 ? sg_t_cdf((ln - pair->mean) / se, spread->df)
                                : (se == 0 && pair->mean > ln ? 0 : 1);
    return fmin(1, pair->is_sequential ? SG_LOOK_COUNT * level : level);
}

/* In an unchanged row the usual spread holds, however wide the row is in this run. A row that is
 * slower in some of its processes is wide because of that. So a wide row combines the p of its
 * mean with the p of its spread (Fisher's rule), given that the row is wide. Both must hold without
 * the slowest and the fastest process. Wide rows and other rows get half of the error each. */
static double p_slower(const struct sg_build_pair *pair)
{
    const struct sg_usual_spread known = pooled(pair, pair->n);
    if (!(pair->usual.df > 0))
        return p_beyond(pair, &known, 0);
    if (!is_noisier(pair))
        return fmin(1, 2 * (1 - SG_NOISY_ROW) * p_beyond(pair, &known, pair->usual.outer));
    const double chance = fmax(pair->usual.chance, pair->usual.chance_inner),
                 both = p_beyond(pair, &pair->usual, pair->usual.outer) *
                        fmin(1, fmax(chance, CHANCE_LEAST) / SG_NOISY_ROW);
    return both > 0 ? 2 * SG_NOISY_ROW * both * (1 - log(both)) : 0;
}

/* A quiet row shows a slow state with any share of the error rate. A noisy row needs most of it. */
static double share_of(const struct sg_build_pair *pair)
{
    return pair->usual.df > 0 ? pow(fmin(pair->usual.sd / log1p(pair->tolerance), SHARE_SD_MOST), 2)
                              : 1;
}

/* MDE90 of the row if it has the smallest of `count` p: Holm's correction then divides the error
 * by `count`. */
static double resolution_of(const struct sg_build_pair *pair, size_t count, unsigned last)
{
    const double error = fmin(ONE_LOOK_ERROR, SG_SEQUENTIAL_ERROR / (double)count),
                 looks = pair->is_sequential ? SG_LOOK_COUNT : 1;
    const struct sg_usual_spread known = pooled(pair, pair->n);
    const double last_df = pooled(pair, last).df;
    const struct sg_effect effect = {.tolerance = pair->tolerance,
                                     .se = known.sd / sqrt(last),
                                     .df = known.df,
                                     .bound = upper(error / looks, last_df),
                                     .last_df = last_df};
    return fmax(sg_mde90_of(&effect), expm1(log1p(pair->tolerance) + sg_state_reach(last)));
}

static struct sg_build_pair_verdict judge(const struct sg_build_pair *pair, size_t count,
                                          unsigned last)
{
    const struct sg_usual_spread known = pooled(pair, pair->n);
    struct sg_build_pair_verdict verdict = {.se = known.sd / sqrt(pair->n),
                                            .df = known.df,
                                            .resolution = resolution_of(pair, count, last)};
    verdict.decision = sg_decide(&(struct sg_difference){.mean = pair->mean,
                                                         .se = verdict.se,
                                                         .bounds = bounds_of(pair, verdict.df),
                                                         .tolerance = pair->tolerance});
    if ((verdict.decision.verdict == SG_REGRESSED || verdict.decision.verdict == SG_IMPROVED) &&
        fabs(pair->mean) - sg_state_reach(pair->n) <= log1p(pair->tolerance))
        verdict.decision.verdict = SG_INCONCLUSIVE;
    return verdict;
}

void sg_build_pairs_judge(const struct sg_build_pair *pairs, size_t count, unsigned last,
                          struct sg_build_pair_verdict *verdicts)
{
    SG_FREED double *beyond = sg_alloc(3 * count + 1, sizeof(*beyond));
    double *slower = beyond + count, *share = slower + count;
    for (size_t i = 0; i < count; i++) {
        verdicts[i] = judge(&pairs[i], count, last > pairs[i].n ? last : pairs[i].n);
        const struct sg_usual_spread known = pooled(&pairs[i], pairs[i].n);
        beyond[i] = p_beyond(&pairs[i], &known, log1p(pairs[i].tolerance));
        slower[i] = p_slower(&pairs[i]);
        share[i] = share_of(&pairs[i]);
    }
    sg_holm(beyond, NULL, count, beyond);
    sg_holm(slower, share, count, slower);
    for (size_t i = 0; i < count; i++) {
        verdicts[i].beyond = beyond[i];
        verdicts[i].slower = slower[i];
    }
}
