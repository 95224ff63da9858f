/*
 * util/file.h - files as a whole: reading one, replacing one.
 *
 * Invariant: sg_write_file leaves the old file or the new one under its name, never a part of
 * either.
 */
#pragma once

#include "util/err.h"
#include "util/text.h"

/* Opens for reading. SG_BAD_INPUT that says why when there is none, or when it is no regular
 * file; SG_SYSTEM by sg_code_of_errno. */
enum sg_code sg_open_to_read(const char *path, int *descriptor, struct sg_err *err);

/* Appends all bytes of a file. SG_BAD_INPUT, SG_SYSTEM. */
enum sg_code sg_read_file(const char *path, struct sg_text *bytes, struct sg_err *err);
/* The same of a text, into one that is empty: without the mark of UTF-8 that some editors write at
 * the start, and with LF as line ends. */
enum sg_code sg_read_text(const char *path, struct sg_text *text, struct sg_err *err);
/* At most `size` bytes, fewer only at the end of the file; 0 at the end.
 * SG_SYSTEM says what the system said. */
enum sg_code sg_read_bytes(const char *path, int descriptor, char *bytes, size_t size, size_t *got, struct sg_err *err);

/* Writes all of it, or fails: SG_SYSTEM with the reason and how far it came. */
enum sg_code sg_write_bytes(const char *path, int descriptor, const char *bytes, size_t count, struct sg_err *err);

/*
 * Holds an open folder, as no other process of this machine then can, until its descriptor is
 * closed: by the end of the process too, whichever that is. Waits for who holds it at most so
 * long; false: another still does.
 */
bool sg_hold_folder(int descriptor, unsigned most_ms);

/*
 * Waits until no other process holds the folder that the file is in, and holds it until the
 * descriptor is closed. SG_SYSTEM when that takes too long, or there is no such folder.
 */
enum sg_code sg_lock_folder_of(const char *path, int *descriptor, struct sg_err *err);

/*
 * Appends what identifies a file against the one that was there before: device, number, size
 * and the time of its last change, which a process that writes to it, replaces it or sets
 * its date back changes. SG_SYSTEM.
 */
enum sg_code sg_file_mark(const char *path, struct sg_text *mark, struct sg_err *err);

/* Makes a folder and the ones above it that are missing; one that is there is fine. SG_SYSTEM
 * names the part that cannot be made. */
enum sg_code sg_make_folders(const char *path, struct sg_err *err);

/* Makes a folder that no other process has: `before` and the time, and a number where that one is
 * there. Appends its path. SG_SYSTEM. */
enum sg_code sg_make_dated_folder(const char *before, struct sg_text *path, struct sg_err *err);

/*
 * Writes bytes to `path` by way of a temporary file in the same folder and a rename: all or
 * nothing, errors of the disk reported. A link is followed. SG_SYSTEM too where a folder or a
 * device is in its place.
 */
enum sg_code sg_write_file(const char *path, const char *bytes, size_t count, struct sg_err *err);
/* The first part of that: is a file in this place, or nothing? */
enum sg_code sg_check_place(const char *path, struct sg_err *err);
/* The last part, for a file that another program has written on the same file system. */
enum sg_code sg_move_file(const char *from, const char *path, struct sg_err *err);
