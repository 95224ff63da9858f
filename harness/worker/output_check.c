#include "worker/output_check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "device/relative_error.h"
#include "solgate_parallel.h"
#include "stats/statistics.h"
#include "util/dtype.h"
#include "util/text.h"

#define PIECE \
    UINT64_C(256) /* elements converted at a time; a thread has two such arrays on its stack */
#define PART (256 * PIECE) /* elements per task of a thread; one partial sum each */

/* An outlier exceeds this many times the 5/8 quantile of the sampled magnitudes, provided that
 * outliers raise the rms above that limit. As in python/solgate/outputs.py. */
#define OUTLIER_TIMES 8
#define SAMPLE        UINT64_C(1024)
#define SAMPLE_STEP   UINT64_C(2654435761)
#define SAMPLE_LEAST  4

enum sg_status sg_outcome_set(struct sg_outcome *outcome, enum sg_status status, const char *format,
                              ...)
{
    if (outcome->status != SG_OK)
        return outcome->status;
    va_list args;
    va_start(args, format);
    vsnprintf(outcome->message, sizeof(outcome->message), format, args);
    va_end(args);
    outcome->status = status;
    return status;
}

void sg_element_name(const struct sg_buffer *buffer, uint64_t index, struct sg_text *text)
{
    if (buffer->row)
        sg_text_addf(text, "%s[%llu,%llu]", buffer->name, (unsigned long long)(index / buffer->row),
                     (unsigned long long)(index % buffer->row));
    else
        sg_text_addf(text, "%s[%llu]", buffer->name, (unsigned long long)index);
}

static bool is_exact(const struct sg_check *check)
{
    return check->bitwise || check->tolerance.rel_rms == 0 || check->tolerance.rel_max == 0;
}

double sg_check_wanted(const struct sg_check *check, uint64_t index)
{
    const double x = check->expected[index];
    return is_exact(check)
               ? sg_dtype_decode(check->buffer->dtype, sg_dtype_encode(check->buffer->dtype, x))
               : x;
}

/* Results of PART elements. */
struct part {
    bool differs; /* at least one element is unequal */
    double reference_squares, error_squares;
    uint64_t finite, outliers, both_nan;
    struct sg_output_difference d;
};

/* A comparison in progress. Partial sums are added in the order of the parts, so results do not
 * depend on the number of threads. */
struct measurement {
    const struct sg_check *check;
    bool exact;
    double rms;  /* the reference's RMS, capped at `most` */
    double most; /* larger elements are outliers */
    struct part *parts;
};

/* Elements [first, end). */
struct range {
    uint64_t first, end;
};

static struct range range_of(const struct sg_check *check, uint64_t part)
{
    const uint64_t first = part * PART, left = check->buffer->count - first;
    return (struct range){first, first + (left < PART ? left : PART)};
}

/* Loads up to PIECE elements; returns their number. */
static uint64_t load(const struct measurement *m, struct range left, double got[PIECE],
                     double want[PIECE])
{
    const struct sg_check *check = m->check;
    const uint64_t n = left.end - left.first < PIECE ? left.end - left.first : PIECE;
    sg_dtype_get_array(check->buffer->dtype, check->got, left.first, n, got);
    /* If equality is required, round to the dtype. */
    sg_dtype_round_array(m->exact ? check->buffer->dtype : SG_F64, check->expected + left.first, n,
                         want);
    return n;
}

/* Finds out whether anything differs, and sums the squares of the reference's finite elements. */
static void look_over(void *context, uint64_t number)
{
    const struct measurement *m = context;
    double got[PIECE], want[PIECE], sum = 0;
    uint64_t finite = 0, outliers = 0, both_nan = 0;
    bool differs = false;
    for (struct range left = range_of(m->check, number); left.first < left.end;
         left.first += PIECE) {
        const uint64_t n = load(m, left, got, want);
        const double *x = m->check->expected + left.first;
        for (uint64_t i = 0; i < n; i++) {
            differs |= !(got[i] == want[i]);
            sum += isfinite(x[i]) ? x[i] * x[i] : 0;
            finite += isfinite(x[i]);
            outliers += fabs(x[i]) > m->most && isfinite(x[i]);
            both_nan += isnan(got[i]) && isnan(x[i]);
        }
    }
    m->parts[number].finite = finite;
    m->parts[number].outliers = outliers;
    m->parts[number].both_nan = both_nan;
    m->parts[number].differs = differs;
    m->parts[number].reference_squares = sum;
}

/* An element that differs from its expected value. */
struct unequal {
    uint64_t index;
    double got, want;
    double error, relative; /* 0 for a NaN */
    enum sg_status status;  /* SG_OK: within the tolerance */
};

