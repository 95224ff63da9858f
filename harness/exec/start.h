/*
 * exec/start.h - one start of a program with the injected library, and the traces that its
 * processes leave.
 */
#pragma once

#include "exec/program.h"
#include "trace/trace_reader.h"

struct sg_exec_place {
    struct sg_text library, gpu, pci_bus_id, folder; /* owned; the last is of the traces of one start */
};
/* SG_NO_GPU before anything is started, SG_INVALID: another tool would be in the program. `out` is
 * the run's folder, which is made. */
enum sg_code sg_exec_open(struct sg_exec_place *place, const char *out, struct sg_err *err);
void sg_exec_close(struct sg_exec_place *place);

/* `start` with what the library needs in its environment in front: a start that times, unless its
 * own settings say otherwise. The complaint, if it is empty, gets the name of a process that the
 * library does not see, or not to its end. */
enum sg_code sg_exec_start(const struct sg_exec_place *place, const struct sg_program_start *start, struct sg_program_end *end,
                           struct sg_text *complaint, struct sg_err *err);

/* All traces of a start, which are gone then. */
typedef enum sg_code sg_take_trace(void *given, const struct sg_trace *trace, struct sg_err *err);
enum sg_code sg_exec_take(const struct sg_exec_place *place, sg_take_trace *take, void *given, struct sg_err *err);

/* What is missing in a process and why, with its name; nothing where nothing is, or there are words
 * already. */
void sg_exec_complaint(const struct sg_trace *trace, struct sg_text *words);
