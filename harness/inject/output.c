#define _GNU_SOURCE /* for program_invocation_short_name */
#include "inject/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "inject/map.h"

#define STEP (1u << 18) /* growth of the file, bytes */

static struct sg_trace_head nowhere;
static struct {
    struct sg_trace_head *head;
    unsigned char *bytes;
    int descriptor;
    uint64_t length; /* length of the file */
    /* Starts of one program must not all keep the same launches: that would bias percentiles. */
    uint64_t draw;
    /* digest of the text or key -> offset; for names the upper half is the number */
    struct sg_map names, series;
    uint32_t name_count;
    struct sg_map offsets; /* number of a name -> offset */
    struct sg_map last;    /* digest of the case -> name of the side begun last */
} output = {.head = &nowhere, .descriptor = -1};

struct sg_trace_head *sg_output_head(void)
{
    return output.head;
}

void sg_output_flag(enum sg_trace_flag flag, const char *format, ...)
{
    va_list args;
    if (output.head->flags & flag)
        return;
    output.head->flags |= flag;
    va_start(args, format);
    vsnprintf(output.head->why, sizeof(output.head->why), format, args);
    va_end(args);
}

void sg_output_leave(void)
{
    if (output.bytes)
        munmap(output.bytes, SG_TRACE_BYTES);
    if (output.descriptor >= 0)
        close(output.descriptor);
    free(output.names.slots);
    free(output.series.slots);
    free(output.offsets.slots);
    free(output.last.slots);
    memset(&output, 0, sizeof(output));
    output.head = &nowhere;
    output.descriptor = -1;
}

static void *full(int error)
{
    sg_output_flag(SG_TRACE_FULL, "%s", strerror(error));
    return NULL;
}

/* Returns a zeroed block at the end of the file. The block counts once it is closed. */
static void *new_block(enum sg_trace_kind kind, size_t bytes)
{
    const uint64_t at = output.head->used;
    bytes = (bytes + 7) / 8 * 8;
    if (!output.bytes || at + bytes > SG_TRACE_BYTES)
        return full(EFBIG);
    while (at + bytes > output.length) {
        const int error = posix_fallocate(output.descriptor, (off_t)output.length, STEP);
        if (error != 0)
            return full(error);
        output.length += STEP;
    }
    *(struct sg_trace_block *)(output.bytes + at) = (struct sg_trace_block){kind, (uint32_t)bytes};
    return output.bytes + at;
}

static void close_block(const struct sg_trace_block *block)
{
    __atomic_store_n(&output.head->used, output.head->used + block->bytes, __ATOMIC_RELEASE);
}

bool sg_output_open(const char *folder)
{
    char path[4096];
    if (output.bytes)
        return true;
    snprintf(path, sizeof(path), "%s/%ld" SG_TRACE_ENDING, folder, (long)getpid());
    output.descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (output.descriptor < 0)
        return false;
    int error = posix_fallocate(output.descriptor, 0, STEP);
    void *mapped = error != 0 ? MAP_FAILED
                              : mmap(NULL, SG_TRACE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
                                     output.descriptor, 0);
    error = error == 0 && mapped == MAP_FAILED ? errno : error;
    if (error != 0 && ftruncate(output.descriptor, error) != 0)
        unlink(path);
    if (error != 0)
        return false;
    output.bytes = mapped;
    output.length = STEP;
    output.head = mapped;
    output.head->used = sizeof(*output.head);
    output.head->pid = (uint64_t)getpid();
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    output.draw = sg_map_digest(&now, sizeof(now));
    snprintf(output.head->program, sizeof(output.head->program), "%s",
             program_invocation_short_name);
    sg_output_name("");
    output.head->magic = SG_TRACE_MAGIC;
    return true;
}

uint32_t sg_output_name(const char *text)
{
    const size_t length = strlen(text);
    const uint64_t key = sg_map_digest(text, length);
    uint64_t found;
    if (!output.bytes)
        return 0;
    if (sg_map_get(&output.names, key, &found))
        return (uint32_t)(found >> 32);
    struct sg_trace_name *name = new_block(SG_TRACE_NAME, sizeof(*name) + length + 1);
    if (!name)
        return 0;
    memcpy(name->text, text, length + 1);
    if (!sg_map_put(&output.names, key, (uint64_t)output.name_count << 32 | output.head->used) ||
        !sg_map_put(&output.offsets, output.name_count + UINT64_C(2), output.head->used)) {
        full(ENOMEM);
        return 0;
    }
    close_block(&name->block);
    return output.name_count++;
}

const char *sg_output_text(uint32_t name)
{
    uint64_t at;
    return sg_map_get(&output.offsets, name + UINT64_C(2), &at)
               ? ((const struct sg_trace_name *)(output.bytes + at))->text
               : "";
}

void sg_output_turn(uint32_t name)
{
    uint64_t at, last = 0;
    if (!sg_map_get(&output.offsets, name + UINT64_C(2), &at))
        return;
    struct sg_trace_name *block = (struct sg_trace_name *)(output.bytes + at);
    const char *case_ = block->text + strcspn(block->text, "/");
    const uint64_t key = sg_map_digest(case_, strlen(case_));
    sg_map_get(&output.last, key, &last);
    block->begun++;
    block->turns += last != name;
    sg_map_put(&output.last, key, name);
}

void sg_output_counts(const struct sg_trace_series_key *key, const double *values, size_t count)
{
    struct sg_trace_counts *counts =
        output.bytes ? new_block(SG_TRACE_COUNTS, sizeof(*counts) + count * sizeof(*values)) : NULL;
    if (!counts)
        return;
    counts->key = *key;
    memcpy(counts->value, values, count * sizeof(*values));
    close_block(&counts->block);
}

void sg_output_code(uint64_t name, uint64_t code, uint64_t codes)
{
    uint64_t found;
    if (!sg_map_get(&output.names, name, &found))
        return;
    struct sg_trace_name *block = (struct sg_trace_name *)(output.bytes + (uint32_t)found);
    block->code = code;
    block->codes = codes;
}

/* Keeps each value with the same probability (reservoir sampling); `before`: number of values so
 * far. */
static void sample(uint64_t *random, float *kept, uint64_t most, uint64_t before, uint64_t ns)
{
    uint64_t slot = before;
    if (slot >= most) {
        *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        slot = (*random >> 33) % (before + 1);
    }
    if (slot < most)
        kept[slot] = (float)ns;
}

void sg_output_launch(const struct sg_trace_series_key *key, uint64_t duration_ns,
                      uint64_t latency_ns)
{
    const uint64_t digest = sg_map_digest(key, sizeof(*key));
    uint64_t at;
    struct sg_trace_series *series = NULL;
    if (!output.bytes)
        return;
    if (sg_map_get(&output.series, digest, &at)) {
        series = (struct sg_trace_series *)(output.bytes + at);
    } else {
        series = new_block(SG_TRACE_SERIES, sizeof(*series));
        if (!series || (!sg_map_put(&output.series, digest, output.head->used) && !full(ENOMEM))) {
            return;
        }
        series->key = *key;
        series->random = digest ^ output.draw;
        series->first_ns = duration_ns;
        close_block(&series->block);
    }
    if (latency_ns > 0 && series->count > 0) /* the first launch loads the code */
        sample(&series->random, series->latency_ns, SG_TRACE_LATENCIES, series->idle++, latency_ns);
    sample(&series->random, series->sample_ns, SG_TRACE_SAMPLES, series->count++, duration_ns);
    series->total_ns += duration_ns;
}
