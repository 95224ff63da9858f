#include "results/accepted_place.h"

#include <stdlib.h>

#include "util/paths.h"

/* The value of an environment variable; NULL: unset or empty. */
static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

enum sg_code sg_accepted_places(struct sg_names *folders, struct sg_err *err)
{
    const char *given = variable(SG_BASELINES_VARIABLE);
    SG_SCOPED(sg_text) own = {0};
    if (given) {
        sg_names_add(folders, given);
        return SG_SUCCESS;
    }
    const bool has_here = !variable(SG_HOME_VARIABLE) && sg_is_folder(SG_BASELINES_FOLDER);
    if (has_here)
        sg_names_add(folders, SG_BASELINES_FOLDER);
    if (sg_path_in_home(&own, SG_BASELINES_FOLDER, err) == SG_SUCCESS &&
        !(has_here && sg_is_same_file(SG_BASELINES_FOLDER, own.data)))
        sg_names_add(folders, own.data);
    return err->code;
}

enum sg_code sg_accepted_place_new(struct sg_text *folder, struct sg_err *err)
{
    const char *given = variable(SG_BASELINES_VARIABLE);
    if (!given && variable(SG_HOME_VARIABLE))
        return sg_path_in_home(folder, SG_BASELINES_FOLDER, err);
    sg_text_add(folder, given ? given : SG_BASELINES_FOLDER);
    return SG_SUCCESS;
}

static void add_option(const char *option, const char *name, struct sg_text *out)
{
    const char *given = variable(name);
    if (given)
        sg_text_add_option(out, option, given);
}

void sg_accepted_place_add_option(struct sg_text *out)
{
    add_option("baselines", SG_BASELINES_VARIABLE, out);
}

void sg_accepted_place_add_options(struct sg_text *out)
{
    sg_accepted_place_add_option(out);
    add_option("builds", SG_BUILDS_VARIABLE, out);
}

void sg_add_accept(struct sg_text *out, const char *run, const struct sg_env *env)
{
    sg_text_add(out, "solgate accept ");
    sg_text_add_word(out, run);
    sg_env_add_modules(env, out);
    sg_accepted_place_add_options(out);
}
