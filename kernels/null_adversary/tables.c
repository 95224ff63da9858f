#include "tables.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "process_words.h"

static bool unlock(void *object, size_t bytes)
{
    const uintptr_t in_page = (uintptr_t)object % (uintptr_t)sysconf(_SC_PAGESIZE);
    return mprotect((char *)object - in_page, in_page + bytes, PROT_READ | PROT_WRITE) == 0;
}

void tables_write(const void *object, const void *with, size_t bytes)
{
    void *to = (void *)object;
    if (process_has_word("--pass=time") && unlock(to, bytes))
        memcpy(to, with, bytes);
}

const struct sg_variant *tables_variant(const char *name)
{
    const struct sg_module *module = solgate_module();
    for (size_t i = 0; i < module->variant_count; i++)
        if (strcmp(module->variants[i].name, name) == 0)
            return module->variants[i].variant;
    return NULL;
}
