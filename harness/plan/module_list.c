#include "plan/module_list.h"

#include <string.h>

#include "process/pool.h"
#include "results/message.h"
#include "results/kernel_commit.h"
#include "stats/run_limits.h"
#include "util/paths.h"

#define LIST_PARALLEL 2

/* A module that is being listed. */
struct list_job {
    struct sg_listed_family family;
    struct sg_failure failure;
};

static enum sg_code take_family(struct list_job *job, const struct sg_message *m,
                                struct sg_err *err)
{
    if (job->family.name)
        return sg_fail(err, SG_INVALID, NULL, "a second family \"%s\"", m->name[0]);
    if (strcmp(m->device, "cuda") != 0 && strcmp(m->device, "host") != 0)
        return sg_fail(err, SG_INVALID, NULL, "expected cuda or host, found \"%s\"", m->device);
    job->family.name = sg_copy_string(m->name[0]);
    job->family.device = sg_copy_string(m->device);
    job->family.dims = sg_copy_string(m->dims);
    job->family.summary = sg_copy_string(m->summary);
    job->family.commit =
        sg_copy_string(sg_is_commit_stamp(m->commit) ? m->commit : SG_COMMIT_UNKNOWN);
    return SG_SUCCESS;
}

static enum sg_code take_case(struct list_job *job, const struct sg_message *m, struct sg_err *err)
{
    struct sg_listed_family *f = &job->family;
    if (sg_dtype_from_word(m->dtype) == SG_DTYPE_COUNT)
        return sg_fail(err, SG_INVALID, NULL, "case \"%s\": expected a number format, found \"%s\"",
                       m->name[1], sg_show_string(m->dtype).text);
    if (sg_listed_case_find(f, m->name[1]))
        return sg_fail(err, SG_INVALID, NULL, "the case \"%s\" twice", m->name[1]);
    *SG_APPEND(f->cases, f->case_count, f->case_capacity) = (struct sg_listed_case){
        .name = sg_copy_string(m->name[1]),
        .dtype = sg_copy_string(m->dtype),
        .shape = sg_copy_string(m->shape),
        .summary = sg_copy_string(m->summary),
    };
    return SG_SUCCESS;
}

static enum sg_code take_variant(struct list_job *job, const struct sg_message *m,
                                 struct sg_err *err)
{
    struct sg_listed_family *f = &job->family;
    if (sg_listed_variant_find(f, m->name[2]))
        return sg_fail(err, SG_INVALID, NULL, "the variant \"%s\" twice", m->name[2]);
    *SG_APPEND(f->variants, f->variant_count, f->variant_capacity) = (struct sg_listed_variant){
        .name = sg_copy_string(m->name[2]),
        .summary = sg_copy_string(m->summary),
        .role = m->role,
        .expect = m->status,
        .deadline_s = m->deadline_ms * 1e-3,
    };
    return SG_SUCCESS;
}

/* Parses numbers above 0, separated by blanks. */
static bool read_values(const char *text, struct sg_listed_knob *knob)
{
    SG_SCOPED(sg_names) words = {0};
    sg_names_add_split(&words, text, ' ');
    bool is_read = words.count <= SG_MAX_KNOB_VALUES;
    for (size_t i = 0; i < words.count && is_read; i++) {
        uint64_t value = 0;
        is_read = sg_parse_u64(words.items[i], &value) && value > 0 && value <= INT64_MAX;
        knob->value[knob->count++] = (int64_t)value;
    }
    return is_read;
}

/* A knob's message follows its variant's. */
static enum sg_code take_knob(struct sg_listed_family *f, const struct sg_message *m,
                              struct sg_err *err)
{
    struct sg_listed_variant *v = f->variant_count > 0 ? &f->variants[f->variant_count - 1] : NULL;
    struct sg_listed_knob knob = {.count = 0};
    if (!v || strcmp(v->name, m->name[2]) != 0 || v->knob_count == SG_MAX_KNOBS ||
        !read_values(m->values, &knob))
        return sg_fail(err, SG_INVALID, NULL,
                       "expected at most %d knobs of the variant listed last, with values above 0; "
                       "found knob \"%s\" of variant \"%s\" with values \"%s\"",
                       SG_MAX_KNOBS, m->knob, m->name[2], m->values);
    knob.name = sg_copy_string(m->knob);
    knob.summary = sg_copy_string(m->summary);
    v->knob[v->knob_count++] = knob;
    return SG_SUCCESS;
}

