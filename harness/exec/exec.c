#include "exec/exec.h"

#include <string.h>

#include "catalogue/catalogue.h"
#include "device/nvml.h"
#include "exec/start.h"
#include "exec/traced_items.h"
#include "import/imported_run.h"
#include "results/run_folder.h"
#include "util/paths.h"

#define SUITE "exec" /* suite name in env.csv */

struct counters {
    const struct sg_metric **metrics; /* owned list of catalogue entries, in order of request */
    size_t count;
    struct sg_text names; /* owned: CUPTI's names, separated by commas */
};

struct work {
    const struct sg_exec_options *options;
    struct sg_exec_found *found;
    struct sg_exec_session session;
    struct sg_traced_items items;
    struct sg_traced_filter filter;
    struct counters counters;
    struct sg_names stuck;      /* owned; symbols that hung while counted */
    struct sg_nvml *nvml;       /* owned; NULL: the SM clock is unknown */
    uint64_t launches, records; /* the current start's, at the last poll */
    double clock_sum;           /* Hz, over the polls while kernels ran */
    unsigned clock_polls;
    bool is_over; /* a signal came: no more starts */
};

/* CUPTI's name of the GPU's chip; "" if metrics/gpus does not list the GPU. Freed by the caller. */
static char *chip_of(const char *gpu_name, struct sg_err *err)
{
    struct sg_gpu_spec spec = {.key = NULL};
    SG_FREED char *key = NULL;
    if (sg_gpu_key_for(gpu_name, &key, err) == SG_SUCCESS && key && *key)
        sg_gpu_load(key, &spec, err);
    return sg_copy_string(spec.chip ? spec.chip : "");
}

static void add_counter(struct counters *counters, const struct sg_metric *metric, const char *key)
{
    counters->metrics[counters->count++] = metric;
    sg_text_addf(&counters->names, "%s%s", counters->names.length > 0 ? "," : "", key);
}

/* Selects the metrics of the given groups and names that CUPTI counts on the GPU. SG_BAD_INPUT
 * names an unknown name, or reports that no metric is left. */
static enum sg_code choose_counters(struct counters *counters, struct sg_catalogue *catalogue,
                                    const struct sg_names *asked, const char *gpu_name,
                                    struct sg_err *err)
{
    static const char *const one_pass = "quick"; /* the group of a bare --metrics */
    SG_FREED const struct sg_metric **selected = NULL;
    SG_FREED char *chip = chip_of(gpu_name, err);
    size_t count = 0;
    if (err->code != SG_SUCCESS ||
        sg_catalogue_select(
            catalogue, asked->count > 0 ? (const char *const *)asked->items : &one_pass,
            asked->count > 0 ? asked->count : 1, &selected, &count, err) != SG_SUCCESS)
        return err->code;
    counters->metrics = sg_alloc(count + 1, sizeof(const struct sg_metric *));
    for (int leads = 1; leads >= 0; leads--)
        for (size_t i = 0; i < count; i++) {
            const char *key =
                selected[i]->source == &sg_source_cupti ? sg_metric_key(selected[i], chip) : NULL;
            if (key && sg_metric_leads(selected[i], chip) == (leads == 1))
                add_counter(counters, selected[i], key);
        }
    if (counters->count == 0)
        sg_fail(err, SG_BAD_INPUT, "--metrics",
                "expected CUPTI counters, found none that this GPU has");
    return err->code;
}

/* A process without launches is included: its complaint may be the reason. */
static enum sg_code take_times(void *given, const struct sg_trace *trace, struct sg_err *err)
{
    struct work *work = given;
    work->found->has_launched |= trace->head.launches + trace->head.records > 0;
    sg_exec_complaint(trace, &work->found->complaint);
    return sg_traced_items_add(&work->items, trace, &work->filter, err);
}

