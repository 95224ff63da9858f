/*
 * process/process_state.h - what /proc shows of a process.
 */
#ifndef SG_PROCESS_PROCESS_STATE_H
#define SG_PROCESS_PROCESS_STATE_H

#include <sys/types.h>

struct sg_process_state {
    char state;   /* as in proc(5): R, S, T, ...; 0: it is gone, or is not shown */
    pid_t parent; /* 0 with it */
};
struct sg_process_state sg_process_state_of(pid_t process);

#endif
