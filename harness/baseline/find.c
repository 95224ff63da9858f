#include "baseline/find.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "results/accepted_file.h"
#include "results/accepted_place.h"
#include "util/paths.h"

enum sg_code sg_accepted_files(struct sg_names *paths, struct sg_err *err)
{
    SG_SCOPED(sg_names) roots = {0};
    sg_accepted_places(&roots, err);
    for (size_t i = 0; i < roots.count && err->code == SG_SUCCESS && paths->count == 0; i++) {
        SG_SCOPED(sg_names) names = {0};
        if (sg_is_folder(roots.items[i]))
            sg_list_files(roots.items[i], ".csv", &names, err);
        for (size_t k = 0; k < names.count; k++)
            sg_names_addf(paths, "%s/%s", roots.items[i], names.items[k]);
    }
    return err->code;
}

size_t sg_count_names(const char *path)
{
    char *names = sg_copy_string(path);
    char *rest = names;
    size_t count = 0;
    bool valid = true;
    for (const char *name; (name = strsep(&rest, "/")) != NULL; count++)
        valid &= sg_is_name(name);
    free(names);
    return valid ? count : 0;
}

static enum sg_code fail_unknown(const char *name, const char *suite, const char *path,
                                 struct sg_err *err)
{
    SG_SCOPED(sg_names) paths = {0}, known = {0};
    sg_accepted_files(&paths, SG_IGNORED);
    for (size_t i = 0; i < paths.count; i++) {
        const char *file = strrchr(paths.items[i], '/') + 1;
        sg_names_addf(&known, "%.*s", (int)(strlen(file) - strlen(".csv")), file);
    }
    return sg_fail(err, SG_BAD_INPUT, path,
                   "no accepted numbers are called %s%s; `solgate accepted show` lists them", name,
                   sg_names_hint(&known, suite).text);
}

/* Otherwise nothing would be shown or verified of a misspelled GPU, and that would pass. */
static enum sg_code check_gpu(const char *path, const char *gpu, struct sg_err *err)
{
    struct sg_accepted_suite suite = {.path = NULL};
    SG_SCOPED(sg_text) known = {0};
    if (!*gpu || sg_accepted_suite_read(path, &suite, err) != SG_SUCCESS ||
        sg_accepted_suite_find(&suite, gpu))
        return err->code;
    for (size_t i = 0; i < suite.count; i++)
        sg_text_addf(&known, "%s%s", i > 0 ? ", " : "", suite.items[i].gpu);
    return sg_fail(err, SG_BAD_INPUT, path, "expected numbers of a GPU %s, found those of %s", gpu,
                   known.length > 0 ? known.data : "none");
}

enum sg_code sg_accepted_path(const char *name, struct sg_text *path, struct sg_text *gpu,
                              struct sg_err *err)
{
    const char *slash = strrchr(name, '/'), *suite = slash ? slash + 1 : name;
    if (sg_ends_in(name, ".csv")) {
        sg_text_add(path, name);
        return SG_SUCCESS;
    }
    const size_t names = sg_count_names(name);
    if (names != 1 && names != 2)
        return sg_fail(err, SG_BAD_USAGE, name,
                       "expected a file that ends in .csv, a suite, or GPU/SUITE such as "
                       "h200/smoke");
    SG_SCOPED(sg_names) roots = {0};
    bool found = false;
    sg_accepted_places(&roots, err);
    for (size_t i = 0; i < roots.count && !found; i++) {
        sg_text_release(path);
        sg_text_addf(path, "%s/%s.csv", roots.items[i], suite);
        found = access(path->data, F_OK) == 0;
    }
    sg_text_add_bytes(gpu, name, slash ? (size_t)(slash - name) : 0);
    if (err->code != SG_SUCCESS)
        return err->code;
    return found ? check_gpu(path->data, sg_text_string(gpu), err)
                 : fail_unknown(name, suite, path->data, err);
}
