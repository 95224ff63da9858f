#include "util/digest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/file.h"

#define CHUNK_BYTES (1u << 18)

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

void sg_digest_add_text(struct sg_digest *digest, const char *text, size_t count)
{
    for (const char *end = text + count; text < end;) {
        const char *returned = memchr(text, '\r', (size_t)(end - text));
        const char *stop = returned ? returned : end;
        sg_digest_add(digest, text, (size_t)(stop - text));
        text = stop + (returned != NULL);
    }
}

static enum sg_code add_file(struct sg_digest *digest, const char *path, bool is_text, struct sg_err *err)
{
    int descriptor;
    size_t got = 0;
    if (sg_open_to_read(path, &descriptor, err) != SG_SUCCESS)
        return err->code;
    char *chunk = sg_alloc(CHUNK_BYTES, 1);
    bool first = true;
    do {
        if (sg_read_bytes(path, descriptor, chunk, CHUNK_BYTES, &got, err) != SG_SUCCESS)
            break;
        const size_t mark = first && is_text ? sg_text_mark(chunk, got) : 0;
        if (is_text)
            sg_digest_add_text(digest, chunk + mark, got - mark);
        else
            sg_digest_add(digest, chunk, got);
        first = false;
    } while (got == CHUNK_BYTES);
    free(chunk);
    close(descriptor);
    return err->code;
}

enum sg_code sg_digest_add_text_file(struct sg_digest *digest, const char *path, struct sg_err *err)
{
    return add_file(digest, path, true, err);
}

enum sg_code sg_digest_add_file(struct sg_digest *digest, const char *path, struct sg_err *err)
{
    return add_file(digest, path, false, err);
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
