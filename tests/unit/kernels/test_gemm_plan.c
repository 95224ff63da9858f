/* blockscaled_gemm/gemm_plan.h: the stages that each chip gives a tile,
 * against arithmetic done by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "blockscaled_gemm/gemm_facts.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define TILE(rows, columns, blocks, type)                           \
    {                                                               \
        .m = rows, .n = columns, .ctas = blocks, .dtype = SG_##type \
    }

struct expectation {
    const char *sentence;
    enum gemm_chip_name chip;
    struct gemm_tile tile;
    enum gemm_strategy strategy;
    struct gemm_plan plan;
};

/* acc, ab, c; ab_bytes, c_bytes; smem_bytes, free_bytes; acc_used, acc_free */
static const struct expectation plans[] = {
    {"hopper, 128x128 a block, 16 bits: 6 + 4, ping-pong, 128 registers",
     GEMM_HOPPER,
     TILE(256, 128, 2, BF16),
     GEMM_GREEDY,
     {2, 6, 4, 32768, 8192, 230400, 2048, 128, 96}},
    {"hopper, f16 is as bf16", GEMM_HOPPER, TILE(256, 128, 2, F16), GEMM_GREEDY, {2, 6, 4, 32768, 8192, 230400, 2048, 128, 96}},
    {"hopper, a block alone has the stages of one of a cluster",
     GEMM_HOPPER,
     TILE(128, 128, 1, BF16),
     GEMM_GREEDY,
     {2, 6, 4, 32768, 8192, 230400, 2048, 128, 96}},
    {"hopper, 128x128, e4m3: scales cost a stage of C; one accumulator of 64 registers beside the sums of a block",
     GEMM_HOPPER,
     TILE(256, 128, 2, E4M3),
     GEMM_GREEDY,
     {1, 6, 3, 33280, 8192, 225280, 7168, 128, 96}},
    {"hopper, the same of a block alone", GEMM_HOPPER, TILE(128, 128, 1, E4M3), GEMM_GREEDY, {1, 6, 3, 33280, 8192, 225280, 7168, 128, 96}},
    {"hopper, 128x256, 16 bits: 4 + 4, the tile shared by both warpgroups",
     GEMM_HOPPER,
     TILE(256, 256, 2, BF16),
     GEMM_GREEDY,
     {1, 4, 4, 49152, 8192, 230400, 2048, 128, 96}},
    {"hopper, 128x256, e4m3: not a byte is left; block sums of half the columns at a time",
     GEMM_HOPPER,
     TILE(256, 256, 2, E4M3),
     GEMM_GREEDY,
     {1, 4, 4, 49664, 8192, 232448, 0, 192, 32}},
    {"hopper, 256x128 a block, 16 bits", GEMM_HOPPER, TILE(256, 128, 1, BF16), GEMM_GREEDY, {2, 4, 4, 49152, 8192, 230400, 2048, 256, -32}},
    {"hopper, 256x128 a block, e4m3: twice the scales of A",
     GEMM_HOPPER,
     TILE(256, 128, 1, E4M3),
     GEMM_GREEDY,
     {1, 4, 3, 50176, 8192, 226304, 6144, 192, 32}},
    {"hopper, 256x128 a block, e4m3, rows in 11 slots: 7 stages of columns and all scales, and 1 KB for turns",
     GEMM_HOPPER,
     {.m = 256, .n = 128, .ctas = 1, .dtype = SG_E4M3, .slots = 11},
     GEMM_GREEDY,
     {1, 7, 2, 17536, 8192, 231296, 1152, 192, 32}},
    {"hopper, 128x192: 5 + 3", GEMM_HOPPER, TILE(128, 192, 1, BF16), GEMM_GREEDY, {2, 5, 3, 40960, 8192, 230400, 2048, 192, 32}},
    {"hopper, the target at 128x128 gives away a stage of A and B for four of C",
     GEMM_HOPPER,
     TILE(256, 128, 2, BF16),
     GEMM_TARGET,
     {2, 5, 8, 32768, 8192, 230400, 2048, 128, 96}},
    {"hopper, the target at 128x256 does not fit",
     GEMM_HOPPER,
     TILE(256, 256, 2, BF16),
     GEMM_TARGET,
     {1, 5, 4, 49152, 8192, 279552, -47104, 128, 96}},
    {"hopper, nor does it with scales", GEMM_HOPPER, TILE(256, 256, 2, E4M3), GEMM_TARGET, {1, 5, 4, 49664, 8192, 282112, -49664, 192, 32}},
    {"hopper, nor at 128x192", GEMM_HOPPER, TILE(128, 192, 1, BF16), GEMM_TARGET, {2, 5, 4, 40960, 8192, 238592, -6144, 192, 32}},
    {"blackwell, 256x128 by two: 7 + 3",
     GEMM_BLACKWELL,
     TILE(256, 128, 2, E2M1),
     GEMM_GREEDY,
     {2, 7, 3, 28672, 8192, 226304, 6144, 288, 224}},
    {"blackwell, 256x256 by two: 5 + 4 already, one accumulator beside the scales",
     GEMM_BLACKWELL,
     TILE(256, 256, 2, E2M1),
     GEMM_GREEDY,
     {1, 5, 4, 38912, 8192, 228352, 4096, 304, 208}},
    {"blackwell, 128x128 alone: 5 + 5",
     GEMM_BLACKWELL,
     TILE(128, 128, 1, E2M1),
     GEMM_GREEDY,
     {2, 5, 5, 36864, 8192, 226304, 6144, 288, 224}},
    {"blackwell, the target at 256x128 gives away two stages of A and B",
     GEMM_BLACKWELL,
     TILE(256, 128, 2, E2M1),
     GEMM_TARGET,
     {2, 5, 10, 28672, 8192, 226304, 6144, 288, 224}},
    {"blackwell, the target at 256x256 is the greedy plan",
     GEMM_BLACKWELL,
     TILE(256, 256, 2, E2M1),
     GEMM_TARGET,
     {1, 5, 4, 38912, 8192, 228352, 4096, 304, 208}},
    {"blackwell, the target at 128x128 is the greedy plan too",
     GEMM_BLACKWELL,
     TILE(128, 128, 1, E2M1),
     GEMM_TARGET,
     {2, 5, 5, 36864, 8192, 226304, 6144, 288, 224}},
    {"blackwell, e4m3 has two as any other",
     GEMM_BLACKWELL,
     TILE(256, 128, 2, E4M3),
     GEMM_GREEDY,
     {2, 8, 4, 24576, 8192, 230400, 2048, 256, 256}},
    {"blackwell without scales: only the accumulators take columns",
     GEMM_BLACKWELL,
     TILE(256, 128, 2, BF16),
     GEMM_GREEDY,
     {2, 8, 4, 24576, 8192, 230400, 2048, 256, 256}},
};

