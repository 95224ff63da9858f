#include "results/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/file.h"
#include "util/text.h"

/*
 * A link or a second name could lead to a file of other use, which is about to be
 * cut off; a pipe without a reader would be waited for.
 */
static int open_own(const char *path, struct sg_err *err)
{
    struct stat facts;
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno == ELOOP)
        sg_fail(err, SG_SYSTEM, path, "cannot be opened for writing: expected a file, or nothing, found a symbolic link");
    else if (descriptor < 0)
        sg_fail(err, SG_SYSTEM, path, "cannot be opened for writing: %s", strerror(errno));
    else if (fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_nlink > 1)
        sg_fail(err, SG_SYSTEM, path, "cannot be opened for writing: expected a file with only this name, or nothing");
    if (err->code != SG_SUCCESS && descriptor >= 0)
        close(descriptor);
    return err->code == SG_SUCCESS ? descriptor : -1;
}

enum sg_code sg_journal_open(const char *path, const char *header, uint64_t whole_bytes, struct sg_journal *journal, struct sg_err *err)
{
    *journal = (struct sg_journal){.whole_bytes = whole_bytes};
    const int descriptor = open_own(path, err);
    if (descriptor < 0)
        return err->code;
    journal->descriptor = descriptor;
    journal->path = sg_copy_string(path);
    /* Cutting a file that is shorter would fill it up with NUL bytes. */
    off_t end = lseek(descriptor, 0, SEEK_END);
    if (end < (off_t)whole_bytes)
        sg_fail(err, SG_SYSTEM, path, "expected at least %" PRIu64 " bytes to go on from, found %jd", whole_bytes, (intmax_t)end);
    else if (ftruncate(descriptor, (off_t)whole_bytes) != 0)
        sg_fail(err, SG_SYSTEM, path, "cannot be cut at byte %" PRIu64 ": %s", whole_bytes, strerror(errno));
    journal->content = SG_DIGEST_EMPTY;
    if (err->code == SG_SUCCESS && whole_bytes > 0)
        sg_digest_add_file(&journal->content, path, err);
    if (err->code == SG_SUCCESS && whole_bytes == 0) {
        struct sg_text line = {0};
        sg_text_addf(&line, "%s\n", header);
        sg_journal_add(journal, line.data, line.length, err);
        sg_text_release(&line);
    }
    if (err->code != SG_SUCCESS)
        sg_journal_close(journal);
    return err->code;
}

#define SYNC_S 1.0 /* waiting for the disk takes longer than most items do */
#define SOON_S 0.2

void sg_journal_sync_next(struct sg_journal *journal)
{
    journal->synced_s = 0;
}

bool sg_journal_syncs_next(const struct sg_journal *journal)
{
    return sg_monotonic_s() + SOON_S - journal->synced_s >= SYNC_S;
}

static enum sg_code sync_now_and_then(struct sg_journal *journal, struct sg_err *err)
{
    const double now = sg_monotonic_s();
    journal->behind = true;
    if (now - journal->synced_s < SYNC_S)
        return SG_SUCCESS;
    if (fsync(journal->descriptor) != 0)
        return sg_fail(err, SG_SYSTEM, journal->path, "cannot be written to the disk (fsync): %s", strerror(errno));
    journal->synced_s = now;
    journal->behind = false;
    return SG_SUCCESS;
}

enum sg_code sg_journal_add(struct sg_journal *journal, const char *lines, size_t count, struct sg_err *err)
{
    struct sg_err failed = {0};
    if (sg_write_bytes(journal->path, journal->descriptor, lines, count, &failed) == SG_SUCCESS &&
        sync_now_and_then(journal, &failed) == SG_SUCCESS) {
        journal->whole_bytes += count;
        sg_digest_add(&journal->content, lines, count);
        return SG_SUCCESS;
    }
    bool cut = ftruncate(journal->descriptor, (off_t)journal->whole_bytes) == 0;
    return sg_fail(err, failed.code, journal->path, "%s; the %" PRIu64 " bytes before this group of %zu are kept%s", failed.message,
                   journal->whole_bytes, count, cut ? "" : ", a torn line may stand behind them");
}

enum sg_code sg_journal_check(const struct sg_journal *journal, struct sg_err *err)
{
    struct sg_digest found = SG_DIGEST_EMPTY;
    struct sg_err unread = {0};
    if (sg_digest_add_file(&found, journal->path, &unread) != SG_SUCCESS)
        return sg_fail(err, unread.code == SG_BAD_INPUT ? SG_NOT_COMPARABLE : unread.code, unread.where, "%s", unread.message);
    if (found.state != journal->content.state)
        sg_fail(err, SG_NOT_COMPARABLE, journal->path,
                "was changed by another program while the run wrote it (expected the digest %s of %" PRIu64
                " bytes, found %s): nothing in it can be relied on; begin another run with another --out",
                sg_digest_word(&journal->content).text, journal->whole_bytes, sg_digest_word(&found).text);
    return err->code;
}

void sg_journal_close(struct sg_journal *journal)
{
    if (journal->path && journal->behind)
        fsync(journal->descriptor); /* what is written stays written, whatever becomes of this */
    if (journal->path)
        close(journal->descriptor);
    free(journal->path);
    *journal = (struct sg_journal){0};
}
