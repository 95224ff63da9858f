/* Commits between two, judged by A/Bs against the first; git bisect chooses which. Everything found out is kept in one folder. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ab/ab.h"
#include "baseline/find.h"
#include "cli/command.h"
#include "cli/commit_tree.h"
#include "cli/script.h"
#include "stats/sequential.h"
#include "util/escape.h"
#include "util/file.h"
#include "util/options.h"
#include "util/paths.h"

#define FACTS_FILE "bisect.csv"
#define LOG_FILE   "bisect.log"

#define SHORT_HASH 12   /* digits of a commit as it is shown */
#define LIMIT_MOST 0.99 /* ratio - 1 that a commit is judged by */

struct input {
    const char *good, *bad, *item;
    const char *repository, *build, *module, *out;
    double tolerance;
    enum sg_l2 l2;
    uint64_t gpu;
    bool shared_gpu_allowed;
};

enum word { GOOD, BAD, SKIP };
static const char *const words[] = {"good", "bad", "skip"};

/* What came of the A/B of a commit. */
struct reading {
    char *commit; /* owned; its full hash */
    enum word word;
    bool is_timed, is_taken;
    enum sg_verdict verdict;
    double change, low, high; /* of the time ratio, as ratio - 1 */
    unsigned processes;
    char *why; /* owned; of the verdict, or why there is none */
};

struct bisect {
    const struct input *in;
    struct sg_text repository, folder, build, module; /* as of commit_tree.h */
    struct sg_text good, bad;                         /* full hashes */
    struct sg_commit_tree tree;
    char *names;               /* owned; what `part` points into */
    const char *part[3];       /* family, case, variant */
    double limit;              /* ratio - 1; above it a commit is bad */
    struct reading step, last; /* GOOD to BAD; the first bad commit against its parent */
    struct reading *readings;  /* owned; of the commits between, in the order they were measured */
    size_t count, capacity;
    struct sg_names first; /* the first bad commit, or all that may be it */
};

static void release_reading(struct reading *reading)
{
    free(reading->commit);
    free(reading->why);
}

/* ---- one A/B ---- */

/* "WHERE: MESSAGE" */
static void set_why(struct reading *reading, const char *where, const char *message)
{
    struct sg_text why = {0};
    sg_text_addf(&why, "%s%s%s", where, *where ? ": " : "", message);
    reading->why = sg_copy_string(why.data);
    sg_text_release(&why);
}

static void take(void *context, const struct sg_finding *finding)
{
    struct reading *reading = context;
    if (reading->is_taken)
        return;
    reading->is_taken = true;
    reading->is_timed = strcmp(finding->metric, "time_ratio") == 0;
    reading->verdict = finding->accepted;
    reading->change = finding->change;
    reading->low = finding->low;
    reading->high = finding->high;
    reading->processes = finding->processes;
    set_why(reading, reading->is_timed ? "" : finding->variant, finding->why);
}

static void add_reading(struct sg_text *out, const struct reading *reading)
{
    if (!reading->is_timed) {
        sg_add_terminal(out, reading->why);
        return;
    }
    sg_add_change(out, reading->change);
    sg_text_addf(out, " [%+.2f, %+.2f] of %u processes, %s", 100 * reading->low, 100 * reading->high, reading->processes,
                 sg_verdict_word(reading->verdict));
}

static enum word word_of(const struct reading *reading)
{
    if (!reading->is_timed || reading->verdict == SG_INCONCLUSIVE)
        return SKIP;
    return reading->verdict == SG_REGRESSED ? BAD : GOOD;
}

/* What of an A/B is the commit's own, and no reason to stop. */
static bool is_of_commit(enum sg_code code)
{
    return code == SG_BAD_USAGE || code == SG_BAD_INPUT;
}

