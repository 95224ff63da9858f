/*
 * cli/night_folders.h - the folders and names of a nightly run.
 */
#pragma once

#include "util/text.h"

#define SG_NIGHT_FILE "night.txt" /* in the folder of a nightly run, written last */

/* Locks the folder of nightly runs, which is made if it is missing. SG_BAD_USAGE: another process
 * has the lock. */
enum sg_code sg_night_hold(const char *folder, int *lock, struct sg_err *err);
/* Appends the folder of this nightly run. `measured`: NULL makes a dated folder in `out`, whose
 * name differs from a run killed in the same second; a run is in the folder already. */
enum sg_code sg_night_folder(const char *out, const char *measured, struct sg_text *folder,
                             struct sg_err *err);
/* Checks that `run` is a whole run of this suite. */
enum sg_code sg_night_check_run(const char *run, const char *suite, struct sg_err *err);
/* The suite's name, from a name or a file; the caller frees it. */
char *sg_night_suite_name(const char *suite);
/* The history that is given, or the usual one if it is there; NULL: no history is kept. */
const char *sg_night_history(const char *given);
