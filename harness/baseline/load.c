#include "baseline/load.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "baseline/accept.h"
#include "compare/compare.h"
#include "import/imported_run.h"
#include "results/accepted_place.h"
#include "results/units.h"
#include "util/paths.h"

/* The file of the numbers that a run is compared with. */
struct numbers {
    struct sg_text path;            /* owned */
    struct sg_accepted_suite suite; /* its content, if it was found by default */
    bool is_found;                  /* false: path is where the file would be */
};

static bool names_run(const char *path)
{
    const char *slash = strrchr(path, '/');
    return sg_is_folder(path) || strcmp(slash ? slash + 1 : path, "run.csv") == 0;
}

/* The numbers of the card of an env, and of its model; NULL: none. */
static struct sg_accepted_file *of_card(const struct sg_accepted_suite *suite,
                                        const struct sg_env *env)
{
    return sg_accepted_suite_find(suite, sg_env_word(env, "gpu_uuid_hash"));
}

static struct sg_accepted_file *of_model(const struct sg_accepted_suite *suite,
                                         const struct sg_env *env)
{
    return sg_accepted_suite_find(suite, sg_env_word(env, "gpu"));
}

static void add_model(struct sg_accepted_file *model, struct sg_accepted_file *baseline)
{
    /* Numbers of another driver may be left out if the GPU's own have all items. Otherwise the
     * comparison names the difference. */
    if (sg_check_comparable(&baseline->env, &model->env, model->path, SG_IGNORED) == SG_SUCCESS ||
        sg_accepted_file_lacks_items(baseline, model))
        sg_accepted_file_add_model(baseline, model);
}

/* Adds the numbers of a card for the items that it measured. */
static void add_card(const struct sg_run *run, struct sg_accepted_file *card,
                     struct sg_accepted_file *joined)
{
    const struct sg_table *table = &card->table;
    bool is_own = false;
    for (size_t i = 0; i < table->count; i++) {
        const struct sg_value value = sg_value_of(table, &table->rows[i]);
        if (i == 0 || !sg_row_same_item(&table->rows[i - 1], &table->rows[i]))
            is_own =
                strcmp(sg_unit_of_item(&run->table, &run->env, SG_NAMES(value)), card->gpu) == 0;
        if (is_own)
            sg_accepted_add_copy(joined, card, i);
    }
}

/* The numbers of the cards of a merged run: for each item those of the card that measured it. Cards
 * whose numbers cannot be compared are left out, so their items are judged by the model's. */
static struct sg_accepted_file join_cards(struct sg_accepted_suite *suite, const struct sg_run *run)
{
    struct sg_accepted_file joined = {.path = NULL};
    SG_SCOPED(sg_names) units = {0};
    struct sg_text name = {0};
    size_t cards = 0;
    bool is_whole = true;
    sg_names_add_split(&units, sg_env_word(&run->env, SG_UNITS_KEY), '+');
    for (size_t i = 0; i < suite->count; i++) {
        struct sg_accepted_file *card = &suite->items[i];
        if (!sg_names_have(&units, card->gpu) ||
            sg_check_comparable(&run->env, &card->env, card->path, SG_IGNORED) != SG_SUCCESS)
            continue;
        add_card(run, card, &joined);
        is_whole &= sg_accepted_file_is_whole(card);
        if (cards++ > 0)
            continue;
        joined.env = card->env;
        joined.path = card->path;
        sg_text_add(&name, card->gpu);
        card->env = (struct sg_env){0};
    }
    if (cards > 1)
        sg_text_addf(&name, " and %zu more", cards - 1);
    if (cards > 0 && !(is_whole && cards == units.count))
        sg_env_set(&joined.env, SG_ACCEPTED_PLAN_KEY, SG_PLAN_PARTIAL);
    joined.gpu = name.data;
    sg_accepted_sort(&joined, NULL, SG_IGNORED);
    return joined;
}

/* Takes the numbers of the card out of the suite, completed by those of its model. Without either
 * it takes the first ones: the comparison names the difference. */
