/*
 * worker/marks.h - marks the current work of the worker as NVTX ranges of the domain `solgate`, for
 * ncu and nsys. Without such a tool, or without the NVTX header at build time, a mark does nothing.
 */
#pragma once

enum sg_mark { SG_MARK_PASS, SG_MARK_CASE, SG_MARK_VARIANT };

/* Ends the ranges of this level and below, and begins `name`; NULL: begins none. */
#ifdef SOLGATE_HAVE_CUDA
void sg_mark(enum sg_mark level, const char *name);
#else
static inline void sg_mark(enum sg_mark level, const char *name)
{
    (void)level;
    (void)name;
}
#endif
