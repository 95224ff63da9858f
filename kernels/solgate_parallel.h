/*
 * solgate_parallel.h - runs numbered pieces of work on several cores, for references and for loops
 * over large arrays in the harness.
 *
 * Invariant: each piece runs once, on one thread, before sg_parallel returns. Any thread may run a
 * piece, so a piece must not write data that another piece reads or writes. Results that are
 * combined in the order of the pieces are then the same on any machine. To use it: write a function
 * that does piece i of a context, and pass the function to sg_parallel. C and C++ both include this
 * file.
 */
#ifndef SOLGATE_PARALLEL_H
#define SOLGATE_PARALLEL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#define SG_PARALLEL_THREADS_MAX \
    8 /* more threads do not increase memory bandwidth, and several workers run at once */

typedef void sg_piece_work(void *context, uint64_t piece);

/* The share of one thread: every step-th piece from `first` on. */
struct sg_parallel_share {
    sg_piece_work *work;
    void *context;
    uint64_t first, step, pieces;
};

static inline void *sg_parallel_do_share(void *argument)
{
    const struct sg_parallel_share *share = (const struct sg_parallel_share *)argument;
    for (uint64_t piece = share->first; piece < share->pieces; piece += share->step)
        share->work(share->context, piece);
    return NULL;
}

/* Number of threads: at least 1, at most `pieces`; wanted 0: one per core. */
static inline unsigned sg_parallel_threads(unsigned wanted, uint64_t pieces)
{
    if (pieces <= 1)
        return 1; /* the common case: querying the number of cores would take longer than the piece
                   */
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t threads = wanted > 0 ? wanted : cores > 0 ? (uint64_t)cores : 1;
    threads = threads < SG_PARALLEL_THREADS_MAX ? threads : SG_PARALLEL_THREADS_MAX;
    return (unsigned)(threads < pieces ? threads : pieces);
}

/* Runs pieces 0 to pieces - 1 on `threads` threads, including the calling one; 0: one per core. */
static inline void sg_parallel(unsigned threads, uint64_t pieces, sg_piece_work *work,
                               void *context)
{
    const unsigned count = sg_parallel_threads(threads, pieces);
    struct sg_parallel_share share[SG_PARALLEL_THREADS_MAX];
    pthread_t thread[SG_PARALLEL_THREADS_MAX];
    bool started[SG_PARALLEL_THREADS_MAX] = {false};
    for (unsigned i = 0; i < count; i++) {
        share[i].work = work;
        share[i].context = context;
        share[i].first = i;
        share[i].step = count;
        share[i].pieces = pieces;
        started[i] =
            i > 0 && pthread_create(&thread[i], NULL, sg_parallel_do_share, &share[i]) == 0;
    }
    /* The calling thread runs the first share, and the shares whose thread could not be created. */
    for (unsigned i = 0; i < count; i++)
        if (!started[i])
            sg_parallel_do_share(&share[i]);
    for (unsigned i = 0; i < count; i++)
        if (started[i])
            pthread_join(thread[i], NULL);
}

struct sg_parallel_copy {
    const float *from;
    double *to;
    uint64_t count, piece; /* elements: total, and per piece */
};

static inline void sg_parallel_copy_piece(void *context, uint64_t piece)
{
    const struct sg_parallel_copy *copy = (const struct sg_parallel_copy *)context;
    const uint64_t first = piece * copy->piece, left = copy->count - first;
    for (uint64_t i = first; i < first + (left < copy->piece ? left : copy->piece); i++)
        copy->to[i] = copy->from[i];
}

/* The reference of a kernel that copies `count` elements; runs in pieces of 1 MiB. */
static inline void sg_parallel_copy_f32(const float *from, double *to, uint64_t count)
{
    struct sg_parallel_copy copy = {from, to, count, UINT64_C(1) << 18};
    sg_parallel(0, (count + copy.piece - 1) / copy.piece, sg_parallel_copy_piece, &copy);
}

#endif
