/*
 * The rules that people use beside solgate's, on the batches of runs that are there, as CSV on
 * stdout; other_rules_on_runs.sh draws up the table.
 *
 *     other_rules_on_runs TRUTH.csv RUN...    TRUTH.csv: true ratios of the family injected; RUN:
 *                                             folders with env.csv and samples.csv
 *
 * Pairs whose truth is known: variants of `injected` and `reference`, and every variant with
 * itself. A rule sees batches, each the mean of its launches, because that is what a run keeps.
 * Nothing is drawn at random: each comparison is one that somebody could have made.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "other_rules_tally.h"
#include "results/env.h"
#include "results/samples.h"
#include "results/table.h"
#include "stats/statistics.h"
#include "util/csv_fields.h"
#include "util/csv_reader.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define NOMINAL      0.0025 /* true changes are told apart by steps of this, as the variants' names do */

/* ---- truths ---- */

struct truth {
    char *case_, *variant; /* owned */
    double ratio;          /* of its time over that of the family's baseline */
};
struct truths {
    struct truth *items; /* owned; of `injected` */
    size_t count, capacity;
};

static enum sg_code take_truth(void *context, const struct sg_csv_row *row, struct sg_err *err)
{
    struct truths *truths = context;
    double ratio;
    if (row->line == 1)
        return sg_csv_check_header(row, "case,variant,true_ratio", err);
    if (sg_field_name("case", row->field[0], err) != SG_SUCCESS || sg_field_name("variant", row->field[1], err) != SG_SUCCESS ||
        sg_field_number("true_ratio", row->field[2], false, &ratio, err) != SG_SUCCESS)
        return sg_fail_here(err, row->path, row->line);
    if (!(ratio > 0.0)) {
        sg_field_fail("true_ratio", "a ratio above 0", row->field[2], err);
        return sg_fail_here(err, row->path, row->line);
    }
    truths->items = sg_grow(truths->items, &truths->capacity, truths->count + 1, sizeof(*truths->items));
    truths->items[truths->count++] = (struct truth){sg_copy_string(row->field[0]), sg_copy_string(row->field[1]), ratio};
    return SG_SUCCESS;
}

static void release_truths(struct truths *truths)
{
    for (size_t i = 0; i < truths->count; i++) {
        free(truths->items[i].case_);
        free(truths->items[i].variant);
    }
    free(truths->items);
}

/* NaN: not known. */
static double ratio_of(const struct truths *truths, const char *family, const char *case_, const char *variant)
{
    static const struct {
        const char *variant;
        double ratio; /* kernels/reference: the same work, and one or two hundredths more */
    } reference[] = {{"pinned", 1.0}, {"pinned_1pct", 1.01}, {"pinned_2pct", 1.02}};
    if (strcmp(family, "reference") == 0)
        for (size_t i = 0; i < COUNT(reference); i++)
            if (strcmp(variant, reference[i].variant) == 0)
                return reference[i].ratio;
    if (strcmp(family, "injected") == 0)
        for (size_t i = 0; i < truths->count; i++)
            if (strcmp(case_, truths->items[i].case_) == 0 && strcmp(variant, truths->items[i].variant) == 0)
                return truths->items[i].ratio;
    return NAN;
}

/* ---- runs and the pairs in them ---- */

struct run {
    struct sg_env env;
    struct sg_samples samples;
    const struct sg_sample **sorted; /* by pair, process, block, position */
    uint64_t seed;
};

/* The batches of one pair, in the order of processes; those of process p and side s are [from[p],
 * from[p + 1]) of ns[s] and clock[s]. */
struct pair {
    const struct run *run;
    const char *family, *case_, *baseline, *candidate; /* borrowed from the run */
    double change;                                     /* true one, ratio - 1, to a step of NOMINAL */
    double *ns[2], *clock[2];                          /* owned; 0: baseline, 1: candidate */
    size_t from[SG_SEQUENTIAL_PROCESSES_MAX + 1];
    double y[SG_SEQUENTIAL_PROCESSES_MAX]; /* ln ratio of each process */
    size_t processes, used;                /* there are, and solgate took at its default tolerance */
};
struct pairs {
    struct pair *items; /* owned */
    size_t count, capacity;
    size_t unknown; /* left out: their truth is not known */
};

static int by_batch(const void *left, const void *right)
{
    return sg_sample_compare(*(const struct sg_sample *const *)left, *(const struct sg_sample *const *)right);
}

static const char *fact(const struct run *run, const char *key)
{
    const char *value = sg_env_get(&run->env, key);
    return value ? value : "";
}

