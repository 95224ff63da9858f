/* Lets `git bisect` choose commits, and `solgate ab` judge each of them against GOOD.
 *
 *   OUT/repository     a clone that shares the objects of the user's repository, where git bisects;
 *                      with --of, a repository with an empty commit for each version
 *   OUT/trees/COMMIT   its files, or the installed version; COMMIT.log appears when the build ends
 *   OUT/gates-N/       the N-th gate of each commit; N > GATES_MOST: of the commit found
 */
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "ab/ab.h"
#include "cli/child.h"
#include "cli/command.h"
#include "util/file.h"
#include "util/paths.h"

#define GATES_MOST 3 /* an undecided commit has at most this many gates, each with new data */

/* The outcome of a commit. The search is for the first commit with the outcome of BAD. */
enum outcome { FINE, OPEN, SLOWER, WRONG, UNBUILT, INVALID, STOPPED };
static const char *const words[] = {"not slower",     "undecided",      "slower",   "wrong",
                                    "does not build", "not comparable", "not gated"};

struct search {
    const char *build, *versions, *wheels, *out; /* as given */
    const char *good, *bad;                      /* as given, then the full hashes in `ends` */
    bool has_trees;                              /* PROGRAM starts in a tree of each commit */
    char *const *program;                        /* ends with NULL */
    double deadline_s;                           /* limit for a build, and for a gate */
    struct sg_text limit;                        /* the same for timeout(1) */
    struct sg_names passed;                      /* options for ab */
    struct sg_text folder, clone, ends;          /* folder: OUT, absolute */
    struct sg_text said, runs; /* what the last gate or build printed; the folder of that gate */
    unsigned gates, skipped;
    int lock, code; /* held by this search and its programs; exit code of the last gate */
    enum outcome sought;
};

/* Runs a program. Returns its exit status. */
#define RUN(s, folder, out, ...) run(s, folder, out, (const char *const[]){__VA_ARGS__, NULL})
static int run(struct search *s, const char *folder, struct sg_text *out,
               const char *const *program)
{
    /* A git hook that starts solgate sets the first three. */
    static const struct sg_environment_change changes[] = {
        {"GIT_DIR", NULL}, {"GIT_WORK_TREE", NULL}, {"GIT_INDEX_FILE", NULL}, {"LC_ALL", "C"}};
    SG_SCOPED(sg_names) argv = {0};
    for (const char *const *word = program; *word; word++)
        sg_names_add(&argv, *word);
    const struct sg_process_start with = {
        .folder = folder, .changes = changes, .change_count = 4, .descriptors = {[3] = s->lock}};
    const int status = sg_child_run_with(&argv, &with, out);
    while (out->length > 0 && out->data[out->length - 1] == '\n')
        out->data[--out->length] = '\0';
    s->code = status == SG_EXIT_INTERRUPTED ? status : s->code;
    return status;
}

/* True if timeout(1) stopped the program. Its SIGKILL ends timeout itself, or gives 137. */
static bool is_late(struct search *s, int status, double started_s, const char *what)
{
    const bool is_killed = status == -1 || status == 137;
    if (status != 124 && !(is_killed && sg_monotonic_s() - started_s >= s->deadline_s))
        return false;
    sg_text_release(&s->said);
    sg_text_addf(&s->said, "%s did not end within --deadline=%gs", what, s->deadline_s);
    return true;
}

/* A repository of versions, or a clone, because git bisect writes references and work trees. */
static enum sg_code make_clone(struct search *s, struct sg_err *err)
{
    SG_SCOPED(sg_text) part = sg_text_of("%s.part", s->clone.data), script = {0}, common = {0};
    RUN(s, NULL, &common, "rm", "-rf", part.data);
    if (sg_path_in_home(&script, "python/solgate/versions.py", err) != SG_SUCCESS)
        return err->code;
    if (!s->versions)
        RUN(s, NULL, &common, "git", "rev-parse", "--git-common-dir");
    if ((s->versions
             ? RUN(s, NULL, &common, s->program[0], script.data, s->wheels, s->versions, part.data)
             : RUN(s, NULL, &script, "git", "clone", "--quiet", "--shared", "--no-checkout",
                   sg_text_string(&common), part.data)) != 0 ||
        rename(part.data, s->clone.data) != 0)
        sg_fail(err, SG_BAD_USAGE, s->clone.data, "%s cannot make this folder; the reason is above",
                s->versions ? s->program[0] : "git clone");
    return err->code;
}

