/*
 * exec/start.h - starts a program once with the injected library and reads its processes'
 * traces.
 */
#pragma once

#include "exec/program.h"
#include "trace/trace_reader.h"

struct sg_exec_session {
    struct sg_text library, gpu, pci_bus_id, folder; /* owned; folder: traces of one start */
};
/* `out` is the run's folder; it is created. Nothing is started before the checks pass. The driver
 * is asked for the GPU unless session->gpu has its name. SG_NO_GPU: no GPU. SG_INVALID: another
 * tool is already injected. */
enum sg_code sg_exec_open(struct sg_exec_session *session, const char *out, struct sg_err *err);
void sg_exec_close(struct sg_exec_session *session);
/* Deletes files that a killed solgate left in the run's folder. */
void sg_exec_clear(const char *out);

/* Runs `start` with the library. If `complaint` is empty, adds the name of a process that the
 * library did not see to its end, or at all. */
enum sg_code sg_exec_start(const struct sg_exec_session *session,
                           const struct sg_program_start *start, struct sg_program_end *end,
                           struct sg_text *complaint, struct sg_err *err);

/* Calls `take`, unless NULL, for each trace of a start in the folder. */
typedef enum sg_code sg_take_trace(void *given, const struct sg_trace *trace, struct sg_err *err);
enum sg_code sg_exec_read(const char *folder, sg_take_trace *take, void *given, struct sg_err *err);
/* The same, then deletes the traces. */
enum sg_code sg_exec_take(const struct sg_exec_session *session, sg_take_trace *take, void *given,
                          struct sg_err *err);
/* Moves the traces of the last start to the folder `kept`, on the disk, all or none. */
enum sg_code sg_exec_keep(const struct sg_exec_session *session, const char *kept,
                          struct sg_err *err);

/* Adds the process's name, what its trace lacks and why. Adds nothing if the trace is complete or
 * `words` is not empty. */
void sg_exec_complaint(const struct sg_trace *trace, struct sg_text *words);
