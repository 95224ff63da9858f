/* Launch facts by the names that metrics.ini gives them (catalogue.h). */
#include <stddef.h>
#include <string.h>

#include "catalogue.h"
#include "device.h"

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
