/*
 * scratch.h - for tests of readers: a folder of one's own, files in it from bytes, and what an error must say.
 *
 * Invariant: a scratch folder is empty when it is made; scratch_release takes it and its files away.
 */
#ifndef SCRATCH_H
#define SCRATCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "err.h"
#include "file.h"
#include "home.h"
#include "text.h"

#define COUNT(array)  (sizeof(array) / sizeof((array)[0]))
#define BYTES(string) (string), (sizeof(string) - 1) /* a literal with NUL bytes in it, and its length */

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

static inline const char *scratch_write(struct scratch *s, const char *name, const char *bytes, size_t count)
{
    struct sg_err err = {0};
    if (sg_write_file(scratch_path(s, name), bytes, count, &err) != SG_DONE)
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
    char **names;
    size_t count;
    struct sg_err err = {0};
    assert_int_equal(sg_list_files(s->folder, "", &names, &count, &err), SG_DONE);
    for (size_t i = 0; i < count; i++) {
        unlink(scratch_path(s, names[i]));
        free(names[i]);
    }
    free(names);
    assert_int_equal(rmdir(s->folder), 0);
}

/* `where` must end in `place` and the message must hold `words`; both "" when there must be no error. */
static inline void assert_error(const char *row, const struct sg_err *err, enum sg_code code, const char *place, const char *words)
{
    size_t length = strlen(err->where), tail = strlen(place);
    bool there = length >= tail && strcmp(err->where + length - tail, place) == 0;
    if (err->code != code || !there || !strstr(err->message, words))
        fail_msg("%s: expected code %d at '%s' saying '%s', found code %d at '%s' saying '%s'", row, code, place, words, err->code,
                 err->where, err->message);
}

#endif
