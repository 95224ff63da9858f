#include "cli/where_collect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wordexp.h>

#include "cli/child.h"
#include "process/pool.h"
#include "util/digest.h"
#include "util/file.h"
#include "util/paths.h"

#define DEADLINE_S 60.0

/* Adds the modules of the run's command line; without any, the family's own module next to this
 * program. */
static enum sg_code add_modules(const struct sg_run *run, const char *family,
                                struct sg_names *words, struct sg_err *err)
{
    SG_SCOPED(sg_text) text = {0}, path = {0};
    wordexp_t quoted;
    sg_env_add_modules(&run->env, &text);
    if (text.length > 0 && wordexp(text.data, &quoted, WRDE_NOCMD) == 0) {
        for (size_t i = 0; i < quoted.we_wordc; i++)
            sg_names_add(words, quoted.we_wordv[i]);
        wordfree(&quoted);
    } else {
        char name[96];
        snprintf(name, sizeof(name), "libsg_%s.so", family);
        if (sg_path_of_module(&path, name, err) == SG_SUCCESS)
            sg_names_addf(words, "--module=%s", path.data);
    }
    return err->code;
}

/* Adds cases whose sizes the suite gave. */
static void add_sizes(const struct sg_env *env, struct sg_names *words)
{
    SG_SCOPED(sg_text) names = {0};
    const char *of[3];
    for (size_t i = 0; i < env->count; i++)
        if (sg_fact_at(env, i, SG_SIZES_KEY, &names, of))
            sg_names_addf(words, "--case=%s/%s:%s@env.csv", of[0], of[1], env->value[i]);
}

enum sg_code sg_worker_words(const struct sg_run *run, const char *family, const char *pass,
                             struct sg_names *words, struct sg_err *err)
{
    const char *seed = sg_env_get(&run->env, "seed"), *l2 = sg_env_get(&run->env, "l2");
    SG_SCOPED(sg_text) worker = {0};
    if (sg_path_next_to_program(&worker, "solgate-worker", err) == SG_SUCCESS) {
        sg_names_add(words, worker.data);
        sg_names_addf(words, "--pass=%s", pass);
        sg_names_addf(words, "--seed=%s", seed ? seed : "1");
        sg_names_addf(words, "--set=l2=%s", l2 ? l2 : "warm");
        add_modules(run, family, words, err);
        add_sizes(&run->env, words);
    }
    return err->code;
}

/* ---- the worker ---- */

struct where_job {
    struct sg_pc_samples *samples;
    struct sg_failure failure;
    struct sg_text trouble;
};

static enum sg_code take_message(void *context, const struct sg_message *message,
                                 struct sg_err *err)
{
    struct where_job *where = context;
    (void)err;
    if (message->kind == SG_MESSAGE_PC)
        sg_take_pc(message, where->samples);
    if (message->kind == SG_MESSAGE_FAIL)
        sg_take_failure(message, &where->failure);
    if (message->kind == SG_MESSAGE_STATUS)
        sg_text_addf(&where->trouble, "%s: %s: %s", message->name[2],
                     sg_status_word(message->status), message->text);
    return SG_SUCCESS;
}

static enum sg_code take_end(void *context, const struct sg_worker_job *job, struct sg_err *err)
{
    struct where_job *where = context;
    if (where->failure.code != SG_SUCCESS)
        return sg_fail(err, where->failure.code, "where", "%s", where->failure.why);
    if (where->trouble.length == 0 && job->end.fate != SG_WORKER_FINISHED)
        sg_worker_describe(job, &where->trouble);
    return where->trouble.length > 0 ? sg_fail(err, SG_INVALID, "where", "%s", where->trouble.data)
                                     : SG_SUCCESS;
}

/* Requires the same module as in the run: other code would explain another time. */
static enum sg_code check_code(const struct sg_run *run, const char *family,
                               const struct sg_names *words, struct sg_err *err)
{
    static const char option[] = "--module=";
    const char *was = sg_fact_get(&run->env, SG_CODE_KEY, SG_OF(family));
    bool is_there = was == NULL;
    for (size_t i = 0; was && i < words->count && err->code == SG_SUCCESS; i++) {
        struct sg_digest digest = SG_DIGEST_EMPTY;
        if (strncmp(words->items[i], option, strlen(option)) == 0 &&
            sg_digest_add_file(&digest, words->items[i] + strlen(option), err) == SG_SUCCESS)
            is_there |= strcmp(sg_digest_word(&digest).text, was) == 0;
    }
    if (err->code == SG_SUCCESS && !is_there)
        sg_fail(err, SG_NOT_COMPARABLE, run->folder,
                "its module of %s was another build (" SG_CODE_KEY ".%s \"%s\"): run it again",
                family, family, was);
    return err->code;
}

static bool has(const struct sg_pc_samples *samples, const char *const name[3])
{
    for (size_t i = 0; i < samples->count; i++)
        if (sg_pc_sample_is_of(samples, &samples->items[i], name))
            return true;
    return false;
}

