/*
 * results/identity.h - what an item is made of: the code of its module, the values of its knobs and
 * the files that it reads. Two items are `identical` only if all three are known and equal.
 *
 * The identity is the message of a row `identity`. The verification of the item writes that row,
 * and accepted numbers keep it:
 *
 *     code DIGEST; knobs NAME=VALUE NAME=VALUE; files DIGEST
 *
 * `knobs -`: the variant has none. `files -`: it reads none. `files unknown: REASON`: some files
 * that it read cannot be digested. Pure.
 */
#pragma once

#include "results/table.h"
#include "util/text.h"

#define SG_IDENTITY_METRIC "identity"

#define SG_OF_A_PROGRAM "what a program's functions are made of is not known"

struct sg_identity {
    const char *code, *knobs, *files; /* the three parts; "" is written as - */
    const char *unknown;              /* why the files are unknown; NULL: they are known */
};
void sg_identity_add(struct sg_text *out, const struct sg_identity *identity);

/* True if a nightly run left the item untimed because it is identical to the accepted one. The
 * arguments are rows of a correct item; NULL: absent. */
bool sg_is_untimed(const struct sg_row *build_ratio, const struct sg_row *time);
/* True if both messages are known and equal. NULL: no message, so unknown. */
bool sg_identity_same(const char *a, const char *b);
/* True if there is a message without known files. False for a program, since each side has the
 * files of its commit. */
bool sg_identity_unknown_files(const char *message);
/* True if the files of both are known and differ. */
bool sg_identity_other_files(const char *a, const char *b);
