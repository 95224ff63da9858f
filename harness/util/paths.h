/*
 * util/paths.h - locates the text files of the tree (metrics/, kernels/suites/, reports/plots/),
 * the worker and the modules.
 *
 * The home is SOLGATE_HOME if set. Otherwise it is the nearest folder above the executable with
 * metrics/metrics.ini (a build inside the tree), or ../share/solgate relative to the executable
 * (installed).
 */
#pragma once

#include "util/names.h"
#include "util/text.h"

#define SG_HOME_VARIABLE "SOLGATE_HOME"

/* Appends the home. *is_installed: true for an installation. SG_SYSTEM if no home is found. */
enum sg_code sg_home(struct sg_text *folder, bool *is_installed, struct sg_err *err);
/* Appends "<home>/<relative>" to path. SG_SYSTEM if no home is found. */
enum sg_code sg_path_in_home(struct sg_text *path, const char *relative, struct sg_err *err);
/* Appends the path of a program built in the executable's folder: "<folder of the
 * executable>/<name>". */
enum sg_code sg_path_next_to_program(struct sg_text *path, const char *name, struct sg_err *err);
/* Appends the path of a kernel module: in ../libexec/solgate relative to the executable's folder
 * if that exists (installed), otherwise in that folder. */
enum sg_code sg_path_of_module(struct sg_text *path, const char *name, struct sg_err *err);

/* Appends the path of a system program found in an absolute folder of PATH. Returns false if
 * there is none. */
bool sg_program_path(struct sg_text *path, const char *name);

/* Appends a folder of the user's cache: $XDG_CACHE_HOME/solgate/NAME or
 * $HOME/.cache/solgate/NAME. SG_SYSTEM: neither is set. */
enum sg_code sg_cache_folder(struct sg_text *folder, const char *name, struct sg_err *err);

/* Returns true for a folder or a link to one. */
bool sg_is_folder(const char *path);
/* true for the same file or folder, by any path */
bool sg_is_same_file(const char *a, const char *b);
/* Adds the names of the files in a folder that end in `ending` ("" for all), sorted. */
enum sg_code sg_list_files(const char *folder, const char *ending, struct sg_names *names,
                           struct sg_err *err);
