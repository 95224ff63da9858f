/* Chooses the rows that a nightly run times, by the code identity from verification, earlier
 * nightly runs, and the machine. The choice is stored in env.csv before timing, so that a resumed
 * run keeps it. */
#include <string.h>

#include "compare/accepted_variance.h"
#include "history/judge.h"
#include "results/identity.h"
#include "results/kernel_commit.h"
#include "run/execution_internal.h"
#include "util/paths.h"
#include "util/random.h"

#define SG_DRAWN 14 /* one of this many identical rows is timed */

struct row {
    size_t index;      /* of its pair in the plan */
    size_t module;     /* equal for rows of one module */
    bool is_identical; /* same code as accepted; false if unknown */
    bool is_timed;     /* the choice */
};

struct choice {
    struct sg_execution *e;
    struct sg_history history; /* the group's history; empty if none is kept */
    struct row *rows;          /* owned; parallel to names */
    struct sg_names names;     /* owned */
};

/* ---- the rows ---- */

static void find_rows(struct choice *c)
{
    const struct sg_accepted_pairs *pairs = &c->e->plan->accepted;
    c->rows = sg_alloc(pairs->count + 1, sizeof(*c->rows));
    for (size_t i = 0; i < pairs->count; i++) {
        const struct sg_accepted_pair *pair = &pairs->items[i];
        const struct sg_step *step = &c->e->steps[pair->own];
        if (step->status != SG_OK || !step->baseline)
            continue;
        c->rows[c->names.count] = (struct row){
            .index = i,
            .module = (size_t)(step->item->family - c->e->plan->modules->families),
            .is_identical = pair->digest[0] && sg_identity_same(step->identity, pair->identity)};
        sg_names_addf(&c->names, "%s/%s/%s", SG_ITEM_NAMES(step->item));
    }
}

/* ---- earlier nightly runs ---- */

static enum sg_code load_history(struct choice *c, const char *folder, struct sg_err *err)
{
    SG_FORMATTED(group, "%s/%s", sg_env_get(&c->e->sink->env, "gpu"),
                 sg_env_get(&c->e->sink->env, "suite"));
    SG_FORMATTED(path, "%s/%s", folder, group.data);
    c->history.is_recent = true;
    if (*folder && sg_is_folder(path.data))
        sg_history_load(folder, group.data, &c->history, err);
    return err->code;
}

static const char *fact(const struct sg_env *env, const char *key)
{
    const char *value = sg_env_get(env, key);
    return value && *value ? value : "unknown";
}

