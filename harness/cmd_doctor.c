#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "catalogue.h"
#include "home.h"
#include "messages.h"
#include "options.h"
#include "record.h"
#include "worker.h"

#define DOCTOR_DEADLINE_S 60.0

enum { KEY_GPU = 256 }; /* above every character: long options only */

struct doctor_options {
    const char *gpu;
    struct sg_err *err;
};

/* What was found; the worst word decides the exit code. */
struct findings {
    struct sg_text text;
    struct sg_env env;
    struct sg_failure failure;
    bool blocked;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct doctor_options *options = state->input;
    uint64_t index;
    switch (key) {
    case KEY_GPU:
        if (!sg_parse_u64(arg, &index) || index > 63)
            return sg_option_fail(options->err, state, "--gpu: expected the number of a GPU, found '%s'", arg);
        options->gpu = arg;
        return 0;
    case ARGP_KEY_ARG:
        return sg_option_fail(options->err, state, "no argument expected, found '%s'", arg);
    default:
        return ARGP_ERR_UNKNOWN;
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
    if (message->kind == SG_SAY_ENV)
        sg_env_set(&found->env, message->field[0], message->field[1]);
    if (message->kind == SG_SAY_FAIL)
        return sg_take_failure(message, &found->failure, err);
    if (message->kind != SG_SAY_NOTE)
        return SG_DONE;
    char word[16] = "";
    const char *note = message->field[0];
    size_t length = strcspn(note, " ");
    if (note[length] == '\0' || length >= sizeof(word))
        return sg_fail(err, SG_INVALID, NULL, "expected a word and a sentence, found '%s'", sg_show(note, strlen(note)).text);
    memcpy(word, note, length);
    add(found, word, note + length + 1);
    return SG_DONE;
}

static void ask_worker(const char *gpu, struct findings *found, struct sg_err *err)
{
    struct sg_text path = {0}, option = {0};
    sg_text_addf(&option, "--gpu=%s", gpu);
    if (sg_beside_path(&path, "solgate-worker", err) == SG_DONE) {
        const char *const argv[] = {path.data, "--pass=doctor", option.data, NULL};
        struct sg_worker_job job = {.argv = argv, .deadline_s = DOCTOR_DEADLINE_S, .context = found, .on_message = take_message};
        struct sg_text why = {0};
        if (sg_workers_run(&job, 1, 1, err) == SG_DONE && job.end.fate != SG_WORKER_FINISHED && found->failure.code == SG_DONE) {
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
    if (sg_gpu_key_for(name, &key, &err) != SG_DONE)
        sg_text_addf(&line, "%s: %s", err.where, err.message);
    else if (key[0])
        sg_text_addf(&line, "peaks: metrics/gpus/%s.gpu", key);
    else
        sg_text_addf(&line, "peaks: no file in metrics/gpus matches \"%s\"; gap tables need --gpu-spec=KEY", name);
    add(found, key && key[0] ? "ok" : "missing", sg_text_string(&line));
    sg_text_release(&line);
    free(key);
}

static bool on_path(const char *program)
{
    const char *path = getenv("PATH");
    char *folders = sg_copy_string(path ? path : ""), *rest = NULL;
    bool found = false;
    for (char *folder = strtok_r(folders, ":", &rest); folder && !found; folder = strtok_r(NULL, ":", &rest)) {
        struct sg_text candidate = {0};
        sg_text_addf(&candidate, "%s/%s", folder, program);
        found = access(candidate.data, X_OK) == 0;
        sg_text_release(&candidate);
    }
    free(folders);
    return found;
}

static void check_programs(struct findings *found)
{
    if (on_path("gnuplot"))
        add(found, "ok", "charts: gnuplot");
    else
        add(found, "missing", "charts: no gnuplot on PATH; report writes tables only (--tables-only)");
}

static enum sg_code examine(const struct doctor_options *options, struct sg_err *err)
{
    struct findings found = {0};
    sg_text_addf(&found.text, "GPU %s\n", options->gpu);
    ask_worker(options->gpu, &found, err);
    if (found.failure.code == SG_NO_GPU)
        add(&found, "missing", found.failure.why);
    check_spec(&found);
    sg_text_add(&found.text, "this machine\n");
    check_programs(&found);
    if (err->code == SG_DONE)
        sg_print(&found.text, err);
    const bool nothing_said = found.failure.code == SG_DONE && !found.blocked && !sg_env_get(&found.env, "gpu_name");
    if (found.failure.code == SG_NO_GPU || nothing_said)
        sg_fail(err, SG_NO_GPU, NULL, "no GPU here: comparing, reporting and gap tables of recorded runs work, measuring does not");
    else if (found.failure.code != SG_DONE)
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
        {0},
    };
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .doc = "What can be measured on this machine, and what stands in the way of the rest."
               "\vEach line begins with ok, missing (not on this machine), blocked (here, but forbidden or broken) or warn (works, but "
               "numbers may suffer), and says what to do.\n\nExample: solgate doctor --gpu=1\n\n"
               "Exit codes: 0 everything needed to measure is there; 3 something is blocked; 4 command line; 77 no GPU.",
    };
    struct doctor_options options = {.gpu = "0", .err = err};
    bool helped = false;
    if (sg_options_parse(&(struct sg_options){&argp, &options}, argc, argv, &helped, err) != SG_DONE || helped)
        return 0;
    examine(&options, err);
    return 0;
}
