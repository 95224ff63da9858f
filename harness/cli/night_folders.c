#define _GNU_SOURCE /* memrchr */
#include "cli/night_folders.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd_history.h"
#include "results/run_reader.h"
#include "results/shards.h"
#include "util/file.h"
#include "util/paths.h"

#define LOCK_MOST_MS 2000

enum sg_code sg_night_hold(const char *folder, int *lock, struct sg_err *err)
{
    if (sg_make_folders(folder, err) != SG_SUCCESS)
        return err->code;
    *lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*lock < 0)
        return sg_fail(err, SG_SYSTEM, folder, "cannot be opened as a folder: %s", strerror(errno));
    /* The guard processes of a killed nightly run hold the folder a moment longer than the run. */
    if (sg_hold_folder(*lock, LOCK_MOST_MS))
        return SG_SUCCESS;
    return sg_fail(err, SG_BAD_USAGE, folder,
                   "another nightly run is under way: a process has locked this folder");
}

enum sg_code sg_night_folder(const char *out, const char *measured, struct sg_text *folder,
                             struct sg_err *err)
{
    SG_SCOPED(sg_text) before = {0};
    sg_text_addf(&before, "%s/", out);
    if (!measured)
        return sg_make_dated_folder(before.data, folder, err);
    size_t length = strlen(measured);
    while (length > 1 && measured[length - 1] == '/')
        length--;
    const char *slash = memrchr(measured, '/', length);
    sg_text_addf(folder, "%.*s", slash ? (int)(slash - measured) : 1, slash ? measured : ".");
    return SG_SUCCESS;
}

enum sg_code sg_night_check_run(const char *run, const char *suite, struct sg_err *err)
{
    SG_SCOPED(sg_env) env = {0};
    if (sg_run_read_env(run, &env, err) != SG_SUCCESS)
        return err->code;
    const char *found = sg_env_word(&env, "suite"), *shard = sg_env_get(&env, SG_SHARD_KEY);
    if (strcmp(found, suite) != 0)
        return sg_fail(err, SG_BAD_USAGE, run, "expected a run of suite %s, found one of suite %s",
                       suite, sg_show_string(found).text);
    if (shard)
        sg_fail(err, SG_BAD_USAGE, run,
                "expected a whole run of suite %s, found its part --shard=%s; join all parts with "
                "`solgate merge`",
                suite, sg_show_string(shard).text);
    return err->code;
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
