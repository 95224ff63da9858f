#define _GNU_SOURCE /* for dlinfo */
#include "util/dynlib.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const folders[] = {"lib64", "extras/CUPTI/lib64", "lib",
                                      "targets/x86_64-linux/lib"};

static void *open_below(const char *root, const char *file_name)
{
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        char path[1024];
        snprintf(path, sizeof(path), "%s/%s/%s", root, folders[i], file_name);
        void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
        if (library)
            return library;
    }
    return NULL;
}

const char *sg_toolkit_place(size_t index)
{
    const char *const places[SG_TOOLKIT_PLACES] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"),
                                                   "/usr/local/cuda"};
    return places[index];
}

static void *open_one(const char *file_name)
{
    void *library = dlopen(file_name, RTLD_NOW | RTLD_GLOBAL);
    for (size_t i = 0; !library && i < SG_TOOLKIT_PLACES; i++) {
        const char *place = sg_toolkit_place(i);
        if (place && place[0] == '/')
            library = open_below(place, file_name);
    }
    return library;
}

const char *sg_dynlib_path(void *library)
{
    struct link_map *map = NULL;
    return dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map ? map->l_name : "(not known)";
}

enum sg_code sg_dynlib_open(const char *const *file_names, void **library, struct sg_err *err)
{
    char said[256] = "";
    for (size_t i = 0; file_names[i]; i++) {
        *library = open_one(file_names[i]);
        if (*library)
            return SG_SUCCESS;
        const char *why = dlerror();
        if (!said[0])
            snprintf(said, sizeof(said), "%s", why ? why : "no reason given");
    }
    return sg_fail(err, SG_INVALID, file_names[0],
                   "not found on the loader's path nor below $CUDA_HOME (%s)", said);
}

enum sg_code sg_dynlib_bind(void *library, const char *library_name,
                            const struct sg_symbol *symbols, size_t count, void *table,
                            struct sg_err *err)
{
    for (size_t i = 0; i < count; i++) {
        void *function = dlsym(library, symbols[i].name);
        if (!function)
            return sg_fail(err, SG_INVALID, library_name,
                           "has no function %s: it is older than this solgate needs",
                           symbols[i].name);
        memcpy((char *)table + symbols[i].offset, &function, sizeof(function));
    }
    return SG_SUCCESS;
}

void sg_dynlib_close(void *library)
{
    if (library)
        dlclose(library);
}
