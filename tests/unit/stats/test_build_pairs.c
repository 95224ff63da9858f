/* stats/build_pairs.h: one look, Holm's correction over the rows, and what nights before show. */
#include <math.h>

#include "check.h"
#include "near.h"
#include "stats/build_pairs.h"
#include "stats/statistics.h"

#define TOLERANCE 0.0025
#define SD        0.002

static struct sg_build_pair pair_of(double mean, double sd, unsigned n)
{
    return (struct sg_build_pair){
        .mean = log1p(mean), .se = sd / sqrt(n), .n = n, .tolerance = TOLERANCE};
}

static struct sg_build_pair with_usual(struct sg_build_pair pair, double sd, double chance)
{
    pair.usual = (struct sg_usual_spread){.sd = sd, .df = 58, .chance = chance};
    return pair;
}

TEST(a_row_by_itself)
{
    const struct {
        const char *sentence;
        struct sg_build_pair pair;
        enum sg_verdict verdict;
        bool is_slower;
    } rows[] = {
        {"no change", pair_of(0, SD, 10), SG_WITHIN, false},
        {"fewer than ten may all miss a slow state", pair_of(0, SD / 10, 9), SG_INCONCLUSIVE,
         false},
        {"1 % slower", pair_of(0.01, SD, 20), SG_REGRESSED, true},
        {"1 % faster", pair_of(-0.01, SD, 20), SG_IMPROVED, false},
        /* t of 19 at 0.005 is 2.861: 0.128 % of 0.0447 % each */
        {"just beyond the bound of one look", pair_of(0.0025 + 0.00130, SD, 20), SG_REGRESSED,
         true},
        {"just below it", pair_of(0.0025 + 0.00126, SD, 20), SG_INCONCLUSIVE, true},
        {"five that agree are no proof near the tolerance", pair_of(0.006, SD / 100, 5),
         SG_INCONCLUSIVE, true},
        {"far beyond it they are", pair_of(0.008, SD / 100, 5), SG_REGRESSED, true},
        {"noise", pair_of(0.002, 5 * SD, 20), SG_INCONCLUSIVE, false},
        {"known by nights before to be as quiet, it is beyond",
         with_usual(pair_of(0.0025 + 0.00126, SD, 20), SD, 0.5), SG_REGRESSED, true},
        {"but not where tonight is noisier",
         with_usual(pair_of(0.0025 + 0.00126, SD, 20), SD, 0.04), SG_INCONCLUSIVE, true},
        {"wide tonight, and more than the usual spread makes",
         with_usual(pair_of(0.003, 4 * SD, 20), SD, 1e-9), SG_INCONCLUSIVE, true},
        /* 2 sd: p is 0.025; with the spread 0.1 q (1 - ln q), q = 0.025 x 0.001 / 0.05 */
        {"slower by chance, but so wide that some processes are",
         with_usual(pair_of(0.0009, 2 * SD, 20), SD, 0.001), SG_INCONCLUSIVE, true},
        {"the same, a little wide", with_usual(pair_of(0.0009, 2 * SD, 20), SD, 0.03),
         SG_INCONCLUSIVE, false},
        {"wide and no slower", with_usual(pair_of(-0.0002, 2 * SD, 20), SD, 1e-12), SG_WITHIN,
         false},
        {"an error of nothing", pair_of(0.01, 0, 20), SG_REGRESSED, true},
        {"no error", pair_of(0.01, NAN, 20), SG_INVALID_VALUE, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_build_pair_verdict verdict;
        sg_build_pairs_judge(&rows[i].pair, 1, 20, &verdict);
        if (verdict.decision.verdict != rows[i].verdict ||
            (verdict.slower <= SG_SLOWER_ERROR) != rows[i].is_slower)
            fail_msg("%s: %s, slower by chance %g", rows[i].sentence,
                     sg_verdict_word(verdict.decision.verdict), verdict.slower);
    }
}

TEST(of_many_rows_one_looks_slower_by_chance)
{
    enum { ROWS = 22 };
    struct sg_build_pair pairs[ROWS];
    struct sg_build_pair_verdict verdicts[ROWS], alone;
    for (size_t i = 0; i < ROWS; i++)
        pairs[i] = pair_of(i == 0 ? 0.0025 + 0.0015 : 0, SD, 20);
    sg_build_pairs_judge(pairs, 1, 20, &alone);
    sg_build_pairs_judge(pairs, ROWS, 20, verdicts);
    assert_int_equal(verdicts[0].decision.verdict, SG_REGRESSED);
    assert_true(alone.beyond <= SG_SEQUENTIAL_ERROR && verdicts[0].beyond > SG_SEQUENTIAL_ERROR);
    assert_near("Holm", verdicts[0].beyond, ROWS * alone.beyond, 1e-12);
    /* t of 19 at 0.01 / 22 is 3.94, at 0.005 2.86 */
    assert_true(verdicts[0].resolution > alone.resolution + 1.0 * SD / sqrt(20));
    pairs[0].is_sequential = true;
    sg_build_pairs_judge(pairs, 1, 20, verdicts);
    assert_near("a gate has four looks", verdicts[0].beyond, 4 * alone.beyond, 1e-12);
}

/* A noisy row needs more of the error than a quiet one, which shows a slow state anyway. */
TEST(rows_share_the_error_by_their_usual_spread)
{
    struct sg_build_pair_verdict alone, of_two[2];
    const struct sg_build_pair pairs[] = {with_usual(pair_of(0.003, 3 * SD, 20), 3 * SD, 0.5),
                                          with_usual(pair_of(0.001, SD, 20), SD, 0.5)};
    sg_build_pairs_judge(pairs, 1, 20, &alone);
    sg_build_pairs_judge(pairs, 2, 20, of_two);
    assert_near("nine of ten parts", of_two[0].slower, alone.slower * 10 / 9, 1e-9);
}

/* What is not measured on has the effect of the processes that it has. */
TEST(the_effect_is_of_the_last_look)
{
    const struct sg_build_pair ten = pair_of(0, SD, 10), five = pair_of(0, SD / 100, 5),
                               known = with_usual(ten, SD, 0.5);
    struct sg_build_pair_verdict on, over, few, pooled;
    sg_build_pairs_judge(&ten, 1, 20, &on);
    sg_build_pairs_judge(&ten, 1, 0, &over);
    sg_build_pairs_judge(&five, 1, 0, &few);
    sg_build_pairs_judge(&known, 1, 20, &pooled);
    assert_true(over.resolution - TOLERANCE > 1.4 * (on.resolution - TOLERANCE));
    assert_true(pooled.resolution < on.resolution);
    assert_near("of five, what calls them", few.resolution,
                expm1(log1p(TOLERANCE) + sg_state_reach(5)), 1e-12);
}