static enum sg_code read_run(const char *folder, struct run *run, struct sg_err *err)
{
    struct sg_text env = {0}, samples = {0};
    sg_text_addf(&env, "%s/env.csv", folder);
    sg_text_addf(&samples, "%s/samples.csv", folder);
    if (sg_env_read(env.data, &run->env, err) != SG_SUCCESS || sg_samples_read(samples.data, &run->samples, err) != SG_SUCCESS)
        goto out;
    if (!sg_parse_u64(fact(run, "seed"), &run->seed))
        sg_fail(err, SG_BAD_INPUT, env.data, "seed: expected a whole number, found '%s'", fact(run, "seed"));
    run->sorted = sg_alloc(run->samples.count, sizeof(*run->sorted));
    for (size_t i = 0; i < run->samples.count; i++)
        run->sorted[i] = &run->samples.items[i];
    qsort(run->sorted, run->samples.count, sizeof(*run->sorted), by_batch);
out:
    sg_text_release(&env);
    sg_text_release(&samples);
    return err->code;
}

static bool same_pair(const struct sg_sample *a, const struct sg_sample *b)
{
    return a->family == b->family && a->case_ == b->case_ && a->pair == b->pair;
}

static double nominal(double change)
{
    const double steps = round(change / NOMINAL);
    return steps == 0.0 ? change : steps * NOMINAL;
}

/* Names and truth of the batches [begin, end) of a run. */
static struct pair name_pair(const struct run *run, const struct truths *truths, size_t begin, size_t end)
{
    const struct sg_sample *first = run->sorted[begin];
    sg_id baseline = first->pair;
    for (size_t i = begin; i < end; i++)
        if (run->sorted[i]->variant != first->pair)
            baseline = run->sorted[i]->variant;
    struct pair pair = {
        .run = run,
        .family = sg_samples_string(&run->samples, first->family),
        .case_ = sg_samples_string(&run->samples, first->case_),
        .baseline = sg_samples_string(&run->samples, baseline),
        .candidate = sg_samples_string(&run->samples, first->pair),
    };
    if (baseline != first->pair)
        pair.change = nominal(
            ratio_of(truths, pair.family, pair.case_, pair.candidate) / ratio_of(truths, pair.family, pair.case_, pair.baseline) - 1.0);
    return pair;
}

static enum sg_code check_block(const struct pair *pair, const struct sg_sample *const *block, size_t left, struct sg_err *err)
{
    for (unsigned position = 0; position < SG_BLOCK_BATCHES; position++)
        if (position >= left || block[position]->process != block[0]->process || block[position]->block != block[0]->block ||
            block[position]->position != position)
            return sg_fail(err, SG_BAD_INPUT, "samples.csv", "%s/%s/%s: process %u, block %u: expected batches 0 to %d, found no batch %u",
                           pair->family, pair->case_, pair->candidate, block[0]->process, block[0]->block, SG_BLOCK_BATCHES - 1, position);
    return SG_SUCCESS;
}

/* Sides by the coin, not by the names of who ran: both are one in an A/A pair. */
static double take_block(struct pair *pair, const struct sg_sample *const *block, size_t at)
{
    const bool baab = sg_abba_coin(pair->run->seed, block[0]->process, block[0]->block);
    double ns[SG_BLOCK_BATCHES];
    size_t next[2] = {at, at};
    for (unsigned position = 0; position < SG_BLOCK_BATCHES; position++) {
        const size_t side = sg_abba_is_candidate(baab, position);
        ns[position] = block[position]->ns;
        pair->ns[side][next[side]] = block[position]->ns;
        pair->clock[side][next[side]++] = block[position]->sm_clock;
    }
    return sg_abba_block(ns, baab);
}

/* Its batches [begin, end), whole blocks, as many a process as there are; processes that
 * no decision reaches are left out. */
static enum sg_code take_batches(struct pair *pair, size_t begin, size_t end, struct sg_err *err)
{
    const struct sg_sample *const *sorted = pair->run->sorted;
    double *blocks = sg_alloc((end - begin) / SG_BLOCK_BATCHES + 1, sizeof(*blocks));
    for (size_t side = 0; side < 2; side++) {
        pair->ns[side] = sg_alloc(end - begin, sizeof(double));
        pair->clock[side] = sg_alloc(end - begin, sizeof(double));
    }
    for (size_t i = begin; i < end && pair->processes < SG_SEQUENTIAL_PROCESSES_MAX;) {
        const size_t p = pair->processes++, first = i;
        size_t n = 0;
        for (; i < end && sorted[i]->process == sorted[first]->process; i += SG_BLOCK_BATCHES, n++) {
            if (check_block(pair, sorted + i, end - i, err) != SG_SUCCESS)
                goto out;
            blocks[n] = take_block(pair, sorted + i, pair->from[p] + n * SG_BLOCK_BATCHES / 2);
        }
        pair->from[p + 1] = pair->from[p] + n * SG_BLOCK_BATCHES / 2;
        pair->y[p] = sg_abba_process(blocks, n);
    }
    solgate_says(pair->y, pair->processes, solgate_rules[0].tolerance, &pair->used);
out:
    free(blocks);
    return err->code;
}