static bool is_poison(const struct sg_check *check, uint64_t index)
{
    const enum sg_dtype dtype = check->buffer->dtype;
    return check->poisoned &&
           sg_dtype_load(dtype, check->got, index) == sg_dtype_poison_bits(dtype, check->turn);
}

/* Sets the status of an element. Every value of an integer or fp4 may be a correct result, so their
 * poison counts as unwritten only if the value is wrong. */
SG_COPIED void judge_unequal(const struct measurement *m, struct unequal *e)
{
    const struct sg_check *check = m->check;
    if (isnan(e->got)) {
        e->status = is_poison(check, e->index) ? SG_UNWRITTEN : isnan(e->want) ? SG_OK : SG_NAN;
        return;
    }
    e->error = sg_absolute_error(e->got, e->want);
    e->relative = sg_relative_error(e->error, e->want, m->rms);
    if (m->exact || e->relative > check->tolerance.rel_max)
        e->status = is_poison(check, e->index) ? SG_UNWRITTEN : SG_WRONG;
}

SG_COPIED void each_unequal(const struct measurement *m, struct range left,
                            void (*visit)(void *context, const struct unequal *e), void *context)
{
    double got[PIECE], want[PIECE];
    for (; left.first < left.end; left.first += PIECE) {
        const uint64_t n = load(m, left, got, want);
        for (uint64_t i = 0; i < n; i++) {
            struct unequal e = {
                .index = left.first + i, .got = got[i], .want = want[i], .status = SG_OK};
            if (got[i] == want[i])
                continue;
            judge_unequal(m, &e);
            visit(context, &e);
        }
    }
}

SG_COPIED void count_unequal(void *context, const struct unequal *e)
{
    struct part *part = context;
    struct sg_output_difference *d = &part->d;
    if (e->status == SG_UNWRITTEN && d->unwritten++ == 0)
        d->first_unwritten = e->index;
    if (e->status == SG_NAN && d->nan++ == 0)
        d->first_nan = e->index;
    d->wrong += e->status != SG_OK && !isnan(e->got);
    part->error_squares += e->error * e->error;
    if (e->relative > d->rel_max) {
        d->rel_max = e->relative;
        d->worst = e->index;
    }
}

static void measure_part(void *context, uint64_t number)
{
    const struct measurement *m = context;
    if (m->parts[number].differs)
        each_unequal(m, range_of(m->check, number), count_unequal, &m->parts[number]);
}

static void add_part(const struct part *part, struct sg_output_difference *d)
{
    if (d->unwritten == 0)
        d->first_unwritten = part->d.first_unwritten;
    if (d->nan == 0)
        d->first_nan = part->d.first_nan;
    d->unwritten += part->d.unwritten;
    d->nan += part->d.nan;
    d->wrong += part->d.wrong;
    if (part->d.rel_max > d->rel_max) {
        d->rel_max = part->d.rel_max;
        d->worst = part->d.worst;
    }
}

/* The outlier limit, from a sample without zeros and without the largest magnitude, which many
 * elements of a mask may share. */
static double most_of(const struct sg_check *check)
{
    double size[SAMPLE] = {0};
    uint64_t count = 0, left;
    for (uint64_t i = 0; i < SAMPLE && i < check->buffer->count; i++) {
        size[count] = fabs(check->expected[i * SAMPLE_STEP % check->buffer->count]);
        count += size[count] > 0 && isfinite(size[count]);
    }
    sg_sort(size, count);
    for (left = count; left > 0 && size[left - 1] == size[count - 1];)
        left--;
    return left < SAMPLE_LEAST ? INFINITY : OUTLIER_TIMES * size[5 * left / 8];
}

void sg_check_measure(const struct sg_check *check, struct sg_output_difference *difference)
{
    const uint64_t parts = (check->buffer->count + PART - 1) / PART;
    struct measurement m = {.check = check,
                            .exact = is_exact(check),
                            .most = is_exact(check) ? INFINITY : most_of(check),
                            .parts = sg_alloc(parts, sizeof(*m.parts))};
    double squares = 0, error_squares = 0;
    uint64_t finite = 0, outliers = 0;
    bool differs = false;
    *difference = (struct sg_output_difference){0};
    sg_parallel(check->threads, parts, look_over, &m);
    for (uint64_t i = 0; i < parts; i++) {
        differs |= m.parts[i].differs;
        squares += m.parts[i].reference_squares;
        finite += m.parts[i].finite;
        outliers += m.parts[i].outliers;
        difference->both_nan += m.parts[i].both_nan;
    }
    m.rms = fmin(sqrt(squares / fmax(1, (double)finite)), m.most);
    difference->outliers = m.rms == m.most ? outliers : 0;
    if (differs)
        sg_parallel(check->threads, parts, measure_part, &m);
    for (uint64_t i = 0; i < parts && differs; i++) {
        error_squares += m.parts[i].error_squares;
        add_part(&m.parts[i], difference);
    }
    difference->rel_rms = sg_ratio(sqrt(error_squares), sqrt(squares));
    difference->rms = m.rms;
    free(m.parts);
}

