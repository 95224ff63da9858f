#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "process/line_key.h"

static const struct sg_line_key key = {.bytes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, .given = true};

/* The vectors of the paper: key 00 to 0f, messages of n bytes 00, 01, ... */
TEST(test_siphash)
{
    unsigned char bytes[15];
    for (unsigned i = 0; i < sizeof(bytes); i++)
        bytes[i] = (unsigned char)i;
    assert_true(sg_siphash(key.bytes, bytes, 15) == UINT64_C(0xa129ca6149be45e5));
    assert_true(sg_siphash(key.bytes, bytes, 0) == UINT64_C(0x726fdb47dd0e0e31));
    assert_true(sg_siphash(key.bytes, bytes, 8) == UINT64_C(0x93f5f5799a932462));
}

static void sign(char *line, size_t room, uint64_t number, const char *text)
{
    snprintf(line, room, "%s\t%s", text, sg_line_code(&key, number, text, strlen(text)).text);
}

TEST(test_lines)
{
    char line[100];
    sign(line, sizeof(line), 7, "status\tnull\ttiny\tok\tok\t");
    assert_true(sg_line_open(&key, 7, line));
    assert_string_equal(line, "status\tnull\ttiny\tok\tok\t");
    sign(line, sizeof(line), 7, "bye");
    assert_false(sg_line_open(&key, 8, line)); /* said again */
    assert_true(strlen(line) == 3 + 1 + SG_LINE_CODE_CHARS);
    line[0] = 'B';
    assert_false(sg_line_open(&key, 7, line)); /* changed */
    struct sg_line_key other = key;
    other.bytes[15] ^= 1;
    sign(line, sizeof(line), 7, "bye");
    assert_false(sg_line_open(&other, 7, line));
    static const char *const forged[] = {
        "", "bye", "bye\t", "bye\t0000000000000000", "\t0123456789abcdef", "0123456789abcdef", "bye\t01234567"};
    for (size_t i = 0; i < sizeof(forged) / sizeof(forged[0]); i++) {
        snprintf(line, sizeof(line), "%s", forged[i]);
        assert_false(sg_line_open(&key, 7, line));
        assert_string_equal(line, forged[i]);
    }
}

TEST(test_read)
{
    struct sg_err err = {0};
    struct sg_line_key read_key = {.given = false};
    int ends[2];
    char byte;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], key.bytes, sizeof(key.bytes)), sizeof(key.bytes));
    close(ends[1]);
    assert_int_equal(sg_line_key_read(&read_key, ends[0], &err), SG_SUCCESS);
    assert_true(read_key.given);
    assert_memory_equal(read_key.bytes, key.bytes, sizeof(key.bytes));
    assert_int_equal(read(ends[0], &byte, 1), 0);
    close(ends[0]);

    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], key.bytes, 5), 5);
    close(ends[1]);
    assert_int_equal(sg_line_key_read(&read_key, ends[0], &err), SG_BAD_USAGE);
    assert_non_null(strstr(err.message, "expected a key of 16 bytes, found 5"));
    assert_false(read_key.given);
    close(ends[0]);
}

TEST(test_draw)
{
    struct sg_err err = {0};
    struct sg_line_key one, two;
    assert_int_equal(sg_line_key_draw(&one, &err), SG_SUCCESS);
    assert_int_equal(sg_line_key_draw(&two, &err), SG_SUCCESS);
    assert_memory_not_equal(one.bytes, two.bytes, sizeof(one.bytes));
}
