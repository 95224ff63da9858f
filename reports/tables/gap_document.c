/* What is printed of tables of speed of light: one, or several side by side. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/tables/ranking.h"
#include "util/number_format.h"

static const struct sg_column gap_columns[] = {
    {.title = "family"},
    {.title = "case"},
    {.title = "variant"},
    {.title = "gpu_spec", .meaning = "peaks of metrics/gpus"},
    {.title = "time_ns", .number = true, .unit = "ns", .meaning = "one launch"},
    {.title = "sol_time_ns", .number = true, .unit = "ns", .meaning = "what the work needs at the peaks"},
    {.title = "sol_compute_ns", .number = true, .unit = "ns", .meaning = "of it, arithmetic"},
    {.title = "sol_memory_ns", .number = true, .unit = "ns", .meaning = "of it, compulsory bytes"},
    {.title = "gap", .number = true, .unit = "1", .meaning = "time over limit"},
    {.title = "bound", .meaning = "the largest term of the limit"},
    {.title = "intensity_flop_per_b", .number = true, .unit = "flop/B"},
    {.title = "flop_per_s", .number = true, .unit = "flop/s"},
    {.title = "bytes_per_s", .number = true, .unit = "B/s"},
    {.title = "faster_than_physics", .meaning = "yes: the time cannot be"},
    {.title = "status"},
    {.title = "role"},
    {.title = "shape"},
    {.title = "flop", .number = true, .unit = "flop"},
    {.title = "read_bytes", .number = true, .unit = "B"},
    {.title = "write_bytes", .number = true, .unit = "B"},
    {.title = "of_peak", .number = true, .unit = "1", .meaning = "share of the datasheet's peak of what binds"},
    {.title = "of_measured", .number = true, .unit = "1", .meaning = "share of the measured ceiling of what binds"},
    {.title = "ceilings", .meaning = "file of the measured ceilings"},
    {.title = "l2", .meaning = "state of the L2 in the run"},
    {.title = "ceilings_l2", .meaning = "state of the L2 where the ceilings were measured"},
    {.title = "time_low_ns", .number = true, .unit = "ns", .meaning = "interval of the time"},
    {.title = "time_high_ns", .number = true, .unit = "ns", .meaning = "interval of the time"},
    {.title = "measured_ns", .number = true, .unit = "ns", .meaning = "the variant's own median time, not paired"},
    {.title = "time_ratio", .number = true, .unit = "1", .meaning = "to the baseline variant, in pairs"},
    {.title = "limit_ns", .number = true, .unit = "ns", .meaning = "the larger of sol_time_ns and launch_ns"},
    {.title = "launch_ns", .number = true, .unit = "ns", .meaning = "an empty kernel on this GPU"},
    {.title = "waves", .number = true, .unit = "1", .meaning = "blocks over those that all SMs hold at once"},
    {.title = "run", .meaning = "its folder"},
    {.title = "why", .meaning = "why the time cannot be"},
};

static void add_numbers(struct sg_sheet *sheet, const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sg_sheet_number(sheet, numbers[i]);
}
#define ADD_NUMBERS(sheet, ...) add_numbers(sheet, (const double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / sizeof(double))

static void add_gap(struct sg_sheet *sheet, const struct sg_gap *gap, const struct sg_sol_table *gaps)
{
    sg_sheet_row(sheet, gap->refusal ? SG_RED : SG_ASIDE);
    sg_sheet_cell(sheet, gap->family);
    sg_sheet_cell(sheet, gap->case_);
    sg_sheet_cell(sheet, gap->variant);
    sg_sheet_cell(sheet, gaps->spec.key);
    ADD_NUMBERS(sheet, gap->time_ns, gap->sol.time_ns, gap->sol.compute_ns, gap->sol.memory_ns, gap->gap);
    sg_sheet_cell(sheet, sg_gap_bound(gap));
    ADD_NUMBERS(sheet, gap->sol.intensity, gap->flop_per_s, gap->bytes_per_s);
    sg_sheet_cell(sheet, gap->refusal && gap->refusal->finding == SG_TOO_FAST ? "yes" : "no");
    sg_sheet_cell(sheet, gap->refusal ? "invalid" : sg_status_word(gap->status));
    sg_sheet_cell(sheet, gap->role);
    sg_sheet_cell(sheet, gap->shape);
    ADD_NUMBERS(sheet, sg_work_flop(&gap->work), gap->work.read_bytes, gap->work.write_bytes, gap->of_peak, gap->of_measured);
    sg_sheet_cell(sheet, gaps->ceilings.path);
    sg_sheet_cell(sheet, gaps->l2);
    sg_sheet_cell(sheet, sg_ceilings_any(&gaps->ceilings) ? sg_l2_word(gaps->ceilings.l2) : "");
    ADD_NUMBERS(sheet, gap->low_ns, gap->high_ns, gap->measured_ns, gap->ratio, gap->limit_ns,
                gaps->ceilings.launch_ns > 0 ? gaps->ceilings.launch_ns : NAN, gap->waves);
    sg_sheet_cell(sheet, gaps->path);
    sg_sheet_cell(sheet, gap->refusal ? gap->refusal->why : "");
}

/* "NVIDIA H200, suite smoke, 2026-11-20": which run it is, and whether its times are simulated. Of
 * work without a run there is none. */
