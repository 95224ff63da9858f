#include "stats/headline.h"

#include <math.h>
#include <string.h>

void sg_headline_count(struct sg_headline *headline, enum sg_verdict verdict, size_t rows)
{
    if (!(sg_verdict_row(verdict)->bits & SG_DECLARED))
        headline->count[verdict] += rows;
}

static void replace(struct sg_text *text, const char *words)
{
    sg_text_release(text);
    sg_text_add(text, words);
}

static void take(struct sg_headline *headline, const struct sg_headline *other)
{
    headline->exit_code = other->exit_code;
    headline->verdict = other->verdict;
    headline->size = other->size;
    replace(&headline->item, sg_text_string(&other->item));
    replace(&headline->says, sg_text_string(&other->says));
    replace(&headline->next, sg_text_string(&other->next));
}

static bool is_worse(int a, int b)
{
    return a != b && sg_worse_exit(a, b) == a;
}

void sg_headline_fail(struct sg_headline *headline, int exit_code, const char *words)
{
    const struct sg_headline failure = {.exit_code = exit_code};
    const char *command = strstr(words, "`solgate ");
    if (!is_worse(exit_code, headline->exit_code))
        return;
    take(headline, &failure);
    sg_text_add_bytes(&headline->says, words, strcspn(words, ";"));
    if (command)
        sg_text_add_bytes(&headline->next, command + 1, strcspn(command + 1, "`"));
}

void sg_headline_merge(struct sg_headline *headline, const struct sg_headline *other)
{
    const bool is_larger = headline->exit_code == other->exit_code && other->item.length > 0 &&
                           (other->verdict < headline->verdict ||
                            (other->verdict == headline->verdict && other->size > headline->size));
    for (enum sg_verdict verdict = 0; verdict < SG_VERDICT_COUNT; verdict++)
        headline->count[verdict] += other->count[verdict];
    headline->hidden = fmax(headline->hidden, other->hidden);
    if (is_larger || is_worse(other->exit_code, headline->exit_code))
        take(headline, other);
    else if (headline->exit_code == other->exit_code && headline->next.length == 0)
        replace(&headline->next, sg_text_string(&other->next));
}

/* ---- rows by verdict ---- */

enum rows { ALL, FAILING, NOTED /* failing, or not decided */ };

static bool is_one(enum sg_verdict verdict, enum rows rows)
{
    const bool fails = sg_verdict_exit(verdict) != SG_EXIT_DONE,
               is_decided = sg_verdict_row(verdict)->says == SG_SAYS_ALL;
    return rows == ALL || fails || (rows == NOTED && !is_decided);
}

static size_t count_of(const struct sg_headline *headline, enum rows rows)
{
    size_t count = 0;
    for (enum sg_verdict verdict = 0; verdict < SG_VERDICT_COUNT; verdict++)
        count += is_one(verdict, rows) ? headline->count[verdict] : 0;
    return count;
}

/* Rounds up to two digits, because rows must not hide more than is printed. */
static double round_up(double percent)
{
    const double unit = pow(10, floor(log10(percent)) - 1);
    return ceil(percent / unit - 1e-9) * unit;
}

/* Appends "3 regressed, 10 unresolved (may hide up to +2 %)", worst first, without the rows of
 * `less`. Only the line of a headline that passes names what rows may hide. */
static void add_rows(struct sg_text *out, const struct sg_headline *headline, enum rows wanted,
                     const size_t *less)
{
    const bool says_hidden = headline->item.length > 0 || wanted == NOTED;
    const char *before = "";
    for (enum sg_verdict verdict = 0; verdict < SG_VERDICT_COUNT; verdict++) {
        const size_t rows = headline->count[verdict] - (less ? less[verdict] : 0);
        if (rows == 0 || !is_one(verdict, wanted))
            continue;
        sg_text_addf(out, "%s%zu%s %s", before, rows, less ? " more" : "",
                     sg_verdict_word(verdict));
        if (verdict == SG_UNRESOLVED && headline->hidden > 0 && says_hidden)
            sg_text_addf(out, " (may hide up to %+.2g %%)", round_up(100 * headline->hidden));
        before = ", ";
    }
}

size_t sg_headline_rows(const struct sg_headline *headline)
{
    return count_of(headline, ALL);
}

void sg_headline_add_counts(struct sg_text *out, const struct sg_headline *headline,
                            const char *noun)
{
    const size_t rows = sg_headline_rows(headline);
    sg_text_addf(out, "%zu %s%s%s", rows, noun, SG_PLURAL(rows), rows > 0 ? ": " : "");
    add_rows(out, headline, ALL, NULL);
}

/* ---- the line ---- */

static void add_more(struct sg_text *out, const struct sg_headline *headline)
{
    size_t less[SG_VERDICT_COUNT] = {0};
    SG_SCOPED(sg_text) more = {0};
    less[headline->verdict] = headline->count[headline->verdict] > 0;
    add_rows(&more, headline, FAILING, less);
    if (more.length > 0)
        sg_text_addf(out, ", and %s", more.data);
}

static void add_passed(struct sg_text *out, const struct sg_headline *headline)
{
    const size_t open = count_of(headline, NOTED), decided = sg_headline_rows(headline) - open;
    if (headline->says.length > 0)
        sg_text_add(out, headline->says.data);
    else if (decided == 0 && headline->count[SG_INCONCLUSIVE] > 0)
        sg_text_add(out, "no row was decided, which --inconclusive=pass allows");
    else if (decided == 0)
        sg_text_add(out, open > 0 ? "no row was decided"
                                  : "nothing regressed: every row fails or refuses as declared");
    else
        sg_text_addf(out, "nothing regressed of %zu %srow%s", decided, open > 0 ? "decided " : "",
                     SG_PLURAL(decided));
    if (open > 0)
        add_rows(sg_text_next(out), headline, NOTED, NULL);
}

void sg_headline_add(struct sg_text *out, const struct sg_headline *headline)
{
    const bool is_shown_only = headline->of_imports && headline->exit_code == SG_EXIT_DONE;
    sg_text_addf(
        out, "%s (exit %d): ", is_shown_only ? "no verdict" : sg_exit_decision(headline->exit_code),
        headline->exit_code);
    if (headline->item.length == 0) {
        add_passed(out, headline);
        return;
    }
    sg_text_addf(out, "%s %s", headline->item.data, sg_text_string(&headline->says));
    add_more(out, headline);
}

void sg_headline_add_lines(struct sg_text *out, const struct sg_headline *headline,
                           const char *counts)
{
    sg_headline_add(out, headline);
    sg_text_addf(out, "\n%s\n", counts);
    if (headline->next.length > 0)
        sg_text_addf(out, "Next: %s\n", headline->next.data);
}
