#include "exec/start.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/dynlib.h"
#include "util/file.h"
#include "util/paths.h"

#define LIBRARY   "libsolgate-inject.so"
#define CUPTI     "libcupti.so"
#define INJECTION "CUDA_INJECTION64_PATH"
#define NVTX      "NVTX_INJECTION64_PATH"
#define TRACES    "traces"

/* ncu, nsys and compute-sanitizer inject themselves by the same variable. */
static enum sg_code check_variables(struct sg_err *err)
{
    const char *found = getenv(INJECTION);
    if (found && *found)
        return sg_fail(err, SG_INVALID, INJECTION,
                       "expected it to be unset, found '%s': another tool runs in the program, "
                       "such as ncu, nsys or compute-sanitizer",
                       found);
    return SG_SUCCESS;
}

enum sg_code sg_exec_open(struct sg_exec_session *session, const char *out, struct sg_err *err)
{
    if (check_variables(err) != SG_SUCCESS ||
        (session->gpu.length == 0 &&
         sg_find_gpu(&session->gpu, &session->pci_bus_id, err) != SG_SUCCESS) ||
        sg_path_of_module(&session->library, LIBRARY, err) != SG_SUCCESS)
        return err->code;
    sg_exec_clear(out);
    sg_text_addf(&session->folder, "%s/" TRACES, out);
    return sg_make_folders(session->folder.data, err);
}

void sg_exec_clear(const char *out)
{
    struct sg_exec_session session = {.folder = {0}};
    sg_text_addf(&session.folder, "%s/" TRACES, out);
    sg_exec_take(&session, NULL, NULL, SG_IGNORED);
    sg_exec_close(&session);
}

void sg_exec_close(struct sg_exec_session *session)
{
    if (session->folder.length > 0)
        rmdir(session->folder.data);
}

static enum sg_code add_options(const struct sg_exec_session *session,
                                const struct sg_program_start *start, struct sg_text *out,
                                struct sg_err *err)
{
    SG_SCOPED(sg_text) cupti = {0};
    SG_FREED char *folder = realpath(session->folder.data, NULL);
    const char *nvtx = getenv(NVTX), *option[SG_TRACE_OPTIONS];
    if (!folder)
        return sg_fail(err, SG_SYSTEM, session->folder.data, "%s", strerror(errno));
    /* The library tries the process and the loader first. */
    if (!sg_toolkit_file(&cupti, CUPTI ".13"))
        sg_toolkit_file(&cupti, CUPTI);
    memcpy(option, start->option, sizeof(option));
    option[SG_TRACE_FOLDER] = folder;
    option[SG_TRACE_CUPTI] = cupti.data;
    option[SG_TRACE_NVTX] = nvtx;
    for (size_t i = 0; i < SG_TRACE_OPTIONS; i++)
        sg_text_addf(out, "%s" SG_TRACE_SEPARATOR, option[i] ? option[i] : "");
    return SG_SUCCESS;
}

enum sg_code sg_exec_start(const struct sg_exec_session *session,
                           const struct sg_program_start *start, struct sg_program_end *end,
                           struct sg_text *complaint, struct sg_err *err)
{
    SG_SCOPED(sg_text) variable = {0}, options = {0};
    if (add_options(session, start, &options, err) != SG_SUCCESS)
        return err->code;
    const struct sg_environment_change changes[] = {{INJECTION, session->library.data},
                                                    {NVTX, session->library.data},
                                                    {SG_TRACE_VARIABLE, options.data}};
    sg_text_addf(&variable, INJECTION "=%s", session->library.data);
    struct sg_descendants descendants = {
        .argv = start->argv, .variable = variable.data, .complaint = complaint};
    sg_descendants_begin(&descendants);
    sg_program_run(start, changes, sizeof(changes) / sizeof(changes[0]), &descendants, end, err);
    if (start->on_end)
        start->on_end(start->given);
    if (err->code == SG_SUCCESS)
        sg_descendants_wait(&descendants, start->is_in_worker ? sg_program_is_stopped : NULL);
    sg_descendants_end(&descendants);
    return err->code;
}

typedef enum sg_code use_file(void *given, const char *path, struct sg_err *err);

static enum sg_code for_files(const char *folder, use_file *use, void *given, struct sg_err *err)
{
    SG_SCOPED(sg_names) files = {0};
    sg_list_files(folder, SG_TRACE_ENDING, &files, err);
    for (size_t i = 0; i < files.count && err->code == SG_SUCCESS; i++) {
        SG_FORMATTED(path, "%s/%s", folder, files.items[i]);
        use(given, path.data, err);
    }
    return err->code;
}

struct reading {
    sg_take_trace *take;
    void *given;
    size_t count;
};

static enum sg_code read_file(void *given, const char *path, struct sg_err *err)
{
    struct reading *reading = given;
    struct sg_trace trace = {.bytes = NULL};
    reading->count++;
    if (sg_trace_read(path, &trace, err) == SG_SUCCESS &&
        reading->take(reading->given, &trace, err) != SG_SUCCESS)
        sg_fail_here(err, path, 1);
    sg_trace_release(&trace);
    return err->code;
}

enum sg_code sg_exec_read(const char *folder, sg_take_trace *take, void *given, struct sg_err *err)
{
    struct reading reading = {.take = take, .given = given};
    if (!take || for_files(folder, read_file, &reading, err) != SG_SUCCESS || reading.count > 0)
        return err->code;
    SG_FORMATTED(any, "%s/any", folder);
    if (sg_write_file(any.data, "", 0, err) == SG_SUCCESS) /* is it writable? */
        unlink(any.data);
    return err->code;
}

static enum sg_code remove_file(void *given, const char *path, struct sg_err *err)
{
    (void)given;
    unlink(path);
    return err->code;
}

enum sg_code sg_exec_take(const struct sg_exec_session *session, sg_take_trace *take, void *given,
                          struct sg_err *err)
{
    sg_exec_read(session->folder.data, take, given, err);
    for_files(session->folder.data, remove_file, NULL, SG_IGNORED);
    return err->code;
}

static enum sg_code sync_file(void *given, const char *path, struct sg_err *err)
{
    int descriptor = -1;
    (void)given;
    if (sg_open_to_read(path, &descriptor, err) == SG_SUCCESS && fsync(descriptor) != 0)
        sg_fail(err, SG_SYSTEM, path, "cannot be written to the disk (fsync): %s", strerror(errno));
    if (descriptor >= 0)
        close(descriptor);
    return err->code;
}

enum sg_code sg_exec_keep(const struct sg_exec_session *session, const char *kept,
                          struct sg_err *err)
{
    if (for_files(session->folder.data, sync_file, NULL, err) == SG_SUCCESS)
        sg_move_file(session->folder.data, kept, err);
    return err->code;
}

void sg_exec_complaint(const struct sg_trace *trace, struct sg_text *words)
{
    SG_SCOPED(sg_text) missing = {0};
    sg_trace_complaint(trace, &missing);
    if (missing.length > 0 && words->length == 0)
        sg_text_addf(words, "process %llu (%.*s): %s", (unsigned long long)trace->head.pid,
                     (int)sizeof(trace->head.program) - 1,
                     *trace->head.program ? trace->head.program : "?", missing.data);
}
