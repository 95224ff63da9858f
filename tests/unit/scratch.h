/*
 * scratch.h - for tests of readers: a folder of one's own, files in it from
 * bytes, and what an error must say.
 *
 * Invariant: a scratch folder is empty when it is made;
 * scratch_release takes it and its files away.
 * SCRATCH(s) makes one for its block.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "util/err.h"
#include "util/file.h"
#include "util/paths.h"
#include "util/text.h"

#define BYTES(string) \
    (string), (sizeof(string) - 1) /* a literal with NUL bytes in it, and its length */

struct scratch {
    char folder[64];
    char path[128]; /* of the file written last */
};

static inline void scratch_init(struct scratch *s)
{
    *s = (struct scratch){.folder = "/tmp/solgate_test.XXXXXX"};
    assert_non_null(mkdtemp(s->folder));
}

/* The path of a file in the folder, there or not. */
static inline const char *scratch_path(struct scratch *s, const char *name)
{
    snprintf(s->path, sizeof(s->path), "%s/%s", s->folder, name);
    return s->path;
}

static inline const char *scratch_write(struct scratch *s, const char *name, const char *bytes,
                                        size_t count)
{
    struct sg_err err = {0};
    if (sg_write_file(scratch_path(s, name), bytes, count, &err) != SG_SUCCESS)
        fail_msg("%s: %s", err.where, err.message);
    return s->path;
}

/* All bytes of a file of the folder; owned by the caller. */
static inline struct sg_text scratch_read(struct scratch *s, const char *name)
{
    struct sg_text text = {0};
    char bytes[4096];
    FILE *file = fopen(scratch_path(s, name), "rb");
    assert_non_null(file);
    for (size_t got; (got = fread(bytes, 1, sizeof(bytes), file)) > 0;)
        sg_text_add_bytes(&text, bytes, got);
    fclose(file);
    return text;
}

static inline void scratch_release(struct scratch *s)
{
    SG_SCOPED(sg_names) names = {0};
    struct sg_err err = {0};
    assert_int_equal(sg_list_files(s->folder, "", &names, &err), SG_SUCCESS);
    for (size_t i = 0; i < names.count; i++)
        unlink(scratch_path(s, names.items[i]));
    assert_int_equal(rmdir(s->folder), 0);
}

#define SCRATCH(name)                      \
    OWNED(scratch, name, scratch_release); \
    scratch_init(&(name))

/* `where` must end in `place` and the message must hold `words`;
 * both "" when there must be no error. */
static inline void assert_error(const char *row, const struct sg_err *err, enum sg_code code,
                                const char *place, const char *words)
{
    size_t length = strlen(err->where), tail = strlen(place);
    bool there = length >= tail && strcmp(err->where + length - tail, place) == 0;
    if (err->code != code || !there || !strstr(err->message, words))
        fail_msg("%s: expected code %d at '%s' saying '%s', found code %d at '%s' saying '%s'", row,
                 code, place, words, err->code, err->where, err->message);
}

/* A file that must be refused as SG_BAD_INPUT: its bytes, and the end of the place and a
 * part of the message of the error. */
struct damage {
    const char *proves, *bytes;
    size_t count;
    const char *place, *words;
};

/* `read` reads the file of that name and releases what it got. */
static inline void assert_refused(const struct damage *rows, size_t count, const char *name,
                                  void (*read)(const char *path, struct sg_err *err))
{
    struct scratch s;
    scratch_init(&s);
    for (size_t i = 0; i < count; i++) {
        struct sg_err err = {0};
        read(scratch_write(&s, name, rows[i].bytes, rows[i].count), &err);
        assert_error(rows[i].proves, &err, SG_BAD_INPUT, rows[i].place, rows[i].words);
    }
    scratch_release(&s);
}

/* A file that must be read: its bytes, and what `read` writes down of them. */
struct whole {
    const char *proves, *bytes;
    size_t count;
    const char *seen;
};

static inline void assert_read(const struct whole *rows, size_t count,
                               void (*read)(const char *path, struct sg_text *seen,
                                            struct sg_err *err))
{
    struct scratch s;
    scratch_init(&s);
    for (size_t i = 0; i < count; i++) {
        struct sg_err err = {0};
        SG_SCOPED(sg_text) seen = {0};
        read(scratch_write(&s, "t", rows[i].bytes, rows[i].count), &seen, &err);
        assert_error(rows[i].proves, &err, SG_SUCCESS, "", "");
        if (strcmp(sg_text_string(&seen), rows[i].seen) != 0)
            fail_msg("%s: found\n%s", rows[i].proves, sg_text_string(&seen));
    }
    scratch_release(&s);
}
