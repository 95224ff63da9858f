/*
 * diagnose/sass.h - machine code as printed by nvdisasm, and the instructions that a waiting
 * instruction waits for.
 *
 * The text is that of `nvdisasm -c -gi -hex`: a label, remarks with file and line, and an
 * instruction with its address and 128 bits. From compute capability 7.0 on, bits 105 to 125 hold
 * stall cycles, yield, the barriers that result and operands signal, and those to wait for (Jia et
 * al., "Dissecting the NVIDIA Volta GPU architecture via microbenchmarking", 2018, section 2.1). So
 * the producer of a scoreboard wait is the instruction that signals the barrier.
 */
#pragma once

#include "util/intern.h"
#include "util/text.h"

#define SG_SASS_STEP          16 /* bytes per instruction */
#define SG_SASS_PRODUCERS_MAX 8
#define SG_SASS_NONE          SIZE_MAX

struct sg_instruction {
    uint32_t pc;      /* from the start of the kernel, bytes */
    sg_id text;       /* "@P0 LDG.E.64 R6, desc[UR4][R2.64]"; all ids are of the pool in sg_sass */
    sg_id source;     /* "scale.cu:41"; 0: not known */
    sg_id label;      /* label before the instruction; 0: none */
    uint64_t control; /* bits 64 to 127 */
    /* index of a branch's target; SG_SASS_NONE: not a branch, or a target elsewhere */
    size_t target;
};

struct sg_sass {
    struct sg_intern_pool *pool;
    struct sg_instruction *items; /* owned; sorted by address */
    size_t count, capacity;
};

/* Reads one kernel by its mangled name from the text, which is overwritten. count is 0 if the
 * text lacks the kernel. */
void sg_sass_read(struct sg_sass *sass, char *text, const char *kernel);
const char *sg_sass_text(const struct sg_sass *sass, sg_id id);
/* SG_SASS_NONE: no instruction at that address. */
size_t sg_sass_find(const struct sg_sass *sass, uint32_t pc);
/* Appends "scale.cu:41 LDG.E R6, desc[UR4][R2.64]"; without a source line the address. */
void sg_sass_add(struct sg_text *out, const struct sg_sass *sass, size_t at);
/* Start and length of "LDG.E.64" in "@P0 LDG.E.64 R6, ...". */
const char *sg_sass_opcode(const char *text, size_t *length);

/* Finds the instructions charged with a wait of instruction `at`: those that signal its barrier
 * on any path to `at`. Among several, those that write a register it reads are charged. For a
 * wait without a scoreboard: the barrier, fence, matrix product or branch before `at`, or the
 * writer of a register it reads. `reason` is the counter's: "long_scoreboard", "barrier".
 * Returns their number; 0: the wait stays with `at`. */
size_t sg_sass_producers(const struct sg_sass *sass, size_t at, const char *reason,
                         size_t producers[SG_SASS_PRODUCERS_MAX]);
