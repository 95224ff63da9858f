#include "cli/cmd_doctor.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "catalogue/catalogue.h"
#include "cli/command.h"
#include "cli/measure_ceilings.h"
#include "reports/charts/charts.h"
#include "results/accepted_place.h"
#include "run/ask_gpus.h"
#include "stats/run_limits.h"
#include "util/dynlib.h"
#include "util/paths.h"
#include "util/start_process.h"

struct doctor_options {
    bool ceilings;
    const struct sg_format *format;
    struct sg_ceilings_request request;
};

static const struct sg_column finding_columns[] = {
    {.title = "state", .meaning = "ok, missing, blocked or warn"},
    {.title = "of", .meaning = "a GPU by its number, or this machine"},
    {.title = "what", .meaning = "what was found, and what to do"},
};
static const struct sg_column path_columns[] = {
    {.title = "path", .meaning = "what is read or written there"},
    {.title = "where"},
};

/* A finding with state `blocked` decides the exit code. */
struct findings {
    struct sg_sheet *sheet;
    char of[32];
    bool blocked;
};

static void add(struct findings *found, const char *state, const char *sentence)
{
    const bool blocked = strcmp(state, "blocked") == 0, ok = strcmp(state, "ok") == 0;
    sg_sheet_row(found->sheet, blocked ? SG_RED : ok ? SG_ASIDE : SG_YELLOW);
    sg_sheet_cells(found->sheet, state, found->of, sentence);
    found->blocked |= blocked;
}

/* A note of a worker is a word and a sentence. */
static enum sg_code ask_worker(struct sg_gpu *gpu, struct findings *found, struct sg_err *err)
{
    SG_SCOPED(sg_text) worker = {0};
    if (sg_path_next_to_program(&worker, "solgate-worker", err) != SG_SUCCESS ||
        sg_gpus_ask(worker.data, "", gpu, 1, err) != SG_SUCCESS)
        return err->code;
    for (size_t i = 0; i < gpu->notes.count; i++) {
        char *note = gpu->notes.items[i], *word = strsep(&note, " ");
        add(found, word, note);
    }
    if (gpu->code == SG_SUCCESS && gpu->why.length > 0)
        add(found, "blocked", gpu->why.data);
    return err->code;
}

/* Checks for a file with this GPU's peaks, which speed-of-light figures need. */
static void check_spec(const char *name, struct findings *found)
{
    SG_FREED char *key = NULL;
    struct sg_err err = {0};
    SG_SCOPED(sg_text) line = {0};
    if (!name)
        return;
    if (sg_gpu_key_for(name, &key, &err) != SG_SUCCESS)
        sg_text_addf(&line, "%s: %s", err.where, err.message);
    else if (key[0])
        sg_text_addf(&line, "peaks: metrics/gpus/%s.gpu", key);
    else
        sg_text_addf(
            &line, "peaks: no file in metrics/gpus matches \"%s\"; gap tables need --gpu-spec=KEY",
            name);
    add(found, key && key[0] ? "ok" : "missing", sg_text_string(&line));
}

static void check_programs(struct findings *found)
{
    struct sg_err why = {0};
    SG_SCOPED(sg_text) path = {0}, line = {0}, dump = {0};
    const bool has_dump = sg_program_path(&dump, "cuobjdump");
    if (sg_program_path(&path, "gnuplot") && sg_gnuplot_check_letters(&why) == SG_SUCCESS)
        sg_text_addf(&line, "charts: %s", path.data);
    else if (why.code != SG_SUCCESS)
        sg_text_addf(&line, "charts: %s: %s", why.where, why.message);
    else
        sg_text_add(&line, "charts: no gnuplot on PATH; report writes tables only (--tables-only)");
    add(found, why.code == SG_SUCCESS && path.length > 0 ? "ok" : "missing", line.data);
    sg_text_release(&line);
    sg_text_addf(&line, "registers in `solgate list kernels`: %s",
                 has_dump ? dump.data : "no cuobjdump on PATH; it comes with the CUDA toolkit");
    add(found, has_dump ? "ok" : "warn", line.data);
}

/* On the Python Package Index another project has the name solgate, and a program and a module of
 * this name. */