/* In the folder `run`, or what is there of it. */
static enum sg_code gate(const struct bisect *b, const char *base, const char *head, const char *run, double limit, struct reading *reading,
                         struct sg_err *err)
{
    struct sg_text baseline = {0}, candidate = {0};
    struct sg_err own = {0};
    int exit_code = 0;
    sg_text_addf(&baseline, "%s:%s/%s", base, b->part[0], b->part[2]);
    sg_text_addf(&candidate, "%s:%s/%s", head, b->part[0], b->part[2]);
    struct sg_ab_options options = {.baseline = baseline.data,
                                    .candidate = candidate.data,
                                    .out = run,
                                    .tolerance = limit,
                                    .l2 = b->in->l2,
                                    .gpu = b->in->gpu,
                                    .seed = SG_SEED_DEFAULT,
                                    .resume = true,
                                    .shared_gpu_allowed = b->in->shared_gpu_allowed,
                                    .take = take,
                                    .context = reading};
    sg_names_add(&options.cases, b->part[1]);
    if (sg_make_folders(run, err) == SG_SUCCESS && sg_ab_run(&options, &exit_code, &own) != SG_SUCCESS) {
        if (is_of_commit(own.code) && !reading->is_taken)
            set_why(reading, own.where, own.message);
        else
            sg_fail(err, own.code, own.where, "%s",
                    own.code == SG_INTERRUPTED ? "stopped; what was found out is kept, and the same command goes on" : own.message);
    }
    sg_names_release(&options.cases);
    sg_text_release(&baseline);
    sg_text_release(&candidate);
    return err->code;
}

/* Of no commit: the next attempt is to measure it again. */
static enum sg_code drop(const struct reading *reading, const char *run, struct sg_err *err)
{
    struct sg_text script = {0};
    sg_text_add(&script, "rm -rf ");
    sg_text_add_word(&script, run);
    sg_script_run(script.data, NULL);
    sg_text_release(&script);
    return sg_fail(err, SG_INVALID, reading->commit, "its A/B is invalid: %s; the same command measures it again", reading->why);
}

/* HEAD against BASE, two full hashes. A commit that cannot be measured is a reading, too. SG_INVALID: BASE does not build. */
static enum sg_code measure(const struct bisect *b, const char *base, const char *head, const char *name, double limit,
                            struct reading *reading, struct sg_err *err)
{
    struct sg_text run = {0}, before = {0}, after = {0};
    bool has_base = false, has_head = false;
    reading->commit = sg_copy_string(head);
    sg_text_addf(&run, "%s/runs/%s", b->folder.data, name);
    if (sg_commit_build(&b->tree, base, &before, &has_base, err) != SG_SUCCESS ||
        sg_commit_build(&b->tree, head, &after, &has_head, err) != SG_SUCCESS)
        goto out;
    if (!has_base)
        sg_fail(err, SG_INVALID, base, "does not build: %s", before.data);
    else if (!has_head)
        set_why(reading, "does not build", after.data);
    else if (gate(b, before.data, after.data, run.data, limit, reading, err) == SG_SUCCESS && reading->is_timed &&
             reading->verdict == SG_INVALID_VALUE)
        drop(reading, run.data, err);
    reading->word = word_of(reading);
out:
    sg_text_release(&run);
    sg_text_release(&before);
    sg_text_release(&after);
    return err->code;
}

/* ---- git ---- */

static enum sg_code git(const struct bisect *b, const char *arguments, struct sg_text *output, struct sg_err *err)
{
    const int status = sg_commit_git(&b->tree, output, arguments);
    return status == 0 ? SG_SUCCESS : sg_fail(err, SG_NOT_COMPARABLE, b->repository.data, "`git %s` ended with %d", arguments, status);
}

/* "0123456789ab what it does" */
static void add_commit(const struct bisect *b, struct sg_text *out, const char *hash)
{
    struct sg_text arguments = {0}, subject = {0};
    sg_text_addf(&arguments, "log -1 --format=%%s %s", hash);
    sg_commit_git(&b->tree, &subject, arguments.data);
    sg_text_addf(out, "%.*s ", SHORT_HASH, hash);
    sg_add_terminal(out, sg_text_string(&subject));
    sg_text_release(&arguments);
    sg_text_release(&subject);
}

/* ---- the folder ---- */