static enum sg_code take_numbers(struct sg_accepted_suite *suite, const struct sg_run *run,
                                 struct sg_accepted_file *baseline, struct sg_err *err)
{
    const struct sg_env *env = &run->env;
    if (sg_accepted_suite_check_seal(suite, err) != SG_SUCCESS)
        return err->code;
    struct sg_accepted_file joined = {.path = NULL}, *card = of_card(suite, env),
                            *model = of_model(suite, env);
    if (sg_env_get(env, SG_UNITS_KEY)) {
        joined = join_cards(suite, run);
        card = joined.env.count > 0 ? &joined : NULL;
    }
    struct sg_accepted_file *first = card ? card : model ? model : suite->items;
    *baseline = *first;
    *first = (struct sg_accepted_file){0};
    if (card && model)
        add_model(model, baseline);
    return SG_SUCCESS;
}

/* Leaves `run` empty. */
static enum sg_code accept_run(struct sg_run *run, const char *path,
                               const struct sg_against_sides *sides,
                               const struct sg_catalogue *catalogue,
                               struct sg_accepted_file *baseline, struct sg_err *err)
{
    struct sg_refusals refusals = {0};
    if (sides->unjudged ||
        (sg_refusals_make(&run->table, &run->env, NULL, &refusals, err) == SG_SUCCESS &&
         sg_refusals_check(&refusals, path, err) == SG_SUCCESS))
        sg_accepted_from_run(run, catalogue, baseline, err);
    return err->code;
}

static enum sg_code read_results(const struct sg_results *results, const struct sg_names *paths,
                                 const struct sg_catalogue *catalogue, struct sg_run *run,
                                 struct sg_err *err)
{
    const char *path = paths->items[0];
    if (paths->count == 1 && names_run(path))
        sg_run_read(path, run, err);
    else if (sg_imported_run_of(paths, NULL, catalogue, run, err) == SG_SUCCESS)
        sg_env_unset(&run->env, "date"); /* the date of this command, not of the files */
    if (err->code == SG_SUCCESS && !sg_env_is_imported(&run->env) &&
        (results->gates || results->tolerance > 0))
        return sg_fail(err, SG_BAD_USAGE, path,
                       "--gate and --tolerance are for results of other tools: this run of solgate "
                       "gates by its suite's tolerance");
    if (err->code == SG_SUCCESS && results->tolerance > 0)
        sg_env_setf(&run->env, "tolerance", "%.9g", results->tolerance);
    return err->code;
}

/* A file given on both sides hides the change. */
static enum sg_code check_distinct(const struct sg_results *results, struct sg_err *err)
{
    for (size_t i = 0; results->gates && i < results->then->count; i++)
        for (size_t j = 0; j < results->now->count; j++)
            if (sg_is_same_file(results->now->items[j], results->then->items[i]))
                return sg_fail(err, SG_NOT_COMPARABLE, results->then->items[i],
                               "expected results of another start, found those of %s again",
                               results->now->items[j]);
    return SG_SUCCESS;
}

/* A file of one side that is on the other side, too, as a copy or in an imported run, by digests. A
 * side with equal files is of a tool that rounds its few numbers. */
static enum sg_code check_content(const struct sg_results *results,
                                  const struct sg_against *against, struct sg_err *err)
{
    const struct sg_env *const envs[] = {&against->run.env, &against->baseline.env};
    SG_SCOPED(sg_names) digests = {0};
    size_t now = 0, in_both = 0, in_one = 0;
    for (int s = 0; s < 2; s++) {
        const char *files = sg_env_get(envs[s], SG_CONTENTS_KEY);
        sg_names_add_split(&digests, files ? files : sg_env_word(envs[s], SG_DIGEST_KEY), '+');
        now = s == 0 ? digests.count : now;
    }
    for (size_t i = 0; i < digests.count; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(digests.items[i], digests.items[k]) == 0)
                *(i >= now && k < now ? &in_both : &in_one) += 1;
    if (results->gates && in_both > 0 && in_one == 0)
        sg_fail(err, SG_NOT_COMPARABLE, results->now->items[0],
                "expected results of other starts than %s, found the same content in %zu file%s",
                results->then->items[0], in_both, SG_PLURAL(in_both));
    return err->code;
}