static void assert_plan(const char *sentence, const struct gemm_plan *plan, const struct gemm_plan *expected)
{
    if (plan->acc != expected->acc || plan->ab != expected->ab || plan->c != expected->c)
        fail_msg("%s: found %d + %d stages and %d accumulators", sentence, plan->ab, plan->c, plan->acc);
    if (plan->ab_bytes != expected->ab_bytes || plan->c_bytes != expected->c_bytes)
        fail_msg("%s: found stages of %d and %d bytes", sentence, plan->ab_bytes, plan->c_bytes);
    if (plan->smem_bytes != expected->smem_bytes || plan->free_bytes != expected->free_bytes)
        fail_msg("%s: found %d bytes, %d free", sentence, plan->smem_bytes, plan->free_bytes);
    if (plan->acc_used != expected->acc_used || plan->acc_free != expected->acc_free)
        fail_msg("%s: found an accumulator of %d, %d free", sentence, plan->acc_used, plan->acc_free);
}

static void every_tile_gets_its_plan(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(plans); i++) {
        const struct expectation *e = &plans[i];
        const struct gemm_plan plan = gemm_plan_of(e->chip, e->tile, e->strategy);
        assert_plan(e->sentence, &plan, &e->plan);
    }
}

struct choice {
    const char *sentence;
    enum gemm_chip_name chip;
    struct gemm_tile tile;
    int acc, ab, c;
    struct gemm_plan plan;
    bool fits;
};

static const struct choice choices[] = {
    {"5 + 4 at 128x128 and no more", GEMM_HOPPER, TILE(256, 128, 2, BF16), 2, 5, 4, {2, 5, 4, 32768, 8192, 197632, 34816, 128, 96}, true},
    {"5 + 4 with scales", GEMM_HOPPER, TILE(256, 128, 2, E4M3), 2, 5, 4, {2, 5, 4, 33280, 8192, 200192, 32256, 192, 32}, true},
    {"5 + 4 at 256x128 a block", GEMM_HOPPER, TILE(256, 128, 1, BF16), 2, 5, 4, {2, 5, 4, 49152, 8192, 279552, -47104, 256, -32}, false},
    {"and with its scales", GEMM_HOPPER, TILE(256, 128, 1, E4M3), 2, 5, 4, {2, 5, 4, 50176, 8192, 284672, -52224, 320, -96}, false},
    {"5 + 6 of a ping-pong over 64x256: half the rows of C, and as many registers as 128x128",
     GEMM_HOPPER,
     TILE(64, 256, 1, BF16),
     2,
     5,
     6,
     {2, 5, 6, 40960, 4096, 230400, 2048, 128, 96},
     true},
    {"hopper, two accumulators at 128x256: all registers that there are, and nothing beside",
     GEMM_HOPPER,
     TILE(256, 256, 2, BF16),
     2,
     4,
     4,
     {2, 4, 4, 49152, 8192, 230400, 2048, 256, -32},
     false},
    {"blackwell, two accumulators at 256x256: TMEM is full before the scales",
     GEMM_BLACKWELL,
     TILE(256, 256, 2, E2M1),
     2,
     5,
     4,
     {2, 5, 4, 38912, 8192, 228352, 4096, 560, -48},
     false},
    {"a byte too many is too many", GEMM_HOPPER, TILE(256, 256, 2, BF16), 1, 4, 5, {1, 4, 5, 49152, 8192, 238592, -6144, 128, 96}, false},
};