/* "0123456789ab SUBJECT" or "triton==3.5.0" */
static void add_title(struct search *s, const char *commit, struct sg_text *title)
{
    SG_SCOPED(sg_text) subject = {0};
    RUN(s, s->clone.data, &subject, "git", "log", "-1", "--format=%s", commit);
    sg_text_addf(title, "%.*s%s%s", s->versions ? 0 : 12, commit, s->versions ? "" : " ",
                 sg_text_string(&subject));
}

/* Checks out and builds a commit, or installs a version, unless an earlier call did. Unless the
 * result is OPEN, s->said has the reason. */
static enum outcome build(struct search *s, const char *commit, struct sg_err *err)
{
    SG_SCOPED(sg_text) tree = {0}, path = {0}, log = {0}, title = {0};
    sg_text_release(&s->said);
    if (!s->has_trees)
        return OPEN;
    sg_text_addf(&tree, "%s/trees/%.12s", s->folder.data, commit);
    sg_text_addf(&path, "%s.log", tree.data);
    if (access(path.data, F_OK) != 0) {
        add_title(s, commit, &title);
        RUN(s, NULL, &log, "rm", "-rf", tree.data);
        int status = s->versions ? RUN(s, NULL, &log, s->program[0], "-m", "pip", "install", "-qq",
                                       "--no-compile", "--disable-pip-version-check", "--no-deps",
                                       "--no-index", "--find-links", s->wheels, "--target",
                                       tree.data, title.data)
                                 : RUN(s, s->clone.data, &log, "git", "worktree", "add", "--quiet",
                                       "-f", "-f", "--detach", tree.data, commit);
        const double started_s = sg_monotonic_s();
        if (status == 0 && s->build)
            status = RUN(s, tree.data, &log, "timeout", "--kill-after=30", s->limit.data, "sh",
                         "-c", "exec 2>&1; eval \"$0\"", s->build);
        SG_FORMATTED(what, "the build of %s", title.data);
        if (s->code == SG_EXIT_INTERRUPTED || is_late(s, status, started_s, what.data))
            return INVALID;
        sg_text_addf(&log, "%sexit %d", log.length > 0 ? "\n" : "", status);
        sg_write_file(path.data, log.data, log.length, err);
    }
    if (err->code == SG_SUCCESS && sg_read_text(path.data, &s->said, err) == SG_SUCCESS)
        return sg_ends_in(s->said.data, "exit 0") ? OPEN : UNBUILT;
    return STOPPED;
}

/* What starts the program of a commit. */
static void add_program(const struct search *s, const char *commit, struct sg_names *argv)
{
    const char *own = getenv("PYTHONPATH");
    SG_FORMATTED(tree, "%s/trees/%.12s", s->folder.data, commit);
    if (s->versions && own)
        sg_text_addf(&tree, ":%s", own);
    SG_FORMATTED(command, "%s", s->versions ? "env PYTHONPATH=" : "env -C ");
    sg_text_add_word(&command, tree.data);
    sg_text_add(&command, " ");
    sg_text_add_command(&command, s->program);
    sg_names_add(argv, command.data);
}

