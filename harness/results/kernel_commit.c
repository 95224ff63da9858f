#include "results/kernel_commit.h"

#include <string.h>

#define COMMIT_SHOWN 7 /* least number of digits of a short hash */

static size_t hash_length(const char *word)
{
    return strspn(word, "0123456789abcdef");
}

bool sg_is_commit(const char *word)
{
    return *word && word[hash_length(word)] == '\0';
}

bool sg_is_same_commit(const char *a, const char *b)
{
    const size_t length = strlen(a) < strlen(b) ? strlen(a) : strlen(b);
    return sg_is_commit(a) && sg_is_commit(b) && length >= COMMIT_SHOWN &&
           strncmp(a, b, length) == 0;
}

bool sg_is_commit_stamp(const char *word)
{
    return sg_is_commit(word) ||
           (hash_length(word) > 0 && strcmp(word + hash_length(word), "-dirty") == 0);
}

const char *sg_kernel_commit(const struct sg_env *facts, const char *family)
{
    const char *commit = sg_fact_get(facts, SG_COMMIT_KEY, SG_OF(family));
    bool is_of_before = true;
    SG_SCOPED(sg_text) names = {0};
    const char *of[3];
    for (size_t i = 0; i < facts->count; i++)
        is_of_before &= !sg_fact_at(facts, i, SG_COMMIT_KEY, &names, of);
    if (!commit && is_of_before)
        commit = sg_env_get(facts, SG_COMMIT_KEY);
    return commit ? commit : "";
}

/* One build reads both commits from git: in solgate's tree they differ at most by `-dirty`. */
bool sg_kernels_are_foreign(const struct sg_env *facts, const char *family)
{
    const char *own = sg_fact_get(facts, SG_COMMIT_KEY, SG_OF(family)),
               *solgates = sg_env_get(facts, SG_COMMIT_KEY);
    const size_t length = own ? hash_length(own) : 0;
    return own &&
           (!solgates || hash_length(solgates) != length || strncmp(own, solgates, length) != 0);
}