static enum sg_code check_facts(const char *path, const struct sg_env *facts, struct sg_err *err)
{
    struct sg_env begun = {0};
    if (sg_env_read(path, &begun, err) == SG_SUCCESS)
        for (size_t i = 0; i < facts->count; i++) {
            const char *was = sg_env_get(&begun, facts->key[i]);
            if (!was || strcmp(was, facts->value[i]) != 0)
                sg_fail(err, SG_NOT_COMPARABLE, path,
                        "this bisect was begun with %s '%s', and cannot go on with '%s': another --out begins another one", facts->key[i],
                        was ? was : "", facts->value[i]);
        }
    sg_env_release(&begun);
    return err->code;
}

static void set_facts(const struct bisect *b, struct sg_env *facts)
{
    char tolerance[32];
    snprintf(tolerance, sizeof(tolerance), "%.9g", b->in->tolerance);
    sg_env_set(facts, "repository", b->repository.data);
    sg_env_set(facts, "good", b->good.data);
    sg_env_set(facts, "bad", b->bad.data);
    sg_env_set(facts, "item", b->in->item);
    sg_env_set(facts, "build", b->build.data);
    sg_env_set(facts, "module", b->module.data);
    sg_env_set(facts, "tolerance", tolerance);
    sg_env_set(facts, "l2", sg_l2_word(b->in->l2));
}

/* That of --out, or one of the user's cache that the same command finds again; locked. */
static enum sg_code open_folder(struct bisect *b, struct sg_err *err)
{
    struct sg_env facts = {0};
    struct sg_text path = {0}, wanted = {0};
    struct sg_digest digest = SG_DIGEST_EMPTY;
    set_facts(b, &facts);
    sg_env_digest(&facts, &digest);
    if (b->in->out)
        sg_text_add(&wanted, b->in->out);
    else if (sg_cache_folder(&wanted, "bisect", err) == SG_SUCCESS)
        sg_text_addf(&wanted, "/%s", sg_digest_word(&digest).text);
    if (err->code != SG_SUCCESS || sg_make_folders(wanted.data, err) != SG_SUCCESS)
        goto out;
    char *absolute = realpath(wanted.data, NULL);
    sg_text_add(&b->folder, absolute ? absolute : wanted.data);
    free(absolute);
    sg_text_addf(&path, "%s/" FACTS_FILE, b->folder.data);
    if (sg_lock_folder_of(path.data, &b->tree.lock, err) == SG_SUCCESS)
        (access(path.data, F_OK) == 0 ? check_facts : sg_env_write)(path.data, &facts, err);
out:
    sg_text_release(&wanted);
    sg_text_release(&path);
    sg_env_release(&facts);
    return err->code;
}

/* ---- the search ---- */

/* By half of what BAD is slower by: so far from both that a commit is decided by few processes. */
static enum sg_code measure_step(struct bisect *b, struct sg_err *err)
{
    struct reading *step = &b->step;
    if (measure(b, b->good.data, b->bad.data, "step", b->in->tolerance, step, err) != SG_SUCCESS)
        return err->code;
    if (step->word != BAD) {
        struct sg_text found = {0};
        add_reading(&found, step);
        sg_fail(err, SG_NOT_COMPARABLE, b->in->item, "expected %.*s to be slower than %.*s by more than %.3g %%, found %s%s%s", SHORT_HASH,
                b->bad.data, SHORT_HASH, b->good.data, 100 * b->in->tolerance, found.data, step->is_timed && *step->why ? ": " : "",
                step->is_timed ? step->why : "");
        sg_text_release(&found);
        return err->code;
    }
    b->limit = fmin(round(1e6 * (sqrt(1 + step->change) - 1)) / 1e6, LIMIT_MOST);
    return SG_SUCCESS;
}

/* The commits that the log of git bisect ends with, into b->first; false: it goes on. */
static bool is_over(struct bisect *b, char *log)
{
    for (char *line; log && (line = strsep(&log, "\n")) != NULL;) {
        const char *hash = strchr(line, '[');
        if (!hash || (strncmp(line, "# first bad commit: ", 20) != 0 && strncmp(line, "# possible first bad commit: ", 29) != 0))
            continue;
        sg_names_addf(&b->first, "%.*s", (int)strcspn(hash + 1, "]"), hash + 1);
    }
    return b->first.count > 0;
}