static void what_was_chosen_costs_what_it_costs(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(choices); i++) {
        const struct choice *c = &choices[i];
        const struct gemm_plan plan = gemm_plan_with(c->chip, c->tile, c->acc, c->ab, c->c);
        assert_plan(c->sentence, &plan, &c->plan);
        if (gemm_plan_fits(plan) != c->fits)
            fail_msg("%s: expected to %s", c->sentence, c->fits ? "fit" : "be refused");
    }
}

/* Whatever the tile, the greedy plan fits the shared memory, and neither one more stage of
 * A and B nor one more of C would. */
static void greedy_leaves_no_room_for_a_stage(void **state)
{
    (void)state;
    static const enum sg_dtype dtypes[GEMM_CHIPS][2] = {{SG_BF16, SG_E4M3}, {SG_BF16, SG_E2M1}};
    for (int chip = 0; chip < GEMM_CHIPS; chip++)
        for (int d = 0; d < 2; d++)
            for (int ctas = 1; ctas <= 2; ctas++)
                for (int n = 64; n <= 256; n += 32) {
                    const struct gemm_tile tile = {.m = 128 * ctas, .n = n, .ctas = ctas, .dtype = dtypes[chip][d]};
                    const struct gemm_plan plan = gemm_plan_of((enum gemm_chip_name)chip, tile, GEMM_GREEDY);
                    assert_true(plan.free_bytes >= 0 && plan.free_bytes < plan.c_bytes);
                    assert_true((plan.c - GEMM_LEAST_C) * plan.c_bytes + plan.free_bytes < plan.ab_bytes);
                }
}

struct scales {
    const char *sentence;
    int64_t k, scales, row;
};

static const struct scales scales[] = {
    {"a block that is begun has a scale", 1, 1, 4},
    {"a whole block has one", 128, 1, 4},
    {"and the next begins another", 129, 2, 4},
    {"four need no padding", 512, 4, 4},
    {"five are padded", 520, 5, 8},
    {"1024 has eight", 1024, 8, 8},
    {"7168 has 56", 7168, 56, 56},
};

static void scales_are_where_the_library_wants_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(scales); i++) {
        const struct scales *s = &scales[i];
        if (gemm_scales(s->k) != s->scales || gemm_sfb_row(s->k) != s->row)
            fail_msg("%s: found %lld, padded to %lld", s->sentence, (long long)gemm_scales(s->k), (long long)gemm_sfb_row(s->k));
    }
}

static void outputs_are_of_sixteen_bits(void **state)
{
    (void)state;
    const struct sg_case bf16 = {.dtype = SG_BF16}, f16 = {.dtype = SG_F16}, e4m3 = {.dtype = SG_E4M3};
    assert_int_equal(gemm_output(&bf16), SG_BF16);
    assert_int_equal(gemm_output(&f16), SG_F16);
    assert_int_equal(gemm_output(&e4m3), SG_BF16);
    assert_int_equal(gemm_buffer_count(&bf16), 3);
    assert_int_equal(gemm_buffer_count(&e4m3), 5);
}

static void a_plan_is_told_as_facts(void **state)
{
    (void)state;
    const struct gemm_tile tile = TILE(256, 256, 2, BF16);
    struct sg_fact facts[SG_MAX_FACTS];
    static const struct {
        const char *metric;
        double value;
        bool remarked;
    } expected[] = {
        {"stages_acc", 2, false},       {"stages_ab", 5, false},        {"stages_c", 4, false},       {"stage_ab_bytes", 49152, false},
        {"stage_c_bytes", 8192, false}, {"stages_bytes", 279552, true}, {"acc_registers", 256, true},
    };
    assert_int_equal(gemm_facts_of(gemm_plan_with(GEMM_HOPPER, tile, 2, 5, 4), facts), COUNT(expected));
    for (size_t i = 0; i < COUNT(expected); i++) {
        if (strcmp(facts[i].metric, expected[i].metric) != 0 || facts[i].value != expected[i].value)
            fail_msg("expected %s = %g, found %s = %g", expected[i].metric, expected[i].value, facts[i].metric, facts[i].value);
        if ((facts[i].message != NULL) != expected[i].remarked)
            fail_msg("%s: what does not fit is remarked, and nothing else", facts[i].metric);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tile_gets_its_plan),          cmocka_unit_test(what_was_chosen_costs_what_it_costs),
        cmocka_unit_test(greedy_leaves_no_room_for_a_stage), cmocka_unit_test(scales_are_where_the_library_wants_them),
        cmocka_unit_test(a_plan_is_told_as_facts),           cmocka_unit_test(outputs_are_of_sixteen_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
