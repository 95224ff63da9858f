#include "results/error_signature.h"

#include <stdlib.h>
#include <string.h>

#define NAME_END ": " /* after the output's name */
#define PART_END "; "

static const char *const hold_word[SG_HOLD_COUNT] = {SG_HOLD_TABLE(SG_WORD)};

bool sg_has_error_signature(enum sg_status status)
{
    return status == SG_WRONG || status == SG_NAN || status == SG_UNWRITTEN ||
           status == SG_NONDETERMINISTIC;
}

void sg_error_signature_add(struct sg_text *out, const struct sg_error_signature *s)
{
    sg_text_addf(out,
                 "%s" PART_END "%llu of %llu elements" PART_END "%s is %s, reference %s" PART_END
                 "%s" PART_END "%s",
                 s->where, (unsigned long long)s->elements, (unsigned long long)s->count, s->at,
                 s->got, s->want, s->inputs, hold_word[s->hold]);
}

/* ---- comparing ---- */

size_t sg_error_where(const char *line)
{
    const char *end = strstr(line, PART_END);
    return end ? (size_t)(end - line) : strlen(line);
}

static bool holds_its_place(const char *line)
{
    const size_t length = strlen(line), tail = strlen(hold_word[SG_HOLD_PLACE]);
    return length >= tail && strcmp(line + length - tail, hold_word[SG_HOLD_PLACE]) == 0;
}

/* Length up to the place if the place has no structure; 0: it has structure. */
static size_t shapeless(const char *line)
{
    static const char *const words[] = {SG_PLACE_ALL_WORD, SG_PLACE_SPREAD_WORD,
                                        SG_PLACE_SCATTERED_WORD};
    const char *place = strstr(line, NAME_END);
    for (size_t i = 0; place && i < sizeof(words) / sizeof(words[0]); i++) {
        const size_t length = strlen(words[i]), before = (size_t)(place - line) + strlen(NAME_END);
        if (sg_error_where(line) == before + length &&
            strncmp(line + before, words[i], length) == 0)
            return before;
    }
    return 0;
}

bool sg_error_moved(const char *was, const char *is)
{
    const size_t where = sg_error_where(was), name = shapeless(was);
    if (!holds_its_place(was) || !holds_its_place(is) ||
        (where == sg_error_where(is) && memcmp(was, is, where) == 0))
        return false;
    return !(name > 0 && name == shapeless(is) && memcmp(was, is, name) == 0);
}

/* ---- shared errors ---- */

/* A set of variants with the same line in one or more cases. */
struct sharing {
    char *who;                /* owned: "a, b and c" */
    const struct sg_row *row; /* of its first variant in its first case */
    size_t cases;
};

struct sharings {
    struct sharing *items; /* owned */
    size_t count, capacity;
};

static bool is_like(const struct sg_row *first, const struct sg_row *row)
{
    return row->metric == first->metric && row->message == first->message &&
           row->case_ == first->case_ && row->family == first->family;
}

/* The next row from `from` on with the case and the line of `first`; NULL: none. */
static const struct sg_row *next_like(const struct sg_table *run, const struct sg_row *first,
                                      const struct sg_row *from)
{
    for (; from < run->rows + run->count && from->case_ == first->case_ &&
           from->family == first->family;
         from++)
        if (is_like(first, from))
            return from;
    return NULL;
}

static bool has_leader(const struct sg_table *run, const struct sg_row *row)
{
    for (const struct sg_row *before = row;
         before-- > run->rows && before->case_ == row->case_ && before->family == row->family;)
        if (is_like(row, before))
            return true;
    return false;
}

static void add_sharing(struct sharings *sharings, const struct sg_row *row, const char *who)
{
    for (size_t i = 0; i < sharings->count; i++) {
        if (sharings->items[i].row->family != row->family ||
            strcmp(sharings->items[i].who, who) != 0)
            continue;
        sharings->items[i].cases++;
        return;
    }
    *SG_APPEND(sharings->items, sharings->count, sharings->capacity) =
        (struct sharing){.who = sg_copy_string(who), .row = row, .cases = 1};
}

/* Collects the variants of the case with the same line as `first`, if there are others. */
static void gather(struct sharings *sharings, const struct sg_table *run,
                   const struct sg_row *first)
{
    SG_SCOPED(sg_text) who = {0};
    size_t count = 0;
    sg_text_add(&who, sg_table_string(run, first->variant));
    for (const struct sg_row *row = next_like(run, first, first + 1), *next; row;
         row = next, count++) {
        next = next_like(run, first, row + 1);
        sg_text_addf(&who, "%s%s", next ? ", " : " and ", sg_table_string(run, row->variant));
    }
    if (count > 0)
        add_sharing(sharings, first, who.data);
}

static void add_line(struct sg_text *out, const struct sg_table *run, const struct sharing *sharing)
{
    const char *line = sg_table_string(run, sharing->row->message);
    sg_text_addf(out, "%s/%s: %s: the same error in %.*s: a shared cause",
                 sg_table_string(run, sharing->row->family),
                 sg_table_string(run, sharing->row->case_), sharing->who, (int)sg_error_where(line),
                 line);
    if (sharing->cases > 1)
        sg_text_addf(out, "; so in %zu more case%s", sharing->cases - 1,
                     sharing->cases > 2 ? "s" : "");
}

size_t sg_shared_errors_each(const struct sg_table *run,
                             void (*each)(const char *line, struct sg_text *out),
                             struct sg_text *out)
{
    const sg_id metric = run ? sg_table_find_id(run, SG_SIGNATURE_METRIC) : 0;
    struct sharings sharings = {0};
    for (size_t i = 0; run && i < run->count; i++)
        if (run->rows[i].metric == metric && !has_leader(run, &run->rows[i]))
            gather(&sharings, run, &run->rows[i]);
    for (size_t i = 0; i < sharings.count; i++) {
        SG_SCOPED(sg_text) line = {0};
        add_line(&line, run, &sharings.items[i]);
        if (each)
            each(line.data, out);
        free(sharings.items[i].who);
    }
    free(sharings.items);
    return sharings.count;
}
