#include "util/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "solgate_parallel.h"

#define HUGE_BYTES ((uintptr_t)2 << 20)
#define PAGE_BYTES 4096u /* the smallest */

void *sg_alloc_huge(uint64_t bytes)
{
    char *memory = calloc(1, bytes);
    const uintptr_t begin = (uintptr_t)memory, end = begin + bytes;
    const uintptr_t skipped = (HUGE_BYTES - begin % HUGE_BYTES) % HUGE_BYTES;
    /* Only advice: a system that ignores it uses small pages, which are slower. */
    if (memory && begin + skipped + HUGE_BYTES <= end)
        madvise(memory + skipped, (end - begin - skipped) / HUGE_BYTES * HUGE_BYTES, MADV_HUGEPAGE);
    return memory;
}

static void touch(void *context, uint64_t piece)
{
    volatile char *memory = (char *)context + piece * HUGE_BYTES;
    for (size_t i = 0; i < HUGE_BYTES; i += PAGE_BYTES)
        memory[i] = 0;
}

void *sg_alloc_touched(uint64_t bytes)
{
    void *memory = sg_alloc_huge(bytes);
    if (memory)
        sg_parallel(0, bytes / HUGE_BYTES, touch, memory);
    return memory;
}

uint64_t sg_first_difference(const void *a, const void *b, uint64_t bytes)
{
    const unsigned char *x = a, *y = b;
    if (memcmp(x, y, bytes) == 0)
        return bytes;
    uint64_t i = 0;
    while (x[i] == y[i])
        i++;
    return i;
}
