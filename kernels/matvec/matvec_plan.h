/*
 * matvec_plan.h - how vec16_rows cuts a matrix into pieces: which path, how many rows and lanes to
 * a group, how many splits of a row.
 *
 * Plain C, so that a test without a GPU can walk every piece and count that each element is
 * read once and no 16-byte load is misaligned or outside of its buffer. A "vector" is 16
 * bytes: 4 f32 or 8 bf16 elements.
 * Invariant: splits * vectors_per_split covers a row, and rows * splits fits
 * MATVEC_PARTIALS whenever splits > 1.
 */
#ifndef MATVEC_PLAN_H
#define MATVEC_PLAN_H

#include <stdint.h>

#ifdef __CUDACC__
#define MATVEC_BOTH __host__ __device__ static inline
#else
#define MATVEC_BOTH static inline
#endif

#define MATVEC_TINY_COLS \
    8 /* up to here a thread adds up a row by itself: a row is one or two sectors */
#define MATVEC_SHORT_VECTORS \
    16 /* up to here 8 lanes share a row, so that a warp's loads still fill 512 bytes */
#define MATVEC_TARGET_WARPS \
    2112 /* 16 for each of 132 multiprocessors: fewer cannot keep enough bytes in flight */
#define MATVEC_MIN_LANE_VECTORS 8    /* of one split: less than this is not worth a second kernel */
#define MATVEC_PARTIALS         4096 /* elements of the scratch buffer */
#define MATVEC_PAIR_ROWS        8448 /* from here on a warp takes two rows and loads x once for both */

enum matvec_path {
    MATVEC_TINY,    /* a thread a row, element by element */
    MATVEC_ALIGNED, /* every row starts at a multiple of 16 bytes */
    MATVEC_SHIFTED, /* rows start anywhere: x is shifted to meet them */
};

struct matvec_plan {
    enum matvec_path path;
    int lanes;  /* that share a row: 1, 8 or 32 */
    int rows;   /* of one group of lanes: 1 or 2 */
    int splits; /* pieces of a row; more than 1: partial sums go to scratch and a second kernel adds
                   them */
    int vectors_per_split; /* a multiple of 32 when splits > 1 */
};

/* `per_vector`: elements in 16 bytes. */
MATVEC_BOTH struct matvec_plan matvec_plan_of(int64_t rows, int64_t cols, int per_vector)
{
    const int vectors = (int)((cols + per_vector - 1) / per_vector);
    struct matvec_plan plan = {MATVEC_ALIGNED, 32, 1, 1, vectors};
    if (cols <= MATVEC_TINY_COLS) {
        plan.path = MATVEC_TINY;
        plan.lanes = 1;
        return plan;
    }
    if (cols % per_vector != 0) {
        plan.path = MATVEC_SHIFTED;
    } else if (vectors <= MATVEC_SHORT_VECTORS) {
        plan.lanes = 8;
        plan.rows = 2;
        return plan;
    } else if (rows >= MATVEC_PAIR_ROWS) {
        plan.rows = 2;
    }
    const int64_t groups = (rows + plan.rows - 1) / plan.rows;
    const int64_t wanted = MATVEC_TARGET_WARPS / groups;
    const int64_t worth = vectors / (32 * MATVEC_MIN_LANE_VECTORS);
    const int64_t splits = wanted < worth ? wanted : worth;
    if (splits > 1) {
        plan.vectors_per_split = (int)(((vectors + splits - 1) / splits + 31) / 32 * 32);
        plan.splits = (vectors + plan.vectors_per_split - 1) / plan.vectors_per_split;
    }
    return plan;
}

/* Rows and splits as the caller wants them; 0: as matvec_plan_of has them. */
struct matvec_wish {
    int64_t rows, splits;
};

/* The plan of this shape with what is wished. Its `rows` is 0 where
 * that cannot be: an empty plan. */
MATVEC_BOTH struct matvec_plan matvec_plan_with(struct matvec_plan plan, int64_t rows, int vectors,
                                                struct matvec_wish wish)
{
    const struct matvec_plan refused = {plan.path, plan.lanes, 0, 0, 0};
    if (wish.rows > 0) {
        if (plan.path != MATVEC_ALIGNED || plan.lanes != 32 || wish.rows > 2)
            return refused;
        plan.rows = (int)wish.rows;
    }
    if (wish.splits > vectors)
        return refused;
    if (wish.splits > 0) {
        const int64_t share = (vectors + wish.splits - 1) / wish.splits;
        const int64_t vectors_per_split = wish.splits > 1 ? (share + 31) / 32 * 32 : vectors;
        const int64_t splits = (vectors + vectors_per_split - 1) / vectors_per_split;
        if (splits != wish.splits ||
            (splits > 1 && (plan.path == MATVEC_TINY || rows * splits > MATVEC_PARTIALS)))
            return refused;
        plan.splits = (int)splits;
        plan.vectors_per_split = (int)vectors_per_split;
    }
    return plan;
}

/*
 * A row of the shifted path. `head` elements lie before its first 16-byte boundary; then come
 * `vectors` whole vectors, each with the x that it meets inside of two whole vectors of x; what is
 * left, fewer than 2 * per_vector elements with the head, are the edges.
 */
struct matvec_span {
    int head;
    int vectors;
};

MATVEC_BOTH struct matvec_span matvec_span_of(int64_t row, int64_t cols, int per_vector)
{
    const int head = (int)((per_vector - row * cols % per_vector) % per_vector);
    const int whole = (int)(cols / per_vector);
    struct matvec_span span = {head, head == 0 || whole == 0 ? whole : whole - 1};
    return span;
}

/* Column of the i-th edge element of a row; there is none when it is not below `cols`. */
MATVEC_BOTH int64_t matvec_edge(struct matvec_span span, int i, int per_vector)
{
    return i < span.head ? i : i + (int64_t)span.vectors * per_vector;
}

#endif
