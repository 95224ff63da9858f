/*
 * diagnose/pc_samples.h - samples of the warps' program counters: pc_samples.csv of a run
 * (docs/formats.md). The file has one row per instruction and stall reason, with the fields of the
 * message (results/message.h).
 */
#pragma once

#include "results/message.h"
#include "diagnose/sass.h"

#define SG_PC_SAMPLES_NAME "pc_samples.csv"

/* The texts of a row, in the order of the columns. */
enum sg_pc_text {
    SG_PC_FAMILY,
    SG_PC_CASE,
    SG_PC_VARIANT,
    SG_PC_KERNEL,
    SG_PC_CODE,
    SG_PC_INSTRUCTION,
    SG_PC_CHARGED_TO,
    SG_PC_REASON,
    SG_PC_TEXTS
};

struct sg_pc_sample {
    sg_id text[SG_PC_TEXTS];
    uint32_t pc;
    double samples;
};

struct sg_pc_samples {
    struct sg_intern_pool *pool;
    struct sg_pc_sample *items; /* owned */
    size_t count, capacity;
};

const char *sg_pc_samples_text(const struct sg_pc_samples *samples,
                               const struct sg_pc_sample *sample, enum sg_pc_text field);
/* Returns true if the sample belongs to this variant. The names are family, case, variant. */
bool sg_pc_sample_is_of(const struct sg_pc_samples *samples, const struct sg_pc_sample *sample,
                        const char *const name[3]);
/* Adds a row. */
void sg_take_pc(const struct sg_message *message, struct sg_pc_samples *samples);
/* Adds the rows of a file; a missing file has no rows. SG_BAD_INPUT with path and line. */
enum sg_code sg_pc_samples_read(const char *path, struct sg_pc_samples *samples,
                                struct sg_err *err);
enum sg_code sg_pc_samples_write(const char *path, const struct sg_pc_samples *samples,
                                 struct sg_err *err);
/* Completes the rows from index `from` on that belong to this kernel and code. Sets their
 * instruction, and the instructions charged with the wait, as text of sg_sass_add, separated by
 * "; ". Without the machine code an instruction is its address. */
void sg_pc_samples_join(struct sg_pc_samples *samples, size_t from, const struct sg_sass *sass,
                        const char *kernel, const char *code);
