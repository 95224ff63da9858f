/* family_module.h - the module of a family as the worker loads it. It lies in ../bin beside the folder of the test. */
#ifndef FAMILY_MODULE_H
#define FAMILY_MODULE_H

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include "solgate_kernel.h"
#include "text.h"

#define FAMILY_MODULE_SKIPPED 77 /* what a test leaves with where the module is not built */

/* NULL: dlerror() says why. It stays loaded. */
static inline const struct sg_module *family_module(const char *family)
{
    char self[4096];
    struct sg_text path = {0};
    const struct sg_module *(*entry)(void) = NULL;
    const ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (length < 0)
        return NULL;
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    sg_text_addf(&path, "%s/../bin/libsg_%s.so", self, family);
    void *module = dlopen(sg_text_string(&path), RTLD_NOW | RTLD_LOCAL);
    sg_text_release(&path);
    if (module)
        *(void **)&entry = dlsym(module, SG_MODULE_SYMBOL);
    return entry ? entry() : NULL;
}

#endif
