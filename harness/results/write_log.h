/*
 * results/write_log.h - written.csv of an unfinished run: how long each of its files is after each
 * write, and the digest of that many bytes.
 *
 * A line is added before the write that it is of, so a kill between both leaves a file that is as
 * the line before it has it. A run that is taken up is held against it: rows that something else
 * wrote, and rows that were changed, are found. Against accidents and careless forgery; who writes
 * to this file, too, is not found. Gone once a run is finished, which is sealed by digests.
 */
#ifndef SG_RESULTS_WRITE_LOG_H
#define SG_RESULTS_WRITE_LOG_H

#include "results/journal.h"

#define SG_WRITE_LOG_NAME   "written.csv"
#define SG_WRITE_LOG_HEADER "file,how,bytes,digest"
/* In env.csv of an unfinished run: it has such a file. */
#define SG_WRITE_LOG_KEY "written"

/* How a file is written: it grows to so many bytes, or is replaced by so many. */
enum sg_write { SG_WRITE_GROWS, SG_WRITE_ANEW };

/* `log` is a journal of such lines; `file` a name without its folder. What is replaced
 * is in the log, on the disk, before this returns. SG_SYSTEM. */
enum sg_code sg_write_log_add(struct sg_journal *log, const char *file, enum sg_write how, uint64_t bytes, const struct sg_digest *content,
                              struct sg_err *err);

/*
 * Holds files of a folder against the log in it. What stands behind the last whole write, as far as
 * it can be the beginning of the next one, is cut off. SG_NOT_COMPARABLE with file and line: from
 * there on it is not what was written. SG_BAD_INPUT: the log cannot be read. *whole_bytes: of the
 * log, where it goes on.
 */
enum sg_code sg_write_log_check(const char *folder, const char *const *files, size_t count, uint64_t *whole_bytes, struct sg_err *err);

#endif
