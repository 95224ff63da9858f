#include "catalogue/source.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* An int of a kernel (struct sg_kernel_build), and the double of a launch that sums it. */
#define COMPILED_FACTS(X)                                                                      \
    X(note_count, notes), X(spill_store_bytes, spill_store_bytes),                             \
        X(spill_load_bytes, spill_load_bytes), X(instructions, instructions), X(hgmma, hgmma), \
        X(qgmma, qgmma), X(tma_loads, tma_loads), X(tma_stores, tma_stores),                   \
        X(local_loads, local_loads), X(local_stores, local_stores)

#define LAUNCH_FACTS(X)                                                                        \
    X(kernels), X(registers), X(shared_static_bytes), X(shared_dynamic_bytes), X(local_bytes), \
        X(grid_blocks), X(block_threads), X(cluster_blocks), X(occupancy_theoretical)

#define FACT(field)                                     \
    {                                                   \
#field, offsetof(struct sg_launch_facts, field) \
    }
#define COMPILED(from, to) FACT(to)
static const struct {
    const char *key;
    size_t offset;
} table[] = {LAUNCH_FACTS(FACT), COMPILED_FACTS(COMPILED)};

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

static void set_all(struct sg_launch_facts *facts, double value)
{
#define SET(from, to) facts->to = value
    COMPILED_FACTS(SET);
#undef SET
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
#define ADD(from, to) facts->to += kernel->from < 0 ? NAN : kernel->from
    COMPILED_FACTS(ADD);
#undef ADD
    add_codes(facts, kernel->notes);
}
