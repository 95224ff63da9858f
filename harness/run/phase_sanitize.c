/* What failed, once more under compute-sanitizer: its first finding goes into the row of the item.
 * Explains an outcome, never changes it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "results/error_signature.h"
#include "run/pipeline_internal.h"
#include "run/sanitizer_report.h"
#include "util/escape.h"
#include "util/file.h"
#include "util/paths.h"

#define PROGRAM       "compute-sanitizer"
#define DEADLINES     4 /* of the item: each access of a kernel is looked at */
#define LOG_BYTES_MAX ((size_t)1 << 20)

/* One tool at one item. */
struct look {
    struct sg_pipeline *pipeline;
    const struct sg_step *step;
    enum sg_sanitizer_tool tool;
    const char *program; /* its path */
    const char *log;     /* path of the file that the tool writes */
    bool answered;       /* the worker reported something */
    struct sg_sanitizer_finding finding;
    struct sg_text output; /* of a tool that could not look */
    bool is_late;
};

/* What a launch alone may show again. */
static bool is_worth_it(const struct sg_step *step)
{
    static const bool is[SG_STATUS_COUNT] = {
        [SG_WRONG] = true,      [SG_NAN] = true,   [SG_UNWRITTEN] = true, [SG_OVERRUN] = true, [SG_NONDETERMINISTIC] = true,
        [SG_CUDA_ERROR] = true, [SG_CRASH] = true, [SG_HANG] = true,      [SG_FLAKY] = true,
    };
    return is[step->status] && !step->sanitized;
}

static enum sg_code take_message(void *context, const struct sg_message *message, struct sg_err *err)
{
    struct look *look = context;
    (void)message;
    (void)err;
    look->answered = true;
    return SG_SUCCESS;
}

static enum sg_code read_log(struct look *look, struct sg_err *err)
{
    int descriptor = -1;
    size_t length = 0, got = 1;
    struct sg_err none = {0};
    /* A tool that ends early leaves none. */
    if (sg_open_to_read(look->log, &descriptor, &none) != SG_SUCCESS)
        return SG_SUCCESS;
    char *log = sg_alloc(LOG_BYTES_MAX, 1);
    while (length < LOG_BYTES_MAX && got > 0 &&
           sg_read_bytes(look->log, descriptor, log + length, LOG_BYTES_MAX - length, &got, err) == SG_SUCCESS)
        length += got;
    sg_sanitizer_read(log, length, &look->finding);
    free(log);
    close(descriptor);
    unlink(look->log);
    return err->code;
}

static enum sg_code take_end(void *context, const struct sg_worker_job *job, struct sg_err *err)
{
    struct look *look = context;
    if (job->end.fate == SG_WORKER_STOPPED)
        return SG_SUCCESS;
    look->is_late = job->end.fate == SG_WORKER_LATE;
    if (!look->answered)
        sg_worker_describe(job, &look->output);
    return read_log(look, err);
}

/* The launch pass, whose buffers have no room around them: what is written beside one is seen. */
static void add_arguments(const struct look *look, struct sg_names *args)
{
    const struct sg_pipeline *p = look->pipeline;
    const size_t index = (size_t)(look->step - p->steps);
    sg_names_addf(args, "%s", look->program);
    sg_names_addf(args, "--tool=%s", sg_sanitizer_word(look->tool));
    sg_names_addf(args, "--log-file=%s", look->log);
    sg_args_worker(args, p, "launch");
    sg_args_module(args, p, look->step->item.family);
    sg_args_settings(args, p, &index, 1);
    sg_args_item(args, &look->step->item);
}

static enum sg_code run_tool(struct look *look, struct sg_err *err)
{
    const struct sg_listed_variant *variant = look->step->item.variant;
    const double deadline_s = variant->deadline_s > 0 ? variant->deadline_s : look->pipeline->suite->deadline_s;
    struct sg_names args = {0};
    add_arguments(look, &args);
    unlink(look->log); /* of a run that was killed */
    struct sg_worker_job job = {
        .argv = (const char *const *)args.items,
        .deadline_s = DEADLINES * deadline_s,
        .context = look,
        .on_message = take_message,
        .on_end = take_end,
    };
    sg_workers_run(&job, 1, 1, err);
    sg_names_release(&args);
    return err->code;
}

