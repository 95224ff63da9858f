/*
 * results/identity.h - what an item is made of: the code of its module, the values of its knobs,
 * the files that it reads. Two items are `identical` for which all three are known and the same,
 * and no others.
 *
 * It is the message of a row `identity`, which the verification of the item writes and accepted
 * numbers keep:
 *
 *     code DIGEST; knobs NAME=VALUE NAME=VALUE; files DIGEST
 *
 * knobs - of a variant without any; files - of one that reads none, files unknown: REASON where not
 * all that it read can be digested. Pure.
 */
#pragma once

#include "results/table.h"
#include "util/text.h"

#define SG_IDENTITY_METRIC "identity"

#define SG_OF_A_PROGRAM "what a program's functions are made of is not known"

struct sg_identity {
    const char *code, *knobs, *files; /* the three parts, "" for - */
    const char *unknown;              /* why the files are not known; NULL: they are */
};
void sg_identity_add(struct sg_text *out, const struct sg_identity *identity);

/* Of the rows `build_ratio` and `time` of an item that is right, NULL: not there. Was it left
 * untimed by a night that found it made of the same as what was accepted? */
bool sg_is_untimed(const struct sg_row *build_ratio, const struct sg_row *time);
/* Of two messages; NULL for one that is not there, of which nothing is known. */
bool sg_identity_same(const char *a, const char *b);
/* Is there a message, and does it not tell the files? False for a program: each side has the files
 * of its commit. */
bool sg_identity_unknown_files(const char *message);
/* Is it known of both, and are they others? */
bool sg_identity_other_files(const char *a, const char *b);