static enum sg_code judge(struct bisect *b, const char *commit, struct sg_err *err)
{
    struct sg_text name = {0}, line = {0};
    struct reading reading = {.is_timed = false};
    sg_text_addf(&name, "%.*s-%.*s", SHORT_HASH, b->good.data, SHORT_HASH, commit);
    measure(b, b->good.data, commit, name.data, b->limit, &reading, err);
    if (err->code == SG_SUCCESS) {
        sg_text_addf(&line, "bisect: %.*s: %s: ", SHORT_HASH, commit, words[reading.word]);
        add_reading(&line, &reading);
        fprintf(stderr, "%s\n", line.data);
        *SG_APPEND(b->readings, b->count, b->capacity) = reading;
    } else
        release_reading(&reading);
    sg_text_release(&name);
    sg_text_release(&line);
    return err->code;
}

/* Hands git a verdict and keeps its log. *over: it asks for no other commit. */
static enum sg_code hand_on(struct bisect *b, const char *arguments, bool *over, struct sg_err *err)
{
    struct sg_text output = {0}, log = {0}, path = {0};
    const int status = sg_commit_git(&b->tree, &output, arguments);
    sg_text_addf(&path, "%s/" LOG_FILE, b->folder.data);
    if (sg_commit_git(&b->tree, &log, "bisect log") == 0) {
        sg_text_add(&log, "\n");
        sg_write_file(path.data, log.data, log.length, err);
        *over = is_over(b, log.data);
    }
    if (!*over)
        fprintf(stderr, "%.*s\n", (int)strcspn(sg_text_string(&output), "\n"), sg_text_string(&output));
    if (err->code == SG_SUCCESS && !*over && status != 0)
        sg_fail(err, SG_NOT_COMPARABLE, b->repository.data, "`git %s` ended with %d", arguments, status);
    sg_text_release(&output);
    sg_text_release(&log);
    sg_text_release(&path);
    return err->code;
}

/* What was measured before is judged again from its files: so a search that was killed goes on where it was. */
static enum sg_code search(struct bisect *b, struct sg_err *err)
{
    struct sg_text arguments = {0};
    bool over = false;
    sg_text_addf(&arguments, "bisect start --no-checkout %s %s", b->bad.data, b->good.data);
    while (err->code == SG_SUCCESS && hand_on(b, arguments.data, &over, err) == SG_SUCCESS && !over) {
        struct sg_text commit = {0};
        sg_text_release(&arguments);
        if (git(b, "rev-parse --verify BISECT_HEAD", &commit, err) == SG_SUCCESS && judge(b, commit.data, err) == SG_SUCCESS)
            sg_text_addf(&arguments, "bisect %s %s", words[b->readings[b->count - 1].word], commit.data);
        sg_text_release(&commit);
    }
    sg_text_release(&arguments);
    return err->code;
}

/* The proof: the one commit against its parent, by an A/B that chose nothing. */
static enum sg_code confirm(struct bisect *b, struct sg_err *err)
{
    struct sg_text parent = {0}, name = {0}, arguments = {0};
    if (b->first.count != 1)
        return SG_SUCCESS;
    const char *commit = b->first.items[0];
    sg_text_addf(&arguments, "rev-parse --verify %s^", commit);
    sg_text_addf(&name, "%.*s", SHORT_HASH, commit);
    if (git(b, arguments.data, &parent, err) == SG_SUCCESS)
        measure(b, parent.data, commit, name.data, b->limit, &b->last, err);
    sg_text_release(&parent);
    sg_text_release(&name);
    sg_text_release(&arguments);
    return err->code;
}

/* ---- the report ---- */

static void add_line(const struct bisect *b, struct sg_text *out, const char *word, const struct reading *reading)
{
    sg_text_addf(out, "  %-5s ", word);
    add_commit(b, out, reading->commit);
    sg_text_add(out, "\n        ");
    add_reading(out, reading);
    sg_text_add(out, "\n");
}

