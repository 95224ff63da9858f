/* probe/launches - the same tiles by two, four, eight kernels, one after the other. Expect: more
 * kernels a launch. */
#include "probe.cuh"

static void launch(const struct sg_launch *l)
{
    const int parts = 1 << l->c->dim[PROBE_STRENGTH];
    probe_arguments a = probe_arguments_of(l);
    const int tiles = a.tiles / parts;
    a.tiles = tiles;
    for (int part = 0; part < parts; part++) {
        const int blocks = tiles < PROBE_BLOCKS(l) ? tiles : PROBE_BLOCKS(l);
        probe_kernel<probe_base><<<blocks, PROBE_THREADS, 0, (cudaStream_t)l->stream>>>(a);
        a.in += (int64_t)tiles * PROBE_TILE;
        a.out += (int64_t)tiles * PROBE_TILE;
    }
}

SG_VARIANT(probe, launches) = {
    .summary = "several kernels in place of one", .role = SG_CANDIDATE, .launch = launch};
