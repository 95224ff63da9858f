#include "results/write_log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/csv_reader.h"
#include "util/file.h"
#include "util/text.h"

#define CHUNK_BYTES (1u << 18)

static const char *const words[] = {[SG_WRITE_GROWS] = "grows", [SG_WRITE_ANEW] = "anew"};
enum { FILE_FIELD, HOW_FIELD, BYTES_FIELD, DIGEST_FIELD };

enum sg_code sg_write_log_add(struct sg_journal *log, const char *file, enum sg_write how, uint64_t bytes, const struct sg_digest *content,
                              struct sg_err *err)
{
    struct sg_text line = {0};
    sg_text_addf(&line, "%s,%s,%" PRIu64 ",%s\n", file, words[how], bytes, sg_digest_word(content).text);
    if (how == SG_WRITE_ANEW)
        sg_journal_sync_next(log);
    sg_journal_add(log, line.data, line.length, err);
    sg_text_release(&line);
    return err->code;
}

/* ---- a file against its lines ---- */

struct written {
    enum sg_write how;
    uint64_t bytes;
    char digest[17];
};

struct all_written {
    const char *file; /* whose lines are read */
    struct written *items;
    size_t count, capacity;
};

static enum sg_code on_row(void *context, const struct sg_csv_row *row, struct sg_err *err)
{
    struct all_written *all = context;
    if (row->line == 1)
        return sg_csv_check_header(row, SG_WRITE_LOG_HEADER, err);
    struct written one = {.how = strcmp(row->field[HOW_FIELD], words[SG_WRITE_ANEW]) == 0 ? SG_WRITE_ANEW : SG_WRITE_GROWS};
    if (strcmp(row->field[HOW_FIELD], words[one.how]) != 0 || !sg_parse_u64(row->field[BYTES_FIELD], &one.bytes) ||
        !sg_is_digest(row->field[DIGEST_FIELD]))
        return sg_fail_at(err, SG_BAD_INPUT, row->path, row->line, "expected grows or anew, a number of bytes and a digest");
    memcpy(one.digest, row->field[DIGEST_FIELD], sizeof(one.digest));
    if (strcmp(row->field[FILE_FIELD], all->file) == 0)
        *SG_APPEND(all->items, all->count, all->capacity) = one;
    return SG_SUCCESS;
}

/* A file that is read once, from its beginning, and its digest so far. */
struct reading {
    const char *path;
    int descriptor;
    char *chunk;
    struct sg_digest digest;
    uint64_t bytes, lines;
    bool ended;
};

/* Reads on until `bytes` were read, or the file ends. */
static enum sg_code read_to(struct reading *r, uint64_t bytes, struct sg_err *err)
{
    while (r->bytes < bytes && !r->ended) {
        const size_t wanted = bytes - r->bytes < CHUNK_BYTES ? (size_t)(bytes - r->bytes) : CHUNK_BYTES;
        size_t got = 0;
        if (sg_read_bytes(r->path, r->descriptor, r->chunk, wanted, &got, err) != SG_SUCCESS)
            return err->code;
        sg_digest_add(&r->digest, r->chunk, got);
        for (size_t i = 0; i < got; i++)
            r->lines += r->chunk[i] == '\n';
        r->bytes += got;
        r->ended = got < wanted;
    }
    return SG_SUCCESS;
}

/* What was found of a file. */
struct whole {
    bool any;
    uint64_t bytes, lines; /* as far as it agrees with the log */
    uint64_t next;         /* bytes that it was about to have; the same if none */
    uint64_t length;       /* of the file */
};

/* Lines [first, end): it was replaced, and grew. They are of longer and longer beginnings. */
static enum sg_code follow(const struct all_written *all, size_t first, size_t end, struct reading *r, struct whole *whole,
                           struct sg_err *err)
{
    for (size_t i = first; i < end; i++) {
        if (read_to(r, all->items[i].bytes, err) != SG_SUCCESS)
            return err->code;
        if (r->bytes != all->items[i].bytes || strcmp(sg_digest_word(&r->digest).text, all->items[i].digest) != 0)
            break;
        *whole = (struct whole){.any = true, .bytes = r->bytes, .lines = r->lines};
        whole->next = i + 1 < end ? all->items[i + 1].bytes : r->bytes;
    }
    if (read_to(r, UINT64_MAX, err) == SG_SUCCESS)
        whole->length = r->bytes;
    return err->code;
}

/* Before `end`, where it was replaced last. */
static size_t replaced_before(const struct all_written *all, size_t end)
{
    while (end > 0 && all->items[--end].how != SG_WRITE_ANEW)
        continue;
    return end;
}

static enum sg_code judge(const struct all_written *all, struct reading *r, struct sg_err *err)
{
    struct whole whole = {0};
    const size_t last = replaced_before(all, all->count);
    if (follow(all, last, all->count, r, &whole, err) != SG_SUCCESS)
        return err->code;
    if (!whole.any && last > 0) {
        /* Killed before it was replaced. */
        *r = (struct reading){.path = r->path, .descriptor = r->descriptor, .chunk = r->chunk, .digest = SG_DIGEST_EMPTY};
        if (lseek(r->descriptor, 0, SEEK_SET) != 0)
            return sg_fail(err, SG_SYSTEM, r->path, "cannot be read again: %s", strerror(errno));
        if (follow(all, replaced_before(all, last), last, r, &whole, err) != SG_SUCCESS)
            return err->code;
    }
    if (whole.any && whole.length == whole.bytes)
        return SG_SUCCESS;
    if (whole.any && whole.length < whole.next) {
        if (truncate(r->path, (off_t)whole.bytes) != 0)
            sg_fail(err, SG_SYSTEM, r->path, "cannot be cut at byte %" PRIu64 ": %s", whole.bytes, strerror(errno));
        return err->code;
    }
    return sg_fail_at(err, SG_NOT_COMPARABLE, r->path, (long)whole.lines + 1,
                      "from this line on it is not what the run wrote (%" PRIu64 " bytes of %" PRIu64 " are, by " SG_WRITE_LOG_NAME
                      "): something else changed it while the run was under way; begin another run with another --out",
                      whole.bytes, whole.length);
}

static enum sg_code check_file(const char *folder, const char *log, const char *file, uint64_t *whole_bytes, struct sg_err *err)
{
    struct all_written all = {.file = file};
    struct sg_text path = {0};
    struct reading r = {.descriptor = -1, .digest = SG_DIGEST_EMPTY, .chunk = sg_alloc(CHUNK_BYTES, 1)};
    sg_text_addf(&path, "%s/%s", folder, file);
    r.path = path.data;
    if (sg_csv_read_journal(log, on_row, &all, whole_bytes, err) == SG_SUCCESS &&
        sg_open_to_read(path.data, &r.descriptor, err) == SG_SUCCESS)
        judge(&all, &r, err);
    if (r.descriptor >= 0)
        close(r.descriptor);
    free(r.chunk);
    free(all.items);
    sg_text_release(&path);
    return err->code;
}

enum sg_code sg_write_log_check(const char *folder, const char *const *files, size_t count, uint64_t *whole_bytes, struct sg_err *err)
{
    struct sg_text log = {0};
    sg_text_addf(&log, "%s/" SG_WRITE_LOG_NAME, folder);
    for (size_t i = 0; i < count && err->code == SG_SUCCESS; i++)
        check_file(folder, log.data, files[i], whole_bytes, err);
    sg_text_release(&log);
    return err->code;
}
