/* The host half of the module matvec: its reference against a plain sum, and its own inputs.
 * Skipped where the module is not built. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "family_module.h"

enum { W, X, Y, BUFFERS = SG_MAX_BUFFERS };

static const struct sg_module *module;

static double element(enum sg_dtype dtype, const void *memory, size_t i)
{
    float value;
    if (dtype == SG_F32)
        return ((const float *)memory)[i];
    const uint32_t bits = (uint32_t)((const uint16_t *)memory)[i] << 16;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* Eighths between -16 and 16: their products are exact in double, and so are their sums. */
static void fill_eighths(enum sg_dtype dtype, void *memory, size_t count, uint32_t state)
{
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        const float value = (float)((int)(state >> 24) - 128) / 8;
        uint32_t bits;
        memcpy(&bits, &value, sizeof(bits));
        if (dtype == SG_F32)
            ((float *)memory)[i] = value;
        else
            ((uint16_t *)memory)[i] = (uint16_t)(bits >> 16);
    }
}

static void open_inputs(const struct sg_case *c, struct sg_buffer buffers[BUFFERS],
                        void *host[BUFFERS])
{
    module->family->layout(c, buffers);
    for (int b = W; b <= X; b++)
        host[b] = sg_alloc(buffers[b].count, sg_dtype_bytes(c->dtype));
}

TEST(the_reference_is_the_plain_sum)
{
    static const struct {
        const char *sentence;
        const char *name;
    } rows[] = {
        {"round bf16", "r256_c512_bf16"},
        {"ragged f32: three elements behind the last eight", "r1000_c1003_f32"},
        {"one column, fewer than eight", "r65536_c1_f32"},
        {"one row", "r1_c1048576_f32"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sg_case *c = family_case(module, rows[i].name);
        struct sg_buffer buffers[BUFFERS] = {0};
        void *host[BUFFERS] = {0};
        double *expected[BUFFERS] = {0};
        open_inputs(c, buffers, host);
        fill_eighths(c->dtype, host[W], buffers[W].count, 1);
        fill_eighths(c->dtype, host[X], buffers[X].count, 2);
        expected[Y] = sg_alloc(buffers[Y].count, sizeof(double));
        module->family->reference(&(struct sg_reference_request){
            .c = c, .host = (const void *const *)host, .expected = expected});
        for (int64_t row = 0; row < c->dim[0]; row++) {
            double sum = 0;
            for (int64_t k = 0; k < c->dim[1]; k++)
                sum += element(c->dtype, host[W], (size_t)(row * c->dim[1] + k)) *
                       element(c->dtype, host[X], (size_t)k);
            if (sum != expected[Y][row])
                fail_msg("%s: row %d is %.17g, should be %.17g", rows[i].sentence, (int)row,
                         expected[Y][row], sum);
        }
        free(expected[Y]);
        free(host[W]);
        free(host[X]);
    }
}

/* Products of one sign never cancel, and whole ones stay below 2^24, where fp32 counts exactly. */
TEST(few_rows_get_inputs_of_one_sign)
{
    static const struct {
        const char *sentence;
        const char *name;
        bool integers;
        double low, high;
    } rows[] = {
        {"f32", "r1_c1048576_f32", false, 0.5, 1.5},
        {"bf16", "r1_c1048576_bf16", false, 0.5, 1.5},
        {"bf16, whole numbers", "r1_c1048576_bf16", true, 0, 2},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sg_case *c = family_case(module, rows[i].name);
        struct sg_buffer buffers[BUFFERS] = {0};
        void *host[BUFFERS] = {0};
        double sum = 0;
        open_inputs(c, buffers, host);
        assert_int_equal(buffers[W].fill, SG_CUSTOM);
        module->family->fill(&(struct sg_fill_request){
            .c = c, .seed = 1, .integers = rows[i].integers, .host = host});
        for (size_t k = 0; k < buffers[W].count; k++) {
            const double w = element(c->dtype, host[W], k);
            const double x = element(c->dtype, host[X], k);
            if (!(w >= rows[i].low && w <= rows[i].high && x >= rows[i].low && x <= rows[i].high))
                fail_msg("%s: element %zu is %g and %g", rows[i].sentence, k, w, x);
            if (rows[i].integers && (w != floor(w) || x != floor(x)))
                fail_msg("%s: element %zu is %g and %g", rows[i].sentence, k, w, x);
            sum += w * x;
        }
        if (!(sum > 0.5 * (double)buffers[W].count && sum < 0x1p24))
            fail_msg("%s: the sum is %g", rows[i].sentence, sum);
        free(host[W]);
        free(host[X]);
    }
}

int main(void)
{
    module = family_module("matvec");
    if (!module) {
        printf("skipped: %s\n", dlerror());
        return FAMILY_MODULE_SKIPPED;
    }
    return check_run("tests", NULL, NULL);
}
