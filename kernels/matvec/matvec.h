/*
 * matvec.h - a case of matvec as typed pointers, for code of the host and of the device.
 *
 *     static void launch(const struct sg_launch *l)
 *     {
 *         with_problem(l, [&](auto p) { kernel<<<grid, block, 0, (cudaStream_t)l->stream>>>(p); });
 *     }
 */
#ifndef MATVEC_H
#define MATVEC_H

#include "solgate_kernel.h"

enum { MATVEC_W, MATVEC_X, MATVEC_Y, MATVEC_PARTIAL, MATVEC_BUFFERS };
enum { MATVEC_ROWS, MATVEC_COLS };

/* Upper half of an fp32. */
struct bf16 {
    unsigned short bits;
};

template <typename T> struct problem {
    using element = T;
    static constexpr int per_vector = 16 / sizeof(T);
    const T *w; /* [rows][cols] */
    const T *x; /* [cols] */
    float *y;   /* [rows] */
    int64_t rows;
    int cols;

    bool aligned() const
    {
        return cols % per_vector == 0;
    }
};

template <typename T> static problem<T> problem_of(const struct sg_launch *l)
{
    return {(const T *)l->buffer[MATVEC_W], (const T *)l->buffer[MATVEC_X],
            (float *)l->buffer[MATVEC_Y], l->c->dim[MATVEC_ROWS], (int)l->c->dim[MATVEC_COLS]};
}

/* Calls `use` with the problem<float> or problem<bf16> of the case. */
template <typename Use> static void with_problem(const struct sg_launch *l, Use use)
{
    if (l->c->dtype == SG_F32)
        use(problem_of<float>(l));
    else
        use(problem_of<bf16>(l));
}

static inline unsigned blocks_for(int64_t items, int64_t items_per_block)
{
    return (unsigned)((items + items_per_block - 1) / items_per_block);
}

#endif
