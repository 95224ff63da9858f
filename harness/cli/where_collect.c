#include "cli/where_collect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wordexp.h>

#include "cli/child.h"
#include "process/standby.h"
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
    if (message->kind == SG_MESSAGE_STATUS) {
        where->failure.code = SG_INVALID;
        snprintf(where->failure.why, sizeof(where->failure.why), "%s: %s: %s", message->name[2],
                 sg_status_word(message->status), message->text);
    }
    return SG_SUCCESS;
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

/* ---- code of the sampled kernels ---- */

#define NVDISASM "nvdisasm -ndf -c -gi -hex " /* -ndf: its control-flow analysis is not needed */

/* Starting nvdisasm takes as long as sampling. So code of the module's files that are named like
 * the items' variants is printed meanwhile. It counts only for sampled code of the same bytes. */
static const char of_likely[] =
    "for word; do case $word in --module=*) module=$(realpath \"${word#*=}\"); cd \"$0\";; "
    "--item=*) cuobjdump -xelf \"${word##*/}.\" \"$module\";; esac; done; [ \"$module\" ] && "
    "for file in *.cubin; do " NVDISASM "\"$file\" >\"$file.sass\" & done; wait";
/* `code` is NAME:INDEX, function number INDEX of NAME.cubin. */
static const char of_sampled[] =
    "cd \"$0\" && for code; do file=${code%:*}.cubin; for like in ahead/*.cubin; do "
    "cmp -s \"$like\" \"$file\" && cp \"$like.sass\" \"$code\"; done; [ -s \"$code\" ] || "
    "{ " NVDISASM "-fun=\"${code#*:}\" \"$file\" || " NVDISASM
    "\"$file\"; } >\"$code\" 2>/dev/null & "
    "done; wait";

static void begin_shell(struct sg_names *words, const char *script, const char *folder)
{
    sg_names_add_split(words, "/bin/sh -c", ' ');
    sg_names_add(words, script);
    sg_names_add(words, folder);
}

/* Returns the process that prints; 0: none. */
static pid_t print_likely(const struct sg_names *worker, const char *folder)
{
    SG_SCOPED(sg_names) words = {0};
    struct sg_err unseen = {0};
    pid_t process = 0;
    SG_FORMATTED(ahead, "%s/ahead", folder);
    begin_shell(&words, of_likely, ahead.data);
    for (size_t i = 0; i < worker->count; i++)
        sg_names_add(&words, worker->items[i]);
    const struct sg_process_start start = {
        .argv = words.items,
        .descriptors = {SG_FROM_NOTHING, SG_FROM_NOTHING, SG_FROM_NOTHING, SG_FROM_NOTHING},
        .group = SG_CALLERS_GROUP};
    if (sg_make_folders(ahead.data, &unseen) == SG_SUCCESS)
        sg_process_start(&start, &process, &unseen);
    return process;
}

/* Joins code to samples, one kernel at a time, for all samples of the kernel. */
static void join(struct sg_pc_samples *samples, size_t from, const char *folder)
{
    bool is_missing = false;
    SG_SCOPED(sg_names) words = {0};
    begin_shell(&words, of_sampled, folder);
    for (size_t i = from; i < samples->count; i++) {
        const char *code = sg_pc_samples_text(samples, &samples->items[i], SG_PC_CODE);
        if (!sg_names_have(&words, code))
            sg_names_add(&words, code);
    }
    sg_child_run(&words, NULL);
    for (size_t i = from; i < samples->count; i++) {
        if (samples->items[i].text[SG_PC_INSTRUCTION] != 0)
            continue;
        const char *code = sg_pc_samples_text(samples, &samples->items[i], SG_PC_CODE);
        const char *kernel = sg_pc_samples_text(samples, &samples->items[i], SG_PC_KERNEL);
        struct sg_sass sass = {0};
        SG_SCOPED(sg_text) path = sg_text_of("%s/%s", folder, code), text = {0};
        if (sg_read_file(path.data, &text, SG_IGNORED) == SG_SUCCESS && text.length > 0)
            sg_sass_read(&sass, text.data, kernel);
        is_missing |= sass.count == 0;
        sg_pc_samples_join(samples, from, &sass, kernel, code);
    }
    if (is_missing)
        fprintf(stderr, "solgate: instructions that nvdisasm did not print are shown as addresses; "
                        "nvdisasm comes with the CUDA toolkit and must be on PATH\n");
}

/* ---- samples ---- */

/* Does not wait for the end of the worker, which takes a fifth of a second. */
static enum sg_code sample(const struct sg_run *run, const char *const *const name[2],
                           const char *folder, struct sg_pc_samples *samples, struct sg_err *err)
{
    struct where_job where = {.samples = samples};
    SG_SCOPED(sg_names) words = {0};
    SG_SCOPED(sg_text) how = {0};
    struct sg_names ahead_words = {0};
    struct sg_standby ahead = {0};
    if (sg_worker_words(run, name[1][0], "where", &words, err) != SG_SUCCESS ||
        check_code(run, name[1][0], &words, err) != SG_SUCCESS)
        return err->code;
    sg_names_addf(&words, "--code=%s", folder);
    for (int i = 0; i < 2; i++)
        if (name[i] && !has(samples, name[i]))
            sg_names_addf(&words, "--item=%s/%s/%s", name[i][0], name[i][1], name[i][2]);
    for (size_t i = 0; i < words.count; i++)
        sg_names_add(&ahead_words, words.items[i]);
    const pid_t printing = print_likely(&words, folder);
    struct sg_worker_job job = {.argv = (const char *const *)words.items,
                                .pass = "where",
                                .deadline_s = DEADLINE_S,
                                .context = &where,
                                .on_message = take_message};
    if (sg_standby_start(&ahead, &ahead_words, err) == SG_SUCCESS) {
        sg_standby_settle(&ahead, DEADLINE_S);
        job.process = ahead.count > 0 ? sg_standby_take(&ahead) : NULL;
        sg_workers_run(&job, 1, 1, err);
    }
    if (err->code == SG_SUCCESS && where.failure.code != SG_SUCCESS) {
        sg_fail(err, where.failure.code, "where", "%s", where.failure.why);
    } else if (err->code == SG_SUCCESS && job.end.fate != SG_WORKER_FINISHED) {
        sg_worker_describe(&job, &how);
        sg_fail(err, SG_INVALID, "where", "%s", how.data);
    }
    if (printing > 0)
        sg_process_wait(printing);
    return err->code;
}

static enum sg_code collect(const struct sg_run *run, const char *const *const name[2],
                            const char *path, struct sg_pc_samples *samples, struct sg_err *err)
{
    char folder[] = "/tmp/solgate-where-XXXXXX";
    setenv("CUTE_DSL_LINEINFO", "1", 0); /* or its code would name no line of the Python source */
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
    SG_FORMATTED(path, "%s/" SG_PC_SAMPLES_NAME, run->folder);
    if (sg_pc_samples_read(path.data, samples, err) == SG_SUCCESS &&
        !(has(samples, name[1]) && (!name[0] || has(samples, name[0]))))
        collect(run, name, path.data, samples, err);
    return err->code;
}
