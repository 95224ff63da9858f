#include "results/shards.h"

#include <stdlib.h>
#include <string.h>

#include "util/digest.h"
#include "util/names.h"

static int by_number(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

void sg_shards_sort(struct sg_shards *shards)
{
    if (shards->count > 0)
        qsort(shards->index, shards->count, sizeof(*shards->index), by_number);
}

enum sg_code sg_shards_read(void *place, const char *found, struct sg_err *err)
{
    struct sg_shards *shards = place;
    SG_SCOPED(sg_names) sides = {0}, words = {0};
    *shards = (struct sg_shards){0};
    sg_names_add_split(&sides, found, '/');
    bool valid = sides.count == 2 && sg_parse_u64(sides.items[1], &shards->of) && shards->of > 0 &&
                 shards->of <= SG_SHARDS_MAX;
    sg_names_add_split(&words, valid ? sides.items[0] : "", ',');
    for (size_t i = 0; i < words.count && valid; i++) {
        uint64_t *index = SG_APPEND(shards->index, shards->count, shards->capacity);
        valid = sg_parse_u64(words.items[i], index) && *index < shards->of;
    }
    sg_shards_sort(shards);
    for (size_t i = 1; i < shards->count; i++)
        valid &= shards->index[i] != shards->index[i - 1];
    return valid ? SG_SUCCESS
                 : sg_fail(err, SG_BAD_USAGE, NULL,
                           "expected I/N, with I from 0 to N - 1 and N from 1 to %d, found '%s'",
                           SG_SHARDS_MAX, sg_show_string(found).text);
}

void sg_shards_add_to(struct sg_text *out, const struct sg_shards *shards)
{
    for (size_t i = 0; i < shards->count; i++)
        sg_text_addf(out, "%s%llu", i ? "," : "", (unsigned long long)shards->index[i]);
    sg_text_addf(out, "/%llu", (unsigned long long)shards->of);
}

uint64_t sg_shard_of(uint64_t of, const char *family, const char *case_)
{
    struct sg_digest digest = SG_DIGEST_EMPTY;
    sg_digest_add_string(&digest, family);
    /* Which rows a program has is known only after its start. */
    sg_digest_add_string(&digest, strcmp(family, SG_EXEC_FAMILY) == 0 ? "" : case_);
    return digest.state % of;
}

bool sg_shards_have(const struct sg_shards *shards, const char *family, const char *case_)
{
    const uint64_t shard = shards->of > 0 ? sg_shard_of(shards->of, family, case_) : 0;
    return shards->of == 0 ||
           bsearch(&shard, shards->index, shards->count, sizeof(shard), by_number) != NULL;
}