static void add_first(const struct bisect *b, struct sg_text *out)
{
    const double bad_error = 100 * SG_SEQUENTIAL_ERROR / 2;
    sg_text_add(out, "first bad commit: ");
    if (b->first.count > 1)
        sg_text_addf(out, "one of %zu, as those between are skipped\n", b->first.count);
    for (size_t i = 0; i < b->first.count; i++) {
        sg_text_add(out, b->first.count > 1 ? "  " : "");
        add_commit(b, out, b->first.items[i]);
        sg_text_add(out, "\n");
    }
    if (b->first.count > 1) {
        sg_text_addf(out, "how sure: a bad commit is none in at most %.2g of 100 A/Bs, a good one in at most 5\n", bad_error);
        return;
    }
    sg_text_add(out, "  against its parent: ");
    add_reading(out, &b->last);
    if (b->last.word == BAD)
        sg_text_addf(out, "\nhow sure: slower than its parent by more than %.3g %%; that is false in at most %.2g of 100 such A/Bs\n",
                     100 * b->limit, bad_error);
    else
        sg_text_addf(out, "\nhow sure: not confirmed; against its parent it is not slower by more than %.3g %%\n", 100 * b->limit);
}

static int report(const struct bisect *b, struct sg_err *err)
{
    struct sg_text out = {0};
    size_t skipped = 0;
    for (size_t i = 0; i < b->count; i++)
        skipped += b->readings[i].word == SKIP;
    add_first(b, &out);
    sg_text_addf(&out, "%s: measured against %.*s, bad above %+.3g %%, half of the step; %zu commits, of which %zu skipped\n", b->in->item,
                 SHORT_HASH, b->good.data, 100 * b->limit, b->count + 1, skipped);
    add_line(b, &out, "BAD", &b->step);
    for (size_t i = 0; i < b->count; i++)
        add_line(b, &out, words[b->readings[i].word], &b->readings[i]);
    sg_text_addf(&out, "kept in %s\n", b->folder.data);
    sg_print(&out, err);
    sg_text_release(&out);
    return b->first.count == 1 && b->last.word == BAD ? SG_EXIT_DONE : SG_EXIT_INCONCLUSIVE;
}

/* ---- all of it ---- */

static enum sg_code split_item(struct bisect *b, struct sg_err *err)
{
    const char *item = b->in->item;
    if (sg_count_names(item) != 3)
        return sg_fail(err, SG_BAD_USAGE, NULL, "expected FAMILY/CASE/VARIANT, found '%s'", sg_show(item, strlen(item)).text);
    char *rest = b->names = sg_copy_string(item);
    for (size_t i = 0; i < 3; i++)
        b->part[i] = strsep(&rest, "/");
    return SG_SUCCESS;
}

static enum sg_code prepare(struct bisect *b, struct sg_err *err)
{
    const struct input *in = b->in;
    if (split_item(b, err) != SG_SUCCESS)
        return err->code;
    char *absolute = realpath(in->repository, NULL);
    sg_text_add(&b->repository, absolute ? absolute : in->repository);
    free(absolute);
    if (in->build) {
        sg_text_add(&b->build, in->build);
        sg_text_add(&b->module, in->module);
    } else {
        sg_script_add_build(&b->build, b->part[0], NULL);
        sg_script_add_module(&b->module, b->part[0]);
    }
    b->tree = (struct sg_commit_tree){.repository = b->repository.data, .build = b->build.data, .module = b->module.data, .lock = -1};
    if (sg_commit_find(&b->tree, in->good, &b->good, err) != SG_SUCCESS || sg_commit_find(&b->tree, in->bad, &b->bad, err) != SG_SUCCESS)
        return err->code;
    if (strcmp(b->good.data, b->bad.data) == 0)
        return sg_fail(err, SG_BAD_USAGE, NULL, "expected two commits, found that %s and %s are one", in->good, in->bad);
    return open_folder(b, err);
}

