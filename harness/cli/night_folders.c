#include "cli/night_folders.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd_history.h"
#include "util/file.h"
#include "util/paths.h"

enum sg_code sg_night_hold(const char *folder, int *lock, struct sg_err *err)
{
    return sg_make_folders(folder, err) == SG_SUCCESS
               ? sg_lock(folder, O_DIRECTORY,
                         "another nightly run is under way: a process has locked this folder", lock,
                         err)
               : err->code;
}

enum sg_code sg_night_folder(const char *out, const char *measured, struct sg_text *folder,
                             struct sg_err *err)
{
    SG_SCOPED(sg_text) before = {0};
    const char *slash = measured ? strrchr(measured, '/') : NULL;
    sg_text_addf(&before, "%s/", out);
    if (!measured)
        return sg_make_dated_folder(before.data, folder, err);
    sg_text_addf(folder, "%.*s", slash ? (int)(slash - measured) : 1, slash ? measured : ".");
    return SG_SUCCESS;
}

char *sg_night_suite_name(const char *suite)
{
    const char *slash = strrchr(suite, '/');
    char *name = sg_copy_string(slash ? slash + 1 : suite), *ending = strstr(name, ".suite");
    if (ending && ending > name && strcmp(ending, ".suite") == 0)
        *ending = '\0';
    return name;
}

const char *sg_night_history(const char *given)
{
    const char *set = getenv(SG_HISTORY_VARIABLE), *folder = given ? given : sg_history_folder();
    return given || (set && *set) || sg_is_folder(folder) ? folder : NULL;
}
