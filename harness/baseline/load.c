#include "baseline/load.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "baseline/accept.h"
#include "compare/compare.h"
#include "results/accepted_place.h"
#include "results/env.h"
#include "util/paths.h"

/* The files of the numbers that a run is compared with. */
struct numbers {
    /* owned; model: file whose rows are added to those of `path`; empty: none */
    struct sg_text path, model;
    bool is_found; /* false: path is where the file would be */
};

static void numbers_release(struct numbers *numbers)
{
    sg_text_release(&numbers->path);
    sg_text_release(&numbers->model);
}

static bool names_run(const char *path)
{
    const char *slash = strrchr(path, '/');
    return sg_is_folder(path) || strcmp(slash ? slash + 1 : path, "run.csv") == 0;
}

static enum sg_code read_accepted(const char *path, struct sg_accepted_file *baseline,
                                  struct sg_err *err)
{
    return sg_accepted_file_read(path, baseline, err) == SG_SUCCESS
               ? sg_accepted_file_check_seal(baseline, err)
               : err->code;
}

static void add_model(const char *path, struct sg_accepted_file *baseline, struct sg_err *err)
{
    SG_SCOPED(sg_accepted_file) model = {0};
    struct sg_err other = {0};
    if (read_accepted(path, &model, err) == SG_SUCCESS &&
        /* Numbers of another driver may be left out if the GPU's own file has all items.
         * Otherwise the comparison names the difference. */
        (sg_check_comparable(&baseline->env, &model.env, path, &other) == SG_SUCCESS ||
         sg_accepted_file_lacks_items(baseline, &model)))
        sg_accepted_file_add_model(baseline, &model);
}

static enum sg_code read_numbers(const struct numbers *from, struct sg_accepted_file *baseline,
                                 struct sg_err *err)
{
    if (read_accepted(from->path.data, baseline, err) == SG_SUCCESS && from->model.length > 0)
        add_model(from->model.data, baseline, err);
    return err->code;
}

static enum sg_code read_run(const char *path, const struct sg_catalogue *catalogue,
                             struct sg_accepted_file *baseline, struct sg_err *err)
{
    SG_SCOPED(sg_run) run = {0};
    SG_SCOPED(sg_refusals) refusals = {0};
    if (sg_run_read(path, &run, err) == SG_SUCCESS &&
        sg_refusals_make(&run.table, &run.env, NULL, &refusals, err) == SG_SUCCESS &&
        sg_refusals_check(&refusals, path, err) == SG_SUCCESS)
        sg_accepted_from_run(&run, catalogue, baseline, err);
    return err->code;
}

/* Appends FOLDER/<value>/... for these keys, and `.csv`. Refuses a value that is not a name. */
static enum sg_code add_place(const struct sg_env *env, const char *folder, const char *const *keys,
                              const char *where, struct sg_text *path, struct sg_err *err)
{
    SG_SCOPED(sg_text) place = {0};
    sg_text_add(&place, folder);
    for (size_t i = 0; keys[i] && err->code == SG_SUCCESS; i++) {
        const char *value = sg_env_get(env, keys[i]), *found = value ? value : "";
        if (sg_is_name(found))
            sg_text_addf(&place, "/%s", found);
        else if (env->path)
            sg_env_fail(err, env, keys[i], "expected a name of [a-z0-9_], found '%s'", found);
        else
            sg_fail(err, SG_BAD_INPUT, where, "%s: expected a name of [a-z0-9_], found '%s'",
                    keys[i], found);
    }
    if (err->code == SG_SUCCESS)
        sg_text_addf(path, "%s.csv", place.data);
    return err->code;
}

enum sg_code sg_accepted_path_of_model(const struct sg_env *env, const char *folder,
                                       const char *where, struct sg_text *path, struct sg_err *err)
{
    return add_place(env, folder, (const char *const[]){"gpu", "suite", NULL}, where, path, err);
}

enum sg_code sg_accepted_path_of_gpu(const struct sg_env *env, const char *folder,
                                     const char *where, struct sg_text *path, struct sg_err *err)
{
    return add_place(env, folder, (const char *const[]){"gpu", "gpu_uuid_hash", "suite", NULL},
                     where, path, err);
}

/* Runs of gates and sweeps are not accepted, so the message gives no hint how to accept them. */
static enum sg_code check_kind(const struct sg_env *env, const char *where, struct sg_err *err)
{
    const char *command = sg_env_get(env, "command"), *stage = sg_env_get(env, SG_SWEEP_KEY);
    if (sg_run_is_gate(env))
        return sg_fail(err, SG_NOT_COMPARABLE, where,
                       "a run of `solgate ab` has no accepted numbers: `solgate %s --out=%s "
                       "--resume` prints its verdict again without measuring, `solgate compare %s "
                       "OTHER` compares it with another run",
                       command ? command : "ab BASELINE CANDIDATE", where, where);
    if (!stage)
        return SG_SUCCESS;
    SG_SCOPED(sg_text) word = {0};
    sg_text_add_word(&word, where);
    sg_fail(
        err, SG_NOT_COMPARABLE, where,
        "the stage %s of a sweep has no accepted numbers: `solgate compare %s %s "
        "--explain` shows its configurations against "
        "the variant's default; runs with the knobs that the sweep found can be accepted: solgate "
        "run SUITE --config=FILE",
        stage, word.data, word.data);
    return err->code;
}

