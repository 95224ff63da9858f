#include "results/error_signature.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAME_VALUE  1e-5 /* relative: of one number, whose sum was rounded in another order */
#define OTHER_SHARE 0.5  /* of the elements: so much more or fewer is no play of the inputs */

static const char *const hold_word[SG_HOLD_COUNT] = {
#define X(constant, word) [constant] = word,
    SG_HOLD_TABLE(X)
#undef X
};

bool sg_has_error_signature(enum sg_status status)
{
    return status == SG_WRONG || status == SG_NAN || status == SG_UNWRITTEN || status == SG_NONDETERMINISTIC;
}

void sg_error_signature_add(struct sg_text *out, const struct sg_error_signature *s)
{
    sg_text_addf(out, "%s; %llu of %llu elements; %s is %s, reference %s; %s; %s", s->where, (unsigned long long)s->elements,
                 (unsigned long long)s->count, s->at, s->got, s->want, s->inputs, hold_word[s->hold]);
}

/* ---- reading ---- */

/* A line that is being taken apart. */
struct reader {
    const char *rest;
};

/* Up to a separator, which is passed over; false: it is not there, or there is no room. */
static bool take(struct reader *r, const char *separator, char *to, size_t room)
{
    const char *end = strstr(r->rest, separator);
    if (!end || (size_t)(end - r->rest) >= room || end == r->rest)
        return false;
    memcpy(to, r->rest, (size_t)(end - r->rest));
    to[end - r->rest] = '\0';
    r->rest = end + strlen(separator);
    return true;
}

static bool take_count(struct reader *r, const char *separator, uint64_t *count)
{
    char digits[24];
    return take(r, separator, digits, sizeof(digits)) && sg_parse_u64(digits, count);
}

static bool take_hold(const struct reader *r, enum sg_hold *hold)
{
    for (*hold = 0; *hold < SG_HOLD_COUNT; ++*hold)
        if (strcmp(r->rest, hold_word[*hold]) == 0)
            return true;
    return false;
}

static bool is_number_or(const char *text, const char *word)
{
    double number;
    const char *plain = text[0] == '-' ? text + 1 : text;
    return strcmp(text, word) == 0 || strcmp(plain, "inf") == 0 || sg_parse_double(text, true, &number);
}

static bool are_whole(const struct sg_error_signature *s)
{
    return strstr(s->where, ": ") && s->elements <= s->count && s->at[0] == '[' && is_number_or(s->got, SG_NEVER_WRITTEN) &&
           is_number_or(s->want, "nan");
}

enum sg_code sg_error_signature_parse(const char *line, struct sg_error_signature *s, struct sg_err *err)
{
    struct reader r = {line};
    *s = (struct sg_error_signature){.hold = SG_HOLD_UNKNOWN};
    if (take(&r, "; ", s->where, sizeof(s->where)) && take_count(&r, " of ", &s->elements) && take_count(&r, " elements; ", &s->count) &&
        take(&r, " is ", s->at, sizeof(s->at)) && take(&r, ", reference ", s->got, sizeof(s->got)) &&
        take(&r, "; ", s->want, sizeof(s->want)) && take(&r, "; ", s->inputs, sizeof(s->inputs)) && take_hold(&r, &s->hold) && are_whole(s))
        return SG_SUCCESS;
    return sg_fail(err, SG_BAD_INPUT, NULL,
                   SG_SIGNATURE_METRIC ": expected \"OUTPUT: WHERE; N of N elements; [PLACE] is NUMBER, reference NUMBER; INPUTS; "
                                       "same place with 3 seeds\" or another last part, found \"%s\"",
                   sg_show(line, strlen(line)).text);
}

/* ---- comparing ---- */

/* The place behind the name of the output, where it is one
 * without a structure; NULL: it has one. */
static const char *shapeless(const struct sg_error_signature *s)
{
    static const char *const words[] = {SG_PLACE_ALL_WORD, SG_PLACE_SPREAD_WORD, SG_PLACE_SCATTERED_WORD};
    const char *place = strstr(s->where, ": ");
    for (size_t i = 0; place && i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(place + 2, words[i]) == 0)
            return place;
    return NULL;
}

static double share(const struct sg_error_signature *s)
{
    return s->count ? (double)s->elements / (double)s->count : 0;
}

bool sg_error_signature_moved(const struct sg_error_signature *was, const struct sg_error_signature *is)
{
    if (was->hold != SG_HOLD_PLACE || is->hold != SG_HOLD_PLACE || strcmp(was->where, is->where) == 0)
        return false;
    const char *a = shapeless(was), *b = shapeless(is);
    const bool is_same_output = a && b && a - was->where == b - is->where && memcmp(was->where, is->where, (size_t)(a - was->where)) == 0;
    return !is_same_output || fabs(share(was) - share(is)) > OTHER_SHARE;
}

static bool is_same_number(const char *a, const char *b)
{
    double x, y;
    if (strcmp(a, b) == 0)
        return true;
    return sg_parse_double(a, false, &x) && sg_parse_double(b, false, &y) && fabs(x - y) <= SAME_VALUE * fmax(fabs(x), fabs(y));
}