static void check_path(struct findings *found)
{
    SG_SCOPED(sg_text) path = {0}, own = {0}, line = {0};
    if (sg_path_next_to_program(&own, "solgate", SG_IGNORED) != SG_SUCCESS ||
        !sg_program_path(&path, "solgate") || sg_is_same_file(path.data, own.data))
        return;
    sg_text_addf(&line,
                 "PATH finds %s before this program, %s: change PATH, or remove the other program",
                 path.data, own.data);
    add(found, "warn", line.data);
}

static void check_module(struct findings *found)
{
    static const char find[] =
        "import importlib.util\n"
        "spec = importlib.util.find_spec('solgate')\n"
        "print('' if not spec or 'def pair(' in open(spec.origin).read() else spec.origin, end='')";
    const char *const argv[] = {"python3", "-c", find, NULL};
    char path[1024] = "";
    pid_t process;
    FILE *said =
        sg_process_open((struct sg_process_start){.argv = (char *const *)argv,
                                                  .descriptors = {SG_FROM_NOTHING, SG_FROM_NOTHING,
                                                                  SG_FROM_NOTHING, SG_FROM_NOTHING},
                                                  .group = SG_CALLERS_GROUP},
                        &process, SG_IGNORED);
    if (!said)
        return; /* no Python */
    const bool is_foreign = fread(path, 1, sizeof(path) - 1, said) > 0;
    fclose(said);
    if (sg_process_wait(process) != 0 || !is_foreign)
        return;
    SG_FORMATTED(line,
                 "python3 imports another project as solgate, from %s: uninstall that project, "
                 "then install this one again",
                 path);
    add(found, "warn", line.data);
}

/* The toolkit folder searched for libraries that the loader does not find (util/dynlib.h). */
static const char *toolkit(void)
{
    for (size_t i = 0; i < SG_TOOLKIT_PLACES; i++) {
        const char *place = sg_toolkit_place(i);
        if (place && access(place, F_OK) == 0)
            return place;
    }
    return "none below $CUDA_HOME, $CUDA_PATH and /usr/local/cuda";
}

static void add_path(struct sg_sheet *sheet, const char *what, const char *where)
{
    sg_sheet_row(sheet, SG_ASIDE);
    sg_sheet_cells(sheet, what, where);
}

/* Adds the paths that solgate reads and writes; the worker adds CUPTI's library. */
static enum sg_code add_paths(struct sg_sheet *sheet, struct sg_err *err)
{
    SG_SCOPED(sg_text) home = {0}, programs = {0}, new_one = {0}, read = {0};
    SG_SCOPED(sg_names) places = {0};
    bool is_installed = false;
    if (sg_home(&home, &is_installed, err) == SG_SUCCESS &&
        sg_path_of_module(&programs, "", err) == SG_SUCCESS &&
        sg_accepted_places(&places, err) == SG_SUCCESS &&
        sg_accepted_place_new(&new_one, err) == SG_SUCCESS) {
        for (size_t i = 0; i < places.count; i++)
            sg_text_addf(&read, "%s%s", i > 0 ? ", then " : "", places.items[i]);
        add_path(sheet, "home", home.data);
        add_path(sheet, "modules", programs.data);
        add_path(sheet, "accepted", read.data);
        add_path(sheet, "accept", new_one.data);
        add_path(sheet, "toolkit", toolkit());
    }
    return err->code;
}

