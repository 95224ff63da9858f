#include "worker/marks.h"

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>

void sg_mark(enum sg_mark level, const char *name)
{
    static nvtxDomainHandle_t domain;
    static unsigned open;
    if (!domain)
        domain = nvtxDomainCreateA("solgate");
    if (!domain)
        return;
    for (; open > level; open--)
        nvtxDomainRangePop(domain);
    if (!name)
        return;
    const nvtxEventAttributes_t range = {.version = NVTX_VERSION,
                                         .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                                         .messageType = NVTX_MESSAGE_TYPE_ASCII,
                                         .message = {.ascii = name}};
    nvtxDomainRangePushEx(domain, &range);
    open++;
}

#else /* toolkits installed in parts */

void sg_mark(enum sg_mark level, const char *name)
{
    (void)level;
    (void)name;
}

#endif
