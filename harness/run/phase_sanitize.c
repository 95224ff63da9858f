/* Runs failed items once more under compute-sanitizer. The first lines of its log go into the
 * item's row, and the log stays in the run. Explains an outcome, never changes it. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "results/error_signature.h"
#include "run/execution_internal.h"
#include "util/escape.h"
#include "util/file.h"
#include "util/paths.h"

#define PROGRAM   "compute-sanitizer"
#define FOLDER    "sanitizer"
#define DEADLINES 4 /* times the item's deadline, because each access is checked */
#define MARK      "========= "
#define SUMMARY   "SUMMARY: "

/* In this order: a finding of memcheck makes findings of the others unreliable. */
static const char *const tools[] = {"memcheck", "racecheck", "initcheck", "synccheck"};
#define TOOL_COUNT (sizeof(tools) / sizeof(tools[0]))
#define SYNCCHECK  3

/* One tool run on one item. */
struct look {
    struct sg_execution *execution;
    const struct sg_step *step;
    const char *program; /* path of compute-sanitizer */
    const char *tool;
    struct sg_text log;     /* path of the log, in the run's folder */
    struct sg_text trouble; /* why the tool did not run; "": it ran */
    bool answered;          /* the worker sent a message */
    bool is_late;
};

/* True for failures that a single launch may show again. */
static bool is_worth_it(const struct sg_step *step)
{
    static const bool is[SG_STATUS_COUNT] = {
        [SG_WRONG] = true,      [SG_NAN] = true,   [SG_UNWRITTEN] = true, [SG_OVERRUN] = true, [SG_NONDETERMINISTIC] = true,
        [SG_CUDA_ERROR] = true, [SG_CRASH] = true, [SG_HANG] = true,      [SG_FLAKY] = true,
    };
    return is[step->status] && !step->sanitized && !step->item->only_timed;
}

static enum sg_code take_message(void *context, const struct sg_message *message, struct sg_err *err)
{
    struct look *look = context;
    (void)message;
    (void)err;
    look->answered = true;
    return SG_SUCCESS;
}

static enum sg_code take_end(void *context, const struct sg_worker_job *job, struct sg_err *err)
{
    struct look *look = context;
    look->is_late = job->end.fate == SG_WORKER_LATE;
    if (look->is_late)
        sg_text_add(&look->trouble, "passed its deadline");
    else if (job->end.fate != SG_WORKER_STOPPED && !look->answered)
        sg_worker_describe(job, &look->trouble);
    return err->code;
}

/* Runs the launch pass, whose buffers have no guard regions, so that the tool sees writes
 * outside. */
static enum sg_code run_tool(struct look *look, struct sg_err *err)
{
    const struct sg_execution *e = look->execution;
    const struct sg_item *item = look->step->item;
    const size_t index = (size_t)(look->step - e->steps);
    SG_SCOPED(sg_names) args = {0};
    sg_names_addf(&args, "%s", look->program);
    sg_names_addf(&args, "--tool=%s", look->tool);
    sg_names_addf(&args, "--log-file=%s", look->log.data);
    sg_args_worker(&args, e->plan, e->options, e->seed, "launch");
    sg_args_module(&args, item->family, item->build);
    sg_args_others(&args, e, &index, 1);
    sg_args_knobs(&args, e, &index, 1);
    sg_args_item(&args, item);
    struct sg_worker_job job = {
        .argv = (const char *const *)args.items,
        .deadline_s = DEADLINES * (item->variant->deadline_s > 0 ? item->variant->deadline_s : e->plan->suite->deadline_s),
        .context = look,
        .on_message = take_message,
        .on_end = take_end,
    };
    sg_workers_run(&job, 1, 1, err);
    return err->code;
}

/* Appends the first two lines of the log after its title: what was found, and where. False: the log
 * only has a summary without errors. */
