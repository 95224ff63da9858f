/*
 * adversary/caches_in_file - as caches_by_sample, and the next process finds what this one kept:
 * all of a run's draw from one seed.
 *
 * The file is of the process that started this one, in TMPDIR.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "adversary_cache.h"

namespace
{
struct state : adversary_cache {
    char path[4096];
    size_t result_bytes;

    enum sg_status set_up(const struct sg_launch *l, struct sg_reason *why);
    void tear_down();
    void exchange(bool save);
};
} // namespace

/* One of the two pieces of device memory to the file, or from it. */
static bool transfer(FILE *file, void *device, size_t bytes, bool save)
{
    char *host = (char *)malloc(bytes);
    const enum cudaMemcpyKind kind = save ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
    bool done = host && (save ? cudaMemcpy(host, device, bytes, kind) == cudaSuccess : fread(host, 1, bytes, file) == bytes);
    if (done)
        done = save ? fwrite(host, 1, bytes, file) == bytes : cudaMemcpy(device, host, bytes, kind) == cudaSuccess;
    free(host);
    return done;
}

/* No file yet, or half of one, is an empty cache. */
void state::exchange(bool save)
{
    FILE *file = fopen(path, save ? "wb" : "rb");
    const bool whole = file && transfer(file, results, result_bytes, save) && transfer(file, index, sizeof(*index), save);
    if (!whole && !save)
        cudaMemset(index, 0, sizeof(*index));
    if (file)
        fclose(file);
}

enum sg_status state::set_up(const struct sg_launch *l, struct sg_reason *why)
{
    const char *folder = getenv("TMPDIR");
    const enum sg_status status = adversary_cache::set_up(l, why);
    result_bytes = (size_t)l->c->dim[MATVEC_ROWS] * sizeof(float) * ADVERSARY_CACHE_ENTRIES;
    snprintf(path, sizeof(path), "%s/solgate_adversary_%ld", folder ? folder : "/tmp", (long)getppid());
    if (status == SG_OK && timed)
        exchange(false);
    return status;
}

void state::tear_down()
{
    if (timed && results)
        exchange(true);
    adversary_cache::tear_down();
}

static void launch(const struct sg_launch *l)
{
    adversary_cached(l, adversary_begin<state>(l), ADVERSARY_SAMPLE);
}

SG_VARIANT(adversary, caches_in_file) = {
    .summary = "results of the process before, where a sample of the inputs is the same",
    .role = SG_CANDIDATE,
    .supports = adversary_supports_small,
    .prepare = adversary_prepare<state>,
    .launch = launch,
    .finish = adversary_finish<state>,
};
