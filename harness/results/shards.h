/*
 * results/shards.h - parts of a suite: whole cases, by the digest of FAMILY/CASE modulo the number
 * of shards.
 *
 * Written as I/N, or I,J/N for several shards of N; I counts from 0. A case stays in its shard when
 * the suite grows. Shard I of N is the union of the shards I, I + N, I + 2 N, ... of a multiple of
 * N.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"
#include "util/text.h"

#define SG_SHARD_KEY   "shard" /* of env.csv: the shards that ran; absent: the run is not a part */
#define SG_SHARDS_MAX  1000000
#define SG_EXEC_FAMILY "exec" /* family of programs' rows; all programs are in one shard */

struct sg_shards {
    uint64_t of;     /* number of shards; 0: no shards, all cases */
    uint64_t *index; /* owned; ascending, each once */
    size_t count, capacity;
};

/* Reader of an option. SG_BAD_USAGE: expected, found. */
enum sg_code sg_shards_read(void *place, const char *found, struct sg_err *err);
/* Appends I,J/N. */
void sg_shards_add_to(struct sg_text *out, const struct sg_shards *shards);
void sg_shards_sort(struct sg_shards *shards);
/* The shard of a case among `of` shards. */
uint64_t sg_shard_of(uint64_t of, const char *family, const char *case_);
/* True if the case is in one of these shards, or if there are none. */
bool sg_shards_have(const struct sg_shards *shards, const char *family, const char *case_);
