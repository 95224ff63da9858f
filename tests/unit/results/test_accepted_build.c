/* results/accepted_build.h: which build each accepted number is of, when only
 * some of them were accepted anew. */
#include "check.h"
#include "scratch.h"

#include <string.h>

#include "results/accepted_build.h"

#define OLD "aaaaaaaaaaaaaaaa"
#define NEW "bbbbbbbbbbbbbbbb"

/* The env of the newest run and the one of before; an item v of c of f that stays: what it and
 * the family are said to be of then. */
TEST(items_that_stay_keep_their_build)
{
    static const struct {
        const char *sentence, *run, *before, *item, *family, *commit;
    } rows[] = {
        {"the same build", OLD, OLD, OLD, OLD, "2"},
        {"another build", NEW, OLD, OLD, NEW, "1"},
        {"a family that was not run", NULL, OLD, OLD, OLD, "1"},
        {"numbers that name no build", NEW, NULL, NULL, NEW, NULL},
        {"neither does", NULL, NULL, NULL, NULL, NULL},
        {"what is no digest", NEW, "../x", NULL, NEW, NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        SG_SCOPED(sg_env) env = {0}, old = {0};
        sg_env_set(&env, "commit", "2");
        sg_env_set(&old, "commit",
                   rows[i].run && rows[i].before && strcmp(rows[i].run, rows[i].before) == 0 ? "2"
                                                                                             : "1");
        if (rows[i].run)
            sg_env_set(&env, "code.f", rows[i].run);
        if (rows[i].before)
            sg_env_set(&old, "code.f", rows[i].before);
        sg_accepted_build_keep(&env, &old,
                               &(struct sg_value){.family = "f", .case_ = "c", .variant = "v"});
        const char *item = sg_accepted_build(&env, "f", "c", "v"),
                   *family = sg_accepted_build(&env, "f", NULL, NULL);
        if (strcmp(item ? item : "", rows[i].item ? rows[i].item : "") != 0 ||
            strcmp(family ? family : "", rows[i].family ? rows[i].family : "") != 0)
            fail_msg("%s: the item is of %s, the family of %s", rows[i].sentence,
                     item ? item : "none", family ? family : "none");
        if (rows[i].commit)
            assert_string_equal(sg_accepted_build_commit(&env, "f", item), rows[i].commit);
    }
}

TEST(each_build_is_named_once)
{
    static const char *const variants[] = {"u", "v", "w"};
    struct sg_accepted_file file = {0};
    struct sg_accepted_modules modules = {0};
    sg_env_set(&file.env, "code.f", NEW);
    sg_env_set(&file.env, "code.f.c.v", OLD);
    sg_env_set(&file.env, "code.none", "cccccccccccccccc");
    for (size_t i = 0; i < COUNT(variants); i++)
        sg_table_add(&file.table,
                     &(struct sg_value){
                         .family = "f", .case_ = "c", .variant = variants[i], .metric = "status"});
    sg_accepted_modules_of(&file, 1, &modules);
    assert_int_equal(modules.count, 2);
    assert_string_equal(modules.items[0].digest, NEW);
    assert_string_equal(modules.items[1].digest, OLD);
    free(modules.items);
}
