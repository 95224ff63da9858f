/*
 * Facts of a variant that need no measurement: its own facts about a case (struct sg_fact of
 * kernels/solgate_kernel.h), its knobs, its identity, and the note of its preparation.
 *
 * Invariant: facts of a variant are not trusted: none is reported that could be mistaken for a
 * measured number.
 */
#include "worker/session.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue/catalogue.h"
#include "device/gate_host.h"
#include "plan/built_difference.h"
#include "results/error_signature.h"
#include "results/identity.h"
#include "results/row_kind.h"
#include "results/terms.h"
#include "worker/read_files.h"

static size_t ask(const struct sg_target *target, struct sg_fact facts[SG_MAX_FACTS])
{
    const struct sg_variant *variant = target->variant->variant;
    return variant->facts ? variant->facts(target->c, target->knob, facts) : 0;
}

static bool is_twice(const struct sg_fact *facts, size_t index)
{
    return SG_FIND(facts, index, metric, facts[index].metric) != NULL;
}

/* True for names that a fact may not have: rows of words; `kernels`, which this pass may report;
 * work, which sets the limit of the case; terms, which the check uses. */
static bool is_taken(const char *metric)
{
    static const char *const taken[] = {"status",
                                        "role",
                                        "shape",
                                        "expect",
                                        "note",
                                        "kernels",
                                        SG_SIGNATURE_METRIC,
                                        SG_WAIVER_METRIC,
                                        SG_IDENTITY_METRIC,
                                        SG_HOST_BOUND_METRIC,
                                        SG_GUESSED_METRIC};
    for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
        if (strcmp(metric, taken[i]) == 0)
            return true;
    return strncmp(metric, SG_KNOB_PREFIX, strlen(SG_KNOB_PREFIX)) == 0 ||
           strncmp(metric, "work_", 5) == 0 ||
           strncmp(metric, SG_TERM_PREFIX, strlen(SG_TERM_PREFIX)) == 0;
}

/* Describes the error in a fact; NULL: none. */
static const char *complaint(const struct sg_catalogue *catalogue, const struct sg_fact *facts,
                             size_t index)
{
    const struct sg_fact *fact = &facts[index];
    if (!fact->metric || !sg_is_name(fact->metric))
        return "a metric of [a-z0-9_]+";
    const struct sg_metric *metric = sg_catalogue_find(catalogue, fact->metric);
    if (is_taken(fact->metric) || (metric && !metric->source->of_code))
        return "a metric that is not measured (from = build in metrics.ini, or none of its "
               "sections)";
    if (!fact->unit || !sg_is_unit(fact->unit))
        return "a unit of metrics.ini";
    if (metric && strcmp(metric->unit, fact->unit) != 0)
        return "the unit that metrics.ini gives the metric";
    if (!(isfinite(fact->value) && fact->value >= 0))
        return "a number, 0 or more";
    if (strcmp(fact->metric, SG_DENSITY_METRIC) == 0 && !(fact->value > 0 && fact->value <= 1))
        return "a density over 0 and at most 1";
    return is_twice(facts, index) ? "each metric once" : NULL;
}

static const char *shown(const char *string)
{
    return string ? string : "(null)";
}

static enum sg_code check(const struct sg_target *target, const struct sg_catalogue *catalogue,
                          struct sg_err *err)
{
    struct sg_fact facts[SG_MAX_FACTS];
    const size_t count = ask(target, facts);
    SG_FORMATTED(where, "%s/%s/%s", SG_TARGET_NAMES(target));
    if (count > SG_MAX_FACTS)
        sg_fail(err, SG_BAD_INPUT, where.data, "expected at most %d facts, found %zu", SG_MAX_FACTS,
                count);
    for (size_t i = 0; i < count && err->code == SG_SUCCESS; i++) {
        const char *expected = complaint(catalogue, facts, i);
        if (expected)
            sg_fail(err, SG_BAD_INPUT, where.data, "fact %zu: expected %s, found %s = %g %s", i,
                    expected, shown(facts[i].metric), facts[i].value, shown(facts[i].unit));
    }
    return err->code;
}

enum sg_code sg_variant_facts_check(const struct sg_target *target, struct sg_err *err)
{
    struct sg_catalogue catalogue = {0};
    if (!target->variant->variant->facts)
        return SG_SUCCESS;
    if (sg_catalogue_load(&catalogue, err) == SG_SUCCESS)
        check(target, &catalogue, err);
    return err->code;
}

static void emit_knobs(struct sg_emitter *emitter, const struct sg_target *target)
{
    const struct sg_variant *variant = target->variant->variant;
    for (size_t i = 0; i < variant->knob_count; i++) {
        SG_FORMATTED(metric, SG_KNOB_PREFIX "%s", variant->knobs[i].name);
        sg_emit_value(
            emitter, target,
            &(struct sg_value){.metric = metric.data,
                               .unit = "1",
                               .value = (double)target->knob[i],
                               .message = target->knob[i] == 0 ? "the variant's default" : "",
                               .has = SG_HAS_VALUE,
                               .status = SG_OK});
    }
}

void sg_variant_facts_emit(struct sg_emitter *emitter, const struct sg_target *target,
                           const struct sg_runnable *runnable)
{
    struct sg_fact facts[SG_MAX_FACTS];
    const size_t count = ask(target, facts);
    for (size_t i = 0; i < count; i++)
        sg_emit_value(emitter, target,
                      &(struct sg_value){.metric = facts[i].metric,
                                         .unit = facts[i].unit,
                                         .value = facts[i].value,
                                         .message = facts[i].message,
                                         .has = SG_HAS_VALUE,
                                         .status = SG_OK});
    emit_knobs(emitter, target);
    if (runnable->note.text[0])
        sg_emit_word(emitter, target, "note", runnable->note.text);
}

/* Adds the code of the module and the code that it loaded into the device. Without a file the code
 * is unknown. */
static enum sg_code add_code(const struct sg_target *target, const struct sg_built_module *module,
                             struct sg_device *device, struct sg_digest *code, struct sg_err *err)
{
    const char *commit = target->module->commit;
    if (!module->path)
        return sg_fail(err, SG_INVALID, NULL, "its module is not a file");
    if (sg_gate_host)
        return sg_fail(err, SG_INVALID, NULL, SG_OF_A_PROGRAM);
    if (module->digest && sg_is_digest(module->digest))
        code->state = strtoull(module->digest, NULL, 16);
    else
        sg_built_digest(module->path, commit ? commit : "", code, err);
    if (err->code == SG_SUCCESS && device->ops->add_code)
        device->ops->add_code(device, code, err);
    return err->code;
}

void sg_variant_identity_add(const struct sg_target *target, const struct sg_built_module *module,
                             struct sg_device *device, struct sg_text *out)
{
    SG_SCOPED(sg_text) knobs = {0}, files = {0};
    struct sg_digest code = SG_DIGEST_EMPTY;
    struct sg_err err = {0};
    for (size_t i = 0; i < target->variant->variant->knob_count; i++)
        sg_text_addf(&knobs, "%s%s=%" PRId64, i ? " " : "", target->variant->variant->knobs[i].name,
                     target->knob[i]);
    const bool is_known = add_code(target, module, device, &code, &err) == SG_SUCCESS &&
                          sg_reads_add(module->path, &files);
    sg_identity_add(out, &(struct sg_identity){.code = sg_digest_word(&code).text,
                                               .knobs = sg_text_string(&knobs),
                                               .files = sg_text_string(&files),
                                               .unknown = is_known   ? NULL
                                                          : err.code ? err.message
                                                                     : sg_text_string(&files)});
}
