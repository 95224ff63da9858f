#include "util/digest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "util/file.h"

void sg_digest_add(struct sg_digest *digest, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    uint64_t state = digest->state;
    for (size_t i = 0; i < count; i++)
        state = (state ^ at[i]) * UINT64_C(0x100000001b3);
    digest->state = state;
}

void sg_digest_add_string(struct sg_digest *digest, const char *string)
{
    sg_digest_add(digest, string, strlen(string) + 1);
}

typedef enum sg_code read_fn(const char *path, struct sg_text *bytes, struct sg_err *err);

static enum sg_code add_file(struct sg_digest *digest, const char *path, read_fn *read,
                             struct sg_err *err)
{
    SG_SCOPED(sg_text) bytes = {0};
    if (read(path, &bytes, err) == SG_SUCCESS)
        sg_digest_add(digest, sg_text_string(&bytes), bytes.length);
    return err->code;
}

enum sg_code sg_digest_add_text_file(struct sg_digest *digest, const char *path, struct sg_err *err)
{
    return add_file(digest, path, sg_read_text, err);
}

enum sg_code sg_digest_add_file(struct sg_digest *digest, const char *path, struct sg_err *err)
{
    return add_file(digest, path, sg_read_file, err);
}

struct sg_digest_word sg_digest_word(const struct sg_digest *digest)
{
    struct sg_digest_word word;
    snprintf(word.text, sizeof(word.text), "%016" PRIx64, digest->state);
    return word;
}

bool sg_is_digest(const char *word)
{
    return strlen(word) == 16 && strspn(word, "0123456789abcdef") == 16;
}