/* Looks in one folder. Numbers of this card take precedence; numbers of its model are added. */
static enum sg_code find_in_folder(const char *folder, const struct sg_env *env, const char *where,
                                   struct numbers *numbers, struct sg_err *err)
{
    SG_SCOPED(sg_text) unit = {0}, model = {0};
    struct sg_err no_unit = {0};
    const bool has_unit =
        sg_accepted_path_of_gpu(env, folder, where, &unit, &no_unit) == SG_SUCCESS &&
        sg_accepted_file_is_there(unit.data);
    if (sg_accepted_path_of_model(env, folder, where, &model, err) == SG_SUCCESS) {
        const bool has_model = sg_accepted_file_is_there(model.data);
        numbers_release(numbers);
        sg_text_add(&numbers->path, has_unit ? unit.data : model.data);
        sg_text_add(&numbers->model, has_unit && has_model ? model.data : "");
        numbers->is_found = has_unit || has_model;
    }
    return err->code;
}

/* Finds the first folder with numbers. Gates and stages of a sweep are not compared with any. */
static enum sg_code find_numbers(const struct sg_env *env, const char *where,
                                 struct numbers *numbers, struct sg_err *err)
{
    SG_SCOPED(sg_names) folders = {0};
    SG_SCOPED(sg_text) new_one = {0};
    if (check_kind(env, where, err) == SG_SUCCESS &&
        sg_accepted_places(&folders, err) == SG_SUCCESS)
        sg_accepted_place_new(&new_one, err);
    for (size_t i = 0; i < folders.count && !numbers->is_found && err->code == SG_SUCCESS; i++)
        find_in_folder(folders.items[i], env, where, numbers, err);
    if (!numbers->is_found && err->code == SG_SUCCESS)
        find_in_folder(new_one.data, env, where, numbers, err);
    return err->code;
}

/* Returns true for a file, a folder, or accepted numbers with at least one file; the reader
 * reports missing files. */
static bool is_there(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 || sg_accepted_file_is_there(path);
}

/* A file that the user names must exist. Unnamed numbers are missing until some are accepted. */
static enum sg_code check_there(const char *path, const char *run, const struct sg_env *env,
                                bool named, struct sg_err *err)
{
    if (is_there(path))
        return SG_SUCCESS;
    if (named)
        return sg_fail(
            err, SG_BAD_INPUT, path,
            "expected a file of accepted numbers, the folder of a run, or its run.csv: %s",
            strerror(errno));
    const int reason = errno;
    if (sg_env_is_quoted(env))
        return sg_fail(err, SG_NOT_COMPARABLE, path,
                       "no accepted numbers yet, and quoted times cannot be accepted: `solgate "
                       "compare RUN OTHER` compares two runs "
                       "of them");
    SG_SCOPED(sg_text) word = {0}, options = {0};
    sg_text_add_word(&word, run);
    sg_env_add_modules(env, &options);
    sg_accepted_place_add_option(&options);
    sg_fail(err, SG_NOT_COMPARABLE, path,
            "no accepted numbers yet%s%s; `solgate accept %s%s` makes them, `solgate "
            "compare %s %s --explain` shows without them what "
            "is slower than its baseline variant, and why",
            reason == ENOENT ? "" : ": ", reason == ENOENT ? "" : strerror(reason), word.data,
            sg_text_string(&options), word.data, word.data);
    return err->code;
}

enum sg_code sg_accepted_load(const struct sg_env *env, const char *where,
                              struct sg_accepted_file *accepted, struct sg_err *err)
{
    SG_SCOPED(numbers) numbers = {.is_found = false};
    if (find_numbers(env, where, &numbers, err) == SG_SUCCESS && !numbers.is_found)
        sg_fail(err, SG_NOT_COMPARABLE, numbers.path.data, "no accepted numbers yet");
    if (err->code == SG_SUCCESS)
        read_numbers(&numbers, accepted, err);
    return err->code;
}

enum sg_code sg_against_load(const char *run, const char *baseline,
                             const struct sg_catalogue *catalogue, struct sg_against *against,
                             struct sg_err *err)
{
    SG_SCOPED(sg_env) env = {0};
    SG_SCOPED(numbers) numbers = {.is_found = false};
    *against = (struct sg_against){0};
    if (baseline)
        sg_text_add(&numbers.path, baseline);
    else if (sg_run_read_env(run, &env, err) == SG_SUCCESS)
        find_numbers(&env, run, &numbers, err);
    if (err->code == SG_SUCCESS &&
        check_there(sg_text_string(&numbers.path), run, &env, baseline != NULL, err) ==
            SG_SUCCESS &&
        sg_run_read(run, &against->run, err) == SG_SUCCESS) {
        if (names_run(sg_text_string(&numbers.path)))
            read_run(numbers.path.data, catalogue, &against->baseline, err);
        else
            read_numbers(&numbers, &against->baseline, err);
    }
    if (err->code == SG_SUCCESS)
        sg_pair_kernels(&against->run.table, &against->baseline, err);
    if (err->code != SG_SUCCESS)
        sg_against_release(against);
    return err->code;
}

enum sg_code sg_against_find(const char *run, bool *found, struct sg_err *err)
{
    SG_SCOPED(sg_env) env = {0};
    SG_SCOPED(numbers) numbers = {.is_found = false};
    if (sg_run_read_env(run, &env, err) == SG_SUCCESS)
        find_numbers(&env, run, &numbers, err);
    *found = numbers.is_found;
    return err->code;
}

void sg_against_release(struct sg_against *against)
{
    sg_run_release(&against->run);
    sg_accepted_file_release(&against->baseline);
    *against = (struct sg_against){0};
}