static enum sg_code take_counts(void *given, const struct sg_trace *trace, struct sg_err *err)
{
    struct work *work = given;
    if (work->found->not_counted.length == 0)
        sg_trace_flags(trace, &work->found->not_counted);
    return sg_traced_items_add_counts(&work->items, trace, work->counters.metrics,
                                      work->counters.count, err);
}

/* ---- starts ---- */

static void show_progress(void *given)
{
    const struct work *work = given;
    work->options->on_progress(work->options->given, work->session.gpu.data);
}

static enum sg_code start(struct work *work, struct sg_program_start how, int *status,
                          struct sg_text *complaint, struct sg_err *err)
{
    struct sg_program_end end = {0};
    const struct sg_exec_options *options = work->options;
    how.argv = options->argv;
    how.is_in_worker = options->on_progress != NULL;
    how.on_end = how.is_in_worker ? show_progress : NULL;
    how.given = work;
    if (how.is_in_worker)
        show_progress(work);
    sg_exec_start(&work->session, &how, &end, complaint, err);
    work->is_over |= end.signal != 0;
    *status = end.status;
    return err->code;
}

typedef bool use_trace(struct work *work, const char *path, const struct sg_trace_head *head);

/* Calls `use` for each process of the start that uses the GPU. Returns true if any call did. */
static bool for_traces(struct work *work, use_trace *use)
{
    const char *folder = work->session.folder.data;
    bool is_one = false;
    SG_SCOPED(sg_names) files = {0};
    sg_list_files(folder, SG_TRACE_ENDING, &files, SG_IGNORED);
    for (size_t i = 0; i < files.count; i++) {
        struct sg_trace_head head;
        SG_FORMATTED(path, "%s/%s", folder, files.items[i]);
        is_one |= sg_trace_read_head(path.data, &head) && use(work, path.data, &head);
    }
    return is_one;
}

static bool add_launches(struct work *work, const char *path, const struct sg_trace_head *head)
{
    (void)path;
    work->launches += head->launches;
    work->records += head->records;
    return true;
}

/* Reads the clock if kernels were launched since the last poll, or are still running. */
static bool watch(void *given)
{
    struct work *work = given;
    const uint64_t before = work->launches;
    work->launches = work->records = 0;
    for_traces(work, add_launches);
    const bool is_busy = work->launches > before || work->records < work->launches;
    const double hz = is_busy ? sg_nvml_clock(work->nvml) : 0;
    work->clock_polls += hz > 0;
    work->clock_sum += hz > 0 ? hz : 0;
    return false;
}

static enum sg_code time_once(struct work *work, struct sg_err *err)
{
    struct sg_exec_found *found = work->found;
    work->launches = work->clock_polls = 0;
    work->clock_sum = 0;
    if (start(work,
              (struct sg_program_start){.output = work->options->output,
                                        .is_to_end = work->nvml ? watch : NULL},
              &found->status, &found->complaint, err) != SG_SUCCESS)
        return err->code;
    if (work->options->kept && (found->status != 0 || found->complaint.length > 0 || work->is_over))
        return err->code;
    if (work->options->kept)
        return sg_exec_keep(&work->session, work->options->kept, err);
    sg_gather_begin_file(work->items.gathering, work->options->out);
    if (sg_exec_take(&work->session, take_times, work, err) != SG_SUCCESS)
        return err->code;
    found->sm_clock = work->clock_polls > 0 ? work->clock_sum / work->clock_polls : 0;
    return sg_traced_items_end_start(&work->items, work->options->processes > 1, found->sm_clock,
                                     err);
}

static enum sg_code time_kernels(struct work *work, struct sg_err *err)
{
    unsigned made = 0;
    if (!work->options->kept) /* traces have no clock */
        sg_nvml_open(work->session.pci_bus_id.data, &work->nvml, SG_IGNORED);
    for (; made < work->options->processes && work->found->status == 0 && !work->is_over &&
           err->code == SG_SUCCESS;
         made++)
        time_once(work, err);
    if (work->is_over && (made < work->options->processes || work->options->counts))
        work->found->stopped_after = made;
    sg_nvml_close(work->nvml);
    return err->code;
}

