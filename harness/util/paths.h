/*
 * util/paths.h - where the text files of the tree are (metrics/, kernels/suites/,
 * reports/plots/), and the worker and modules.
 *
 * SOLGATE_HOME if set; else the nearest folder above the executable that holds metrics/metrics.ini
 * (a build inside the tree); else ../share/solgate beside the executable (installed).
 */
#pragma once

#include "util/names.h"
#include "util/text.h"

#define SG_HOME_VARIABLE "SOLGATE_HOME"

/* Appends the home. *is_installed: it is the one of an installation. SG_SYSTEM if none is found. */
enum sg_code sg_home(struct sg_text *folder, bool *is_installed, struct sg_err *err);
/* Appends "<home>/<relative>" to path. SG_SYSTEM if no home is found. */
enum sg_code sg_path_in_home(struct sg_text *path, const char *relative, struct sg_err *err);
/* Appends the path of a program that was built beside this executable:
 * "<folder of the executable>/<name>". */
enum sg_code sg_path_next_to_program(struct sg_text *path, const char *name, struct sg_err *err);
/* The same of a kernel module: in ../lib/solgate beside the executable's folder if there is one
 * (installed), else beside the executable. */
enum sg_code sg_path_of_module(struct sg_text *path, const char *name, struct sg_err *err);

/* Appends the path of a program of the system, found in an absolute folder of PATH; false: there
 * is none. */
bool sg_program_path(struct sg_text *path, const char *name);

/* Appends the folder of that name in the user's cache: $XDG_CACHE_HOME/solgate/NAME or
 * $HOME/.cache/solgate/NAME. SG_SYSTEM: neither is set. */
enum sg_code sg_cache_folder(struct sg_text *folder, const char *name, struct sg_err *err);

/* A folder, or a link to one? */
bool sg_is_folder(const char *path);
bool sg_is_same_file(const char *a, const char *b); /* or folder, by whatever path */
/* Adds the names of the files in a folder that end in `ending` ("" for all), and sorts them. */
enum sg_code sg_list_files(const char *folder, const char *ending, struct sg_names *names, struct sg_err *err);