/* `solgate ab` as a child; its exit code decides. */
static enum outcome gate(struct search *s, const char *base, const char *commit, unsigned number,
                         struct sg_err *err)
{
    static const enum outcome of_code[] = {FINE, SLOWER, OPEN, INVALID, STOPPED, WRONG};
    SG_SCOPED(sg_text) self = {0};
    SG_SCOPED(sg_names) argv = {0};
    sg_text_release(&s->said);
    sg_text_release(&s->runs);
    sg_text_addf(&s->runs, "%s/gates-%u/%.12s", s->folder.data, number, commit);
    if (sg_make_folders(s->runs.data, err) != SG_SUCCESS ||
        sg_path_next_to_program(&self, "solgate", err) != SG_SUCCESS)
        return STOPPED;
    sg_names_add_split(&argv, "timeout --foreground --kill-after=30", ' ');
    sg_names_add(&argv, s->limit.data);
    sg_names_add(&argv, "setsid"); /* only timeout passes SIGINT on, so that ab gets it once */
    sg_names_add(&argv, self.data);
    sg_names_add(&argv, "ab");
    for (size_t i = 0; i < s->passed.count; i++)
        sg_names_add(&argv, s->passed.items[i]);
    sg_names_addf(&argv, "--seed=%u", number);
    sg_names_addf(&argv, "--out=%s%s", s->runs.data, s->has_trees ? "/both" : "");
    sg_names_add_split(&argv, s->has_trees ? "--resume --exec" : "--resume --exec -- env", ' ');
    if (s->has_trees) {
        add_program(s, base, &argv);
        add_program(s, commit, &argv);
    } else {
        sg_names_addf(&argv, "SOLGATE_BISECT=%s %s", base, commit);
        for (char *const *word = s->program; *word; word++)
            sg_names_add(&argv, *word);
    }
    const struct sg_process_start with = {.descriptors = {[3] = s->lock}};
    const double started_s = sg_monotonic_s();
    s->code = sg_child_run_with(&argv, &with, &s->said);
    s->gates++;
    if (is_late(s, s->code, started_s, "the gate"))
        return INVALID;
    if (s->code == SG_EXIT_USAGE && !s->has_trees)
        return UNBUILT; /* an import failed */
    return s->code >= 0 && s->code <= SG_EXIT_UNDECLARED ? of_code[s->code] : STOPPED;
}

/* An undecided commit is gated again, with new data: a longer gate of the same data would be wrong
 * more often than docs/method.md 3 says. */
static enum outcome judge(struct search *s, const char *base, const char *commit, unsigned number,
                          struct sg_err *err)
{
    const unsigned last = number + (s->sought == WRONG ? 0 : GATES_MOST - 1);
    SG_SCOPED(sg_text) title = {0};
    enum outcome is = s->code == SG_EXIT_INTERRUPTED ? STOPPED : build(s, base, err);
    if (is == OPEN)
        is = build(s, commit, err);
    if (is == OPEN && s->sought == UNBUILT && s->has_trees)
        is = FINE;
    for (; is == OPEN && number <= last; number++)
        is = gate(s, base, commit, number, err);
    if (err->code == SG_SUCCESS && s->code == SG_EXIT_INTERRUPTED)
        sg_fail(err, SG_INTERRUPTED, commit, "stopped; the same command with --out=%s goes on",
                s->folder.data);
    else if (err->code == SG_SUCCESS && is == STOPPED)
        sg_fail(err, s->code == SG_EXIT_NO_GPU ? SG_NO_GPU : SG_BAD_USAGE, commit,
                "its gate ended with %d; the reason is above", s->code);
    if (err->code != SG_SUCCESS)
        return STOPPED;
    add_title(s, commit, &title);
    fprintf(stderr, "bisect: %s: %s: %.*s\n", title.data, words[is],
            (int)strcspn(sg_text_string(&s->said), "\n"), sg_text_string(&s->said));
    return is;
}

/* Finds the row of the last gate with the largest slowdown. False: no row is slower. */
static bool find_slowest(const struct search *s, struct sg_finding *slowest)
{
    static const struct sg_env no_facts = {0};
    DIR *runs = opendir(s->runs.data); /* which the gate made */
    *slowest = sg_finding_none();
    for (const struct dirent *run; (run = readdir(runs)) != NULL;) {
        struct sg_comparison read = {0};
        SG_FORMATTED(folder, "%s/%s", s->runs.data, run->d_name);
        if (sg_ab_has_verdict(folder.data))
            sg_ab_read_verdict(folder.data, &no_facts, &read, SG_IGNORED);
        for (const struct sg_finding *row = read.findings; row < read.findings + read.count; row++)
            if (row->accepted == SG_REGRESSED && !(row->change <= slowest->change))
                *slowest = *row;
    }
    closedir(runs);
    return slowest->change > 0;
}

