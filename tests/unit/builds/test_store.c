/* builds/store.h, builds/accepted.h: what is kept, what is handed out, and what is refused. */
#include "check.h"
#include "scratch.h"

#include <string.h>

#include "builds/accepted.h"

#define BYTES_OF_MODULE "a module of old"

/* A store in a folder of its own, with one build of the family f; `digest` is its. */
struct desk {
    struct scratch scratch;
    struct sg_text store;
    struct sg_env facts, accepted;
    struct sg_digest_word digest;
};

static struct sg_digest_word digest_of(const char *bytes)
{
    struct sg_digest digest = SG_DIGEST_EMPTY;
    sg_digest_add(&digest, bytes, strlen(bytes));
    return sg_digest_word(&digest);
}

static void desk_keep(struct desk *desk, const char *bytes, const char *stands_for)
{
    struct sg_err err = {0};
    sg_env_set(&desk->facts, SG_BUILD_FAMILY_KEY, "f");
    if (stands_for)
        sg_env_set(&desk->facts, SG_BUILD_REPLACES_KEY, stands_for);
    const char *module = scratch_write(&desk->scratch, "module", bytes, strlen(bytes));
    desk->digest = digest_of(bytes);
    if (sg_build_keep(desk->store.data, module, desk->digest.text, &desk->facts, &err) !=
        SG_SUCCESS)
        fail_msg("%s: %s", err.where, err.message);
}

static void desk_begin(struct desk *desk)
{
    *desk = (struct desk){.digest = {""}};
    struct sg_err err = {0};
    scratch_init(&desk->scratch);
    sg_text_addf(&desk->store, "%s/store", desk->scratch.folder);
    assert_int_equal(sg_make_folders(desk->store.data, &err), SG_SUCCESS);
    desk_keep(desk, BYTES_OF_MODULE, NULL);
    sg_env_set(&desk->accepted, "code.f", desk->digest.text);
}

static void desk_end(struct desk *desk)
{
    struct sg_builds builds = {0};
    struct sg_err err = {0};
    assert_int_equal(sg_builds_read(desk->store.data, &builds, &err), SG_SUCCESS);
    for (size_t i = 0; i < builds.count; i++)
        assert_int_equal(sg_build_remove(desk->store.data, builds.items[i].digest, &err),
                         SG_SUCCESS);
    assert_int_equal(rmdir(desk->store.data), 0);
    sg_text_release(&desk->store);
    sg_env_release(&desk->facts);
    sg_env_release(&desk->accepted);
    scratch_release(&desk->scratch);
}

#define DESK(name)               \
    OWNED(desk, name, desk_end); \
    desk_begin(&(name))

/* Puts other bytes in the place of a file of the build. */
static void spoil(struct desk *desk, const char *file, const char *bytes)
{
    SG_SCOPED(sg_text) path = {0};
    struct sg_err err = {0};
    sg_text_addf(&path, "%s/%s/%s", desk->store.data, desk->digest.text, file);
    assert_int_equal(sg_write_file(path.data, bytes, strlen(bytes), &err), SG_SUCCESS);
}

static void find(struct desk *desk, const char *sentence, const struct sg_build_item *item,
                 enum sg_code code, const char *words)
{
    SG_SCOPED(sg_text) path = {0};
    struct sg_err err = {0};
    sg_build_of_accepted(desk->store.data, &desk->accepted, item, &path, &err);
    if (err.code != code ||
        !strstr(code == SG_SUCCESS ? sg_text_string(&path) : err.message, words))
        fail_msg("%s: code %d, '%s', '%s'", sentence, (int)err.code, sg_text_string(&path),
                 err.message);
    if (code != SG_SUCCESS && path.length > 0)
        fail_msg("%s: a path is handed out: %s", sentence, path.data);
}

static const struct sg_build_item family = {.family = "f"};

TEST(a_build_is_handed_out_by_its_digest)
{
    DESK(desk);
    find(&desk, "the family's", &family, SG_SUCCESS, "/libsg_f.so");
    find(&desk, "an item's, where it has none of its own", &(struct sg_build_item){"f", "c", "v"},
         SG_SUCCESS, desk.digest.text);
    find(&desk, "another family", &(struct sg_build_item){.family = "g"}, SG_NOT_COMPARABLE,
         "names no build of g");
    sg_env_set(&desk.accepted, "code.f.c.v", "unknown");
    find(&desk, "an item of nobody knows which build", &(struct sg_build_item){"f", "c", "v"},
         SG_NOT_COMPARABLE, "names no build");
    sg_env_set(&desk.accepted, "code.f.c.v", "0123456789abcdef");
    find(&desk, "an item of a build that is not there", &(struct sg_build_item){"f", "c", "v"},
         SG_NOT_COMPARABLE, "builds rebuild");
    sg_env_set(&desk.accepted, "code.f", "../../../etc");
    find(&desk, "a digest that is a path", &family, SG_NOT_COMPARABLE, "names no build");
    sg_env_set(&desk.accepted, "code.g", desk.digest.text);
    find(&desk, "a build of another family", &(struct sg_build_item){.family = "g"},
         SG_NOT_COMPARABLE, "expected the family g");
}

TEST(a_build_that_was_changed_is_never_used)
{
    static const struct {
        const char *file, *bytes, *words;
    } rows[] = {
        {"libsg_f.so", "another module", "expected the digest"},
        {"libsg_f.so", "", "expected the digest"},
        {"build.csv", "key,value\nschema,1\nfamily,f", "last line"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        DESK(desk);
        spoil(&desk, rows[i].file, rows[i].bytes);
        struct sg_text path = {0};
        struct sg_err err = {0};
        if (sg_build_of_accepted(desk.store.data, &desk.accepted, &family, &path, &err) ==
            SG_SUCCESS)
            fail_msg("row %zu is handed out", i);
        assert_int_equal(path.length, 0);
        desk_keep(&desk, BYTES_OF_MODULE, NULL);
        find(&desk, "kept again, it is whole", &family, SG_SUCCESS, desk.digest.text);
    }
}

TEST(what_was_built_again_takes_its_place)
{
    DESK(desk);
    sg_env_set(&desk.accepted, "code.f", digest_of("lost").text);
    desk_keep(&desk, "lost, built again", digest_of("lost").text);
    find(&desk, "other bytes in place of those", &family, SG_SUCCESS, desk.digest.text);
}

TEST(another_file_is_not_kept_under_a_digest)
{
    DESK(desk);
    struct sg_err err = {0};
    const char *module =
        scratch_write(&desk.scratch, "module", "built since", strlen("built since"));
    sg_build_keep(desk.store.data, module, desk.digest.text, &desk.facts, &err);
    assert_error("another build", &err, SG_NOT_COMPARABLE, "module", "another build");
}
