#include "util/version.h"

#include "solgate_commit.h"

const char *sg_version(void)
{
    return SOLGATE_VERSION;
}

const char *sg_commit(void)
{
    return SOLGATE_COMMIT;
}