static enum sg_code sample(const struct sg_run *run, const char *const *const name[2],
                           const char *folder, struct sg_pc_samples *samples, struct sg_err *err)
{
    struct where_job where = {.samples = samples};
    SG_SCOPED(sg_names) words = {0};
    if (sg_worker_words(run, name[1][0], "where", &words, err) == SG_SUCCESS &&
        check_code(run, name[1][0], &words, err) == SG_SUCCESS) {
        sg_names_addf(&words, "--code=%s", folder);
        for (int i = 0; i < 2; i++)
            if (name[i] && !has(samples, name[i]))
                sg_names_addf(&words, "--item=%s/%s/%s", name[i][0], name[i][1], name[i][2]);
        struct sg_worker_job job = {.argv = (const char *const *)words.items,
                                    .pass = "where",
                                    .deadline_s = DEADLINE_S,
                                    .context = &where,
                                    .on_message = take_message,
                                    .on_end = take_end};
        sg_workers_run(&job, 1, 1, err);
    }
    return err->code;
}

/* ---- code of the sampled kernels ---- */

/* `code` is NAME:INDEX, function number INDEX of NAME.cubin. All start at the same time, because
 * starting nvdisasm takes long. -ndf: its control-flow analysis is not needed. */
static const char of_all[] = "cd \"$1\" && shift && for code; do "
                             "nvdisasm -ndf -c -gi -hex -fun=\"${code#*:}\" \"${code%:*}.cubin\" "
                             ">\"$code\" 2>/dev/null & done; wait";

static void print_code(const struct sg_pc_samples *samples, size_t from, const char *folder)
{
    SG_SCOPED(sg_names) words = {0};
    const char *const begin[] = {"/bin/sh", "-c", of_all, "sh", folder};
    for (size_t i = 0; i < sizeof(begin) / sizeof(begin[0]); i++)
        sg_names_add(&words, begin[i]);
    for (size_t i = from; i < samples->count; i++) {
        const char *code = sg_pc_samples_text(samples, &samples->items[i], SG_PC_CODE);
        if (!sg_names_have(&words, code))
            sg_names_add(&words, code);
    }
    sg_child_run(&words, NULL);
}

/* Reads the code printed for the kernel; if that lacks the kernel, disassembles all functions of
 * the cubin. */
static void read_code(const char *folder, const char *code, const char *kernel,
                      struct sg_sass *sass)
{
    SG_SCOPED(sg_text) path = {0}, one = {0}, all = {0};
    SG_SCOPED(sg_names) words = {0};
    struct sg_err unseen = {0};
    sg_text_addf(&path, "%s/%s", folder, code);
    if (sg_read_file(path.data, &one, &unseen) == SG_SUCCESS && one.length > 0)
        sg_sass_read(sass, one.data, kernel);
    sg_names_add_split(&words, "nvdisasm -ndf -c -gi -hex", ' ');
    sg_names_addf(&words, "%s/%.16s.cubin", folder, code);
    if (sass->count == 0 && sg_child_run(&words, &all) >= 0 && all.length > 0)
        sg_sass_read(sass, all.data, kernel);
}

/* Joins code to samples, one kernel at a time, for all samples of the kernel. */
static void join(struct sg_pc_samples *samples, size_t from, const char *folder)
{
    bool is_missing = false;
    print_code(samples, from, folder);
    for (size_t i = from; i < samples->count; i++) {
        if (samples->items[i].text[SG_PC_INSTRUCTION] != 0)
            continue;
        const char *code = sg_pc_samples_text(samples, &samples->items[i], SG_PC_CODE);
        const char *kernel = sg_pc_samples_text(samples, &samples->items[i], SG_PC_KERNEL);
        struct sg_sass sass = {0};
        read_code(folder, code, kernel, &sass);
        is_missing |= sass.count == 0;
        sg_pc_samples_join(samples, from, &sass, kernel, code);
    }
    if (is_missing)
        fprintf(stderr, "solgate: instructions that nvdisasm did not print are shown as addresses; "
                        "nvdisasm comes with the CUDA toolkit and must be on PATH\n");
}

static enum sg_code collect(const struct sg_run *run, const char *const *const name[2],
                            const char *path, struct sg_pc_samples *samples, struct sg_err *err)
{
    char folder[] = "/tmp/solgate-where-XXXXXX";
    const size_t from = samples->count;
    SG_SCOPED(sg_names) clear = {0};
    if (!mkdtemp(folder))
        return sg_fail(err, SG_SYSTEM, folder, "cannot be made");
    if (sample(run, name, folder, samples, err) == SG_SUCCESS && samples->count == from)
        sg_fail(err, SG_INVALID, "where", "no samples came back: are its kernels in a CUDA graph?");
    if (err->code == SG_SUCCESS) {
        join(samples, from, folder);
        sg_pc_samples_write(path, samples, err);
    }
    sg_names_add_split(&clear, "rm -r", ' ');
    sg_names_add(&clear, folder);
    sg_child_run(&clear, NULL);
    return err->code;
}

enum sg_code sg_where_collect(const struct sg_run *run, const char *const *const name[2],
                              struct sg_pc_samples *samples, struct sg_err *err)
{
    SG_SCOPED(sg_text) path = {0};
    sg_text_addf(&path, "%s/" SG_PC_SAMPLES_NAME, run->folder);
    if (sg_pc_samples_read(path.data, samples, err) == SG_SUCCESS &&
        !(has(samples, name[1]) && (!name[0] || has(samples, name[0]))))
        collect(run, name, path.data, samples, err);
    return err->code;
}
