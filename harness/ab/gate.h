/*
 * ab/gate.h - a merge gate: rows whose two sides an engine measures in pairs, and that are judged
 * together (docs/method.md 3 and 4).
 *
 * Engines differ in what the sides are: variants of modules (ab/engine_modules.c) or kernels of
 * programs (ab/engine_programs.c). The gate corrects verdicts for the number of rows, makes the
 * findings, prints them and keeps them in the run's folder. Invariant: every row ends in a finding.
 */
#pragma once

#include "ab/ab.h"
#include "compare/findings.h"
#include "stats/sequential.h"

#define SG_NO_PAIR SIZE_MAX

struct sg_gate_row {
    const char *family, *case_, *variant; /* live until the gate is released */
    size_t pair;                          /* index in gate->pairs; SG_NO_PAIR: not judged */
    enum sg_verdict refused; /* without a pair: the verdict, with its reason in `why` */
    const char *why;
    bool is_informational; /* without a pair: the row is shown and does not gate */
    bool one_sided;        /* only one side has the row */
    /* only for a row with a pair: */
    const char *same;          /* both sides are the same code: in what way; NULL: they differ */
    const char *impossible;    /* why one of its times is physically impossible; NULL: none is */
    const char *alone;         /* option that runs this row alone, or "" */
    struct sg_estimate slowed; /* ln(baseline's time in the pair / time alone); n 0: not slowed */
    const char *note;          /* added to the reason of the verdict; NULL: nothing */
};

struct sg_gate;
struct sg_gate_engine {
    /* Makes the pairs, and measures until all are decided. */
    enum sg_code (*measure)(struct sg_gate *gate, struct sg_err *err);
    /* Adds a row for each pair, and for each item without a pair, by sg_gate_add. */
    void (*add_rows)(struct sg_gate *gate);
    /* Measures what explains the findings, writes the run, and sets gate->note. The rows are then
     * added and judged again. */
    enum sg_code (*finish)(struct sg_gate *gate, struct sg_err *err);
};

struct sg_gate {
    const struct sg_ab_options *options;
    const struct sg_gate_engine *engine;
    void *context;               /* of the engine */
    const char *names[2];        /* baseline, candidate: for the title */
    const char *base;            /* name of the baseline in reasons */
    const char *invalid;         /* why no time of this gate is valid; NULL: valid */
    struct sg_sequential pairs;  /* owned pairs */
    struct sg_text folder, note; /* owned; note: how far the gate can be trusted */
    struct sg_gate_row *rows;    /* owned */
    size_t count, capacity;
    struct sg_comparison comparison; /* owned */
};

/* Measures, judges and prints. *exit_code is that of docs/method.md 8. */
enum sg_code sg_gate_run(struct sg_gate *gate, int *exit_code, struct sg_err *err);

/* Sets the facts of env.csv that gates of modules and of programs both have: `names` has baseline
 * and candidate. An option of `ab` that only states a fact needs one line here. */
void sg_gate_set_facts(const struct sg_ab_options *options, const char *const names[2],
                       struct sg_env *env);

void sg_gate_add(struct sg_gate *gate, const struct sg_gate_row *row);
/* The rows of the engine as findings. */
void sg_gate_judge(struct sg_gate *gate);
