/*
 * where/sass.h - machine code as nvdisasm prints it, and what an instruction that waits waits for.
 *
 * The text is that of `nvdisasm -c -gi -hex`: a label, remarks with file and line, an instruction
 * with its address and, over two lines, its 128 bits. From compute capability 7.0 on bits 105 to
 * 125 are scheduling: stall cycles, yield, the barrier that a result signals, the one that the
 * reading of operands signals, and the barriers that are waited for (Jia et al., "Dissecting the
 * NVIDIA Volta GPU architecture via microbenchmarking", 2018, section 2.1). So the producer of a
 * wait for a scoreboard is found without a model of the hardware: the instruction that signals it.
 *
 *     code.S:  0x30 LDG.E R6, [R2]     signals barrier 2
 *              0x70 FFMA R9, R6, ...   waits for barrier 2: its wait is charged to 0x30
 */
#pragma once

#include "util/intern.h"
#include "util/text.h"

#define SG_SASS_STEP          16 /* bytes of an instruction */
#define SG_SASS_PRODUCERS_MAX 8
#define SG_SASS_NONE          SIZE_MAX

struct sg_instruction {
    uint32_t pc;      /* from the start of the kernel, bytes */
    sg_id text;       /* "@P0 LDG.E.64 R6, desc[UR4][R2.64]"; in the pool of the code, like the others */
    sg_id source;     /* "scale.cu:41"; 0: not known */
    sg_id label;      /* that stands before it; 0: none */
    uint64_t control; /* bits 64 to 127 */
    size_t target;    /* of a branch: number of the instruction; SG_SASS_NONE: it is none, or goes elsewhere */
};

struct sg_sass {
    struct sg_intern_pool *pool;
    struct sg_instruction *items; /* owned; in the order of their addresses */
    size_t count, capacity;
};

/* The code of one kernel, by its mangled name, out of the text, which is written over. Of a text
 * without it nothing: count is 0. */
void sg_sass_read(struct sg_sass *sass, char *text, const char *kernel);
void sg_sass_release(struct sg_sass *sass);
const char *sg_sass_text(const struct sg_sass *sass, sg_id id);
/* The instruction at an address; SG_SASS_NONE: there is none. */
size_t sg_sass_find(const struct sg_sass *sass, uint32_t pc);
/* Appends "scale.cu:41 LDG.E R6, desc[UR4][R2.64]"; without the line of a source its address. */
void sg_sass_add(struct sg_text *out, const struct sg_sass *sass, size_t at);
/* "LDG.E.64" of "@P0 LDG.E.64 R6, ...": where it begins, and its length. */
const char *sg_sass_opcode(const char *text, size_t *length);

/*
 * To which instructions a wait of instruction `at` is charged: those that signal the barrier that
 * it waits for, on any path to it; where several do, those that write a register that it reads. Of
 * a wait that no scoreboard has: the barrier, fence, product or branch before it, or the writer of
 * a register that it reads. The reason is the counter's: "long_scoreboard", "barrier". Returns how
 * many; 0: it stays where it is.
 */
size_t sg_sass_producers(const struct sg_sass *sass, size_t at, const char *reason, size_t producers[SG_SASS_PRODUCERS_MAX]);