static enum sg_code take_message(void *context, const struct sg_message *m, struct sg_err *err)
{
    struct list_job *job = context;
    bool of_family =
        m->kind == SG_MESSAGE_CASE || m->kind == SG_MESSAGE_VARIANT || m->kind == SG_MESSAGE_KNOB;
    if (of_family && (!job->family.name || strcmp(job->family.name, m->name[0]) != 0))
        return sg_fail(err, SG_INVALID, NULL,
                       "expected cases, variants and knobs of family \"%s\", found one of \"%s\"",
                       job->family.name ? job->family.name : "(none yet)", m->name[0]);
    switch (m->kind) {
    case SG_MESSAGE_FAMILY:
        return take_family(job, m, err);
    case SG_MESSAGE_CASE:
        return take_case(job, m, err);
    case SG_MESSAGE_VARIANT:
        return take_variant(job, m, err);
    case SG_MESSAGE_KNOB:
        return take_knob(&job->family, m, err);
    case SG_MESSAGE_FAIL:
        sg_take_failure(m, &job->failure);
        return SG_SUCCESS;
    default:
        return SG_SUCCESS;
    }
}

static enum sg_code check(struct list_job *job, const struct sg_worker_job *worker,
                          const char *module, struct sg_err *err)
{
    if (job->failure.code != SG_SUCCESS)
        return sg_fail(err, job->failure.code, NULL, "%s",
                       job->failure.why); /* the message begins with the module */
    if (worker->end.fate != SG_WORKER_FINISHED) {
        SG_SCOPED(sg_text) text = {0};
        sg_worker_describe(worker, &text);
        return sg_fail(err, SG_BAD_INPUT, module, "the worker that listed it did not finish: %s",
                       sg_text_string(&text));
    }
    size_t baselines = 0;
    for (size_t i = 0; i < job->family.variant_count; i++)
        baselines += job->family.variants[i].role == SG_BASELINE;
    if (!job->family.name || job->family.case_count == 0 || baselines != 1)
        return sg_fail(err, SG_BAD_INPUT, module,
                       "expected a family with a case and one baseline, found %s%s with %zu cases "
                       "and %zu baselines among %zu variants",
                       job->family.name ? "family " : "no family",
                       job->family.name ? job->family.name : "", job->family.case_count, baselines,
                       job->family.variant_count);
    job->family.module = sg_copy_string(module);
    return SG_SUCCESS;
}

void sg_module_list_add_sizes(const struct sg_module_list *listing, struct sg_names *args)
{
    const struct sg_suite *suite = listing->suite;
    for (size_t i = 0; suite && i < suite->case_count; i++)
        sg_names_addf(args, "--case=%s/%s:%s@%s:%ld", suite->cases[i].family, suite->cases[i].name,
                      suite->cases[i].sizes, suite->path, suite->cases[i].line);
}

static enum sg_code run_list_pass(const struct sg_module_list *listing, const char *worker,
                                  const char *const *modules, size_t count, struct list_job *jobs,
                                  struct sg_worker_job *workers, struct sg_err *err)
{
    SG_FREED struct sg_names *args = sg_alloc(count, sizeof(*args));
    for (size_t i = 0; i < count; i++) {
        sg_names_add(&args[i], worker);
        sg_names_add(&args[i], "--pass=list");
        sg_names_addf(&args[i], "--module=%s", modules[i]);
        sg_module_list_add_sizes(listing, &args[i]);
        workers[i] = (struct sg_worker_job){.argv = (const char *const *)args[i].items,
                                            .pass = "list",
                                            .deadline_s = SG_ASK_DEADLINE_S,
                                            .context = &jobs[i],
                                            .on_message = take_message};
    }
    sg_workers_run(workers, count, LIST_PARALLEL, err);
    return err->code;
}

