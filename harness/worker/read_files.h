/*
 * worker/read_files.h - the files that a module and its variant read, and the shared objects they
 * load, from the time the module is loaded.
 *
 * The worker overrides open, openat, fopen and their variants of the C library. So the worker sees
 * the files that a module, its libraries or the driver (cuModuleLoad of a file) open. Mapped files,
 * mostly shared objects, are read from /proc/self/maps. Not seen: files opened by direct system
 * calls, data from sockets, the environment. Ignored: files of the worker itself, files mapped
 * while its device is opened, files that are not regular or only written, the driver's PTX cache.
 */
#pragma once

#include <stdbool.h>

#include "util/text.h"

/* Starts recording. Files mapped before this belong to the worker. */
void sg_reads_begin(void);
/* While the calling thread opens a device, newly mapped files do not count. */
void sg_reads_pause(void);
void sg_reads_resume(void);
/* Appends the digest of all files read so far except `module`, by name and content in reading
 * order; nothing if there are none. False, with the reason appended instead: a file no longer
 * exists, or another program ran. */
bool sg_reads_add(const char *module, struct sg_text *out);
