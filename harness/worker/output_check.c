#include "worker/output_check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/relative_error.h"
#include "solgate_parallel.h"
#include "util/dtype.h"
#include "util/text.h"

#define PIECE UINT64_C(256) /* elements that are converted at a time; two such arrays stand on a thread's stack */
#define PART  (256 * PIECE) /* elements that a thread does at a time; sums go by it */

enum sg_status sg_outcome_set(struct sg_outcome *outcome, enum sg_status status, const char *format, ...)
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
    return is_exact(check) ? sg_dtype_decode(check->buffer->dtype, sg_dtype_encode(check->buffer->dtype, x)) : x;
}

static void count_at(uint64_t *count, uint64_t *first, uint64_t index)
{
    if ((*count)++ == 0)
        *first = index;
}

/* What is found in PART elements. */
struct part {
    bool differs; /* does one of them not equal what is wanted? */
    double reference_squares, error_squares;
    struct sg_output_difference d;
};

/* A comparison under way. Sums are of a part each and added up in the order of the parts, so that
 * no number depends on the threads. */
struct measurement {
    const struct sg_check *check;
    uint64_t poison;
    bool exact;
    double rms; /* of the reference */
    struct part *parts;
    uint64_t part_count;
};

struct range {
    uint64_t first, end;
};

static struct range range_of(const struct measurement *m, uint64_t part)
{
    const uint64_t first = part * PART, left = m->check->buffer->count - first;
    return (struct range){first, first + (left < PART ? left : PART)};
}

/* Up to PIECE elements; returns how many. */
static uint64_t load(const struct measurement *m, struct range left, double got[PIECE], double want[PIECE])
{
    const struct sg_check *check = m->check;
    const uint64_t n = left.end - left.first < PIECE ? left.end - left.first : PIECE;
    sg_dtype_get_array(check->buffer->dtype, check->got, left.first, n, got);
    /* Where equality is asked for, the nearest number that the dtype has. */
    sg_dtype_round_array(m->exact ? check->buffer->dtype : SG_F64, check->expected + left.first, n, want);
    return n;
}

/* Is there a difference, and how large is the reference? Finite elements count. */
static void look_over(void *context, uint64_t number)
{
    const struct measurement *m = context;
    double got[PIECE], want[PIECE], sum = 0;
    bool differs = false;
    for (struct range left = range_of(m, number); left.first < left.end; left.first += PIECE) {
        const uint64_t n = load(m, left, got, want);
        const double *x = m->check->expected + left.first;
        for (uint64_t i = 0; i < n; i++) {
            differs |= !(got[i] == want[i]);
            sum += isfinite(x[i]) ? x[i] * x[i] : 0;
        }
    }
    m->parts[number].differs = differs;
    m->parts[number].reference_squares = sum;
}

/* An element that does not equal what is wanted. */
struct unequal {
    uint64_t index;
    double got, want;
};

struct error {
    double absolute, relative; /* 0 of what is not a number */
};

/*
 * What the element is. Integers and fp4 have no value that cannot be an answer: their poison
 * counts only where it is not one.
 */
static enum sg_status judge_unequal(const struct measurement *m, const struct unequal *e, struct error *error)
{
    const struct sg_check *check = m->check;
    const bool poisoned = check->poisoned && sg_dtype_load(check->buffer->dtype, check->got, e->index) == m->poison;
    *error = (struct error){0};
    if (isnan(e->got))
        return poisoned ? SG_UNWRITTEN : isnan(e->want) ? SG_OK : SG_NAN;
    error->absolute = sg_absolute_error(e->got, e->want);
    error->relative = sg_relative_error(error->absolute, e->want, m->rms);
    if (!m->exact && !(error->relative > check->tolerance.rel_max))
        return SG_OK;
    return poisoned ? SG_UNWRITTEN : SG_WRONG;
}

static void measure_unequal(const struct measurement *m, struct part *part, const struct unequal *e)
{
    struct error error;
    struct sg_output_difference *d = &part->d;
    const enum sg_status status = judge_unequal(m, e, &error);
    if (status == SG_UNWRITTEN)
        count_at(&d->unwritten, &d->first_unwritten, e->index);
    if (status == SG_NAN)
        count_at(&d->nan, &d->first_nan, e->index);
    d->wrong += status != SG_OK && !isnan(e->got);
    part->error_squares += error.absolute * error.absolute;
    if (error.relative > d->rel_max) {
        d->rel_max = error.relative;
        d->worst = e->index;
    }
}

static void measure_part(void *context, uint64_t number)
{
    const struct measurement *m = context;
    double got[PIECE], want[PIECE];
    for (struct range left = range_of(m, number); left.first < left.end && m->parts[number].differs; left.first += PIECE) {
        const uint64_t n = load(m, left, got, want);
        for (uint64_t i = 0; i < n; i++)
            if (!(got[i] == want[i]))
                measure_unequal(m, &m->parts[number], &(struct unequal){left.first + i, got[i], want[i]});
    }
}

static void add_count(uint64_t more, uint64_t first_more, uint64_t *count, uint64_t *first)
{
    if (*count == 0)
        *first = first_more;
    *count += more;
}

