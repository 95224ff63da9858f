/* util/digest.h: is a file as it was when somebody vouched for it? */
#include "check.h"
#include "scratch.h"

#include "util/digest.h"

static const char *digest_of(const char *bytes, size_t count)
{
    static struct sg_digest_word word;
    struct sg_digest digest = SG_DIGEST_EMPTY;
    sg_digest_add(&digest, bytes, count);
    word = sg_digest_word(&digest);
    return word.text;
}

/* From the tables of http://www.isthe.com/chongo/src/fnv/test_fnv.c: a file that is sealed today
 * is sealed by every later version. */
TEST(known_digests)
{
    static const struct {
        const char *bytes;
        size_t count;
        const char *digest;
    } rows[] = {
        {BYTES(""), "cbf29ce484222325"},
        {BYTES("a"), "af63dc4c8601ec8c"},
        {BYTES("foobar"), "85944171f73967e8"},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        if (strcmp(digest_of(rows[i].bytes, rows[i].count), rows[i].digest) != 0)
            fail_msg("'%s': %s", rows[i].bytes, digest_of(rows[i].bytes, rows[i].count));
}

TEST(one_bit_makes_another_digest)
{
    char row[] = "f,c,v,time,ns,120000,119335.5,120668.2,5,ok,";
    char before[17];
    snprintf(before, sizeof(before), "%s", digest_of(BYTES(row)));
    for (size_t i = 0; i < sizeof(row) - 1; i++)
        for (int bit = 0; bit < 8; bit++) {
            row[i] = (char)(row[i] ^ (1 << bit));
            if (strcmp(digest_of(BYTES(row)), before) == 0)
                fail_msg("byte %zu, bit %d: the same digest", i, bit);
            row[i] = (char)(row[i] ^ (1 << bit));
        }
    assert_string_equal(digest_of(BYTES(row)), before);
}

TEST(pieces_and_the_whole)
{
    struct sg_digest pieces = SG_DIGEST_EMPTY, ab_c = SG_DIGEST_EMPTY, a_bc = SG_DIGEST_EMPTY;
    sg_digest_add(&pieces, "foo", 3);
    sg_digest_add(&pieces, "bar", 3);
    assert_string_equal(sg_digest_word(&pieces).text, "85944171f73967e8");
    sg_digest_add_string(&ab_c, "ab");
    sg_digest_add_string(&ab_c, "c");
    sg_digest_add_string(&a_bc, "a");
    sg_digest_add_string(&a_bc, "bc");
    assert_string_not_equal(sg_digest_word(&ab_c).text, sg_digest_word(&a_bc).text);
}

/* Read in pieces of 256 KiB: the last byte of the first one and the first
 * of the next count like all others. */
TEST(a_file_has_the_digest_of_its_bytes)
{
    static const size_t counts[] = {0, 1, (1 << 18) - 1, 1 << 18, (1 << 18) + 1, 3 << 18};
    struct scratch s;
    char *bytes = sg_alloc(3 << 18, 1);
    for (size_t i = 0; i < 3 << 18; i++)
        bytes[i] = (char)(i * 31 + i / 1000);
    scratch_init(&s);
    for (size_t i = 0; i < COUNT(counts); i++) {
        struct sg_err err = {0};
        struct sg_digest digest = SG_DIGEST_EMPTY;
        assert_int_equal(sg_digest_add_file(&digest, scratch_write(&s, "t", bytes, counts[i]), &err), SG_SUCCESS);
        if (strcmp(sg_digest_word(&digest).text, digest_of(bytes, counts[i])) != 0)
            fail_msg("of %zu bytes: %s, should be %s", counts[i], sg_digest_word(&digest).text, digest_of(bytes, counts[i]));
    }
    struct sg_err err = {0};
    struct sg_digest digest = SG_DIGEST_EMPTY;
    sg_digest_add_file(&digest, scratch_path(&s, "none"), &err);
    assert_error("a file that is not there", &err, SG_BAD_INPUT, "none", "No such file");
    free(bytes);
    scratch_release(&s);
}
