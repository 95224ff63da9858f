/*
 * null/floods_stdout - it prints 256 MB, and is right otherwise.
 */
#include "null.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK  (1u << 20)
#define CHUNKS 256

static void launch(const struct sg_launch *l)
{
    null_launch(l);
    if (null_launches_before(l) > 0)
        return;
    char *chunk = malloc(CHUNK);
    if (!chunk)
        return;
    memset(chunk, 'x', CHUNK);
    chunk[CHUNK - 1] = '\n';
    for (int i = 0; i < CHUNKS; i++)
        fwrite(chunk, 1, CHUNK, stdout);
    free(chunk);
}

SG_VARIANT(null, floods_stdout) = {
    .summary = "right, but prints 256 MB",
    .prepare = null_prepare_counter,
    .launch = launch,
    .finish = null_finish_counter,
};
