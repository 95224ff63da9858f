/* solgate_parallel.h: every piece is done, and done once, whatever the number of threads. */
#include "check.h"
#include "solgate_parallel.h"

#define PIECES_MAX 1000

static void count_piece(void *context, uint64_t piece)
{
    unsigned *times = context;
    times[piece]++;
}

TEST(each_piece_is_done_once)
{
    static const struct {
        const char *sentence;
        unsigned threads;
        uint64_t pieces;
    } rows[] = {
        {"nothing to do", 4, 0},
        {"one piece for many threads", 8, 1},
        {"one thread", 1, 100},
        {"a number that does not divide the pieces", 3, 100},
        {"more threads than there may be", 1000, PIECES_MAX},
        {"one a core", 0, PIECES_MAX},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        unsigned times[PIECES_MAX + 1] = {0};
        sg_parallel(rows[i].threads, rows[i].pieces, count_piece, times);
        for (uint64_t piece = 0; piece <= PIECES_MAX; piece++)
            if (times[piece] != (piece < rows[i].pieces))
                fail_msg("%s: piece %d was done %u times", rows[i].sentence, (int)piece,
                         times[piece]);
    }
}

/* One element less than whole pieces, as many, one more; and what lies
 * behind the last stays as it was. */
TEST(a_copy_is_whole_and_no_more)
{
    static float from[(1 << 19) + 2];
    static double to[COUNT(from)];
    static const uint64_t counts[] = {0, 1, (1 << 18) - 1, 1 << 18, (1 << 18) + 1, (1 << 19) + 1};
    for (size_t i = 0; i < COUNT(from); i++)
        from[i] = (float)i + 0.5f;
    for (size_t c = 0; c < COUNT(counts); c++) {
        for (size_t i = 0; i < COUNT(to); i++)
            to[i] = -1;
        sg_parallel_copy_f32(from, to, counts[c]);
        for (size_t i = 0; i < COUNT(to); i++)
            if (to[i] != (i < counts[c] ? (double)from[i] : -1))
                fail_msg("of %d elements number %d is %g", (int)counts[c], (int)i, to[i]);
    }
}