/* Results of other tools, for sg_against_load. */
static enum sg_code load_results(const struct sg_against_sides *sides,
                                 const struct sg_catalogue *catalogue, struct sg_against *against,
                                 struct sg_err *err)
{
    const struct sg_results *results = sides->results;
    SG_SCOPED(sg_run) then = {0};
    if (check_distinct(results, err) == SG_SUCCESS &&
        read_results(results, results->now, catalogue, &against->run, err) == SG_SUCCESS &&
        read_results(results, results->then, catalogue, &then, err) == SG_SUCCESS &&
        accept_run(&then, results->then->items[0], sides, catalogue, &against->baseline, err) ==
            SG_SUCCESS)
        check_content(results, against, err);
    return err->code;
}

/* The value of a key, which must be a name; NULL: it is none. */
static const char *name_of(const struct sg_env *env, const char *key, const char *where,
                           struct sg_err *err)
{
    const char *found = sg_env_word(env, key);
    if (sg_is_name(found))
        return found;
    if (env->path)
        sg_env_fail(err, env, key, "expected a name of [a-z0-9_], found '%s'", found);
    else
        sg_fail(err, SG_BAD_INPUT, where, "%s: expected a name of [a-z0-9_], found '%s'", key,
                found);
    return NULL;
}

const char *sg_accepted_key(const struct sg_env *env, bool of_unit, const char *where,
                            struct sg_err *err)
{
    return name_of(env, of_unit ? "gpu_uuid_hash" : "gpu", where, err);
}

enum sg_code sg_accepted_path_of(const struct sg_env *env, const char *folder, const char *where,
                                 struct sg_text *path, struct sg_err *err)
{
    const char *suite =
        sg_accepted_key(env, false, where, err) ? name_of(env, "suite", where, err) : NULL;
    if (suite)
        sg_text_addf(path, "%s/%s.csv", folder, suite);
    return err->code;
}

/* Runs of gates and sweeps are not accepted, so the message gives no hint how to accept them. */
static enum sg_code check_kind(const struct sg_env *env, const char *where, struct sg_err *err)
{
    const char *command = sg_env_get(env, "command"), *stage = sg_env_get(env, SG_SWEEP_KEY);
    SG_SCOPED(sg_text) word = {0};
    sg_text_add_word(&word, where);
    if (sg_run_is_gate(env))
        return sg_fail(err, SG_NOT_COMPARABLE, where,
                       "a run of `solgate ab` has no accepted numbers: `solgate %s --out=%s "
                       "--resume` prints its verdict again without measuring, `solgate compare %s "
                       "OTHER` compares it with another run",
                       command ? command : "ab BASELINE CANDIDATE", word.data, word.data);
    if (!stage)
        return SG_SUCCESS;
    sg_fail(
        err, SG_NOT_COMPARABLE, where,
        "the stage %s of a sweep has no accepted numbers: `solgate compare %s %s "
        "--explain` shows its configurations against "
        "the variant's default; runs with the knobs that the sweep found can be accepted: solgate "
        "run SUITE --config=FILE",
        stage, word.data, word.data);
    return err->code;
}

