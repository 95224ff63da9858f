/*
 * util/digest.h - a 64-bit digest of bytes (FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/):
 * was a file changed since it was accepted?
 *
 * Pure but for sg_digest_add_file and sg_digest_add_text_file. Against accidents and hand edits,
 * not against malice. Invariant: a change of one byte always changes it.
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
/* With its terminator, so that "ab", "c" is not "a", "bc". */
void sg_digest_add_string(struct sg_digest *digest, const char *string);
/* All of a file; of a text file what sg_read_text reads, so that an editor's mark and line ends do
 * not count. SG_BAD_INPUT, SG_SYSTEM. */
enum sg_code sg_digest_add_text_file(struct sg_digest *digest, const char *path, struct sg_err *err);
enum sg_code sg_digest_add_file(struct sg_digest *digest, const char *path, struct sg_err *err);

/* As 16 hexadecimal digits. By value, so that it can stand among
 * arguments: sg_digest_word(&digest).text */
struct sg_digest_word {
    char text[17];
};
struct sg_digest_word sg_digest_word(const struct sg_digest *digest);
/* Is it such a word? */
bool sg_is_digest(const char *word);