/* Sets the tolerance to half of BAD's slowdown, midway between a good commit and BAD. */
static enum sg_code judge_ends(struct search *s, struct sg_err *err)
{
    struct sg_finding slowest;
    bool is_given = false;
    for (size_t i = 0; i < s->passed.count; i++)
        is_given |= strncmp(s->passed.items[i], "--tol", 5) == 0;
    s->sought = judge(s, s->good, s->bad, 1, err);
    if (err->code != SG_SUCCESS)
        return err->code;
    if (!is_given)
        sg_names_addf(&s->passed, "--tolerance=%.2g%%",
                      s->sought == SLOWER && find_slowest(s, &slowest)
                          ? 100 * fmin(slowest.change / 2, SG_TOLERANCE_MAX)
                          : 100 * SG_TOLERANCE_MAX);
    if (s->sought < SLOWER || s->sought > UNBUILT)
        sg_fail(err, SG_INVALID, s->bad,
                "expected BAD to be slower, wrong or not built, found: %s; the reason is above",
                words[s->sought]);
    else if (s->sought != SLOWER && judge(s, s->good, s->good, 1, err) == s->sought)
        sg_fail(err, SG_INVALID, s->good, "expected GOOD to be right, found: %s", words[s->sought]);
    return err->code;
}

/* True if git names the first bad commit; otherwise `says` has the commits that are left. */
static bool find(struct search *s, struct sg_text *says, struct sg_err *err)
{
    int status =
        RUN(s, s->clone.data, says, "git", "bisect", "start", "--no-checkout", s->bad, s->good);
    while (status == 0 && !strstr(sg_text_string(says), " is the first bad commit")) {
        SG_SCOPED(sg_text) commit = {0};
        RUN(s, s->clone.data, &commit, "git", "rev-parse", "BISECT_HEAD");
        const enum outcome is = judge(s, s->good, sg_text_string(&commit), 1, err);
        if (err->code != SG_SUCCESS)
            return false;
        const bool is_good = s->sought == SLOWER ? is == FINE : is < s->sought;
        const char *word = is == s->sought ? "bad" : is_good ? "good" : "skip";
        s->skipped += *word == 's';
        sg_text_release(says);
        status = RUN(s, s->clone.data, says, "git", "bisect", word, commit.data);
    }
    if (status != 0 && status != SG_EXIT_INCONCLUSIVE)
        sg_fail(err, status == SG_EXIT_INTERRUPTED ? SG_INTERRUPTED : SG_INVALID, "git bisect",
                "ended with %d; the reason is above%s%s", status, *sg_text_string(says) ? ": " : "",
                sg_text_string(says));
    return status == 0;
}

/* Gates the commit against its parent with new data: the search selected the commit by the old
 * data, which are therefore biased. */
static int confirm(struct search *s, struct sg_text *says, struct sg_err *err)
{
    SG_SCOPED(sg_text) out = {0}, found = {0};
    struct sg_finding slowest;
    if (RUN(s, s->clone.data, &found, "git", "rev-parse", "refs/bisect/bad", "refs/bisect/bad~1") !=
            0 &&
        s->code != SG_EXIT_INTERRUPTED)
        return sg_fail(err, SG_INVALID, NULL,
                       "%.12s is the first bad one, and has no parent here to gate it against; a "
                       "shallow clone needs git fetch --unshallow",
                       sg_text_string(&found));
    char *parent = found.data, *commit = strsep(&parent, "\n"); /* NULL: git was stopped */
    const enum outcome is = judge(s, parent, commit, GATES_MOST + 1, err);
    if (err->code != SG_SUCCESS)
        return SG_EXIT_DONE;
    add_title(s, commit, &out);
    sg_text_addf(&out, " is the first bad one: %s\nagainst ", words[s->sought]);
    add_title(s, parent, &out);
    sg_text_addf(&out, ": %s", words[is]);
    if (is == SLOWER && find_slowest(s, &slowest))
        sg_text_addf(&out, " by %.3g %% [%.3g, %.3g], %s/%s/%s", 100 * slowest.change,
                     100 * slowest.low, 100 * slowest.high, SG_NAMES(slowest));
    sg_text_addf(&out, "\n%u gate%s, %u skipped%s\n\n%s\n", s->gates, SG_PLURAL(s->gates),
                 s->skipped, s->versions ? "" : says->data + strcspn(says->data, "\n"),
                 sg_text_string(&s->said));
    sg_print(&out, err);
    return is == s->sought ? SG_EXIT_DONE : SG_EXIT_INCONCLUSIVE;
}

