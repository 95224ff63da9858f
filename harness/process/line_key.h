/*
 * process/line_key.h - lines of the protocol that only who holds the key can say.
 *
 * solgate draws a key for each worker that measures and hands it over through the worker's
 * standard input, which is read, and /dev/null put in its place, before any module is loaded. Each
 * line then ends in a tab and a code of the key, the number of the line and its text. So a kernel
 * that writes to every descriptor it finds says nothing that is taken for its worker's, nor can it
 * repeat what was said. SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF",
 * 2012): 128 bits of key, 64 of code.
 */
#ifndef SG_PROCESS_LINE_KEY_H
#define SG_PROCESS_LINE_KEY_H

#include "util/err.h"

#define SG_LINE_KEY_BYTES  16
#define SG_LINE_CODE_CHARS 16 /* hexadecimal digits */

struct sg_line_key {
    unsigned char bytes[SG_LINE_KEY_BYTES];
    bool given; /* false: lines have no code */
};

/* By the operating system. SG_SYSTEM. */
enum sg_code sg_line_key_draw(struct sg_line_key *key, struct sg_err *err);
/* Reads it from a descriptor and leaves /dev/null in its place.
 * SG_BAD_USAGE: there are too few bytes. */
enum sg_code sg_line_key_read(struct sg_line_key *key, int fd, struct sg_err *err);

/* By value, so that it can stand among arguments: sg_line_code(...).text */
struct sg_line_code {
    char text[SG_LINE_CODE_CHARS + 1];
};
/* Of line `number`, counted from 0, without its line end. */
struct sg_line_code sg_line_code(const struct sg_line_key *key, uint64_t number, const char *line, size_t length);
/* Takes the code off a line; false, and the line as it was, if it is not the right one. */
bool sg_line_open(const struct sg_line_key *key, uint64_t number, char *line);

uint64_t sg_siphash(const unsigned char key[SG_LINE_KEY_BYTES], const void *bytes, size_t count);

#endif
