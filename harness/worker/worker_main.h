/*
 * worker/worker_main.h - the program solgate-worker, also part of libsolgate_gate.so
 * (worker/library/gate.h).
 */
#pragma once

/* Returns the exit code of the program. */
int sg_worker_main(int argc, char **argv);
/* Call within a pass before a call that may compile, with SG_SETUP_S (results/message.h), and after
 * it with 0. */
void sg_worker_announce_setup(double seconds);
/* Call within a pass: reports why the run must end. The caller ends the process. */
void sg_worker_refuse(const char *why);
