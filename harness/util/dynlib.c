#define _GNU_SOURCE /* for dlinfo */
#include "util/dynlib.h"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/paths.h"

static const char *const folders[] = {"lib64", "extras/CUPTI/lib64", "lib",
                                      "targets/x86_64-linux/lib"};

const char *sg_toolkit_place(size_t index)
{
    const char *const places[SG_TOOLKIT_PLACES] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"),
                                                   "/usr/local/cuda"};
    return places[index];
}

/* Folders with libraries of a Python environment, relative to share/solgate: of a virtual
 * environment, and of `pip install --target`. */
static const char *const python_folders[] = {"../../lib/python3*/site-packages/nvidia/*/lib",
                                             "../../lib/python3*/dist-packages/nvidia/*/lib",
                                             "../../nvidia/*/lib"};

static void add_escaped(struct sg_text *pattern, const char *path)
{
    for (; *path; path++)
        sg_text_addf(pattern, strchr("*?[\\", *path) ? "\\%c" : "%c", *path);
}

static bool find_in_python(struct sg_text *path, const char *file_name)
{
    SG_SCOPED(sg_text) home = {0};
    bool found = false;
    if (sg_path_in_home(&home, "", SG_IGNORED) != SG_SUCCESS)
        return false;
    for (size_t i = 0; !found && i < sizeof(python_folders) / sizeof(python_folders[0]); i++) {
        SG_SCOPED(sg_text) pattern = {0};
        glob_t files;
        add_escaped(&pattern, home.data);
        sg_text_addf(&pattern, "%s/%s", python_folders[i], file_name);
        if (glob(pattern.data, 0, NULL, &files) != 0)
            continue;
        sg_text_add(path, files.gl_pathv[files.gl_pathc - 1]); /* the newest release */
        found = true;
        globfree(&files);
    }
    return found;
}

bool sg_toolkit_file(struct sg_text *path, const char *file_name)
{
    const size_t length = path->length;
    for (size_t i = 0; i < SG_TOOLKIT_PLACES; i++)
        for (size_t k = 0; k < sizeof(folders) / sizeof(folders[0]); k++) {
            const char *place = sg_toolkit_place(i);
            if (!place || place[0] != '/')
                continue;
            path->length = length;
            sg_text_addf(path, "%s/%s/%s", place, folders[k], file_name);
            if (access(path->data + length, R_OK) == 0)
                return true;
        }
    path->length = length;
    return find_in_python(path, file_name);
}

static void *open_one(const char *file_name)
{
    void *library = dlopen(file_name, RTLD_NOW | RTLD_GLOBAL);
    SG_SCOPED(sg_text) path = {0};
    return library || !sg_toolkit_file(&path, file_name)
               ? library
               : dlopen(path.data, RTLD_NOW | RTLD_GLOBAL);
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
    return sg_fail(
        err, SG_INVALID, file_names[0],
        "not found on the loader's path, below $CUDA_HOME, nor in this Python's nvidia/ (%s)",
        said);
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