/* Compares driver and CUDA version; returns the key that differs, NULL: both are equal. */
static const char *find_difference(const struct sg_env *now, const struct sg_env *before)
{
    static const char *const keys[] = {"driver", "cuda"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (strcmp(fact(now, keys[i]), fact(before, keys[i])) != 0)
            return keys[i];
    return NULL;
}

/* Did the nightly run measure on this GPU? */
static bool has_unit(const struct sg_history *history, const struct sg_night *night,
                     const char *unit)
{
    bool has = strcmp(sg_unit_of(&night->facts), unit) == 0;
    for (size_t i = night->gpu_from; i < night->gpu_to; i++)
        has |=
            history->gpus.items[i].processes > 0 && strcmp(history->gpus.items[i].name, unit) == 0;
    return has;
}

/* Returns the facts of the last nightly run in which this GPU timed rows; NULL: none. */
static const struct sg_env *find_before(const struct choice *c)
{
    const struct sg_env *accepted = &c->e->plan->accepted.env;
    const char *unit = sg_unit_of(&c->e->sink->env);
    for (size_t night = c->history.count; night-- > 0;) {
        const struct sg_night *before = &c->history.nights[night];
        if (!sg_env_get(&before->facts, SG_NIGHT_UNFIT) && has_unit(&c->history, before, unit))
            return &before->facts;
    }
    return c->history.count == 0 && sg_origin_of(accepted, unit).has_unit ? accepted : NULL;
}

/* ---- the choice ---- */

static bool is_module_changed(const struct choice *c, size_t row)
{
    for (size_t i = 0; i < c->names.count; i++)
        if (c->rows[i].module == c->rows[row].module && !c->rows[i].is_identical)
            return true;
    return false;
}

/* Times one of SG_DRAWN rows though it is identical, so that drift of the machine is noticed. Each
 * nightly run draws other rows. */
static void draw_rows(const struct choice *c)
{
    const size_t count = c->names.count;
    uint64_t state = c->e->seed + c->history.count;
    SG_FREED size_t *order = sg_alloc(count + 1, sizeof(*order));
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    sg_random_shuffle(&state, order, count);
    for (size_t i = 0; i * SG_DRAWN < count; i++)
        c->rows[order[i]].is_timed = true;
}

/* Times rows with an open finding in the history: only a new time can close the finding. */
static void take_open(const struct choice *c)
{
    struct sg_judgement judgement;
    if (c->history.count == 0)
        return;
    sg_history_judge(&c->history, &(struct sg_history_rule){.tolerance = SG_HISTORY_TOLERANCE},
                     &judgement);
    for (size_t k = 0; k < judgement.finding_count; k++) {
        const struct sg_history_finding *finding = &judgement.findings[k];
        const char *item =
            sg_intern_pool_string(c->history.pool, judgement.series[finding->series].item);
        for (size_t i = 0; i < c->names.count && (sg_verdict_row(finding->found)->bits & SG_AGAIN);
             i++)
            c->rows[i].is_timed |= strcmp(c->names.items[i], item) == 0;
    }
}

/* Sets the identical rows to time. */
static void choose(const struct choice *c, const struct sg_env *before)
{
    struct sg_env *env = &c->e->sink->env;
    SG_SCOPED(sg_text) drawn = {0};
    const bool is_other_tool = strcmp(fact(env, SG_COMMIT_KEY), fact(before, SG_COMMIT_KEY)) != 0;
    for (size_t i = 0; i < c->names.count; i++)
        c->rows[i].is_timed =
            !c->rows[i].is_identical || (is_other_tool && is_module_changed(c, i));
    draw_rows(c);
    take_open(c);
    for (size_t i = 0; i < c->names.count; i++)
        if (c->rows[i].is_timed && c->rows[i].is_identical)
            sg_text_addf(&drawn, "%s%s", drawn.length > 0 ? "+" : "", c->names.items[i]);
    sg_env_set(env, SG_CHOICE_KEY, SG_CHOICE_CHANGED);
    sg_env_set(env, SG_CHOICE_DRAWN_KEY, sg_text_string(&drawn));
}

static enum sg_code find_choice(struct choice *c, const char *folder, struct sg_err *err)
{
    struct sg_env *env = &c->e->sink->env;
    SG_SCOPED(sg_text) why = {0};
    struct sg_err unread = {0};
    const struct sg_env *before =
        load_history(c, folder, &unread) == SG_SUCCESS ? find_before(c) : NULL;
    const char *other = before ? find_difference(env, before) : NULL;
    if (other)
        sg_text_addf(&why, "%s %s, before %s", other, fact(env, other), fact(before, other));
    else if (before)
        choose(c, before);
    else if (unread.code != SG_SUCCESS)
        sg_text_addf(&why, "the history cannot be read: %s", unread.message);
    else
        sg_text_addf(&why, "the first nightly run on GPU %s", sg_unit_of(env));
    if (why.length > 0) {
        sg_env_set(env, SG_CHOICE_KEY, SG_CHOICE_ALL);
        sg_env_set(env, SG_CHOICE_WHY_KEY, why.data);
    }
    return sg_run_log_write_env(c->e->sink, err);
}

/* ---- applying the choice ---- */

/* Vendor rows do not gate, unless their family does. */
static bool decides(const struct choice *c, const struct sg_item *item)
{
    return item->variant->role != SG_VENDOR ||
           sg_fact_get(&c->e->sink->env, "gate", SG_OF(item->family->name));
}

/* Applies the choice to the steps and describes it in a line. With processes = auto, each pair gets
 * as many processes as its verdict takes. */
static void apply(const struct choice *c, const struct sg_env *env, struct sg_text *line)
{
    const bool is_all = strcmp(sg_env_word(env, SG_CHOICE_KEY), SG_CHOICE_CHANGED) != 0,
               is_fixed = c->e->plan->settings.processes != SG_PROCESSES_AUTO;
    size_t changed = 0, beside = 0, unknown = 0;
    SG_SCOPED(sg_names) names = {0};
    sg_names_add_split(&names, sg_env_word(env, SG_CHOICE_DRAWN_KEY), '+');
    for (size_t i = 0; i < c->names.count; i++) {
        const struct sg_accepted_pair *pair = &c->e->plan->accepted.items[c->rows[i].index];
        struct sg_step *own = &c->e->steps[pair->own],
                       *accepted =
                           pair->accepted == SG_NO_ITEM ? own : &c->e->steps[pair->accepted];
        const bool is_named = sg_names_have(&names, c->names.items[i]);
        accepted->skips_timing = own->skips_timing =
            c->rows[i].is_identical && !is_named && !is_all;
        accepted->most = own->most =
            is_fixed && (is_named || !decides(c, own->item)) ? SG_PROCESSES_MIN : 0;
        *(!pair->identity || !sg_identity_same(own->identity, own->identity) ? &unknown
          : is_named                                                         ? &beside
                     : &changed) += !own->skips_timing;
    }
    if (is_all)
        sg_text_addf(line, "timed: all %zu rows: %s", c->names.count,
                     sg_env_word(env, SG_CHOICE_WHY_KEY));
    else
        sg_text_addf(
            line,
            "timed: %zu of %zu rows: %zu changed, %zu selected or next to a changed one, %zu of "
            "unknown identity%s; identical, not timed: %zu",
            changed + beside + unknown, c->names.count, changed, beside, unknown,
            unknown > 0 ? " (if accepted numbers have no identity, accept a run of all rows again)"
                        : "",
            c->names.count - changed - beside - unknown);
}

enum sg_code sg_execution_choose(struct sg_execution *e, struct sg_err *err)
{
    const char *folder = sg_env_get(&e->sink->env, SG_TIMED_SINCE_KEY);
    struct choice c = {.e = e};
    if (!folder || e->plan->own_count == 0)
        return SG_SUCCESS;
    find_rows(&c);
    if (!sg_env_get(&e->sink->env, SG_CHOICE_KEY))
        find_choice(&c, folder, err);
    apply(&c, &e->sink->env, &e->choice);
    sg_progress_print(&e->progress, "%s", e->choice.data);
    return err->code;
}