/* The gate of a killed search goes on, and holds the lock until the gate ends. Gates of another
 * command in the folder would be taken for those of this one. */
static enum sg_code open_folder(struct search *s, struct sg_err *err)
{
    SG_SCOPED(sg_text) given = {0}, trees = {0}, path = {0}, is = {0}, was = {0};
    if (sg_choose_folder(s->out, "out/bisect-", &given, err) != SG_SUCCESS)
        return err->code;
    sg_text_addf(&trees, "%s/trees", given.data);
    if (sg_make_folders(trees.data, err) != SG_SUCCESS)
        return err->code;
    SG_FREED char *whole = realpath(given.data, NULL);
    sg_text_add(&s->folder, whole ? whole : given.data);
    sg_text_addf(&s->clone, "%s/repository", s->folder.data);
    sg_text_addf(&path, "%s/command", s->folder.data);
    s->lock = open(s->folder.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (flock(s->lock, LOCK_EX | LOCK_NB) != 0) {
        fprintf(stderr, "bisect: %s: waiting for the end of another search\n", s->folder.data);
        flock(s->lock, LOCK_EX);
    }
    if (!sg_is_folder(s->clone.data) && make_clone(s, err) != SG_SUCCESS)
        return err->code;
    SG_FORMATTED(good, "%s^{commit}", s->versions ? "good" : s->good);
    SG_FORMATTED(bad, "%s^{commit}", s->versions ? "bad" : s->bad);
    if (RUN(s, s->versions ? s->clone.data : NULL, &s->ends, "git", "rev-parse", good.data,
            bad.data) != 0)
        return sg_fail(err, SG_BAD_USAGE, NULL,
                       "expected the commits GOOD and BAD, found the error above; a shallow clone "
                       "needs git fetch --unshallow");
    sg_text_addf(&is, "%d\n%s\n%s\n%s\n%s\n", s->has_trees, s->build ? s->build : "",
                 s->versions ? s->versions : "", s->wheels ? s->wheels : "", s->ends.data);
    for (size_t i = 0; i < s->passed.count; i++)
        sg_text_addf(&is, "%s\n", s->passed.items[i]);
    sg_text_add_command(&is, s->program);
    if (access(path.data, F_OK) != 0)
        sg_write_file(path.data, is.data, is.length, err);
    if (err->code == SG_SUCCESS && sg_read_text(path.data, &was, err) == SG_SUCCESS &&
        strcmp(was.data, is.data) != 0)
        sg_fail(err, SG_BAD_USAGE, path.data,
                "expected a search with this command and these commits, found another search: "
                "choose another --out");
    s->bad = s->ends.data;
    s->good = strsep((char **)&s->bad, "\n");
    return err->code;
}

/* ---- the command line ---- */

static unsigned usage_of(const void *input)
{
    return ((const struct search *)input)->versions != NULL;
}

static const struct sg_option options[] = {
    SG_FLAG("exec", struct search, has_trees, .usages = 1,
            .help = "gate the kernels of PROGRAM, started in a checkout of each commit"),
    SG_VALUE("build", "COMMAND", struct search, build, .needs = "exec",
             .help = "shell command that builds a checkout, run at its top before PROGRAM"),
    {.name = "deadline",
     .arg = "TIME",
     SG_INTO(struct search, deadline_s),
     .read = sg_budget_read,
     .help = "limit for each build and each gate: commits that take longer are skipped",
     .standard = "1h"},
    SG_VALUE("of", "PACKAGE=A..B", struct search, versions, .needs = "wheels",
             .help = "search the versions of an installed package: A is good, B is bad"),
    SG_VALUE("wheels", "DIR", struct search, wheels, .needs = "of",
             .help = "folder with a wheel of each version"),
    SG_VALUE("out", "DIR", struct search, out, .standard = "out/bisect-<date>",
             .help = "folder of builds and gates; the same command resumes the search in it"),
};

static const struct sg_options table = {
    .options = SG_OPTIONS(options),
    .arguments = {SG_ARGUMENT("GOOD", struct search, good, .optional = true),
                  SG_ARGUMENT("BAD", struct search, bad, .optional = true)},
    .summary = "Which commit made it slower, or wrong, or broke its build? `git bisect` chooses "
               "commits from GOOD to BAD of the repository of this folder, and `solgate ab` "
               "gates each against GOOD: functions that PROGRAM gives to solgate.pair, or the "
               "kernels of PROGRAM.",
    .usages = {{"GOOD BAD [--exec] -- PROGRAM ARGUMENT...", 2, 2},
               {"--of=PACKAGE=A..B --wheels=DIR -- PYTHON ARGUMENT...", 0, 0}},
    .usage_of = usage_of,
    .notes =
        "BAD is gated first: the search is for the first commit that is slower, wrong or not built "
        "like BAD. Options of `ab`, such as --case=C, go to each gate; half of BAD's slowdown is "
        "the default of --tolerance. Commits that cannot be judged are skipped, undecided ones "
        "after three gates. The commit found is gated against its parent with new data. Your "
        "work tree is not touched.\n\n"
        "Examples:\n"
        "  solgate bisect v1 main -- python3 gate.py\n"
        "  solgate bisect v1 main --build=make --exec -- ./app\n"
        "  solgate bisect --of=triton=3.4.0..3.6.0 --wheels=wheels -- python3 bench.py",
    .exits = {{SG_EXIT_DONE, "the commit is found"},
              {SG_EXIT_INCONCLUSIVE,
               "several commits are left, or new data do not confirm the commit"},
              {SG_EXIT_INVALID, "BAD is not worse than GOOD, or GOOD is not right"},
              {SG_EXIT_USAGE, NULL},
              {SG_EXIT_NO_GPU, NULL},
              {SG_EXIT_INTERRUPTED, NULL}},
};

static bool is_own(const char *word)
{
    const size_t length = strcspn(word, "=");
    bool is_one = strcmp(word, "help") == 0;
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
        is_one |= strlen(options[i].name) == length && strncmp(options[i].name, word, length) == 0;
    return is_one;
}

int sg_cmd_bisect(int argc, char **argv, struct sg_err *err)
{
    struct search s = {.lock = SG_FROM_NOTHING, .sought = SLOWER, .deadline_s = 3600};
    SG_SCOPED(sg_text) says = {0};
    const int dashes = sg_find_program(argc, argv);
    int kept = 1;
    s.program = argv + dashes + (dashes < argc);
    for (int i = 1; i < dashes; i++)
        if (strncmp(argv[i], "--", 2) == 0 && !is_own(argv[i] + 2))
            sg_names_add(&s.passed, argv[i]);
        else
            argv[kept++] = argv[i];
    if (!sg_options_parse(&table, &s, kept, argv, err))
        return SG_EXIT_DONE;
    s.has_trees |= s.versions != NULL;
    sg_text_addf(&s.limit, "%g", s.deadline_s);
    if (!*s.program)
        sg_fail(err, SG_BAD_USAGE, "bisect", "expected a program after --, found none");
    else if (open_folder(&s, err) == SG_SUCCESS && judge_ends(&s, err) == SG_SUCCESS) {
        if (find(&s, &says, err))
            return confirm(&s, &says, err);
        sg_text_add(&says, "\n");
        if (err->code == SG_SUCCESS)
            sg_print(&says, err);
    }
    return SG_EXIT_INCONCLUSIVE;
}
