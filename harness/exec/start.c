#include "exec/start.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec/descendants.h"
#include "util/dynlib.h"
#include "util/file.h"
#include "util/paths.h"

#define LIBRARY   "libsolgate-inject.so"
#define CUPTI     "libcupti.so"
#define INJECTION "CUDA_INJECTION64_PATH"
#define NVTX      "NVTX_INJECTION64_PATH"

/* ncu, nsys and compute-sanitizer inject themselves by the same variable. */
static enum sg_code check_variables(struct sg_err *err)
{
    const char *found = getenv(INJECTION);
    if (found && *found)
        return sg_fail(err, SG_INVALID, INJECTION,
                       "expected it not to be set, found '%s': another tool is in the program, "
                       "such as ncu, nsys or compute-sanitizer",
                       found);
    return SG_SUCCESS;
}

enum sg_code sg_exec_open(struct sg_exec_place *place, const char *out, struct sg_err *err)
{
    if (check_variables(err) != SG_SUCCESS ||
        sg_find_gpu(&place->gpu, &place->pci_bus_id, err) != SG_SUCCESS ||
        sg_path_of_module(&place->library, LIBRARY, err) != SG_SUCCESS)
        return err->code;
    sg_text_addf(&place->folder, "%s/traces.%ld", out, (long)getpid());
    return sg_make_folders(place->folder.data, err);
}

void sg_exec_close(struct sg_exec_place *place)
{
    if (place->folder.length > 0)
        rmdir(place->folder.data);
    sg_text_release(&place->library);
    sg_text_release(&place->gpu);
    sg_text_release(&place->pci_bus_id);
    sg_text_release(&place->folder);
}

struct watched {
    struct sg_descendants descendants;
    const struct sg_program_start *start;
};

static bool watch(void *given)
{
    struct watched *watched = given;
    const struct sg_program_start *start = watched->start;
    sg_descendants_look(&watched->descendants);
    const bool is_to_end = start->is_to_end && start->is_to_end(start->given);
    if (is_to_end) /* ranks in other process groups would run into the next start */
        sg_descendants_kill(&watched->descendants);
    return is_to_end;
}

enum sg_code sg_exec_start(const struct sg_exec_place *place, const struct sg_program_start *start,
                           struct sg_program_end *end, struct sg_text *complaint,
                           struct sg_err *err)
{
    SG_SCOPED(sg_text) variable = {0}, cupti = {0};
    SG_FREED char *folder = realpath(place->folder.data, NULL);
    const char *nvtx = getenv(NVTX);
    if (!folder)
        return sg_fail(err, SG_SYSTEM, place->folder.data, "%s", strerror(errno));
    /* The library tries the process and the loader first. */
    if (!sg_toolkit_file(&cupti, CUPTI ".13"))
        sg_toolkit_file(&cupti, CUPTI);
    const struct sg_environment_change own[] = {
        {INJECTION, place->library.data},
        {NVTX, place->library.data},
        {SG_TRACE_FOLDER_VARIABLE, folder},
        {SG_TRACE_CUPTI_VARIABLE, cupti.data},
        {SG_TRACE_NVTX_VARIABLE, nvtx && *nvtx ? nvtx : NULL},
        {SG_TRACE_COUNTERS_VARIABLE, NULL}};
    const size_t owned = sizeof(own) / sizeof(own[0]);
    SG_FREED struct sg_environment_change *changes =
        sg_alloc(owned + start->change_count, sizeof(*changes));
    struct sg_program_start with_ours = *start;
    memcpy(changes, own, sizeof(own));
    for (size_t i = 0; i < start->change_count; i++)
        changes[owned + i] = start->changes[i];
    with_ours.changes = changes;
    with_ours.change_count += owned;
    sg_text_addf(&variable, INJECTION "=%s", place->library.data);
    struct watched watched = {
        .descendants = {.argv = start->argv, .variable = variable.data, .complaint = complaint},
        .start = start};
    with_ours.is_to_end = watch;
    with_ours.given = &watched;
    sg_descendants_begin(&watched.descendants);
    if (sg_program_run(&with_ours, end, err) == SG_SUCCESS)
        sg_descendants_wait(&watched.descendants, start->signals_are_held);
    sg_descendants_end(&watched.descendants);
    return err->code;
}

enum sg_code sg_exec_take(const struct sg_exec_place *place, sg_take_trace *take, void *given,
                          struct sg_err *err)
{
    SG_SCOPED(sg_names) files = {0};
    SG_SCOPED(sg_text) any = {0};
    if (sg_list_files(place->folder.data, SG_TRACE_ENDING, &files, err) != SG_SUCCESS)
        return err->code;
    sg_text_addf(&any, "%s/any", place->folder.data);
    if (files.count == 0 && sg_write_file(any.data, "", 0, err) == SG_SUCCESS) /* is it writable? */
        unlink(any.data);
    for (size_t i = 0; i < files.count; i++) {
        SG_SCOPED(sg_text) path = {0};
        struct sg_trace trace = {.bytes = NULL};
        sg_text_addf(&path, "%s/%s", place->folder.data, files.items[i]);
        if (err->code == SG_SUCCESS && sg_trace_read(path.data, &trace, err) == SG_SUCCESS &&
            take(given, &trace, err) != SG_SUCCESS)
            sg_fail_here(err, path.data, 1);
        sg_trace_release(&trace);
        unlink(path.data);
    }
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
