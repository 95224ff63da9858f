/*
 * null.h - what the variants of the null family share: the problem (y = 2 x + z), a
 * right answer to it, simulated errors.
 *
 * The family needs no GPU. Its variants are the ways in which a kernel can behave, one file each,
 * so that every outcome solgate knows can be had on any machine; their times and counters are made
 * up (harness/device/null/noise_model.h) and labelled gpu=null.
 */
#ifndef SG_NULL_H
#define SG_NULL_H

#include "solgate_kernel.h"

enum { IN_X, IN_Z, OUT_Y };

uint64_t null_count(const struct sg_case *c); /* elements of each buffer */
double null_time_ns(const struct sg_case *c); /* true time of `ok` */
void null_launch(const struct sg_launch *l);  /* the right answer */

/* How long `tuned` takes with these knobs, as a multiple of null_time_ns. */
double null_tuned_factor(const struct sg_case *c, const int64_t *knob);

/* sg_family.simulate_counter: made up, without the variant's noise (counters.c). */
bool null_counter(const struct sg_case *c, const char *variant, const char *metric, double *out);

/* What null_counter tells of `polls` is of its last launch: did that have to look again? */
void null_note_polling(bool looked_again);

/* The next sg_family.last_error tells of a launch that was refused,
 * or the one after it of a fault. */
void null_refuse_launch(void);
void null_fault(void);

/* `prepare` and `finish` of variants that count their own launches: state is a uint64_t. */
enum sg_status null_prepare_counter(const struct sg_launch *l, void **state, struct sg_reason *why);
void null_finish_counter(void *state);
/* Launches of this preparation before this one. */
uint64_t null_launches_before(const struct sg_launch *l);

/* A verification makes fewer launches than this of a variant that claims no
 * determinism; a time pass makes more. */
#define NULL_LAUNCHES_OF_VERIFICATION 8

/* Sleeps until the process is killed. */
void null_wait_forever(void);

#endif
