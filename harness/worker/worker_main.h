/*
 * worker/worker_main.h - the program solgate-worker, which libsolgate_gate.so is too
 * (worker/library/gate.h).
 */
#pragma once

/* Returns the exit code. */
int sg_worker_main(int argc, char **argv);
/* Within a pass: says why the run has to end. The caller ends the process. */
void sg_worker_refuse(const char *why);
