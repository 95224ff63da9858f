#include "process/line_key.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum sg_code sg_line_key_draw(struct sg_line_key *key, struct sg_err *err)
{
    key->given = getrandom(key->bytes, sizeof(key->bytes), 0) == (ssize_t)sizeof(key->bytes);
    return key->given ? SG_SUCCESS : sg_fail(err, SG_SYSTEM, NULL, "the system draws no key: %s", strerror(errno));
}

enum sg_code sg_line_key_read(struct sg_line_key *key, int fd, struct sg_err *err)
{
    size_t count = 0;
    while (count < sizeof(key->bytes)) {
        const ssize_t n = read(fd, key->bytes + count, sizeof(key->bytes) - count);
        if (n <= 0)
            break;
        count += (size_t)n;
    }
    key->given = count == sizeof(key->bytes);
    if (!key->given)
        return sg_fail(err, SG_BAD_USAGE, NULL, "descriptor %d: expected a key of %d bytes, found %zu", fd, SG_LINE_KEY_BYTES, count);
    const int nowhere = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nowhere < 0 || dup2(nowhere, fd) != fd)
        sg_fail(err, SG_SYSTEM, "/dev/null", "%s", strerror(errno));
    if (nowhere >= 0 && nowhere != fd)
        close(nowhere);
    return err->code;
}

/* ---- SipHash-2-4 ---- */

static uint64_t rotated(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

static void mix(uint64_t v[4], unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = rotated(v[1], 13) ^ v[0];
        v[3] = rotated(v[3], 16) ^ v[2];
        v[0] = rotated(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = rotated(v[1], 17) ^ v[2];
        v[3] = rotated(v[3], 21) ^ v[0];
        v[2] = rotated(v[2], 32);
    }
}

/* Up to eight bytes, the first one lowest. */
static uint64_t word_of(const unsigned char *bytes, size_t count)
{
    uint64_t word = 0;
    for (size_t i = 0; i < count; i++)
        word |= (uint64_t)bytes[i] << 8 * i;
    return word;
}

static void take_word(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    mix(v, 2);
    v[0] ^= word;
}

uint64_t sg_siphash(const unsigned char key[SG_LINE_KEY_BYTES], const void *bytes, size_t count)
{
    const unsigned char *next = bytes;
    const uint64_t k0 = word_of(key, 8), k1 = word_of(key + 8, 8);
    uint64_t v[4] = {k0 ^ 0x736f6d6570736575u, k1 ^ 0x646f72616e646f6du, k0 ^ 0x6c7967656e657261u, k1 ^ 0x7465646279746573u};
    size_t left = count;
    for (; left >= 8; left -= 8, next += 8)
        take_word(v, word_of(next, 8));
    take_word(v, word_of(next, left) | (uint64_t)count << 56);
    v[2] ^= 0xff;
    mix(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* ---- lines ---- */

/* Each number has a key of its own, so that a line said again is another one. */
struct sg_line_code sg_line_code(const struct sg_line_key *key, uint64_t number, const char *line, size_t length)
{
    unsigned char of_line[SG_LINE_KEY_BYTES];
    struct sg_line_code code;
    for (uint64_t half = 0; half < 2; half++) {
        const uint64_t from[2] = {number, half}, to = sg_siphash(key->bytes, from, sizeof(from));
        memcpy(of_line + half * sizeof(to), &to, sizeof(to));
    }
    snprintf(code.text, sizeof(code.text), "%016" PRIx64, sg_siphash(of_line, line, length));
    return code;
}

bool sg_line_open(const struct sg_line_key *key, uint64_t number, char *line)
{
    const size_t length = strlen(line);
    if (length <= SG_LINE_CODE_CHARS || line[length - SG_LINE_CODE_CHARS - 1] != '\t')
        return false;
    const size_t text = length - SG_LINE_CODE_CHARS - 1;
    if (strcmp(line + text + 1, sg_line_code(key, number, line, text).text) != 0)
        return false;
    line[text] = '\0';
    return true;
}
