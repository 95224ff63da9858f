/*
 * small.cuh - `supports` of variants that only make sense on a small matrix: at most 64 Ki
 * elements, else unsupported, with the reason.
 */
#ifndef MATVEC_SMALL_CUH
#define MATVEC_SMALL_CUH

#include <stdio.h>

#include "matvec.cuh"

#define MATVEC_SMALL_ELEMENTS (64ll * 1024)

static inline bool supports_small(const struct sg_case *c, struct sg_reason *why)
{
    const long long elements = (long long)(c->dim[MATVEC_ROWS] * c->dim[MATVEC_COLS]);
    if (elements <= MATVEC_SMALL_ELEMENTS)
        return true;
    snprintf(why->text, sizeof(why->text), "takes at most %lld elements; this case has %lld",
             MATVEC_SMALL_ELEMENTS, elements);
    return false;
}

#endif
