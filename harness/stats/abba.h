/*
 * stats/abba.h - paired timing of a candidate and its baseline: order of batches, a block's
 * log-ratio, number of blocks, a process's value, the estimate.
 *
 * Pure: no clock, no process, no file. docs/method.md 2 is the source of every formula. Log-ratios
 * are ln(candidate / baseline). Invariant: the replicate is the process; blocks are never pooled.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "stats/run_limits.h"
#include "util/err.h"

#define SG_BLOCK_BATCHES 4
#define SG_PILOT_BLOCKS  8
#define SG_SPIKE_FACTOR  5.0 /* a launch over this multiple of its batch's median is a spike */
#define SG_TRIM          0.10

/* Fair coin: ABBA (false) or BAAB (true). sg_abba_is_candidate follows from the coin for each of
 * the four positions. */
bool sg_abba_coin(uint64_t seed, unsigned process, unsigned block);
bool sg_abba_is_candidate(bool baab, unsigned position);

/* Returns (xB1 + xB2 - xA1 - xA2) / 2, with x = ln(ns[position]) of the four batches. */
double sg_abba_block(const double ns[SG_BLOCK_BATCHES], bool baab);

/* How many blocks a process measures for a pair: `least`, or more if the first blocks are too
 * noisy. */
struct sg_pilot {
    unsigned least;    /* blocks, at most SG_BLOCKS_MAX; below SG_PILOT_BLOCKS the count is fixed */
    unsigned launches; /* timed launches of a batch */
    double noise;      /* allowed noise of a process's value from its blocks, ratio; 0: no pilot */
    unsigned most_ms;  /* longest time that all blocks may take when the pilot adds some */
};
/* Needs the log-ratios of the first SG_PILOT_BLOCKS and their mean time of a launch. Returns at
 * least pilot->least. */
unsigned sg_abba_block_count(const struct sg_pilot *pilot, const double blocks[SG_PILOT_BLOCKS],
                             double launch_ns);

struct sg_process_value {
    double y;         /* ln candidate/baseline */
    double blocks_se; /* error of y from the scatter of its blocks, ln; 0: not known */
};
/* y: the 10 %-trimmed mean of a process's blocks. blocks_se: winsorised (Tukey and McLaughlin); 0
 * for n < 2. Overwrites blocks. */
struct sg_process_value sg_abba_value(double *blocks, size_t n);

struct sg_estimate {
    double mean;  /* ln ratio */
    double se;    /* standard error of the mean; 0 for one process */
    double sd;    /* sd between processes */
    double order; /* one order of the sides minus the other, ln, if significant, otherwise 0 */
    unsigned n;   /* processes */
    /* 95 % interval, simultaneous over the looks (c(.05) of docs/method.md 3); NaN for n < 5 */
    double low, high;
};
/* processes[p] is the value of process p, which loads the candidate first if bit p of `orders` is
 * set. If the order has an effect (1 in 100 pairs by chance), both orders weigh the same in
 * the mean. The error then comes from the scatter within each order. */
#define SG_ORDERS_IN_TURN UINT64_C(0xaaaaaaaaaaaaaaaa) /* odd processes: the candidate first */
/* A Python program keeps its code loaded. Up to the first look its A/A pairs come before any code
 * of the candidate, to show what the candidate does to the baseline; as many processes after it
 * load the candidate first. */
#define SG_ORDERS_OF_PROGRAM ((SG_ORDERS_IN_TURN & ~UINT64_C(0x3ff)) | UINT64_C(0x3e0))
struct sg_estimate sg_abba_estimate_of(const double *processes, size_t n, uint64_t orders);
struct sg_estimate sg_abba_estimate(const double *processes, size_t n); /* in turn */
/* Returns true if the later processes differ from the first ones by over SG_DIFFER_SE standard
 * errors. */
#define SG_DIFFER_SE 3.0
bool sg_abba_differ(const struct sg_estimate *first, const struct sg_estimate *later);
/* Recovers the SE of the ln ratio from the interval of a `time_ratio` row (ratios, > 0). Returns
 * NaN if n < 5 or the interval is invalid. */
double sg_abba_se_of(double low, double high, unsigned n);

unsigned sg_abba_spikes(const double *ns, unsigned n);
