#include "cli/cmd_bisect.h"
#include "stats/sequential.h"
#include "util/escape.h"
#include "util/number_format.h"

const char *const sg_bisect_words[] = {"good", "bad", "skip"};

void sg_bisect_add_reading(struct sg_text *out, const struct sg_bisect_reading *reading)
{
    if (!reading->is_timed) {
        sg_add_terminal(out, reading->why);
        return;
    }
    sg_add_change(out, reading->change);
    sg_text_addf(out, " [%+.2f, %+.2f] of %u processes, %s", 100 * reading->low, 100 * reading->high, reading->processes,
                 sg_verdict_word(reading->verdict));
}

/* ---- the report ---- */

static void add_line(const struct sg_bisect *b, struct sg_text *out, const char *word, const struct sg_bisect_reading *reading)
{
    sg_text_addf(out, "  %-5s ", word);
    sg_commit_add_title(&b->tree, reading->commit, out);
    sg_text_add(out, "\n        ");
    sg_bisect_add_reading(out, reading);
    sg_text_add(out, "\n");
}

static void add_first(const struct sg_bisect *b, struct sg_text *out)
{
    const double bad_error = 100 * SG_SEQUENTIAL_ERROR / 2;
    sg_text_add(out, "first bad commit: ");
    if (b->first.count > 1)
        sg_text_addf(out, "one of %zu, as those between are skipped\n", b->first.count);
    for (size_t i = 0; i < b->first.count; i++) {
        sg_text_add(out, b->first.count > 1 ? "  " : "");
        sg_commit_add_title(&b->tree, b->first.items[i], out);
        sg_text_add(out, "\n");
    }
    if (b->first.count > 1) {
        sg_text_addf(out, "how sure: a bad commit is none in at most %.2g of 100 A/Bs, a good one in at most 5\n", bad_error);
        return;
    }
    sg_text_add(out, "  against its parent: ");
    sg_bisect_add_reading(out, &b->last);
    if (b->last.word == SG_BISECT_BAD)
        sg_text_addf(out, "\nhow sure: slower than its parent by more than %.3g %%; that is false in at most %.2g of 100 such A/Bs\n",
                     100 * b->limit, bad_error);
    else
        sg_text_addf(out, "\nhow sure: not confirmed; against its parent it is not slower by more than %.3g %%\n", 100 * b->limit);
}

int sg_bisect_report(const struct sg_bisect *b, struct sg_err *err)
{
    struct sg_text out = {0};
    size_t skipped = 0;
    for (size_t i = 0; i < b->count; i++)
        skipped += b->readings[i].word == SG_BISECT_SKIP;
    add_first(b, &out);
    sg_text_addf(&out, "%s: measured against %.*s, bad above %+.3g %%, half of the step; %zu commits, of which %zu skipped\n", b->in->item,
                 SG_SHORT_HASH, b->good.data, 100 * b->limit, b->count + 1, skipped);
    add_line(b, &out, "BAD", &b->step);
    for (size_t i = 0; i < b->count; i++)
        add_line(b, &out, sg_bisect_words[b->readings[i].word], &b->readings[i]);
    sg_text_addf(&out, "kept in %s\n", b->tree.folder.data);
    sg_print(&out, err);
    sg_text_release(&out);
    return b->first.count == 1 && b->last.word == SG_BISECT_BAD ? SG_EXIT_DONE : SG_EXIT_INCONCLUSIVE;
}
