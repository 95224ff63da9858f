#include "cli/judged_run.h"

#include <string.h>

#include "compare/sick_gpu.h"
#include "results/parts.h"
#include "results/run_reader.h"
#include "results/shards.h"

/* A run that cannot be compared may still have variants that are not as declared, which must be
 * reported. */
static void check_declared(const char *path, struct sg_err *err)
{
    SG_SCOPED(sg_run) run = {0};
    if (sg_run_read(path, &run, SG_IGNORED) == SG_SUCCESS)
        sg_check_declared(&run.table, path, err);
}

enum sg_code sg_judge_against(const struct sg_judge_request *request,
                              const struct sg_accepted_file *accepted, struct sg_judged_run *judged,
                              struct sg_err *err)
{
    const struct sg_compare_input sides = {
        .run = &judged->against.run.table,
        .run_env = &judged->against.run.env,
        .refusals = &judged->refusals,
        .filters = request->filters,
        .accepted = accepted,
        .catalogue = request->catalogue,
        .night = request->night,
        .gates_imports = request->sides.results && request->sides.results->gates,
    };
    return sg_compare(&sides, &judged->comparison, err);
}

/* Compares the GPUs of the run with those of the accepted numbers. */
static enum sg_code judge_gpus(struct sg_judged_run *judged, struct sg_err *err)
{
    const struct sg_run *run = &judged->against.run;
    SG_SCOPED(sg_units) now = {0}, accepted = {0};
    if (sg_units_of_run(run->folder, &run->env, &now, err) != SG_SUCCESS)
        return err->code;
    sg_units_of_facts(&judged->against.baseline.env, &accepted);
    for (size_t i = 0; i < accepted.count; i++)
        if (!sg_units_find(&now, accepted.items[i].name))
            sg_units_join(&now, &accepted.items[i]);
    SG_FREED struct sg_unit_health *gpus = sg_alloc(now.count, sizeof(*gpus));
    const size_t n = sg_unit_health_of(now.items, now.count, gpus);
    sg_sick_gpu_judge(&judged->comparison, &run->table, &run->env, gpus, n);
    return err->code;
}

static enum sg_code judge(const struct sg_judge_request *request, struct sg_judged_run *judged,
                          struct sg_err *err)
{
    struct sg_against *against = &judged->against;
    if (sg_against_load(&request->sides, request->catalogue, against, err) != SG_SUCCESS)
        return err->code;
    sg_table_add_raw_counters(&against->run.table, request->catalogue);
    if (sg_refusals_make(&against->run.table, &against->run.env, NULL, &judged->refusals, err) !=
        SG_SUCCESS)
        return err->code;
    if (sg_judge_against(request, &against->baseline, judged, err) == SG_SUCCESS)
        judge_gpus(judged, err);
    return err->code;
}

enum sg_code sg_judge_run(const struct sg_judge_request *request, struct sg_judged_run *judged,
                          struct sg_err *err)
{
    *judged = (struct sg_judged_run){.comparison = {.count = 0}};
    if (judge(request, judged, err) != SG_SUCCESS)
        *judged = (struct sg_judged_run){.comparison = {.count = 0}};
    if (err->code == SG_NOT_COMPARABLE)
        check_declared(request->sides.run, err);
    return err->code;
}

enum sg_code sg_print_side_by_side(const struct sg_judge_request *request, const char *spec,
                                   size_t top, const struct sg_format *format, struct sg_err *err)
{
    struct sg_against sides;
    struct sg_document document = {.name = "gap"};
    struct sg_sol_table gaps[2] = {0};
    struct sg_against_sides unjudged = request->sides;
    unjudged.unjudged = true;
    if (sg_against_load(&unjudged, request->catalogue, &sides, err) != SG_SUCCESS)
        return err->code;
    const struct sg_table *const tables[] = {&sides.baseline.table, &sides.run.table};
    const struct sg_env *const envs[] = {&sides.baseline.env, &sides.run.env};
    const char *const paths[] = {sides.baseline.path, sides.run.folder};
    for (int s = 0; s < 2; s++) {
        if (sg_filters_check_table(request->filters, tables[s], paths[s], err) != SG_SUCCESS ||
            sg_sol_table_make(tables[s], envs[s], spec, true, &gaps[s], err) != SG_SUCCESS)
            return err->code;
        gaps[s].path = paths[s];
        sg_sol_table_keep(&gaps[s], request->filters);
    }
    sg_document_of_two(&document, gaps, top);
    sg_print_document(&document, format, err);
    for (int s = 0; s < 2; s++)
        sg_refusals_check(&gaps[s].refusals, gaps[s].path, err);
    return err->code;
}

struct sg_report_input sg_judged_report(const struct sg_judged_run *judged,
                                        const struct sg_judge_request *request)
{
    return (struct sg_report_input){
        .path = request->sides.results && !sg_env_get(&judged->against.run.env, SG_DIGEST_KEY)
                    ? NULL /* files: no run that another command could read */
                    : request->sides.run,
        .lacks_samples = !sg_run_has_samples(judged->against.run.folder),
        .comparison = &judged->comparison,
        .run = &judged->against.run.table,
        .accepted = &judged->against.baseline,
        .catalogue = request->catalogue,
        .gpu = sg_diagnosed_gpu_of(&judged->against.run.env),
        .env = &judged->against.run.env,
        .note = judged->refusals.unjudged,
        .events = sg_env_get(&judged->against.run.env, "events"),
        .filters = request->filters,
        .options = {.inconclusive_fails = true},
    };
}

enum sg_code sg_check_whole_run(const char *run, const char *suite, struct sg_err *err)
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
