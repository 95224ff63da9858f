/*
 * worker/marks.h - what the worker is at, as NVTX ranges of the domain `solgate`, for tools around
 * it: ncu, nsys. Without a tool, or a toolkit whose header this was built with, a mark is nothing.
 */
#pragma once

enum sg_mark { SG_MARK_PASS, SG_MARK_CASE, SG_MARK_VARIANT };

/* Ends what is marked at this level and inside of it, and begins `name`; NULL: nothing. */
#ifdef SOLGATE_HAVE_CUDA
void sg_mark(enum sg_mark level, const char *name);
#else
static inline void sg_mark(enum sg_mark level, const char *name)
{
    (void)level;
    (void)name;
}
#endif
