/*
 * Notes below a speed-of-light table: untimed variants, impossible times, and the source of limits
 * and shares.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/tables/ranking.h"

/* about the time of a launch; a shorter limit without a known launch floor needs a note */
#define SHORT_LIMIT_NS 1000.0
#define REFUSALS_MAX   20 /* maximum number named; the table for programs has all */

static int by_outcome(const void *left, const void *right)
{
    const struct sg_gap *a = *(const struct sg_gap *const *)left,
                        *b = *(const struct sg_gap *const *)right;
    const int families = strcmp(a->family, b->family),
              variants = families != 0 ? families : strcmp(a->variant, b->variant);
    if (variants != 0 || a->status != b->status)
        return variants != 0 ? variants : a->status < b->status ? -1 : 1;
    return strcmp(a->case_, b->case_);
}

static bool same_variant(const struct sg_gap *a, const struct sg_gap *b)
{
    return strcmp(a->family, b->family) == 0 && strcmp(a->variant, b->variant) == 0;
}

/* Adds "wrong in tiny", "wrong in 3 cases". Returns how many of the `count` gaps this covers. */
static size_t add_outcome(struct sg_text *out, const struct sg_gap *const *untimed, size_t count)
{
    size_t same = 1;
    while (same < count && same_variant(untimed[0], untimed[same]) &&
           untimed[0]->status == untimed[same]->status)
        same++;
    sg_text_addf(out, "%s in ",
                 untimed[0]->status == SG_OK ? "no time" : sg_status_word(untimed[0]->status));
    if (same == 1)
        sg_text_add(out, untimed[0]->case_);
    else
        sg_text_addf(out, "%zu cases", same);
    return same;
}

/* Adds "not timed: null/hang: hang in 3 cases; null/zeros: wrong in tiny"; nothing if all were
 * timed. */
static void add_untimed(struct sg_text *out, const struct sg_sol_table *gaps)
{
    const struct sg_gap **untimed = sg_alloc(gaps->count + 1, sizeof(struct sg_gap *));
    size_t count = 0;
    for (size_t i = 0; i < gaps->count && gaps->of_run; i++)
        if (isnan(gaps->items[i].time_ns))
            untimed[count++] = &gaps->items[i];
    qsort(untimed, count, sizeof(struct sg_gap *), by_outcome);
    for (size_t i = 0; i < count;) {
        if (i > 0 && same_variant(untimed[i - 1], untimed[i]))
            sg_text_add(out, ", ");
        else
            sg_text_addf(out, "%s%s/%s: ", i == 0 ? "not timed: " : "; ", untimed[i]->family,
                         untimed[i]->variant);
        i += add_outcome(out, untimed + i, count - i);
    }
}

bool sg_gap_is_short(const struct sg_sol_table *gaps, const struct sg_gap *gap)
{
    return gaps->of_run && !(gaps->ceilings.launch_ns > 0) && gap->limit_ns < SHORT_LIMIT_NS;
}

static size_t count_short_cases(const struct sg_sol_table *gaps)
{
    size_t count = 0;
    for (size_t i = 0; i < gaps->count; i++) {
        const struct sg_gap *gap = &gaps->items[i];
        count += (i == 0 || !sg_gap_same_case(gap, gap - 1)) && sg_gap_is_short(gaps, gap);
    }
    return count;
}

/* Explains the table's times and limits, a sentence for each that applies. */
static void add_meanings(struct sg_text *out, const struct sg_sol_table *gaps)
{
    bool is_paired = false, is_counted = false;
    const size_t count = count_short_cases(gaps);
    for (size_t i = 0; i < gaps->count; i++) {
        is_paired |=
            gaps->items[i].time_ns != gaps->items[i].measured_ns && !isnan(gaps->items[i].time_ns);
        is_counted |= gaps->items[i].kind == SG_COUNTED_WORK;
    }
    if (is_counted)
        sg_text_add(out, "The limit is that of the counted work, which the kernel did. Counters "
                         "cannot tell how much of it was needed. ");
    if (is_paired)
        sg_text_add(
            out, "The time of a paired variant is that of its baseline times the paired ratio. ");
    if (gaps->ceilings.launch_ns > 0) {
        sg_text_add(out, "An empty kernel takes ");
        sg_add_time(out, gaps->ceilings.launch_ns);
        sg_text_add(
            out, " on this GPU: where the work needs less, that is the limit (bound by launch). ");
    }
    if (count > 0)
        sg_text_addf(out,
                     "%zu case%s a limit below 1 us. An empty launch takes about as long, and the "
                     "limit does not include that. "
                     "`solgate doctor --ceilings` measures it on this GPU. ",
                     count, count == 1 ? " has" : "s have");
}