static int bisect(const struct input *in, struct sg_err *err)
{
    struct bisect b = {.in = in, .tree.lock = -1};
    int exit_code = 0;
    if (prepare(&b, err) == SG_SUCCESS) {
        b.tree.folder = b.folder.data;
        if (sg_commit_tree_open(&b.tree, err) == SG_SUCCESS && measure_step(&b, err) == SG_SUCCESS && search(&b, err) == SG_SUCCESS &&
            confirm(&b, err) == SG_SUCCESS)
            exit_code = report(&b, err);
        sg_commit_tree_close(&b.tree);
    }
    for (size_t i = 0; i < b.count; i++)
        release_reading(&b.readings[i]);
    free(b.readings);
    release_reading(&b.step);
    release_reading(&b.last);
    free(b.names);
    sg_names_release(&b.first);
    sg_text_release(&b.good);
    sg_text_release(&b.bad);
    sg_text_release(&b.repository);
    sg_text_release(&b.folder);
    sg_text_release(&b.build);
    sg_text_release(&b.module);
    if (b.tree.lock >= 0)
        close(b.tree.lock);
    return exit_code;
}

int sg_cmd_bisect(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {
        {.name = "repo", .arg = "DIR", SG_INTO(struct input, repository), .help = "git repository with the commits"},
        {.name = "build",
         .arg = "COMMAND",
         SG_INTO(struct input, build),
         .needs = "module",
         .help = "builds a commit: sh runs it at the top of a clean checkout",
         .standard = "as solgate builds kernels/FAMILY"},
        {.name = "module", .arg = "FILE", SG_INTO(struct input, module), .needs = "build", .help = "the module that it leaves, from there"},
        {.name = "tolerance", .arg = "PERCENT", SG_INTO(struct input, tolerance), .help = "BAD must be slower than GOOD by more"},
        {.name = "out",
         .arg = "DIR",
         SG_INTO(struct input, out),
         .help = "where builds and runs are kept; the same command goes on there",
         .standard = "a folder in $XDG_CACHE_HOME/solgate/bisect or ~/.cache/solgate/bisect"},
        {.name = "gpu", .arg = "N", SG_INTO(struct input, gpu), .most = SG_GPU_MAX, .help = SG_GPU_HELP},
        {.name = "l2", .arg = SG_L2_CHOICES, SG_INTO(struct input, l2), .help = "the L2 cache before each launch"},
        {.name = "allow-shared-gpu",
         SG_INTO(struct input, shared_gpu_allowed),
         .help = "judge even if others use the GPU, or MIG or MPS is on",
         .standard = "invalid"},
        {0},
    };
    static const struct sg_option arguments[] = {
        {.name = "GOOD", SG_INTO(struct input, good), .help = "a commit before the slowdown"},
        {.name = "BAD", SG_INTO(struct input, bad), .help = "a commit after it"},
        {.name = "FAMILY/CASE/VARIANT", SG_INTO(struct input, item), .help = "what got slower"},
        {0},
    };
    static const struct sg_options table = {
        .options = options,
        .arguments = arguments,
        .summary =
            "Which commit made a variant slower? Measures BAD against GOOD, then commits that `git bisect` chooses, each against GOOD "
            "by an interleaved A/B, and at last the first bad one against its parent.",
        .notes = "A commit is bad that is slower than GOOD by more than half of what BAD is. One that does not build, whose variant is "
                 "not right, or that 20 processes do not decide is skipped.\n\n"
                 "Commits are built in a clone that shares the objects of the repository, to which nothing is written. After an end by a "
                 "signal, even kill -9, the same command goes on: what "
                 "was built and measured is not done again. bisect.log in its folder is the log of git bisect.\n\n"
                 "Refused (3) are a GOOD or a BAD that does not build, and a BAD that is not slower than GOOD.\n\n"
                 "Examples:\n"
                 "  solgate bisect v1.0 HEAD matvec/r64_c64_f32/vec16_rows\n"
                 "  solgate bisect v1 HEAD saxpy/n1m/grid --module=b/saxpy/libsg_saxpy.so \\\n"
                 "    --build='cmake -S . -B b && cmake --build b'",
        .exits = {{SG_EXIT_DONE, "the first bad commit is found"},
                  {SG_EXIT_INCONCLUSIVE, "several may be it, or it is not slower than its parent"},
                  {SG_EXIT_INVALID, "refused, or an A/B is invalid"},
                  {SG_EXIT_USAGE, NULL}},
    };
    struct input in = {.repository = ".", .tolerance = SG_TOLERANCE_DEFAULT};
    return sg_options_parse(&table, &in, argc, argv, err) ? bisect(&in, err) : 0;
}
