/*
 * worker/read_files.h - which files a module and its variant read, and which shared objects they
 * load, from the load of the module on.
 *
 * The worker defines open, openat, fopen and their kin ahead of the C library, so that it sees the
 * files that a module, its libraries or the driver (cuModuleLoad of a file) open. What is mapped
 * without that, shared objects above all, /proc/self/maps has. Not seen: files that a system call
 * opens without the C library, what a socket sends, the environment.
 * Files of the worker itself, and what its device maps when it is opened, are not counted. Nor is
 * what is no regular file, what is only written, and the driver's cache of compiled PTX.
 */
#pragma once

#include <stdbool.h>

#include "util/text.h"

/* From here on. What is mapped by now is the worker's own. */
void sg_reads_begin(void);
/* While the calling thread opens a device; what is mapped meanwhile is no read. */
void sg_reads_pause(void);
void sg_reads_resume(void);
/*
 * Appends the digest of all that was read so far but `module`, each file by its name and content
 * in the order of reading; nothing if there was none. False, with the reason in its place: a file
 * is not there any more, or another program ran.
 */
bool sg_reads_add(const char *module, struct sg_text *out);