static enum sg_code adopt(struct sg_module_list *listing, struct list_job *job, struct sg_err *err)
{
    const struct sg_listed_family *same = sg_module_list_find(listing, job->family.name);
    if (same)
        return sg_fail(err, SG_BAD_INPUT, job->family.module,
                       "contains the family %s, which %s contains too", same->name, same->module);
    *SG_APPEND(listing->families, listing->count, listing->capacity) = job->family;
    job->family = (struct sg_listed_family){0};
    return SG_SUCCESS;
}

enum sg_code sg_module_list_add(const char *const *modules, size_t count,
                                struct sg_module_list *listing, struct sg_err *err)
{
    SG_SCOPED(sg_text) worker = {0};
    SG_FREED struct list_job *jobs = sg_alloc(count, sizeof(*jobs));
    SG_FREED struct sg_worker_job *workers = sg_alloc(count, sizeof(*workers));
    if (sg_path_next_to_program(&worker, "solgate-worker", err) != SG_SUCCESS ||
        (count > 0 &&
         run_list_pass(listing, worker.data, modules, count, jobs, workers, err) != SG_SUCCESS))
        return err->code;
    for (size_t i = 0; i < count; i++)
        if (check(&jobs[i], &workers[i], modules[i], err) != SG_SUCCESS ||
            adopt(listing, &jobs[i], err) != SG_SUCCESS)
            return err->code;
    listing->worker = sg_copy_string(worker.data);
    return SG_SUCCESS;
}

struct describe_job {
    sg_described_fn *each;
    void *context;
    struct sg_failure failure;
};

static enum sg_code take_described(void *context, const struct sg_message *m, struct sg_err *err)
{
    struct describe_job *job = context;
    if (m->kind == SG_MESSAGE_FAIL)
        sg_take_failure(m, &job->failure);
    return m->kind == SG_MESSAGE_VALUE || m->kind == SG_MESSAGE_KERNEL
               ? job->each(job->context, m, err)
               : SG_SUCCESS;
}

enum sg_code sg_module_describe(const char *module, sg_described_fn *each, void *context,
                                struct sg_err *err)
{
    SG_SCOPED(sg_text) worker = {0};
    SG_SCOPED(sg_names) args = {0};
    struct describe_job job = {.each = each, .context = context};
    if (sg_path_next_to_program(&worker, "solgate-worker", err) != SG_SUCCESS)
        return err->code;
    sg_names_add(&args, worker.data);
    sg_names_add(&args, "--pass=describe");
    sg_names_addf(&args, "--module=%s", module);
    struct sg_worker_job asked = {.argv = (const char *const *)args.items,
                                  .pass = "describe",
                                  .deadline_s = SG_ASK_DEADLINE_S,
                                  .context = &job,
                                  .on_message = take_described};
    if (sg_workers_run(&asked, 1, 1, err) != SG_SUCCESS)
        return err->code;
    if (job.failure.code != SG_SUCCESS)
        return sg_fail(err, job.failure.code, NULL, "%s",
                       job.failure.why); /* the message begins with the module */
    if (asked.end.fate != SG_WORKER_FINISHED) {
        SG_SCOPED(sg_text) text = {0};
        sg_worker_describe(&asked, &text);
        sg_fail(err, SG_BAD_INPUT, module, "the worker that described it did not finish: %s",
                text.data);
    }
    return err->code;
}

const struct sg_listed_family *sg_module_list_find(const struct sg_module_list *listing,
                                                   const char *family)
{
    return SG_FIND(listing->families, listing->count, name, family);
}

const struct sg_listed_case *sg_listed_case_find(const struct sg_listed_family *family,
                                                 const char *name)
{
    return SG_FIND(family->cases, family->case_count, name, name);
}

const struct sg_listed_variant *sg_listed_variant_find(const struct sg_listed_family *family,
                                                       const char *name)
{
    return SG_FIND(family->variants, family->variant_count, name, name);
}

bool sg_listed_needs_gpu(const struct sg_listed_family *family)
{
    return strcmp(family->device, "cuda") == 0;
}
