/*
 * run/sanitizer_report.h - what compute-sanitizer found: its log taken apart. Pure.
 *
 * A log is lines that begin with nine equals signs. One blank behind them begins a
 * finding, more of them add to it:
 *
 *     ========= Invalid __global__ write of size 4 bytes
 *     =========     at scale(float *, int)+0x160 in scale.cu:34
 *     =========     by thread (3,0,0) in block (1,0,0)
 *
 * Lines that are none of the kinds known here are passed over, unless they report that the tool
 * itself failed. The summary counts them.
 */
#ifndef SG_RUN_SANITIZER_REPORT_H
#define SG_RUN_SANITIZER_REPORT_H

#include <stdbool.h>

#include "util/text.h"

/* Tools, in the order in which they are asked: what memcheck finds
 * makes the others' findings doubtful. */
#define SG_SANITIZER_TOOLS(X)              \
    X(SG_SANITIZER_MEMCHECK, "memcheck")   \
    X(SG_SANITIZER_RACECHECK, "racecheck") \
    X(SG_SANITIZER_INITCHECK, "initcheck") \
    X(SG_SANITIZER_SYNCCHECK, "synccheck")

enum sg_sanitizer_tool {
#define X(constant, word) constant,
    SG_SANITIZER_TOOLS(X)
#undef X
        SG_SANITIZER_TOOL_COUNT
};
const char *sg_sanitizer_word(enum sg_sanitizer_tool tool);

struct sg_sanitizer_finding {
    char kind[160];    /* "Invalid __global__ write of size 4 bytes"; "": nothing was found */
    char kernel[160];  /* "scale(float *, int)"; "": not told, as of an error of a call */
    char place[200];   /* "+0x160 in scale.cu:34, thread (3,0,0) in block (1,0,0)"; "": not told */
    char trouble[160]; /* why the tool could not look, where nothing was found; "": it looked */
    bool is_clean;     /* nothing was found, and the summary counts nothing; a log that is cut off has none */
};

/* The first finding of a log of `length` bytes, whole or cut off. A kernel's comes before an error
 * of a call, which follows from it. */
void sg_sanitizer_read(const char *log, size_t length, struct sg_sanitizer_finding *finding);

/* "memcheck: Invalid __global__ write of size 4 bytes; scale(float *, int);
 * +0x160 in scale.cu:34", appended. */
void sg_sanitizer_add(struct sg_text *out, enum sg_sanitizer_tool tool, const struct sg_sanitizer_finding *finding);

#endif