/* ---- counters ---- */

#define STUCK_NS   UINT64_C(5000000000)
#define STUCK_MOST 8 /* kernels; counting stops after these */

/* True if a process has been counting one symbol for too long. The symbol is recorded once, because
 * a killed process may take a second to release the GPU. The same symbol can hang again in a later
 * start, which is killed too. */
static bool look_at(struct work *work, const char *path, const struct sg_trace_head *head)
{
    struct sg_trace trace = {.bytes = NULL};
    const uint64_t now_ns = (uint64_t)(sg_monotonic_s() * 1e9);
    if (head->counting_since_ns == 0 || now_ns - head->counting_since_ns <= STUCK_NS)
        return false;
    const bool is_read =
        sg_trace_read(path, &trace, SG_IGNORED) == SG_SUCCESS && head->counting < trace.name_count;
    if (is_read && !sg_names_have(&work->stuck, trace.names[head->counting]->text))
        sg_names_add(&work->stuck, trace.names[head->counting]->text);
    sg_trace_release(&trace);
    return is_read;
}

static bool is_stuck(void *given)
{
    return for_traces(given, look_at);
}

/* Builds a regular expression of kernels that wait for other GPUs and of kernels that hung. */
static void add_left_out(const struct work *work, struct sg_text *pattern)
{
    sg_text_add(pattern, work->options->kernel ? "" : SG_LEFT_OUT);
    for (size_t i = 0; i < work->stuck.count; i++) {
        sg_text_add(pattern, pattern->length > 0 ? "|^" : "^");
        for (const char *at = work->stuck.items[i]; *at; at++)
            sg_text_addf(pattern, "%s%c", strchr(".[]()*+?{}|^$\\", *at) ? "\\" : "", *at);
        sg_text_add(pattern, "$");
    }
}

static enum sg_code count_once(struct work *work, int *status, struct sg_err *err)
{
    SG_SCOPED(sg_text) left_out = {0}, window = {0}, unused = {0};
    add_left_out(work, &left_out);
    if (work->options->has_window)
        sg_text_addf(&window, "%llu,%llu", (unsigned long long)work->options->skip,
                     (unsigned long long)work->options->most);
    return start(work,
                 (struct sg_program_start){
                     .option = {[SG_TRACE_COUNTERS] = work->counters.names.data,
                                [SG_TRACE_RANGE] = work->options->range,
                                [SG_TRACE_KERNEL] = work->options->kernel,
                                [SG_TRACE_LEFT_OUT] = left_out.data,
                                [SG_TRACE_WINDOW] = window.data,
                                [SG_TRACE_WHOLE] = work->options->of_ranges ? "1" : NULL},
                     .output = "/dev/null",
                     .is_to_end = is_stuck},
                 status, &unused, err);
}

static enum sg_code count_kernels(struct work *work, struct sg_err *err)
{
    size_t stuck_before = 0;
    int status = 0;
    do {
        stuck_before = work->stuck.count;
        status = 0;
        if (count_once(work, &status, err) == SG_SUCCESS)
            sg_exec_take(&work->session, work->stuck.count > stuck_before ? NULL : take_counts,
                         work, err);
    } while (err->code == SG_SUCCESS && work->stuck.count > stuck_before &&
             work->stuck.count < STUCK_MOST && !work->is_over);
    if (status != 0 && work->found->not_counted.length == 0)
        sg_text_addf(&work->found->not_counted,
                     "the program ended with status %d while it was counted", status);
    sg_traced_items_end_counts(&work->items, work->counters.count, work->options->of_ranges,
                               &work->stuck);
    return err->code;
}