static bool add_finding(const struct look *look, struct sg_text *out)
{
    char line[1024];
    unsigned lines = 0;
    bool is_clean = false;
    FILE *log = fopen(look->log.data, "re");
    while (log && lines < 2 && fgets(line, sizeof(line), log)) {
        const char *text = line + strlen(MARK);
        line[strcspn(line, "\r\n")] = '\0';
        if (strncmp(line, MARK, strlen(MARK)) != 0 || strcmp(text, "COMPUTE-SANITIZER") == 0)
            continue;
        is_clean |= lines == 0 && strstr(text, SUMMARY "0 ");
        if (strstr(text, SUMMARY))
            break;
        sg_text_addf(out, "%s%s", lines == 0 ? "" : "; ", text + strspn(text, " "));
        lines++;
    }
    if (log)
        fclose(log);
    if (lines == 0 && !is_clean && look->trouble.length == 0)
        sg_text_add(out, "its log has no summary");
    return lines > 0 || (!is_clean && look->trouble.length == 0);
}

/* Runs one tool after the other until one finds something or passes its deadline; the next would,
 * too. For a hang, synccheck runs first. */
static enum sg_code look_at(struct sg_execution *e, const struct sg_step *step, const char *program, struct sg_text *message,
                            struct sg_err *err)
{
    const struct sg_item *item = step->item;
    const size_t first = step->status == SG_HANG ? SYNCCHECK : 0;
    bool is_over = false;
    for (size_t i = 0; i < TOOL_COUNT && !is_over && err->code == SG_SUCCESS; i++) {
        struct look look = {.execution = e, .step = step, .program = program, .tool = tools[(first + i) % TOOL_COUNT]};
        SG_SCOPED(sg_text) finding = {0};
        sg_text_addf(&look.log, "%s/" FOLDER "/%s.%s.%s.%s.log", e->sink->path, SG_ITEM_NAMES(item), look.tool);
        if (run_tool(&look, err) == SG_SUCCESS) {
            is_over = add_finding(&look, &finding) || look.is_late;
            if (finding.length > 0)
                sg_text_addf(&finding, " (%s)", look.log.data + strlen(e->sink->path) + 1);
            else
                unlink(look.log.data);
            sg_text_addf(message, "%s%s: %s", message->length > 0 ? "; " : "", look.tool,
                         finding.length > 0        ? finding.data
                         : look.trouble.length > 0 ? look.trouble.data
                                                   : "nothing found");
        }
        sg_text_release(&look.log);
        sg_text_release(&look.trouble);
    }
    return err->code;
}

static enum sg_code sanitize(struct sg_execution *e, struct sg_step *step, const char *program, struct sg_err *err)
{
    SG_SCOPED(sg_text) message = {0};
    SG_SCOPED(sg_table) group = {0};
    if (look_at(e, step, program, &message, err) == SG_SUCCESS) {
        sg_make_printable(message.data);
        sg_item_row(&group, step->item, SG_SANITIZER_METRIC, "", SG_OK, message.data);
        sg_progress_print(&e->progress, "%s/%s/%s: %s", SG_ITEM_NAMES(step->item), message.data);
        step->sanitized = sg_run_log_add_rows(e->sink, &group, err) == SG_SUCCESS;
    }
    sg_progress_step(&e->progress);
    return err->code;
}

enum sg_code sg_execution_sanitize(struct sg_execution *e, struct sg_err *err)
{
    size_t count = 0;
    SG_SCOPED(sg_text) program = {0}, what = {0}, folder = {0};
    for (size_t i = 0; i < e->plan->count; i++)
        count += is_worth_it(&e->steps[i]);
    if (!e->options->sanitize || !e->sink->path || count == 0)
        return SG_SUCCESS;
    if (!sg_program_path(&program, PROGRAM)) {
        sg_progress_print(&e->progress, "--sanitize: no " PROGRAM " on PATH: what failed is not looked at");
        return SG_SUCCESS;
    }
    sg_text_addf(&what, "sanitize: %zu items that failed, under %s", count, PROGRAM);
    sg_text_addf(&folder, "%s/" FOLDER, e->sink->path);
    sg_progress_phase(&e->progress, "sanitize", count, what.data);
    sg_make_folders(folder.data, err);
    for (size_t i = 0; i < e->plan->count && err->code == SG_SUCCESS; i++)
        if (is_worth_it(&e->steps[i]) && sg_execution_check_code(e, err) == SG_SUCCESS)
            sanitize(e, &e->steps[i], program.data, err);
    sg_progress_end(&e->progress);
    return err->code;
}