static enum sg_code add_pairs(struct pairs *pairs, const struct run *run, const struct truths *truths, struct sg_err *err)
{
    for (size_t begin = 0, end; begin < run->samples.count && err->code == SG_SUCCESS; begin = end) {
        for (end = begin; end < run->samples.count && same_pair(run->sorted[begin], run->sorted[end]); end++)
            continue;
        const struct pair pair = name_pair(run, truths, begin, end);
        if (isnan(pair.change)) {
            pairs->unknown++;
            continue;
        }
        pairs->items = sg_grow(pairs->items, &pairs->capacity, pairs->count + 1, sizeof(*pairs->items));
        pairs->items[pairs->count] = pair;
        take_batches(&pairs->items[pairs->count++], begin, end, err);
    }
    return err->code;
}

/* ---- who compares what ---- */

/* The pairs of one line of the table. */
struct group {
    const char *gpu;
    double change;
};

static bool is_in(const struct group *group, const struct pair *pair)
{
    return pair->change == group->change && strcmp(fact(pair->run, "gpu"), group->gpu) == 0;
}

/* Processes [first, last) of a pair. */
struct part {
    const struct pair *pair;
    size_t first, last;
};

static size_t batches_of(const struct part *part)
{
    return part->pair->from[part->last] - part->pair->from[part->first];
}

static double clock_of(const struct part *part, size_t side)
{
    return sg_mean(part->pair->clock[side] + part->pair->from[part->first], batches_of(part));
}

/* Each rule on the baseline's batches of one part and the candidate's of another. */
static void ask(struct tally tallies[RULE_COUNT], const struct part *baseline, const struct part *candidate)
{
    const struct two_samples samples = {
        .baseline = baseline->pair->ns[0] + baseline->pair->from[baseline->first],
        .candidate = candidate->pair->ns[1] + candidate->pair->from[candidate->first],
        .n_baseline = batches_of(baseline),
        .n_candidate = batches_of(candidate),
        .baseline_clock = clock_of(baseline, 0),
        .candidate_clock = clock_of(candidate, 1),
    };
    for (enum rule rule = 0; rule < RULE_COUNT; rule++)
        tally_add(&tallies[rule], rule_says(rule, &samples));
}

/* The baseline in one process, the candidate in a later one. */
static void ask_two_processes(struct tally tallies[RULE_COUNT], const struct pair *pair, const struct pairs *all)
{
    (void)all;
    for (size_t i = 0; i < pair->processes; i++)
        for (size_t j = i + 1; j < pair->processes; j++)
            ask(tallies, &(struct part){pair, i, i + 1}, &(struct part){pair, j, j + 1});
}

static bool same_fact(const struct pair *a, const struct pair *b, const char *key)
{
    return strcmp(fact(a->run, key), fact(b->run, key)) == 0;
}

/* The same pair of the same build on the same GPU, in a later run? */
static bool is_later(const struct pair *a, const struct pair *b)
{
    return strcmp(fact(b->run, "date"), fact(a->run, "date")) > 0 && same_fact(a, b, "gpu_uuid_hash") && same_fact(a, b, "commit") &&
           same_fact(a, b, "suite") && strcmp(a->family, b->family) == 0 && strcmp(a->case_, b->case_) == 0 &&
           strcmp(a->baseline, b->baseline) == 0 && strcmp(a->candidate, b->candidate) == 0;
}

/* The baseline in one run, the candidate in a later one: as many batches as solgate takes. */
static void ask_two_runs(struct tally tallies[RULE_COUNT], const struct pair *pair, const struct pairs *all)
{
    for (size_t i = 0; i < all->count; i++) {
        const struct pair *later = &all->items[i];
        const size_t n = pair->used < later->used ? pair->used : later->used;
        if (is_later(pair, later))
            ask(tallies, &(struct part){pair, 0, n}, &(struct part){later, 0, n});
    }
}

