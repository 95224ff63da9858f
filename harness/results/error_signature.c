#include "results/error_signature.h"

#include <string.h>

#define NAME_END ": " /* after the output's name */
#define PART_END "; "

static const char *const recurrence_word[SG_RECURS_COUNT] = {SG_RECURS_TABLE(SG_WORD)};

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
                 s->got, s->want, s->inputs, recurrence_word[s->recurrence]);
}

/* ---- comparing ---- */

size_t sg_error_where(const char *line)
{
    const char *end = strstr(line, PART_END);
    return end ? (size_t)(end - line) : strlen(line);
}

static bool has_fixed_place(const char *line)
{
    const size_t length = strlen(line), tail = strlen(recurrence_word[SG_RECURS_IN_PLACE]);
    return length >= tail && strcmp(line + length - tail, recurrence_word[SG_RECURS_IN_PLACE]) == 0;
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
    if (!has_fixed_place(was) || !has_fixed_place(is) ||
        (where == sg_error_where(is) && memcmp(was, is, where) == 0))
        return false;
    return !(name > 0 && name == shapeless(is) && memcmp(was, is, name) == 0);
}