static void put_together(const struct measurement *m, double reference_squares, struct sg_output_difference *d)
{
    double error_squares = 0;
    for (uint64_t i = 0; i < m->part_count; i++) {
        const struct sg_output_difference *part = &m->parts[i].d;
        error_squares += m->parts[i].error_squares;
        add_count(part->unwritten, part->first_unwritten, &d->unwritten, &d->first_unwritten);
        add_count(part->nan, part->first_nan, &d->nan, &d->first_nan);
        d->wrong += part->wrong;
        if (part->rel_max > d->rel_max) {
            d->rel_max = part->rel_max;
            d->worst = part->worst;
        }
    }
    d->rel_rms = sg_ratio(sqrt(error_squares), sqrt(reference_squares));
}

static struct measurement measurement_of(const struct sg_check *check)
{
    return (struct measurement){.check = check,
                                .poison = sg_dtype_poison_bits(check->buffer->dtype, check->turn),
                                .exact = is_exact(check),
                                .part_count = (check->buffer->count + PART - 1) / PART};
}

void sg_check_measure(const struct sg_check *check, struct sg_output_difference *difference)
{
    struct measurement m = measurement_of(check);
    const uint64_t parts = m.part_count;
    m.parts = sg_alloc(parts, sizeof(*m.parts));
    double squares = 0;
    bool differs = false;
    *difference = (struct sg_output_difference){0};
    sg_parallel(check->threads, parts, look_over, &m);
    for (uint64_t i = 0; i < parts; i++) {
        differs |= m.parts[i].differs;
        squares += m.parts[i].reference_squares;
    }
    if (differs) {
        m.rms = sqrt(squares / (double)check->buffer->count);
        sg_parallel(check->threads, parts, measure_part, &m);
        put_together(&m, squares, difference);
        difference->rms = m.rms;
    }
    free(m.parts);
}

void sg_check_each(const struct sg_check *check, const struct sg_output_difference *difference, enum sg_status status,
                   void (*visit)(void *context, uint64_t index), void *context)
{
    struct measurement m = measurement_of(check);
    double got[PIECE], want[PIECE];
    struct error error;
    m.rms = difference->rms;
    for (struct range left = {0, check->buffer->count}; left.first < left.end; left.first += PIECE) {
        const uint64_t n = load(&m, left, got, want);
        for (uint64_t i = 0, k = left.first; i < n; i++, k++)
            if (!(got[i] == want[i]) && judge_unequal(&m, &(struct unequal){k, got[i], want[i]}, &error) == status)
                visit(context, k);
    }
}

static enum sg_status describe_missing(const struct sg_check *check, const struct sg_output_difference *d, enum sg_status status,
                                       struct sg_outcome *outcome)
{
    const bool unwritten = status == SG_UNWRITTEN;
    const uint64_t first = unwritten ? d->first_unwritten : d->first_nan;
    struct sg_text element = {0};
    sg_element_name(check->buffer, first, &element);
    sg_outcome_set(outcome, status, "%s: %s, reference %.9g; %llu of %llu elements; %s", element.data, unwritten ? "never written" : "nan",
                   check->expected[first], (unsigned long long)(unwritten ? d->unwritten : d->nan),
                   (unsigned long long)check->buffer->count, check->inputs);
    sg_text_release(&element);
    return status;
}

static enum sg_status describe_wrong(const struct sg_check *check, const struct sg_output_difference *d, struct sg_outcome *outcome)
{
    const bool exact = is_exact(check);
    const double got = sg_dtype_get(check->buffer->dtype, check->got, d->worst);
    const double want = sg_check_wanted(check, d->worst);
    struct sg_text text = {0};
    sg_element_name(check->buffer, d->worst, &text);
    sg_text_addf(&text, ": %.9g, reference %.9g, error %.4g; ", got, want, fabs(got - want));
    if (exact)
        sg_text_addf(&text, "must be equal; ");
    else
        sg_text_addf(&text, "allowed rel_rms %.3g, found %.3g; allowed rel_max %.3g, found %.3g; ", check->tolerance.rel_rms, d->rel_rms,
                     check->tolerance.rel_max, d->rel_max);
    sg_outcome_set(outcome, SG_WRONG, "%s%llu of %llu elements; %s", text.data, (unsigned long long)d->wrong,
                   (unsigned long long)check->buffer->count, check->inputs);
    sg_text_release(&text);
    return SG_WRONG;
}

enum sg_status sg_check_judge(const struct sg_check *check, const struct sg_output_difference *difference, struct sg_outcome *outcome)
{
    const struct sg_output_difference *d = difference;
    if (d->unwritten)
        return describe_missing(check, d, SG_UNWRITTEN, outcome);
    if (d->nan)
        return describe_missing(check, d, SG_NAN, outcome);
    if (is_exact(check) ? d->wrong > 0 : d->rel_rms > check->tolerance.rel_rms || d->rel_max > check->tolerance.rel_max)
        return describe_wrong(check, d, outcome);
    return SG_OK;
}

enum sg_status sg_check_output(const struct sg_check *check, struct sg_outcome *outcome)
{
    struct sg_output_difference difference;
    sg_check_measure(check, &difference);
    return sg_check_judge(check, &difference, outcome);
}

/* offset from the start of the block */
static unsigned char guard_byte(uint64_t offset)
{
    return (unsigned char)(0xC5 ^ offset * 31 ^ offset >> 8);
}

void sg_guard_fill(unsigned char *bytes, uint64_t offset, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        bytes[i] = guard_byte(offset + i);
}

uint64_t sg_guard_find_change(const unsigned char *bytes, uint64_t offset, uint64_t count)
{
    uint64_t i = 0;
    while (i < count && bytes[i] == guard_byte(offset + i))
        i++;
    return i;
}
