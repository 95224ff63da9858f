/*
 * gemm_stages.c - prints the tables of kernels/blockscaled_gemm/stages.md: what the stage
 * rule of gemm_plan.h gives the tiles of its cases, for each chip and by both strategies.
 * Compiled and run by gemm_stages.sh.
 */
#include <stdio.h>

#include "blockscaled_gemm/gemm_plan.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct format {
    enum gemm_chip_name chip;
    enum sg_dtype dtype;
    const char *title;
};

static const struct format formats[] = {
    {GEMM_HOPPER, SG_BF16, "Hopper, bf16 or f16"},
    {GEMM_HOPPER, SG_E4M3, "Hopper, e4m3 with a scale for 128 elements of A and for 128x128 of B"},
    {GEMM_BLACKWELL, SG_E2M1, "Blackwell, e2m1 with a scale for 16 elements"},
};

struct tile {
    int m, n, ctas;
};

static const struct tile tiles[] = {{256, 256, 2}, {256, 128, 2}, {128, 128, 1}};

struct choice {
    const char *name;
    int acc; /* accumulators; 0: as the strategy has it */
    enum gemm_strategy strategy;
};

static const struct choice choices[] = {
    {"greedy", 0, GEMM_GREEDY},
    {"5 + 4", 0, GEMM_TARGET},
    {"greedy, two accumulators", 2, GEMM_GREEDY},
};

static void print_free(int free)
{
    if (free < 0)
        printf("**%d too many**", -free);
    else
        printf("%d", free);
}

static void print_row(const struct format *format, const struct tile *size,
                      const struct choice *choice)
{
    const struct gemm_tile tile = {
        .m = size->m, .n = size->n, .ctas = size->ctas, .dtype = format->dtype};
    struct gemm_plan plan = gemm_plan_of(format->chip, tile, choice->strategy);
    if (choice->acc == plan.acc)
        return; /* it is what the strategy has anyway */
    if (choice->acc > 0)
        plan = gemm_plan_with(format->chip, tile, choice->acc, plan.ab, plan.c);
    printf("| %dx%d, %d | %s | %d | %d x %d | %d x %d | %d | ", tile.m, tile.n, tile.ctas,
           choice->name, plan.acc, plan.ab, plan.ab_bytes, plan.c, plan.c_bytes, plan.smem_bytes);
    print_free(plan.free_bytes);
    printf(" | %d | ", plan.acc_used);
    print_free(plan.acc_free);
    printf(" |\n");
}

int main(void)
{
    for (size_t i = 0; i < COUNT(formats); i++) {
        const struct gemm_chip chip = gemm_chip_of(formats[i].chip);
        printf("\n## %s\n\n", formats[i].title);
        printf("%d bytes of shared memory a block, %d of them for barriers; %d %s for sums.\n\n",
               chip.smem_bytes, chip.reserved_bytes, chip.acc_capacity,
               chip.has_tmem ? "columns of TMEM" : "registers of a math thread");
        printf("| tile, blocks | strategy | accumulators | A and B, B | C, B | all, B | free, B | "
               "%s | free |\n",
               chip.has_tmem ? "columns" : "registers");
        printf("|---|---|---:|---:|---:|---:|---:|---:|---:|\n");
        for (size_t t = 0; t < COUNT(tiles); t++)
            for (size_t c = 0; c < COUNT(choices); c++)
                print_row(&formats[i], &tiles[t], &choices[c]);
    }
    return 0;
}