/* The very batches that solgate decides on; their order and their processes are not seen. */
static void ask_in_turns(struct tally tallies[RULE_COUNT], const struct pair *pair, const struct pairs *all)
{
    (void)all;
    ask(tallies, &(struct part){pair, 0, pair->used}, &(struct part){pair, 0, pair->used});
}

static void print_rules(const struct pairs *all, const struct group *group)
{
    static const struct {
        const char *samples;
        void (*ask)(struct tally *tallies, const struct pair *pair, const struct pairs *all);
    } ways[] = {{"two_processes", ask_two_processes}, {"two_runs", ask_two_runs}, {"in_turns", ask_in_turns}};
    for (size_t way = 0; way < COUNT(ways); way++) {
        struct tally tallies[RULE_COUNT];
        for (enum rule rule = 0; rule < RULE_COUNT; rule++)
            tallies[rule] =
                (struct tally){.source = group->gpu, .samples = ways[way].samples, .rule = rule_word(rule), .change = group->change};
        for (size_t i = 0; i < all->count; i++)
            if (is_in(group, &all->items[i]))
                ways[way].ask(tallies, &all->items[i], all);
        for (enum rule rule = 0; rule < RULE_COUNT; rule++)
            tally_print(&tallies[rule]);
    }
}

static void print_solgate(const struct pairs *all, const struct group *group)
{
    for (size_t s = 0; s < SOLGATE_RULES; s++) {
        struct tally tally = {.source = group->gpu, .samples = "in_turns", .rule = solgate_rules[s].name, .change = group->change};
        for (size_t i = 0; i < all->count; i++) {
            const struct pair *pair = &all->items[i];
            size_t used = 0;
            if (is_in(group, pair))
                tally_add(&tally, solgate_says(pair->y, pair->processes, solgate_rules[s].tolerance, &used));
        }
        tally_print(&tally);
    }
}

static int by_group(const void *left, const void *right)
{
    const struct group *a = left, *b = right;
    const int order = strcmp(a->gpu, b->gpu);
    return order != 0 ? order : (a->change > b->change) - (a->change < b->change);
}

static void print_groups(const struct pairs *all)
{
    struct group *groups = sg_alloc(all->count, sizeof(*groups));
    for (size_t i = 0; i < all->count; i++)
        groups[i] = (struct group){fact(all->items[i].run, "gpu"), all->items[i].change};
    qsort(groups, all->count, sizeof(*groups), by_group);
    fputs(TALLY_HEADER, stdout);
    for (size_t i = 0; i < all->count; i++) {
        if (i > 0 && by_group(&groups[i - 1], &groups[i]) == 0)
            continue;
        print_rules(all, &groups[i]);
        print_solgate(all, &groups[i]);
    }
    free(groups);
}

static enum sg_code compare(const char *truth_path, char *const *folders, size_t count, struct sg_err *err)
{
    struct truths truths = {0};
    struct pairs pairs = {0};
    struct run *runs = sg_alloc(count, sizeof(*runs));
    if (sg_csv_read(truth_path, take_truth, &truths, err) != SG_SUCCESS)
        goto out;
    for (size_t i = 0; i < count; i++)
        if (read_run(folders[i], &runs[i], err) != SG_SUCCESS || add_pairs(&pairs, &runs[i], &truths, err) != SG_SUCCESS)
            goto out;
    if (pairs.count == 0)
        sg_fail(err, SG_BAD_INPUT, folders[0], "expected pairs whose truth is known, in at least one run, found none");
    else
        print_groups(&pairs);
    fprintf(stderr, "%zu pairs of known truth, %zu others left out\n", pairs.count, pairs.unknown);
out:
    for (size_t i = 0; i < pairs.count; i++)
        for (size_t side = 0; side < 2; side++) {
            free(pairs.items[i].ns[side]);
            free(pairs.items[i].clock[side]);
        }
    free(pairs.items);
    for (size_t i = 0; i < count; i++) {
        sg_env_release(&runs[i].env);
        sg_samples_release(&runs[i].samples);
        free(runs[i].sorted);
    }
    free(runs);
    release_truths(&truths);
    return err->code;
}

int main(int argc, char **argv)
{
    struct sg_err err = {0};
    if (argc < 3)
        sg_fail(&err, SG_BAD_USAGE, "", "expected TRUTH.csv RUN...");
    else
        compare(argv[1], argv + 2, (size_t)argc - 2, &err);
    if (err.code != SG_SUCCESS)
        fprintf(stderr, "other_rules_on_runs: %s%s%s\n", err.where, *err.where ? ": " : "", err.message);
    return sg_exit_code(err.code);
}