static enum sg_code measure(struct work *work, struct sg_catalogue *catalogue, struct sg_err *err)
{
    const struct sg_exec_options *options = work->options;
    sg_text_add(&work->session.gpu, options->gpu ? options->gpu : "");
    if (sg_exec_open(&work->session, options->out, err) != SG_SUCCESS ||
        (options->counts && choose_counters(&work->counters, catalogue, &options->metrics,
                                            work->session.gpu.data, err) != SG_SUCCESS))
        return err->code;
    if (time_kernels(work, err) != SG_SUCCESS || !options->counts || work->found->status != 0)
        return err->code;
    if (!work->is_over && count_kernels(work, err) == SG_SUCCESS && work->is_over)
        work->found->stopped_after = options->processes;
    return err->code;
}

enum sg_code sg_exec_measure(const struct sg_exec_options *options, struct sg_exec_found *found,
                             struct sg_err *err)
{
    struct sg_catalogue catalogue = {0};
    struct sg_gathering gathering = {
        .catalogue = &catalogue, .path = options->out, .family = "exec"};
    struct work work = {.options = options,
                        .found = found,
                        .items = {.gathering = &gathering, .label = options->label}};
    *found = (struct sg_exec_found){.status = 0};
    if (sg_traced_filter_make(options->range, options->kernel, &work.filter, err) != SG_SUCCESS)
        return err->code;
    if (sg_catalogue_load(&catalogue, err) == SG_SUCCESS &&
        measure(&work, &catalogue, err) == SG_SUCCESS && gathering.item_count > 0)
        sg_gather_rows(&gathering, &found->rows, err);
    sg_text_add(&found->gpu, sg_text_string(&work.session.gpu));
    sg_exec_close(&work.session);
    return err->code;
}

/* ---- the run ---- */

static enum sg_code write_run(const struct sg_exec_options *options, struct sg_exec_found *found,
                              struct sg_run_draft *draft, struct sg_err *err)
{
    SG_SCOPED(sg_text) command = {0};
    const char *unfit = found->complaint.length > 0 ? found->complaint.data : NULL;
    sg_text_add_command(&command, options->argv);
    const struct sg_imported_run facts = {
        .tool = SUITE, .source = command.data, .gpu_name = found->gpu.data, .unfit = unfit};
    if (sg_imported_run_write(&facts, draft->folder.data, options->out, &found->rows, err) ==
        SG_SUCCESS)
        sg_run_draft_finish(draft, err);
    return err->code;
}

static enum sg_code conclude(const struct sg_exec_options *options, struct sg_exec_found *found,
                             struct sg_run_draft *draft, struct sg_err *err)
{
    if (found->rows.count > 0 && write_run(options, found, draft, err) != SG_SUCCESS)
        return err->code;
    if (found->stopped_after > 0)
        return sg_fail(err, SG_INTERRUPTED, options->out,
                       "stopped by a signal after %u of %u starts%s", found->stopped_after,
                       options->processes,
                       options->counts ? ", and before the end of the counting start" : "");
    if (found->complaint.length > 0)
        return sg_fail(err, SG_INVALID, options->out, "%s", found->complaint.data);
    if (found->not_counted.length > 0)
        return sg_fail(err, SG_INVALID, options->out, "kernels were timed but not counted: %s",
                       found->not_counted.data);
    if (found->rows.count == 0)
        return sg_fail(err, SG_INVALID, options->out, "expected kernels, found %s",
                       found->has_launched ? "none that --range and --kernel match"
                                           : "no launch in the program");
    return SG_SUCCESS;
}

enum sg_code sg_exec(const struct sg_exec_options *options, int *status, struct sg_err *err)
{
    struct sg_exec_found found = {.status = 0};
    SG_SCOPED(sg_run_draft) draft;
    struct sg_exec_options inside = *options;
    if (sg_run_draft_begin(options->out, SUITE, &draft, err) != SG_SUCCESS)
        return err->code;
    inside.out = draft.folder.data;
    if (sg_exec_measure(&inside, &found, err) == SG_SUCCESS)
        conclude(options, &found, &draft, err);
    *status = found.status;
    return err->code;
}