enum sg_code sg_doctor_examine(uint64_t gpu, struct sg_document *document, struct sg_env *facts,
                               struct sg_err *err)
{
    struct findings found = {
        .sheet = sg_document_sheet(document, "findings", SG_COLUMNS(finding_columns), SG_FOR_ALL)};
    struct sg_gpu asked = {.number = gpu};
    struct sg_sheet *paths =
        sg_document_sheet(document, "paths", SG_COLUMNS(path_columns), SG_FOR_ALL);
    snprintf(found.of, sizeof(found.of), "GPU %" PRIu64, gpu);
    ask_worker(&asked, &found, err);
    if (asked.code == SG_NO_GPU)
        add(&found, "missing", asked.why.data);
    const char *name = sg_env_get(&asked.facts, "gpu_name");
    check_spec(name, &found);
    snprintf(found.of, sizeof(found.of), "machine");
    check_programs(&found);
    check_path(&found);
    check_module(&found);
    if (err->code == SG_SUCCESS)
        add_paths(paths, err);
    if (facts)
        *facts = asked.facts;
    const bool nothing_reported = asked.code == SG_SUCCESS && !found.blocked && !name;
    if (asked.code == SG_NO_GPU || nothing_reported)
        sg_fail(err, SG_NO_GPU, NULL,
                "no GPU here: comparing, reporting and gap tables of recorded runs work, measuring "
                "does not");
    else if (asked.code != SG_SUCCESS)
        sg_fail(err, asked.code, NULL, "%s", asked.why.data);
    else if (found.blocked)
        sg_fail(err, SG_INVALID, NULL, "something is blocked: see the lines above");
    return err->code;
}

/* Findings are printed even if they make the command fail. */
static void examine(const struct doctor_options *options, struct sg_err *err)
{
    struct sg_document document = {.name = "doctor"};
    struct sg_err failure = {0};
    sg_doctor_examine(options->request.gpu, &document, NULL, &failure);
    sg_print_document(&document, options->format, err);
    if (failure.code != SG_SUCCESS)
        sg_fail(err, failure.code, failure.where, "%s", failure.message);
}

int sg_cmd_doctor(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {
        SG_FORMAT_OPTION(struct doctor_options),
        SG_VALUE("gpu", "N", struct doctor_options, request.gpu, .help = SG_GPU_HELP,
                 .most = SG_GPU_MAX, .without = "from"),
        SG_FLAG("ceilings", struct doctor_options, ceilings,
                .help = "measure the highest rates of this GPU instead, and store them in "
                        "baselines/<gpu>/<gpu_uuid_hash>/ceilings.csv"),
        SG_BASELINES_OPTION,
        SG_FLAG("model", struct doctor_options, request.of_model,
                .help = "store them for every GPU of the model, in baselines/<gpu>/ceilings.csv",
                .needs = "ceilings"),
        SG_VALUE("out", "DIR", struct doctor_options, request.out,
                 .help = "folder of the run that measures the ceilings", .needs = "ceilings",
                 .without = "from", .standard = "out/ceiling-<date>"),
        SG_VALUE("from", "RUN", struct doctor_options, request.from,
                 .help = "use a finished run of the whole suite, and measure nothing",
                 .needs = "ceilings"),
        SG_VALUE("suite", "SUITE", struct doctor_options, request.suite,
                 .help = "the suite to run, or the suite of RUN", .needs = "ceilings",
                 .standard = "ceiling"),
    };
    static const struct sg_options table = {
        .options = SG_OPTIONS(options),
        .summary = "Checks what can be measured on this machine, and what prevents the rest.",
        .notes = "Each line begins with ok, missing (not on this machine), blocked (here, but "
                 "forbidden or broken) or warn (works, but "
                 "numbers may suffer), and what to do. The paths in use follow: "
                 "accepted is where accepted numbers and ceilings are read from, accept where new "
                 "ones are written. --ceilings takes a "
                 "minute or two; `gap` and `report` use the stored rates and name their L2 state. "
                 "A run from a GPU of another machine needs --model.\n\n"
                 "Example: solgate doctor --gpu=1\n"
                 "         solgate doctor --ceilings --out=ceilings",
        .exits = {{SG_EXIT_DONE, "everything needed to measure is there"},
                  {SG_EXIT_INVALID, "something is blocked, or measured ceilings are not valid"},
                  {SG_EXIT_USAGE, "command line"},
                  {SG_EXIT_UNDECLARED, "--ceilings: a variant that should be correct is not"},
                  {SG_EXIT_NO_GPU, NULL}},
    };
    struct doctor_options given = {.format = sg_format_find("text")};
    int exit_code = SG_EXIT_DONE;
    if (!sg_options_parse(&table, &given, argc, argv, err))
        return 0;
    if (given.ceilings)
        sg_ceilings_measure(&given.request, given.format, &exit_code, err);
    else
        examine(&given, err);
    return exit_code;
}
