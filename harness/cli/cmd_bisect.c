/* Commits between two, judged by A/Bs against the first; git bisect chooses which. Everything
 * found out is kept in one folder. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ab/ab.h"
#include "baseline/find.h"
#include "cli/cmd_bisect.h"
#include "cli/script.h"
#include "util/digest.h"
#include "util/escape.h"
#include "util/file.h"
#include "util/options.h"
#include "util/paths.h"

#define LOG_FILE   "bisect.log"
#define LIMIT_MOST 0.99 /* ratio - 1 that a commit is judged by */

static void release_reading(struct sg_bisect_reading *reading)
{
    free(reading->commit);
    free(reading->why);
}

/* ---- one A/B ---- */

/* "WHERE: MESSAGE" */
static void set_why(struct sg_bisect_reading *reading, const char *where, const char *message)
{
    struct sg_text why = {0};
    sg_text_addf(&why, "%s%s%s", where, *where ? ": " : "", message);
    reading->why = sg_copy_string(why.data);
    sg_text_release(&why);
}

static void take(void *context, const struct sg_finding *finding)
{
    struct sg_bisect_reading *reading = context;
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

static enum sg_bisect_word word_of(const struct sg_bisect_reading *reading)
{
    if (!reading->is_timed || reading->verdict == SG_INCONCLUSIVE)
        return SG_BISECT_SKIP;
    return reading->verdict == SG_REGRESSED ? SG_BISECT_BAD : SG_BISECT_GOOD;
}

/* What of an A/B is the commit's own, and no reason to stop. */
static bool is_of_commit(enum sg_code code)
{
    return code == SG_BAD_USAGE || code == SG_BAD_INPUT;
}

/* In the folder `run`, or what is there of it. */
static enum sg_code gate(const struct sg_bisect *b, const char *base, const char *head, const char *run, double limit,
                         struct sg_bisect_reading *reading, struct sg_err *err)
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
static enum sg_code drop(const struct sg_bisect_reading *reading, const char *run, struct sg_err *err)
{
    struct sg_text script = {0};
    sg_text_add(&script, "rm -rf ");
    sg_text_add_word(&script, run);
    sg_script_run(script.data, NULL);
    sg_text_release(&script);
    return sg_fail(err, SG_INVALID, reading->commit, "its A/B is invalid: %s; the same command measures it again", reading->why);
}

/* HEAD against BASE, two full hashes. A commit that cannot be measured is a reading, too.
 * SG_INVALID: BASE does not build. */
static enum sg_code measure(const struct sg_bisect *b, const char *base, const char *head, const char *name, double limit,
                            struct sg_bisect_reading *reading, struct sg_err *err)
{
    struct sg_text run = {0}, before = {0}, after = {0};
    bool has_base = false, has_head = false;
    reading->commit = sg_copy_string(head);
    sg_text_addf(&run, "%s/runs/%s", b->tree.folder.data, name);
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

static enum sg_code git(const struct sg_bisect *b, const char *arguments, struct sg_text *output, struct sg_err *err)
{
    const int status = sg_commit_git(&b->tree, output, arguments);
    return status == 0 ? SG_SUCCESS : sg_fail(err, SG_NOT_COMPARABLE, b->tree.repository.data, "`git %s` ended with %d", arguments, status);
}

/* ---- the search ---- */

/* By half of what BAD is slower by: so far from both that a commit is decided by few processes. */
static enum sg_code measure_step(struct sg_bisect *b, struct sg_err *err)
{
    struct sg_bisect_reading *step = &b->step;
    if (measure(b, b->good.data, b->bad.data, "step", b->in->tolerance, step, err) != SG_SUCCESS)
        return err->code;
    if (step->word != SG_BISECT_BAD) {
        struct sg_text found = {0};
        sg_bisect_add_reading(&found, step);
        sg_fail(err, SG_NOT_COMPARABLE, b->in->item, "expected %.*s to be slower than %.*s by more than %.3g %%, found %s%s%s",
                SG_SHORT_HASH, b->bad.data, SG_SHORT_HASH, b->good.data, 100 * b->in->tolerance, found.data,
                step->is_timed && *step->why ? ": " : "", step->is_timed ? step->why : "");
        sg_text_release(&found);
        return err->code;
    }
    b->limit = fmin(round(1e6 * (sqrt(1 + step->change) - 1)) / 1e6, LIMIT_MOST);
    return SG_SUCCESS;
}

/* The commits that the log of git bisect ends with, into b->first; false: it goes on. */
static bool is_over(struct sg_bisect *b, char *log)
{
    for (char *line; log && (line = strsep(&log, "\n")) != NULL;) {
        const char *hash = strchr(line, '[');
        if (!hash || (strncmp(line, "# first bad commit: ", 20) != 0 && strncmp(line, "# possible first bad commit: ", 29) != 0))
            continue;
        sg_names_addf(&b->first, "%.*s", (int)strcspn(hash + 1, "]"), hash + 1);
    }
    return b->first.count > 0;
}

static enum sg_code judge(struct sg_bisect *b, const char *commit, struct sg_err *err)
{
    struct sg_text name = {0}, line = {0};
    struct sg_bisect_reading reading = {.is_timed = false};
    sg_text_addf(&name, "%.*s-%.*s", SG_SHORT_HASH, b->good.data, SG_SHORT_HASH, commit);
    measure(b, b->good.data, commit, name.data, b->limit, &reading, err);
    if (err->code == SG_SUCCESS) {
        sg_text_addf(&line, "bisect: %.*s: %s: ", SG_SHORT_HASH, commit, sg_bisect_words[reading.word]);
        sg_bisect_add_reading(&line, &reading);
        fprintf(stderr, "%s\n", line.data);
        *SG_APPEND(b->readings, b->count, b->capacity) = reading;
    } else
        release_reading(&reading);
    sg_text_release(&name);
    sg_text_release(&line);
    return err->code;
}

/* Hands git a verdict and keeps its log. *over: it asks for no other commit. */
static enum sg_code hand_on(struct sg_bisect *b, const char *arguments, bool *over, struct sg_err *err)
{
    struct sg_text output = {0}, log = {0}, path = {0};
    const int status = sg_commit_git(&b->tree, &output, arguments);
    sg_text_addf(&path, "%s/" LOG_FILE, b->tree.folder.data);
    if (sg_commit_git(&b->tree, &log, "bisect log") == 0) {
        sg_text_add(&log, "\n");
        sg_write_file(path.data, log.data, log.length, err);
        *over = is_over(b, log.data);
    }
    if (!*over)
        fprintf(stderr, "%.*s\n", (int)strcspn(sg_text_string(&output), "\n"), sg_text_string(&output));
    if (err->code == SG_SUCCESS && !*over && status != 0)
        sg_fail(err, SG_NOT_COMPARABLE, b->tree.repository.data, "`git %s` ended with %d", arguments, status);
    sg_text_release(&output);
    sg_text_release(&log);
    sg_text_release(&path);
    return err->code;
}

/* What was measured before is judged again from its files: so a search that
 * was killed goes on where it was. */
static enum sg_code search(struct sg_bisect *b, struct sg_err *err)
{
    struct sg_text arguments = {0};
    bool over = false;
    sg_text_addf(&arguments, "bisect start --no-checkout %s %s", b->bad.data, b->good.data);
    while (err->code == SG_SUCCESS && hand_on(b, arguments.data, &over, err) == SG_SUCCESS && !over) {
        struct sg_text commit = {0};
        sg_text_release(&arguments);
        if (git(b, "rev-parse --verify BISECT_HEAD", &commit, err) == SG_SUCCESS && judge(b, commit.data, err) == SG_SUCCESS)
            sg_text_addf(&arguments, "bisect %s %s", sg_bisect_words[b->readings[b->count - 1].word], commit.data);
        sg_text_release(&commit);
    }
    sg_text_release(&arguments);
    return err->code;
}

/* The proof: the one commit against its parent, by an A/B that chose nothing. */
static enum sg_code confirm(struct sg_bisect *b, struct sg_err *err)
{
    struct sg_text parent = {0}, name = {0}, arguments = {0};
    if (b->first.count != 1)
        return SG_SUCCESS;
    const char *commit = b->first.items[0];
    sg_text_addf(&arguments, "rev-parse --verify %s^", commit);
    sg_text_addf(&name, "%.*s", SG_SHORT_HASH, commit);
    if (git(b, arguments.data, &parent, err) == SG_SUCCESS)
        measure(b, parent.data, commit, name.data, b->limit, &b->last, err);
    sg_text_release(&parent);
    sg_text_release(&name);
    sg_text_release(&arguments);
    return err->code;
}

/* ---- all of it ---- */

static enum sg_code split_item(struct sg_bisect *b, struct sg_err *err)
{
    const char *item = b->in->item;
    if (sg_count_names(item) != 3)
        return sg_fail(err, SG_BAD_USAGE, NULL, "expected FAMILY/CASE/VARIANT, found '%s'", sg_show(item, strlen(item)).text);
    char *rest = b->names = sg_copy_string(item);
    for (size_t i = 0; i < 3; i++)
        b->part[i] = strsep(&rest, "/");
    return SG_SUCCESS;
}

/* Of a search of its own by what it is begun with: the same command goes on there. */
static enum sg_code open_folder(struct sg_bisect *b, struct sg_err *err)
{
    const char *const begun[] = {b->tree.repository.data, b->good.data,        b->bad.data,          b->in->item,
                                 b->tree.build.data,      b->tree.module.data, sg_l2_word(b->in->l2)};
    struct sg_digest digest = SG_DIGEST_EMPTY;
    struct sg_text wanted = {0};
    for (size_t i = 0; i < sizeof(begun) / sizeof(begun[0]); i++)
        sg_digest_add_string(&digest, begun[i]);
    sg_digest_add(&digest, &b->in->tolerance, sizeof(b->in->tolerance));
    if (b->in->out)
        sg_text_add(&wanted, b->in->out);
    else
        sg_cache_folder(&wanted, "bisect", err);
    sg_text_addf(&wanted, "/%s", sg_digest_word(&digest).text);
    if (err->code == SG_SUCCESS)
        sg_commit_tree_place(&b->tree, wanted.data, err);
    sg_text_release(&wanted);
    return err->code;
}

static enum sg_code prepare(struct sg_bisect *b, struct sg_err *err)
{
    const struct sg_bisect_input *in = b->in;
    if (split_item(b, err) != SG_SUCCESS)
        return err->code;
    sg_commit_tree_init(&b->tree, in->repository, b->part[0], in->build, in->module);
    if (sg_commit_find(&b->tree, in->good, &b->good, err) != SG_SUCCESS || sg_commit_find(&b->tree, in->bad, &b->bad, err) != SG_SUCCESS)
        return err->code;
    if (strcmp(b->good.data, b->bad.data) == 0)
        return sg_fail(err, SG_BAD_USAGE, NULL, "expected two commits, found that %s and %s are one", in->good, in->bad);
    return open_folder(b, err);
}

static int bisect(const struct sg_bisect_input *in, struct sg_err *err)
{
    struct sg_bisect b = {.in = in, .tree.lock = -1};
    int exit_code = 0;
    if (prepare(&b, err) == SG_SUCCESS) {
        if (sg_commit_tree_open(&b.tree, err) == SG_SUCCESS && measure_step(&b, err) == SG_SUCCESS && search(&b, err) == SG_SUCCESS &&
            confirm(&b, err) == SG_SUCCESS)
            exit_code = sg_bisect_report(&b, err);
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
    sg_commit_tree_release(&b.tree);
    return exit_code;
}

int sg_cmd_bisect(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {
        {.name = "repo", .arg = "DIR", SG_INTO(struct sg_bisect_input, repository), .help = "git repository with the commits"},
        {.name = "build",
         .arg = "COMMAND",
         SG_INTO(struct sg_bisect_input, build),
         .needs = "module",
         .help = "builds a commit: sh runs it at the top of a clean checkout",
         .standard = "as solgate builds kernels/FAMILY"},
        {.name = "module",
         .arg = "FILE",
         SG_INTO(struct sg_bisect_input, module),
         .needs = "build",
         .help = "the module that it leaves, from there"},
        {.name = "tolerance", .arg = "PERCENT", SG_INTO(struct sg_bisect_input, tolerance), .help = "BAD must be slower than GOOD by more"},
        {.name = "out",
         .arg = "DIR",
         SG_INTO(struct sg_bisect_input, out),
         .help = "where builds and runs are kept; the same command goes on there",
         .standard = "a folder in $XDG_CACHE_HOME/solgate/bisect or ~/.cache/solgate/bisect"},
        {.name = "gpu", .arg = "N", SG_INTO(struct sg_bisect_input, gpu), .most = SG_GPU_MAX, .help = SG_GPU_HELP},
        {.name = "l2", .arg = SG_L2_CHOICES, SG_INTO(struct sg_bisect_input, l2), .help = "the L2 cache before each launch"},
        {.name = "allow-shared-gpu",
         SG_INTO(struct sg_bisect_input, shared_gpu_allowed),
         .help = "judge even if others use the GPU, or MIG or MPS is on",
         .standard = "invalid"},
        {0},
    };
    static const struct sg_option arguments[] = {
        {.name = "GOOD", SG_INTO(struct sg_bisect_input, good), .help = "a commit before the slowdown"},
        {.name = "BAD", SG_INTO(struct sg_bisect_input, bad), .help = "a commit after it"},
        {.name = "FAMILY/CASE/VARIANT", SG_INTO(struct sg_bisect_input, item), .help = "what got slower"},
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
    struct sg_bisect_input in = {.repository = ".", .tolerance = SG_TOLERANCE_DEFAULT};
    return sg_options_parse(&table, &in, argc, argv, err) ? bisect(&in, err) : 0;
}
