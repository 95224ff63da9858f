/*
 * util/digest.h - a 64-bit digest of bytes (FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/)
 * that shows whether a file changed since it was accepted.
 *
 * Pure except for sg_digest_add_file and sg_digest_add_text_file. The digest protects against
 * accidents and hand edits, not against malice. Invariant: a change of one byte always changes the
 * digest.
 */
#pragma once

#include "util/err.h"
#include "util/text.h"

struct sg_digest {
    uint64_t state;
};
#define SG_DIGEST_EMPTY              \
    (struct sg_digest)               \
    {                                \
        UINT64_C(0xcbf29ce484222325) \
    }

void sg_digest_add(struct sg_digest *digest, const void *bytes, size_t count);
/* Includes the terminator, so that "ab", "c" differs from "a", "bc". */
void sg_digest_add_string(struct sg_digest *digest, const char *string);
/* Add a whole file. The digest of a text file has only the bytes that sg_read_text returns, so a
 * byte order mark and the kind of line end change nothing. SG_BAD_INPUT, SG_SYSTEM. */
enum sg_code sg_digest_add_text_file(struct sg_digest *digest, const char *path,
                                     struct sg_err *err);
enum sg_code sg_digest_add_file(struct sg_digest *digest, const char *path, struct sg_err *err);

/* 16 hexadecimal digits, by value, to be used as an argument: sg_digest_word(&digest).text */
struct sg_digest_word {
    char text[17];
};
struct sg_digest_word sg_digest_word(const struct sg_digest *digest);
/* Returns true for 16 hexadecimal digits. */
bool sg_is_digest(const char *word);