static enum sg_code find_in_folder(const char *folder, const struct sg_env *env, const char *where,
                                   struct numbers *numbers, struct sg_err *err)
{
    SG_SCOPED(sg_names) units = {0}; /* none but in a merged run */
    *numbers = (struct numbers){.is_found = false};
    sg_names_add_split(&units, sg_env_word(env, SG_UNITS_KEY), '+');
    if (sg_accepted_path_of(env, folder, where, &numbers->path, err) == SG_SUCCESS &&
        access(sg_text_string(&numbers->path), F_OK) == 0 &&
        sg_accepted_suite_read(numbers->path.data, &numbers->suite, err) == SG_SUCCESS)
        numbers->is_found = of_card(&numbers->suite, env) || of_model(&numbers->suite, env);
    for (size_t i = 0; i < numbers->suite.count && !numbers->is_found; i++)
        numbers->is_found = sg_names_have(&units, numbers->suite.items[i].gpu);
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

/* Unnamed numbers may not be accepted yet. */
static enum sg_code fail_missing(const char *path, const char *run, const struct sg_env *env,
                                 struct sg_err *err)
{
    if (sg_env_is_quoted(env))
        return sg_fail(err, SG_NOT_COMPARABLE, path,
                       "no accepted numbers of %s yet, and quoted times cannot be accepted: "
                       "`solgate compare RUN OTHER` compares two runs of them",
                       sg_env_word(env, "gpu"));
    SG_SCOPED(sg_text) word = {0}, accept = {0};
    sg_text_add_word(&word, run);
    sg_add_accept(&accept, run, env);
    return sg_fail(err, SG_NOT_COMPARABLE, path,
                   "no accepted numbers of %s yet; `%s` makes them, `solgate "
                   "compare %s %s --explain` shows without them what is slower than its baseline "
                   "variant, and why",
                   sg_env_word(env, "gpu"), accept.data, word.data, word.data);
}

static enum sg_code check_there(const char *path, struct sg_err *err)
{
    if (access(path, F_OK) == 0)
        return SG_SUCCESS;
    return sg_fail(err, SG_BAD_INPUT, path,
                   "expected a file of accepted numbers, the folder of a run, or its run.csv: %s",
                   strerror(errno));
}

enum sg_code sg_accepted_load(const struct sg_env *env, const char *where,
                              struct sg_accepted_file *accepted, struct sg_err *err)
{
    struct numbers numbers = {.is_found = false};
    if (find_numbers(env, where, &numbers, err) == SG_SUCCESS && !numbers.is_found)
        sg_fail(err, SG_NOT_COMPARABLE, numbers.path.data, "no accepted numbers of %s yet",
                sg_env_word(env, "gpu"));
    if (err->code == SG_SUCCESS)
        take_numbers(&numbers.suite, &(const struct sg_run){.env = *env}, accepted, err);
    return err->code;
}

/* Finds the numbers by name, or by the run. */
static enum sg_code find_against(const char *run, const char *baseline, struct numbers *numbers,
                                 struct sg_err *err)
{
    SG_SCOPED(sg_env) env = {0};
    if (baseline) {
        sg_text_add(&numbers->path, baseline);
        return check_there(baseline, err);
    }
    if (sg_run_read_env(run, &env, err) == SG_SUCCESS &&
        find_numbers(&env, run, numbers, err) == SG_SUCCESS && !numbers->is_found)
        fail_missing(numbers->path.data, run, &env, err);
    return err->code;
}

static enum sg_code load_run(const struct sg_against_sides *sides,
                             const struct sg_catalogue *catalogue, struct sg_against *against,
                             struct sg_err *err)
{
    struct numbers numbers = {.is_found = false};
    SG_SCOPED(sg_run) then = {0};
    if (find_against(sides->run, sides->baseline, &numbers, err) != SG_SUCCESS ||
        sg_run_read(sides->run, &against->run, err) != SG_SUCCESS)
        return err->code;
    const char *path = sg_text_string(&numbers.path);
    if (!names_run(path)) {
        if (numbers.is_found || sg_accepted_suite_read(path, &numbers.suite, err) == SG_SUCCESS)
            take_numbers(&numbers.suite, &against->run, &against->baseline, err);
    } else if (sg_run_read(path, &then, err) == SG_SUCCESS) {
        accept_run(&then, path, sides, catalogue, &against->baseline, err);
    }
    return err->code;
}

enum sg_code sg_against_load(const struct sg_against_sides *sides,
                             const struct sg_catalogue *catalogue, struct sg_against *against,
                             struct sg_err *err)
{
    *against = (struct sg_against){0};
    if ((sides->results ? load_results : load_run)(sides, catalogue, against, err) == SG_SUCCESS)
        sg_pair_kernels(&against->run.table, &against->baseline, err);
    if (err->code != SG_SUCCESS)
        *against = (struct sg_against){0};
    return err->code;
}
