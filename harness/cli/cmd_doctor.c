#include "cli/command.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "catalogue/catalogue.h"
#include "cli/measure_ceilings.h"
#include "process/pool.h"
#include "process/protocol_values.h"
#include "results/env.h"
#include "results/table.h"
#include "util/options.h"
#include "util/paths.h"

#define DOCTOR_DEADLINE_S 60.0

enum { KEY_GPU = 256, KEY_CEILINGS, KEY_OUT, KEY_FROM, KEY_MODEL, KEY_SUITE }; /* above every character: long options only */

struct doctor_options {
    const char *gpu; /* as given; NULL: not given */
    bool ceilings;
    const char *of_ceilings; /* an option that goes with --ceilings only; NULL: none was given */
    struct sg_ceilings_request request;
    struct sg_err *err;
};

/* What was found; the worst word decides the exit code. */
struct findings {
    struct sg_text text;
    struct sg_env env;
    struct sg_failure failure;
    bool blocked;
};

static error_t parse_ceilings(int key, const char *arg, const struct argp_state *state, struct doctor_options *options)
{
    struct sg_ceilings_request *request = &options->request;
    switch (key) {
    case KEY_OUT:
        options->of_ceilings = "--out";
        return sg_option_text(options->err, state, "--out=DIR", arg, &request->out);
    case KEY_FROM:
        options->of_ceilings = "--from";
        return sg_option_text(options->err, state, "--from=RUN", arg, &request->from);
    case KEY_MODEL:
        options->of_ceilings = "--model";
        request->of_model = true;
        return 0;
    case KEY_SUITE:
        options->of_ceilings = "--suite";
        return sg_option_text(options->err, state, "--suite=SUITE", arg, &request->suite);
    case ARGP_KEY_SUCCESS:
        if (options->of_ceilings && !options->ceilings)
            return sg_option_fail(options->err, state, "%s goes with --ceilings only", options->of_ceilings);
        if (request->from && request->out)
            return sg_option_fail(options->err, state, "--from takes a run that is there, --out measures one: expected one of them");
        if (request->from && options->gpu)
            return sg_option_fail(options->err, state, "--from takes a run that is there, --gpu measures one: expected one of them");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct doctor_options *options = state->input;
    switch (key) {
    case KEY_GPU:
        if (!sg_parse_u64(arg, &options->request.gpu) || options->request.gpu > 63)
            return sg_option_fail(options->err, state, "--gpu: expected the number of a GPU, found '%s'", arg);
        options->gpu = arg;
        return 0;
    case KEY_CEILINGS:
        options->ceilings = true;
        return 0;
    case ARGP_KEY_ARG:
        return sg_option_fail(options->err, state, "no argument expected, found '%s'", arg);
    default:
        return parse_ceilings(key, arg, state, options);
    }
}

static void add(struct findings *found, const char *word, const char *sentence)
{
    sg_text_addf(&found->text, "  %-8s %s\n", word, sentence);
    if (strcmp(word, "blocked") == 0)
        found->blocked = true;
}

static enum sg_code take_message(void *context, const struct sg_message *message, struct sg_err *err)
{
    struct findings *found = context;
    if (message->kind == SG_MESSAGE_ENV)
        sg_env_set(&found->env, message->field[0], message->field[1]);
    if (message->kind == SG_MESSAGE_FAIL)
        return sg_take_failure(message, &found->failure, err);
    if (message->kind != SG_MESSAGE_NOTE)
        return SG_SUCCESS;
    char word[16] = "";
    const char *note = message->field[0];
    size_t length = strcspn(note, " ");
    if (note[length] == '\0' || length >= sizeof(word))
        return sg_fail(err, SG_INVALID, NULL, "expected a word and a sentence, found '%s'", sg_show(note, strlen(note)).text);
    memcpy(word, note, length);
    add(found, word, note + length + 1);
    return SG_SUCCESS;
}

static void ask_worker(const char *gpu, struct findings *found, struct sg_err *err)
{
    struct sg_text path = {0}, option = {0};
    sg_text_addf(&option, "--gpu=%s", gpu);
    if (sg_path_next_to_program(&path, "solgate-worker", err) == SG_SUCCESS) {
        const char *const argv[] = {path.data, "--pass=doctor", option.data, NULL};
        struct sg_worker_job job = {
            .argv = argv, .pass = "doctor", .deadline_s = DOCTOR_DEADLINE_S, .context = found, .on_message = take_message};
        struct sg_text why = {0};
        if (sg_workers_run(&job, 1, 1, err) == SG_SUCCESS && job.end.fate != SG_WORKER_FINISHED && found->failure.code == SG_SUCCESS) {
            sg_worker_describe(&job, &why);
            add(found, "blocked", sg_text_string(&why));
        }
        sg_text_release(&why);
    }
    sg_text_release(&option);
    sg_text_release(&path);
}

/* Is there a spec of this GPU's peaks? Without one there is no speed of light. */
static void check_spec(struct findings *found)
{
    const char *name = sg_env_get(&found->env, "gpu_name");
    char *key = NULL;
    struct sg_err err = {0};
    struct sg_text line = {0};
    if (!name)
        return;
    if (sg_gpu_key_for(name, &key, &err) != SG_SUCCESS)
        sg_text_addf(&line, "%s: %s", err.where, err.message);
    else if (key[0])
        sg_text_addf(&line, "peaks: metrics/gpus/%s.gpu", key);
    else
        sg_text_addf(&line, "peaks: no file in metrics/gpus matches \"%s\"; gap tables need --gpu-spec=KEY", name);
    add(found, key && key[0] ? "ok" : "missing", sg_text_string(&line));
    sg_text_release(&line);
    free(key);
}

static void check_programs(struct findings *found)
{
    struct sg_text path = {0};
    if (sg_program_path(&path, "gnuplot"))
        add(found, "ok", "charts: gnuplot");
    else
        add(found, "missing", "charts: no gnuplot on PATH; report writes tables only (--tables-only)");
    sg_text_release(&path);
}

static enum sg_code examine(const struct doctor_options *options, struct sg_err *err)
{
    struct findings found = {0};
    const char *gpu = options->gpu ? options->gpu : "0";
    sg_text_addf(&found.text, "GPU %s\n", gpu);
    ask_worker(gpu, &found, err);
    if (found.failure.code == SG_NO_GPU)
        add(&found, "missing", found.failure.why);
    check_spec(&found);
    sg_text_add(&found.text, "this machine\n");
    check_programs(&found);
    if (err->code == SG_SUCCESS)
        sg_print(&found.text, err);
    const bool nothing_said = found.failure.code == SG_SUCCESS && !found.blocked && !sg_env_get(&found.env, "gpu_name");
    if (found.failure.code == SG_NO_GPU || nothing_said)
        sg_fail(err, SG_NO_GPU, NULL, "no GPU here: comparing, reporting and gap tables of recorded runs work, measuring does not");
    else if (found.failure.code != SG_SUCCESS)
        sg_fail(err, found.failure.code, NULL, "%s", found.failure.why);
    else if (found.blocked)
        sg_fail(err, SG_INVALID, NULL, "something is blocked: see the lines above");
    sg_text_release(&found.text);
    sg_env_release(&found.env);
    return err->code;
}

int sg_cmd_doctor(int argc, char **argv, struct sg_err *err)
{
    static const struct argp_option known[] = {
        {.name = "gpu", .key = KEY_GPU, .arg = "N", .doc = "which GPU (default 0)"},
        {.name = "ceilings",
         .key = KEY_CEILINGS,
         .doc = "measure instead what this GPU reaches of its peaks, and keep it: baselines/<gpu>/<gpu_uuid_hash>/ceilings.csv"},
        {.name = "model", .key = KEY_MODEL, .doc = "keep it for every GPU of the model: baselines/<gpu>/ceilings.csv"},
        {.name = "out", .key = KEY_OUT, .arg = "DIR", .doc = "folder of the run that measures them (default: out/ceiling-<date>)"},
        {.name = "from", .key = KEY_FROM, .arg = "RUN", .doc = "take a finished run of the suite, all of it, and measure nothing"},
        {.name = "suite", .key = KEY_SUITE, .arg = "SUITE", .doc = "what to run, or what RUN must have run (default: ceiling)"},
        {0},
    };
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .doc = "What can be measured on this machine, and what stands in the way of the rest."
               "\vEach line begins with ok, missing (not on this machine), blocked (here, but forbidden or broken) or warn (works, but "
               "numbers may suffer), and says what to do. --ceilings takes a minute or two; `gap` and `report` find what it writes, "
               "with the state of the L2 that it holds for. A run that does not say which GPU it was of needs --model.\n\n"
               "Example: solgate doctor --gpu=1\n"
               "         solgate doctor --ceilings --out=ceilings\n\n"
               "Exit codes: 0 everything needed to measure is there; 3 something is blocked, or what was measured may not be believed; 4 "
               "command line; 5 --ceilings: a variant that should be correct is not; 77 no GPU.",
    };
    struct doctor_options options = {.err = err};
    bool helped = false;
    int exit_code = 0;
    if (sg_options_parse(&(struct sg_options){&argp, &options}, argc, argv, &helped, err) != SG_SUCCESS || helped)
        return 0;
    if (options.ceilings)
        sg_ceilings_measure(&options.request, &exit_code, err);
    else
        examine(&options, err);
    return exit_code;
}