static void add_caption(struct sg_document *document, const struct sg_sol_table *gaps)
{
    struct sg_text caption = {0};
    if (gaps->of_run)
        sg_add_caption(&caption, gaps->env, NULL);
    sg_document_note(document, SG_FOR_ALL, sg_text_string(&caption));
    sg_text_release(&caption);
}

/* Notes below the tables; what is the same of several stands once, behind their letters. */
struct note {
    char *words;                   /* owned */
    char letters[4 * SG_GAPS_MAX]; /* "A, C" */
};
struct notes {
    struct note *items; /* owned */
    size_t count, capacity;
};

/* The words are released. */
static void take_note(struct notes *notes, size_t table, struct sg_text *words)
{
    size_t i = 0;
    while (i < notes->count && strcmp(notes->items[i].words, sg_text_string(words)) != 0)
        i++;
    if (words->length > 0 && i == notes->count)
        *SG_APPEND(notes->items, notes->count, notes->capacity) = (struct note){.words = sg_copy_string(words->data)};
    if (words->length > 0) {
        char *letters = notes->items[i].letters;
        const char more[] = {',', ' ', (char)('A' + table), '\0'};
        strcat(letters, *letters ? more : more + 2); /* at most one of each table */
    }
    sg_text_release(words);
}

static void take_notes(struct notes *notes, size_t table, const struct sg_sol_table *gaps)
{
    struct sg_text words = {0};
    sg_add_untimed(&words, gaps);
    take_note(notes, table, &words);
    for (size_t i = 0; sg_add_refusal(&words, gaps, i); i++)
        take_note(notes, table, &words);
    sg_add_gap_notes(&words, gaps);
    take_note(notes, table, &words);
    sg_add_spec(&words, gaps);
    take_note(notes, table, &words);
    sg_add_ceilings(&words, gaps);
    take_note(notes, table, &words);
}

static void add_notes(struct sg_document *document, const struct sg_sol_table *gaps, size_t count)
{
    struct notes notes = {0};
    for (size_t i = 0; i < count; i++)
        take_notes(&notes, i, &gaps[i]);
    for (size_t i = 0; i < notes.count; i++) {
        sg_document_notef(document, SG_FOR_ALL, "%s%s%s", count > 1 ? notes.items[i].letters : "", count > 1 ? ": " : "",
                          notes.items[i].words);
        free(notes.items[i].words);
    }
    free(notes.items);
}

static struct sg_sheet *people_sheet(struct sg_document *document)
{
    return sg_document_sheet(document, "", NULL, 0, SG_FOR_PEOPLE);
}

void sg_document_of_gaps(struct sg_document *document, const struct sg_sol_table *gaps, size_t count)
{
    if (count == 1) {
        add_caption(document, gaps);
        sg_gap_case_grid(people_sheet(document), gaps, gaps->count);
        sg_gap_grid(people_sheet(document), gaps, gaps->count);
    } else {
        sg_gap_letters_grid(people_sheet(document), gaps, count);
        sg_gap_beside_grid(people_sheet(document), gaps, count);
    }
    add_notes(document, gaps, count);
    struct sg_sheet *sheet = sg_document_sheet(document, "gaps", SG_COLUMNS(gap_columns), SG_FOR_PROGRAMS);
    for (size_t t = 0; t < count; t++)
        for (size_t i = 0; i < gaps[t].count; i++)
            add_gap(sheet, &gaps[t].items[i], &gaps[t]);
}
