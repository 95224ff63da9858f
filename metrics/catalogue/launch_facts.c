#include "catalogue/launch_facts.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define FACT(field)                                     \
    {                                                   \
#field, offsetof(struct sg_launch_facts, field) \
    }

static const struct {
    const char *key;
    size_t offset;
} table[] = {
    FACT(kernels),
    FACT(registers),
    FACT(shared_static_bytes),
    FACT(shared_dynamic_bytes),
    FACT(local_bytes),
    FACT(grid_blocks),
    FACT(block_threads),
    FACT(cluster_blocks),
    FACT(occupancy_theoretical),
    FACT(spill_store_bytes),
    FACT(spill_load_bytes),
    FACT(notes),
    FACT(instructions),
    FACT(hgmma),
    FACT(qgmma),
    FACT(tma_loads),
    FACT(tma_stores),
    FACT(local_loads),
    FACT(local_stores),
};

bool sg_launch_fact(const struct sg_launch_facts *facts, const char *key, double *value)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (strcmp(table[i].key, key) != 0)
            continue;
        if (facts)
            memcpy(value, (const char *)facts + table[i].offset, sizeof(*value));
        return true;
    }
    return false;
}

void sg_launch_facts_init(struct sg_launch_facts *facts)
{
    const double unknown = NAN;
    *facts = (struct sg_launch_facts){.occupancy_limit = ""};
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        memcpy((char *)facts + table[i].offset, &unknown, sizeof(unknown));
}

#define COMPILED_FACT(from, to)                                                      \
    {                                                                                \
        offsetof(struct sg_kernel_build, from), offsetof(struct sg_launch_facts, to) \
    }

/* An int of a kernel, and the double of a launch that sums it. */
static const struct {
    size_t from, to;
} compiled[] = {
    COMPILED_FACT(note_count, notes),
    COMPILED_FACT(spill_store_bytes, spill_store_bytes),
    COMPILED_FACT(spill_load_bytes, spill_load_bytes),
    COMPILED_FACT(instructions, instructions),
    COMPILED_FACT(hgmma, hgmma),
    COMPILED_FACT(qgmma, qgmma),
    COMPILED_FACT(tma_loads, tma_loads),
    COMPILED_FACT(tma_stores, tma_stores),
    COMPILED_FACT(local_loads, local_loads),
    COMPILED_FACT(local_stores, local_stores),
};
#define COMPILED_FACTS (sizeof(compiled) / sizeof(compiled[0]))

static void set_all(struct sg_launch_facts *facts, double value)
{
    for (size_t i = 0; i < COMPILED_FACTS; i++)
        memcpy((char *)facts + compiled[i].to, &value, sizeof(value));
    facts->note_codes[0] = '\0';
}

void sg_launch_facts_of_no_kernel(struct sg_launch_facts *facts)
{
    set_all(facts, 0.0);
}

void sg_launch_facts_unknown(struct sg_launch_facts *facts)
{
    set_all(facts, NAN);
}

/* Finds a kernel by its name, or by its name in the variant's object. */
static const struct sg_kernel_build *find_kernel(const struct sg_kernel_build *kernels,
                                                 const char *variant, const char *name)
{
    const size_t length = strlen(variant);
    for (; name && kernels && kernels->name; kernels++) {
        const char *rest = kernels->name + length;
        const bool is_own = strncmp(kernels->name, variant, length) == 0 && *rest == ':' &&
                            strcmp(rest + 1, name) == 0;
        if (is_own || strcmp(kernels->name, name) == 0)
            return kernels;
    }
    return NULL;
}

static void add_codes(struct sg_launch_facts *facts, const char *codes)
{
    const size_t length = strlen(facts->note_codes);
    if (codes && *codes && !strstr(facts->note_codes, codes))
        snprintf(facts->note_codes + length, sizeof(facts->note_codes) - length, "%s%s",
                 length > 0 ? " " : "", codes);
}

void sg_launch_facts_add_kernel(struct sg_launch_facts *facts,
                                const struct sg_kernel_build *kernels, const char *variant,
                                const char *name)
{
    const struct sg_kernel_build *kernel = find_kernel(kernels, variant, name);
    if (!kernel) {
        sg_launch_facts_unknown(facts);
        return;
    }
    for (size_t i = 0; i < COMPILED_FACTS; i++) {
        int one = -1;
        double sum = NAN;
        memcpy(&one, (const char *)kernel + compiled[i].from, sizeof(one));
        memcpy(&sum, (const char *)facts + compiled[i].to, sizeof(sum));
        sum += one < 0 ? NAN : one;
        memcpy((char *)facts + compiled[i].to, &sum, sizeof(sum));
    }
    add_codes(facts, kernel->notes);
}
