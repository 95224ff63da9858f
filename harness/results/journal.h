/*
 * results/journal.h - a file of lines that only ever grows by whole groups.
 *
 * A group is what must stand or fall together: the rows of one item. It goes out in one write, so
 * that no death of a process takes it back, and is on the disk, where no loss of power does, a
 * second later or when the journal is closed. Invariant: as far as `whole_bytes` the file holds
 * whole groups, also after a failure (then what came behind was cut off again) and after a kill
 * (then at most a torn line is behind; sg_table_read_journal and sg_samples_read_journal say where
 * it begins). Other programs may write to the file all the same, those that are measured among
 * them: sg_journal_check finds that.
 */
#ifndef SG_RESULTS_JOURNAL_H
#define SG_RESULTS_JOURNAL_H

#include <stdbool.h>

#include "util/digest.h"

struct sg_journal {
    char *path; /* owned */
    int descriptor;
    uint64_t whole_bytes;
    struct sg_digest content; /* of these bytes, as they were found and added */
    double synced_s;          /* when all of it was on the disk, on the monotonic clock */
    bool behind;              /* some of it is not */
};

/*
 * Opens for appending, and makes the file if there is none. What stands behind whole_bytes is cut
 * off; with 0 the file begins anew with `header` (without line end). The journal is all zero after
 * a failure. SG_SYSTEM with the reason.
 */
enum sg_code sg_journal_open(const char *path, const char *header, uint64_t whole_bytes, struct sg_journal *journal, struct sg_err *err);

/*
 * Appends a group of lines, each with its end. SG_SYSTEM (disk full, file too large, ...)
 * says how many bytes are kept; the group is not. SIGXFSZ must be ignored for a limit on
 * file size to come out as an error.
 */
enum sg_code sg_journal_add(struct sg_journal *journal, const char *lines, size_t count, struct sg_err *err);

/* The next group is on the disk before sg_journal_add returns. */
void sg_journal_sync_next(struct sg_journal *journal);
/* Will the next group, added soon, be waited for until it is on the disk? */
bool sg_journal_syncs_next(const struct sg_journal *journal);

/*
 * Does the file, by its path, hold what was found in it and added since, and nothing
 * else? SG_NOT_COMPARABLE: something else wrote to it, or put another one in its place,
 * or none. SG_SYSTEM: it cannot be read.
 */
enum sg_code sg_journal_check(const struct sg_journal *journal, struct sg_err *err);

void sg_journal_close(struct sg_journal *journal); /* all zero again; a zeroed journal is fine */

#endif