/* Nothing was found: why the tool could not look, appended; false: it looked. */
static bool add_trouble(const struct look *look, struct sg_text *out)
{
    const struct sg_sanitizer_finding *f = &look->finding;
    if (!f->trouble[0] && !look->is_late && look->answered && f->is_clean)
        return false;
    sg_text_addf(out, "%s%s: %s", out->length > 0 ? "; " : "", sg_sanitizer_word(look->tool),
                 f->trouble[0]     ? f->trouble
                 : look->is_late   ? "passed its deadline"
                 : !look->answered ? sg_text_string(&look->output)
                                   : "its log has no summary, or one that counts a finding of an unknown kind");
    return true;
}

/*
 * Tool after tool until one finds something, or passes its deadline, for the next one would, too.
 * What hangs is first looked at for its barriers.
 */
static enum sg_code look_at(struct sg_pipeline *p, const struct sg_step *step, const char *program, struct sg_text *message,
                            struct sg_err *err)
{
    struct look look = {.pipeline = p, .step = step};
    struct sg_text log = {0}, clean = {0};
    const unsigned first = step->status == SG_HANG ? SG_SANITIZER_SYNCCHECK : 0;
    sg_text_addf(&log, "%s/sanitizer.log", p->folder.path);
    for (unsigned i = 0; i < SG_SANITIZER_TOOL_COUNT && !look.finding.kind[0] && !look.is_late && err->code == SG_SUCCESS; i++) {
        const enum sg_sanitizer_tool tool = (enum sg_sanitizer_tool)((first + i) % SG_SANITIZER_TOOL_COUNT);
        look = (struct look){.pipeline = p, .step = step, .tool = tool, .program = program, .log = log.data};
        run_tool(&look, err);
        if (!look.finding.kind[0] && !add_trouble(&look, message))
            sg_text_addf(&clean, "%s%s", clean.length > 0 ? ", " : "", sg_sanitizer_word(look.tool));
        sg_text_release(&look.output);
    }
    if (look.finding.kind[0]) {
        sg_text_release(message);
        sg_sanitizer_add(message, look.tool, &look.finding);
    } else if (clean.length > 0) {
        sg_text_addf(message, "%snothing found: %s", message->length > 0 ? "; " : "", clean.data);
    }
    sg_text_release(&log);
    sg_text_release(&clean);
    return err->code;
}

static enum sg_code sanitize(struct sg_pipeline *p, struct sg_step *step, const char *program, struct sg_err *err)
{
    struct sg_text message = {0};
    struct sg_table batch;
    sg_table_init(&batch);
    if (look_at(p, step, program, &message, err) == SG_SUCCESS) {
        char *line = sg_copy_string(sg_text_string(&message));
        sg_make_printable(line);
        sg_item_row(&batch, &step->item, SG_SANITIZER_METRIC, "", SG_OK, line);
        sg_progress_print(&p->progress, "%s/%s/%s: %s", step->item.family->name, step->item.case_->name, step->item.variant->name, line);
        free(line);
        if (sg_run_writer_add_rows(&p->folder, &batch, err) == SG_SUCCESS)
            step->sanitized = true;
    }
    sg_progress_step(&p->progress);
    sg_table_release(&batch);
    sg_text_release(&message);
    return err->code;
}

enum sg_code sg_pipeline_sanitize(struct sg_pipeline *p, struct sg_err *err)
{
    size_t count = 0;
    struct sg_text program = {0}, what = {0};
    for (size_t i = 0; i < p->plan.count; i++)
        count += is_worth_it(&p->steps[i]);
    if (!p->options->sanitize || count == 0)
        return SG_SUCCESS;
    if (!sg_program_path(&program, PROGRAM)) {
        sg_progress_print(&p->progress, "--sanitize: no " PROGRAM " on PATH: what failed is not looked at");
        return SG_SUCCESS;
    }
    sg_text_addf(&what, "sanitize: %zu items that failed, under %s", count, PROGRAM);
    sg_progress_phase(&p->progress, "sanitize", count, what.data);
    for (size_t i = 0; i < p->plan.count && err->code == SG_SUCCESS; i++)
        if (is_worth_it(&p->steps[i]) && sg_pipeline_check_code(p, err) == SG_SUCCESS)
            sanitize(p, &p->steps[i], program.data, err);
    sg_progress_end(&p->progress);
    sg_text_release(&what);
    sg_text_release(&program);
    return err->code;
}
