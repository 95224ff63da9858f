/* ab/choices.h: the decision between the most frequent choices, of starts that the sides share and
 * of others. */
#include <string.h>

#include "check.h"
#include "ab/choices.h"

#define STARTS 12

/* Each letter is a start; its choice is the kernel of that name, whose code takes 20 % longer if it
 * is not "a". A start that both sides share is slower by up to 3 % for both. */
static void choose(struct sg_choices *side, const char *choices, double change)
{
    side->starts = STARTS;
    for (unsigned start = 0; start < STARTS; start++) {
        const char kernel[] = {choices[start], '\0'};
        sg_choices_add(side, start, "common");
        sg_choices_add(side, start, kernel);
        side->y[start] = 0.01 * (start % 4) + change + (choices[start] == 'a' ? 0 : 0.2);
    }
}

TEST(the_most_frequent_choices_decide_and_shared_starts_in_pairs)
{
    static const struct {
        const char *sentence, *base, *cand;
        double change;
        bool is_paired;
        const char *said;
    } rows[] = {
        ROW("alike", "aaaaaaaaaaaa", "aaaaaaaaaaaa", 0, true, NULL),
        ROW("in pairs, what a start slows counts not", "aababaaabaaa", "abaaaabaaaab", 0, true,
            "baseline a in 9 of 12 starts; b in 3 of 12 starts; candidate a in 9 of 12 starts; b "
            "in "
            "3 of 12 starts; with the most frequent choice of each side (6 and 6 starts): within, "
            "+0.00 % ["),
        ROW("a change of 1 %", "aababaaabaaa", "abaaaabaaaab", 0.01, true, "regressed, +1.0"),
        ROW("sides that share no start", "aababaaabaaa", "abaaaabaaaab", 0.01, false,
            "(9 and 9 starts): inconclusive, "),
        ROW("hardly a shared start", "aaaaaaabbbbb", "aaaaabbbbbbb", 0, true,
            "(7 and 7 starts): regressed, +2"),
        ROW("one side alone", "aaaaaaaaaaaa", "aaaaaaabbbbb", 0, true,
            "baseline always the same; candidate a in 7 of 12"),
        ROW("more than three", "abcdeabcdeab", "aaaaaaaaaaaa", 0, true,
            "a in 3 of 12 starts; b in 3 of 12 starts; c in 2 of 12 starts; other choices in 4"),
        ROW("none three times", "abcdefghijkl", "aaaaaaaaaaaa", 0, true,
            "no choice has the three starts that an interval needs"),
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_choices sides[2] = {{0}};
        SG_SCOPED(sg_text) said = {0};
        choose(&sides[0], rows[i].base, 0);
        choose(&sides[1], rows[i].cand, rows[i].change);
        sg_choices_add_pinned(&sides[0], &sides[1], rows[i].is_paired, 0.005, &said);
        if (rows[i].said ? !strstr(sg_text_string(&said), rows[i].said) : said.length > 0)
            fail_msg("%s: %s", rows[i].sentence, sg_text_string(&said));
        sg_choices_release(&sides[0]);
        sg_choices_release(&sides[1]);
    }
}
