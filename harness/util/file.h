/*
 * util/file.h - reads and replaces whole files.
 *
 * Invariant: sg_write_file leaves either the old file or the new one under its name, never a part.
 */
#pragma once

#include "util/err.h"
#include "util/text.h"

/* Opens for reading. SG_BAD_INPUT with the reason if the file does not exist or is not a regular
 * file; SG_SYSTEM by sg_code_of_errno. */
enum sg_code sg_open_to_read(const char *path, int *descriptor, struct sg_err *err);

/* Appends all bytes of a file. SG_BAD_INPUT, SG_SYSTEM. */
enum sg_code sg_read_file(const char *path, struct sg_text *bytes, struct sg_err *err);
/* Reads a text into an empty `text`, without a UTF-8 byte order mark and with LF as line ends. */
enum sg_code sg_read_text(const char *path, struct sg_text *text, struct sg_err *err);

/* Writes all bytes or fails: SG_SYSTEM with the reason and the number of bytes written. */
enum sg_code sg_write_bytes(const char *path, int descriptor, const char *bytes, size_t count,
                            struct sg_err *err);

/* Opens a file or a folder with `flags` and locks it against other processes of this machine until
 * *lock is closed, also by the end of the process. Waits at most 2 s: the guard processes of a
 * killed solgate hold its locks a moment longer than solgate did. SG_BAD_USAGE with `busy`: another
 * process still holds the lock. *lock is -1 after a failure. */
enum sg_code sg_lock(const char *path, int flags, const char *busy, int *lock, struct sg_err *err);

/* Locks the folder of a file until the descriptor is closed. Waits for other processes.
 * SG_SYSTEM after a timeout, or if the folder does not exist. */
enum sg_code sg_lock_folder_of(const char *path, int *descriptor, struct sg_err *err);

/* Appends device, inode, size and time of the last change of a file. This mark changes when a
 * process writes to the file, replaces the file or resets its date. SG_SYSTEM. */
enum sg_code sg_file_mark(const char *path, struct sg_text *mark, struct sg_err *err);

/* Makes a folder and its missing parents; an existing folder is fine. SG_SYSTEM names the part
 * that cannot be made. */
enum sg_code sg_make_folders(const char *path, struct sg_err *err);

/* Appends the given path, which need not exist. NULL: makes a folder that no other process has,
 * `before` and the time, with a number if that folder exists, and appends its path. SG_SYSTEM. */
enum sg_code sg_choose_folder(const char *given, const char *before, struct sg_text *path,
                              struct sg_err *err);

/* Writes bytes through a temporary file in the same folder and a rename: all or nothing, with
 * disk errors reported. Follows a link. SG_SYSTEM also if `path` is a folder or a device. */
enum sg_code sg_write_file(const char *path, const char *bytes, size_t count, struct sg_err *err);
/* The last step of sg_write_file, for a file that another program wrote on the same file system. */
enum sg_code sg_move_file(const char *from, const char *path, struct sg_err *err);