bool sg_error_signature_same(const struct sg_error_signature *a, const struct sg_error_signature *b)
{
    return strcmp(a->where, b->where) == 0 && strcmp(a->at, b->at) == 0 && strcmp(a->inputs, b->inputs) == 0 &&
           is_same_number(a->got, b->got) && is_same_number(a->want, b->want);
}

/* ---- those that are shared ---- */

/* A variant of the case at hand, and the first one of it with the same signature. */
struct bearer {
    const struct sg_row *row;
    struct sg_error_signature signature;
    size_t like;
};

struct bearers {
    struct bearer *items; /* owned */
    size_t count, capacity;
};

/* A set of variants that share a signature in one case or more. */
struct sharing {
    char *who;                /* owned: "a, b and c" */
    char *first;              /* owned: what the first case has */
    const struct sg_row *row; /* of the first case */
    size_t cases;
};

struct sharings {
    struct sharing *items; /* owned */
    size_t count, capacity;
};

static void add_bearer(struct bearers *bearers, const struct sg_table *run, const struct sg_row *row)
{
    struct sg_err none = {0};
    struct bearer one = {.row = row, .like = bearers->count};
    if (sg_error_signature_parse(sg_table_string(run, row->message), &one.signature, &none) != SG_SUCCESS)
        return;
    for (size_t i = bearers->count; i-- > 0;)
        if (sg_error_signature_same(&bearers->items[i].signature, &one.signature))
            one.like = bearers->items[i].like;
    *SG_APPEND(bearers->items, bearers->count, bearers->capacity) = one;
}

static void add_sharing(struct sharings *sharings, const struct sg_row *row, struct sg_text *who, const struct sg_error_signature *s)
{
    for (size_t i = 0; i < sharings->count; i++) {
        if (sharings->items[i].row->family != row->family || strcmp(sharings->items[i].who, who->data) != 0)
            continue;
        sharings->items[i].cases++;
        return;
    }
    struct sg_text first = {0};
    sg_text_addf(&first, "the same %s at %s (%s)", s->got, s->at, s->where);
    *SG_APPEND(sharings->items, sharings->count, sharings->capacity) =
        (struct sharing){.who = sg_copy_string(who->data), .first = first.data, .row = row, .cases = 1};
}

/* The variants of the case at hand that are like number `leader`. */
static void gather(struct sharings *sharings, const struct sg_table *run, const struct bearers *bearers, size_t leader)
{
    struct sg_text who = {0};
    size_t count = 0, seen = 0;
    for (size_t i = leader; i < bearers->count; i++)
        count += bearers->items[i].like == leader;
    for (size_t i = leader; i < bearers->count; i++) {
        if (bearers->items[i].like != leader)
            continue;
        sg_text_add(&who, seen == 0 ? "" : seen + 1 == count ? " and " : ", ");
        sg_text_add(&who, sg_table_string(run, bearers->items[i].row->variant));
        seen++;
    }
    if (count > 1)
        add_sharing(sharings, bearers->items[leader].row, &who, &bearers->items[leader].signature);
    sg_text_release(&who);
}

static void end_case(struct sharings *sharings, const struct sg_table *run, struct bearers *bearers)
{
    for (size_t i = 0; i < bearers->count; i++)
        if (bearers->items[i].like == i)
            gather(sharings, run, bearers, i);
    bearers->count = 0;
}

static void add_line(struct sg_text *out, const struct sg_table *run, const struct sharing *sharing)
{
    sg_text_addf(out, "%s/%s: ", sg_table_string(run, sharing->row->family), sg_table_string(run, sharing->row->case_));
    sg_text_addf(out, "%s: %s: a shared cause", sharing->who, sharing->first);
    if (sharing->cases > 1)
        sg_text_addf(out, "; so in %zu more case%s", sharing->cases - 1, sharing->cases > 2 ? "s" : "");
}

size_t sg_shared_errors_each(const struct sg_table *run, void (*each)(const char *line, struct sg_text *out), struct sg_text *out)
{
    const sg_id metric = run ? sg_table_find_id(run, SG_SIGNATURE_METRIC) : 0;
    struct bearers bearers = {0};
    struct sharings sharings = {0};
    for (size_t i = 0; run && i < run->count; i++) {
        const struct sg_row *row = &run->rows[i], *before = bearers.count > 0 ? bearers.items[0].row : row;
        if (row->case_ != before->case_ || row->family != before->family)
            end_case(&sharings, run, &bearers);
        if (row->metric == metric)
            add_bearer(&bearers, run, row);
    }
    end_case(&sharings, run, &bearers);
    for (size_t i = 0; i < sharings.count; i++) {
        struct sg_text line = {0};
        add_line(&line, run, &sharings.items[i]);
        if (each)
            each(line.data, out);
        sg_text_release(&line);
        free(sharings.items[i].who);
        free(sharings.items[i].first);
    }
    free(sharings.items);
    free(bearers.items);
    return sharings.count;
}