/* Adds ", bf16 989 Tflop/s" for each number format with a rate. */
static void add_rates(struct sg_text *out, const char *before, const double *flop_per_s)
{
    for (enum sg_dtype dtype = 0; dtype < SG_DTYPE_COUNT; dtype++)
        if (flop_per_s[dtype] > 0) {
            sg_text_addf(out, "%s%s ", before, sg_dtype_word(dtype));
            sg_add_rate(out, flop_per_s[dtype], "flop/s");
            before = ", ";
        }
}

/* Adds "peaks of NVIDIA H200 SXM: DRAM 4.80 TB/s, bf16 989 Tflop/s", with the formats of the
 * work. */
static void add_spec(struct sg_text *out, const struct sg_sol_table *gaps)
{
    double used[SG_DTYPE_COUNT] = {0};
    for (size_t i = 0; i < gaps->count; i++)
        for (int d = 0; d < SG_DTYPE_COUNT; d++)
            if (gaps->items[i].work.flop[d] > 0)
                used[d] = gaps->spec.flop_per_s[d];
    sg_text_addf(out, "peaks of %s: DRAM ", gaps->spec.name);
    sg_add_rate(out, gaps->spec.dram_bytes_per_s, "B/s");
    add_rates(out, ", ", used);
    if (gaps->spec.key)
        sg_text_addf(out, "; metrics/gpus/%s.gpu", gaps->spec.key);
}

/* Names another L2 state. This is not an error: the reader decides how much it matters. */
static void add_other_state(struct sg_text *out, const struct sg_sol_table *gaps)
{
    const char *of_ceilings = sg_l2_word(gaps->ceilings.l2);
    if (!gaps->of_run || !(gaps->ceilings.dram_bytes_per_s > 0) ||
        (gaps->l2 && strcmp(gaps->l2, of_ceilings) == 0))
        return;
    if (gaps->l2)
        sg_text_addf(out, ". The L2 was %s in this run and %s where the ceilings were measured",
                     gaps->l2, of_ceilings);
    else
        sg_text_addf(out,
                     ". The state of the L2 in this run is not known, and %s where the ceilings "
                     "were measured",
                     of_ceilings);
    sg_text_add(out, ": the rate of DRAM depends on it, so shares of that ceiling do not compare "
                     "like with like.");
}

void sg_add_ceilings(struct sg_text *out, const struct sg_sol_table *gaps)
{
    const struct sg_ceilings *ceilings = &gaps->ceilings;
    if (!sg_ceilings_any(ceilings)) {
        sg_text_add(out, "no measured ceilings of this GPU or its model: `solgate doctor "
                         "--ceilings` measures them there");
        return;
    }
    sg_text_addf(out, "measured with a %s L2", sg_l2_word(ceilings->l2));
    const size_t start = out->length;
    if (ceilings->dram_bytes_per_s > 0) {
        sg_text_add(out, ": DRAM ");
        sg_add_rate(out, ceilings->dram_bytes_per_s, "B/s");
    }
    add_rates(out, out->length > start ? ", " : ": ", ceilings->flop_per_s);
    if (ceilings->launch_ns > 0) {
        sg_text_add(out, out->length > start ? ", launch " : ": launch ");
        sg_add_time(out, ceilings->launch_ns);
    }
    if (ceilings->path)
        sg_text_addf(out, "; %s%s%s, %.10s", ceilings->path,
                     ceilings->gpu_uuid_hash[0] ? ", GPU " : "", ceilings->gpu_uuid_hash,
                     ceilings->date);
    add_other_state(out, gaps);
}

static void add_refusals(struct sg_text *out, const struct sg_sol_table *gaps)
{
    const struct sg_refusals *all = &gaps->refusals;
    for (size_t i = 0; i < all->count && i < REFUSALS_MAX; i++)
        sg_text_addf(out, "invalid: %s/%s/%s: %s\n", SG_NAMES(all->items[i]), all->items[i].why);
    if (all->count > REFUSALS_MAX)
        sg_text_addf(out, "%zu are invalid in all; --format=csv has the reason of each\n",
                     all->count);
}

void sg_gap_notes(const struct sg_sol_table *gaps, struct sg_text *lines)
{
    if (gaps->count == 0 || !gaps->spec.name) {
        sg_text_addf(lines, "%s, so no speed-of-light limit can be computed.\n",
                     gaps->spec.name ? "The run does not record flop or bytes"
                                     : "No file of metrics/gpus fits the GPU of this run");
        return;
    }
    static void (*const adds[])(struct sg_text *, const struct sg_sol_table *) = {
        add_untimed, add_refusals, add_meanings, add_spec, sg_add_ceilings};
    for (size_t i = 0; i < sizeof(adds) / sizeof(adds[0]); i++) {
        const size_t start = lines->length;
        adds[i](lines, gaps);
        if (lines->length > start && lines->data[lines->length - 1] != '\n')
            sg_text_add(lines, "\n");
    }
}
