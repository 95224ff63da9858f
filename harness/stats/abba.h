/*
 * stats/abba.h - a candidate and its baseline in turns: the order of batches, a block's log-ratio,
 * how many blocks, a process's value, the estimate.
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
#define SG_SPIKE_FACTOR  5.0 /* a launch over this times its batch's median is a spike */
#define SG_TRIM          0.10

/* ABBA (false) or BAAB (true) by a fair coin.
 * is_candidate[position] of the four batches follows. */
bool sg_abba_coin(uint64_t seed, unsigned process, unsigned block);
bool sg_abba_is_candidate(bool baab, unsigned position);

/* (xB1 + xB2 - xA1 - xA2) / 2 of x = ln(ns): ns[position] of the four batches. */
double sg_abba_block(const double ns[SG_BLOCK_BATCHES], bool baab);

/* How many blocks a process does of a pair: so many, or more where the first of them are too
 * noisy. */
struct sg_pilot {
    unsigned least;    /* blocks, at most SG_BLOCKS_MAX; fewer than SG_PILOT_BLOCKS: no pilot, exactly these */
    unsigned launches; /* timed ones of a batch */
    double noise;      /* what the blocks' own noise may be of a process's value, ratio; 0: no pilot */
    unsigned most_ms;  /* what the blocks may take because of it */
};
/* By the log-ratios of the first SG_PILOT_BLOCKS and the mean time of a
 * launch in them. At least pilot->least. */
unsigned sg_abba_block_count(const struct sg_pilot *pilot, const double blocks[SG_PILOT_BLOCKS], double launch_ns);

/* 10 %-trimmed mean of a process's blocks; reorders blocks. */
double sg_abba_process(double *blocks, size_t n);
/* Standard error of that value as far as its blocks explain it (winsorised, Tukey and
 * McLaughlin); 0 for n < 2. Reorders blocks. */
double sg_abba_process_se(double *blocks, size_t n);
/* Both: what one process says of a pair. */
struct sg_process_value {
    double y;         /* ln candidate/baseline */
    double blocks_se; /* its error as far as its blocks explain it, ln; 0: not known */
};
struct sg_process_value sg_abba_value(double *blocks, size_t n);

struct sg_estimate {
    double mean;      /* ln ratio */
    double se;        /* of the mean; 0 for one process */
    double sd;        /* between processes */
    double order;     /* by how much odd processes are above even ones, ln, where that is no chance; else 0 */
    unsigned n;       /* processes */
    double low, high; /* 95 % interval, simultaneous over the looks (c(.05) of docs/method.md 3); NaN for n < 5 */
};
/*
 * processes[p] of process p. Even and odd ones load the two sides in opposite order. Where that
 * makes a difference (1 in 100 pairs by chance), both orders count alike in the mean, and its error
 * is of what differs within each.
 */
struct sg_estimate sg_abba_estimate(const double *processes, size_t n);
/* Do processes that were measured on read otherwise than the first ones: by over SG_DIFFER_SE
 * standard errors? */
#define SG_DIFFER_SE 3.0
bool sg_abba_differ(const struct sg_estimate *first, const struct sg_estimate *later);
/* SE of the ln ratio back from the interval of a `time_ratio` row (ratios, > 0); NaN
 * when n < 5 or the interval is none. */
double sg_abba_se_of(double low, double high, unsigned n);

/* Spikes among the launches of a batch. */
unsigned sg_abba_spikes(const double *ns, unsigned n);
