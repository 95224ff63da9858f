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

TEST(a_file_has_the_digest_of_its_bytes)
{
    struct sg_err err = {0}, none = {0};
    struct sg_digest bytes = SG_DIGEST_EMPTY, text = SG_DIGEST_EMPTY;
    SCRATCH(s);
    sg_digest_add_file(&bytes, scratch_write(&s, "t", BYTES("foobar")), &err);
    sg_digest_add_text_file(&text, scratch_write(&s, "t", BYTES("\xEF\xBB\xBFone\r\ntwo\r\n")),
                            &err);
    assert_error("two files", &err, SG_SUCCESS, "", "");
    assert_string_equal(sg_digest_word(&bytes).text, "85944171f73967e8");
    assert_string_equal(sg_digest_word(&text).text, digest_of(BYTES("one\ntwo\n")));
    sg_digest_add_file(&bytes, scratch_path(&s, "none"), &none);
    assert_error("a file that is not there", &none, SG_BAD_INPUT, "none", "No such file");
}
