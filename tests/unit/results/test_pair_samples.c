/* results/pair_samples.h: how many batches a process must have, and what they say, from samples. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "results/message.h"
#include "results/pair_samples.h"
#include "results/samples.h"

#define SEED    3
#define PROCESS 2
#define NS      15000.0
#define BLOCKS  48

/* The candidate is slower by ln 1.01, and by `swing` more and less in turns, block by block. */
static void fill(struct sg_sample samples[BLOCKS * SG_BLOCK_BATCHES], double swing)
{
    for (unsigned i = 0; i < BLOCKS * SG_BLOCK_BATCHES; i++) {
        const unsigned block = i / SG_BLOCK_BATCHES, position = i % SG_BLOCK_BATCHES;
        const double log_ratio = log(1.01) + (block % 2 ? swing : -swing);
        const bool candidate = sg_abba_is_candidate(sg_abba_coin(SEED, PROCESS, block), position);
        samples[i] = (struct sg_sample){
            .process = PROCESS, .block = (uint16_t)block, .position = (uint8_t)position};
        samples[i].ns = candidate ? NS * exp(log_ratio) : NS;
    }
}

TEST(the_first_blocks_say_how_many_there_must_be)
{
    static const struct {
        const char *sentence;
        double swing;
        size_t blocks, wanted;
    } rows[] = {
        {"quiet ones: as many as the suite says", 0.001, 24, 24},
        {"noisy ones: (1.069 % / 0.167 %)^2", 0.01, 24, 42},
        {"what comes after the pilot changes nothing", 0.01, 42, 42},
        {"the pilot alone is enough to say so", 0.01, 8, 42},
        {"less than a pilot cannot be whole", 0.01, 7, 24},
        {"nor can nothing", 0.01, 0, 24},
    };
    const struct sg_pilot pilot = {
        .least = 24, .launches = 4, .noise = 0.005 / 3, .most_ms = SG_PILOT_MS_GATE};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_sample samples[BLOCKS * SG_BLOCK_BATCHES];
        fill(samples, rows[i].swing);
        const struct sg_pair_samples batches = {samples, rows[i].blocks * SG_BLOCK_BATCHES};
        const size_t wanted = sg_pair_samples_wanted(&batches, &pilot, SEED);
        if (wanted != rows[i].wanted * SG_BLOCK_BATCHES)
            fail_msg("%s: %zu batches", rows[i].sentence, wanted);
    }
}

TEST(batches_say_what_their_blocks_say)
{
    struct sg_sample samples[BLOCKS * SG_BLOCK_BATCHES];
    double blocks[BLOCKS];
    fill(samples, 0.005);
    for (size_t b = 0; b < BLOCKS; b++)
        blocks[b] = log(1.01) + (b % 2 ? 0.005 : -0.005);
    const struct sg_process_value found =
        sg_pair_samples_result(&(struct sg_pair_samples){samples, COUNT(samples)}, SEED).ratio;
    const struct sg_process_value expected = sg_abba_value(blocks, BLOCKS);
    assert_true(fabs(found.y - log(1.01)) < 1e-12);
    assert_true(fabs(found.y - expected.y) < 1e-12 &&
                fabs(found.blocks_se - expected.blocks_se) < 1e-12);
    assert_true(found.blocks_se > 0.0005);
}

/* The worker decides by what it measured, `--resume` by what the file
 * holds: both must be the same number. */
TEST(a_batch_is_the_same_before_and_behind_its_file)
{
    static const double ns[] = {15000.123456789, 1.0 / 3, 123456789.123, 7};
    for (size_t i = 0; i < COUNT(ns); i++) {
        SG_SCOPED(sg_samples) written = {0}, read = {0};
        SG_SCOPED(sg_text) line = {0}, room = {0};
        struct sg_err err = {0};
        const sg_id name = sg_samples_intern(&written, "a");
        struct sg_sample sample = {.family = name,
                                   .case_ = name,
                                   .pair = name,
                                   .variant = name,
                                   .ns = ns[i],
                                   .sm_clock = 1.98e9 / 7};
        sg_sample_round(&sample);
        const struct sg_message message = sg_sample_message(&written, &sample);
        struct sg_message back;
        sg_message_add(&line, &message);
        assert_int_equal(sg_message_parse(line.data, line.length - 1, &room, &back, &err),
                         SG_SUCCESS);
        sg_take_sample(&back, &read);
        assert_string_equal(read.lines.data, line.data); /* for the log */
        assert_true(read.items[0].ns == sample.ns && read.items[0].sm_clock == sample.sm_clock);
        assert_true(fabs(sample.ns / ns[i] - 1) < 1e-8);
    }
}