/* Visits elements of one status. */
struct selection {
    enum sg_status status;
    void (*visit)(void *context, uint64_t index);
    void *context;
};

static void select_unequal(void *context, const struct unequal *e)
{
    const struct selection *selection = context;
    if (e->status == selection->status)
        selection->visit(selection->context, e->index);
}

void sg_check_each(const struct sg_check *check, const struct sg_output_difference *difference,
                   enum sg_status status, void (*visit)(void *context, uint64_t index),
                   void *context)
{
    const struct measurement m = {.check = check, .exact = is_exact(check), .rms = difference->rms};
    struct selection selection = {status, visit, context};
    each_unequal(&m, (struct range){0, check->buffer->count}, select_unequal, &selection);
}

static enum sg_status describe_missing(const struct sg_check *check,
                                       const struct sg_output_difference *d, enum sg_status status,
                                       struct sg_outcome *outcome)
{
    const bool unwritten = status == SG_UNWRITTEN;
    const uint64_t first = unwritten ? d->first_unwritten : d->first_nan;
    SG_SCOPED(sg_text) element = {0};
    sg_element_name(check->buffer, first, &element);
    sg_outcome_set(outcome, status, "%s: %s, reference %.9g; %llu of %llu elements; %s",
                   element.data, unwritten ? "never written" : "nan", check->expected[first],
                   (unsigned long long)(unwritten ? d->unwritten : d->nan),
                   (unsigned long long)check->buffer->count, check->inputs);
    return status;
}

static enum sg_status describe_wrong(const struct sg_check *check,
                                     const struct sg_output_difference *d,
                                     struct sg_outcome *outcome)
{
    const bool exact = is_exact(check);
    const double got = sg_dtype_get(check->buffer->dtype, check->got, d->worst);
    const double want = sg_check_wanted(check, d->worst);
    SG_SCOPED(sg_text) text = {0};
    sg_element_name(check->buffer, d->worst, &text);
    sg_text_addf(&text, ": %.9g, reference %.9g, error %.4g; ", got, want, fabs(got - want));
    if (exact)
        sg_text_addf(&text, "must be equal; ");
    else
        sg_text_addf(&text, "allowed rel_rms %.3g, found %.3g; allowed rel_max %.3g, found %.3g; ",
                     check->tolerance.rel_rms, d->rel_rms, check->tolerance.rel_max, d->rel_max);
    sg_outcome_set(outcome, SG_WRONG, "%s%llu of %llu elements; %s", text.data,
                   (unsigned long long)d->wrong, (unsigned long long)check->buffer->count,
                   check->inputs);
    return SG_WRONG;
}

enum sg_status sg_check_judge(const struct sg_check *check,
                              const struct sg_output_difference *difference,
                              struct sg_outcome *outcome)
{
    const struct sg_output_difference *d = difference;
    if (d->unwritten)
        return describe_missing(check, d, SG_UNWRITTEN, outcome);
    if (d->nan)
        return describe_missing(check, d, SG_NAN, outcome);
    if (is_exact(check)
            ? d->wrong > 0
            : d->rel_rms > check->tolerance.rel_rms || d->rel_max > check->tolerance.rel_max)
        return describe_wrong(check, d, outcome);
    return SG_OK;
}

#define PERIOD 65536u
#define CHUNK  512u

/* CHUNK guard bytes from this offset in the block on. The pattern repeats after PERIOD. */
static const unsigned char *guard_bytes(uint64_t offset)
{
    static unsigned char bytes[PERIOD + CHUNK];
    for (unsigned i = bytes[0] == 0 ? sizeof(bytes) : 0; i-- > 0;)
        bytes[i] = (unsigned char)(0xC5 ^ i * 31 ^ i >> 8);
    return bytes + offset % PERIOD;
}

void sg_guard_fill(unsigned char *bytes, uint64_t offset, uint64_t count)
{
    for (uint64_t i = 0; i < count; i += CHUNK)
        memcpy(bytes + i, guard_bytes(offset + i), count - i < CHUNK ? count - i : CHUNK);
}

uint64_t sg_guard_find_change(const unsigned char *bytes, uint64_t offset, uint64_t count)
{
    uint64_t i = 0;
    while (i + CHUNK <= count && memcmp(bytes + i, guard_bytes(offset + i), CHUNK) == 0)
        i += CHUNK;
    while (i < count && bytes[i] == *guard_bytes(offset + i))
        i++;
    return i;
}
