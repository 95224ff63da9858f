/*
 * results/l2_state.h - the state of the L2 cache before each launch, which a run declares
 * (docs/method.md 1).
 *
 *     cold   holds none of the inputs and is full of dirty lines: a buffer was written over it
 *     clean  holds none of the inputs and no dirty lines: a buffer was read through it
 *     warm   holds what the previous launch left in it
 *
 * Suites, options, the worker's protocol and env.csv use these words. Runs with different states
 * are not comparable. Pure.
 */
#pragma once

#include "util/err.h"

enum sg_l2 { SG_L2_COLD, SG_L2_CLEAN, SG_L2_WARM, SG_L2_STATES };

/* All states, for messages and for sg_parse_choice; the first is the default. */
#define SG_L2_CHOICE  "cold, clean or warm"
#define SG_L2_CHOICES "cold|clean|warm"

const char *sg_l2_word(enum sg_l2 l2);
/* SG_BAD_INPUT says what was expected and found; the caller adds the place. */
enum sg_code sg_l2_parse(const char *word, enum sg_l2 *l2, struct sg_err *err);
