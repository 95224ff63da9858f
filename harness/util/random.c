#include "util/random.h"

#include <math.h>

#include "util/bits.h"

uint64_t sg_random_next(uint64_t *state)
{
    *state += SG_MIX_STEP;
    return sg_mix(*state);
}

double sg_random_unit(uint64_t *state)
{
    return (double)(sg_random_next(state) >> 11) * 0x1p-53;
}

double sg_random_normal(uint64_t *state)
{
    for (;;) {
        const double u = 2.0 * sg_random_unit(state) - 1.0;
        const double v = 2.0 * sg_random_unit(state) - 1.0;
        const double square = u * u + v * v;
        /* Discards the second value of the pair: keeping it needs state that a copied generator
         * would lack. */
        if (square > 0.0 && square < 1.0)
            return u * sqrt(-2.0 * log(square) / square);
    }
}

void sg_random_shuffle(uint64_t *state, size_t *order, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        const size_t j = (size_t)(sg_random_unit(state) * (double)i);
        const size_t kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}
