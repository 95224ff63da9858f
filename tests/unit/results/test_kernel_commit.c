/* Which commit kernels were built from, and whether that is of solgate's own repository. */
#include "check.h"
#include "scratch.h"

#include <string.h>

#include "results/kernel_commit.h"

TEST(is_of_the_family_or_not_known)
{
    static const struct {
        const char *sentence, *solgates, *key, *value, *commit;
        bool is_foreign;
    } rows[] = {
        {"facts of before have solgate's", "abc123", NULL, NULL, "abc123", false},
        {"none at all", NULL, NULL, NULL, "", false},
        {"of solgate's tree", "abc123", "commit.f", "abc123", "abc123", false},
        {"of solgate's tree, with changes", "abc123", "commit.f", "abc123-dirty", "abc123-dirty",
         false},
        {"of a solgate with changes", "abc123-dirty", "commit.f", "abc123", "abc123", false},
        {"of another repository", "abc123", "commit.f", "def456", "def456", true},
        {"of a longer hash", "abc123", "commit.f", "abc1234", "abc1234", true},
        {"of another one, and solgate of none", NULL, "commit.f", "def456", "def456", true},
        {"built outside of git", "abc123", "commit.f", "unknown", "unknown", true},
        {"of another family alone", "abc123", "commit.g", "def456", "", false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        SG_SCOPED(sg_env) facts = {0};
        if (rows[i].solgates)
            sg_env_set(&facts, "commit", rows[i].solgates);
        if (rows[i].key)
            sg_env_set(&facts, rows[i].key, rows[i].value);
        if (strcmp(sg_kernel_commit(&facts, "f"), rows[i].commit) != 0 ||
            sg_kernels_are_foreign(&facts, "f") != rows[i].is_foreign)
            fail_msg("%s: found '%s', %s", rows[i].sentence, sg_kernel_commit(&facts, "f"),
                     sg_kernels_are_foreign(&facts, "f") ? "foreign" : "solgate's");
    }
}

TEST(a_stamp_is_a_hash)
{
    static const struct {
        const char *word;
        bool is_commit, is_stamp;
    } rows[] = {
        {"0123456789ab", true, true}, {"0123456789ab-dirty", false, true},
        {"", false, false},           {"-dirty", false, false},
        {"unknown", false, false},    {"0123; rm -rf x", false, false},
        {"HEAD", false, false},       {"0123-dirty2", false, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        if (sg_is_commit(rows[i].word) != rows[i].is_commit ||
            sg_is_commit_stamp(rows[i].word) != rows[i].is_stamp)
            fail_msg("'%s'", rows[i].word);
}
