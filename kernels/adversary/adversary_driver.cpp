#include "adversary_driver.h"

#include <stdio.h>

static void *find(const char *name, unsigned version, struct sg_reason *why)
{
    void *found = nullptr;
    enum cudaDriverEntryPointQueryResult result;
    const cudaError_t error = cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &result);
    if (error == cudaSuccess && result == cudaDriverEntryPointSuccess)
        return found;
    snprintf(why->text, sizeof(why->text), "the driver has no %s (%s, %d)", name, cudaGetErrorName(error), (int)result);
    return nullptr;
}

enum sg_status adversary_find_driver(struct adversary_driver *driver, struct sg_reason *why)
{
#define X(field, name, version, arguments)                             \
    driver->field = (decltype(driver->field))find(name, version, why); \
    if (!driver->field)                                                \
        return SG_UNAVAILABLE;
    ADVERSARY_DRIVER_TABLE(X)
#undef X
    return SG_OK;
}
