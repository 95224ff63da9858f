#include "diagnose/where.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/names.h"

struct side {
    struct sg_pc_samples *samples;
    struct sg_where *where;
    int number;
    double points; /* points per sample */
};

static size_t reason_of(struct sg_where *where, sg_id reason)
{
    size_t i = 0;
    while (i < where->reason_count && where->reason[i] != reason)
        i++;
    if (i == where->reason_count && i < SG_WHERE_REASONS)
        where->reason[where->reason_count++] = reason;
    return i < SG_WHERE_REASONS ? i : SG_WHERE_REASONS - 1;
}

/* Splits "scale.cu:41 @P0 LDG.E R6, ..." into place and opcode. An address gets the kernel's
 * name, because it is valid only there. */
static void split(struct sg_pc_samples *samples, const struct sg_pc_sample *sample,
                  const char *instruction, sg_id *place, sg_id *opcode)
{
    size_t length = 0;
    SG_SCOPED(sg_text) text = {0};
    const char *blank = strchr(instruction, ' ');
    const char *word = sg_sass_opcode(blank ? blank + 1 : instruction, &length);
    sg_text_add_bytes(&text, word, length);
    *opcode = sg_intern(&samples->pool, sg_text_string(&text));
    text.length = 0;
    sg_text_add_bytes(&text, instruction,
                      blank ? (size_t)(blank - instruction) : strlen(instruction));
    if (strncmp(instruction, "0x", 2) == 0)
        sg_text_addf(&text, " of %s %s", sg_pc_samples_text(samples, sample, SG_PC_KERNEL),
                     sg_pc_samples_text(samples, sample, SG_PC_CODE));
    *place = sg_intern(&samples->pool, sg_text_string(&text));
}

static struct sg_where_row *row_of(struct sg_where *where, sg_id place, sg_id opcode)
{
    for (size_t i = 0; i < where->count; i++)
        if (where->rows[i].place == place && where->rows[i].opcode == opcode)
            return &where->rows[i];
    struct sg_where_row *row = SG_APPEND(where->rows, where->count, where->capacity);
    *row = (struct sg_where_row){.place = place, .opcode = opcode};
    return row;
}

static void charge(struct side *side, const struct sg_pc_sample *sample, const char *instruction,
                   double points)
{
    sg_id place = 0, opcode = 0;
    split(side->samples, sample, instruction, &place, &opcode);
    struct sg_where_row *row = row_of(side->where, place, opcode);
    const sg_id self = sg_intern(&side->samples->pool, instruction),
                waits = sample->text[SG_PC_INSTRUCTION];
    row->points[side->number] += points;
    row->of_reason[reason_of(side->where, sample->text[SG_PC_REASON])] += points;
    if (!(points > row->most))
        return;
    row->most = points;
    row->instruction = self;
    row->waits_at = waits != self ? waits : 0;
}

static void charge_all(struct side *side, const struct sg_pc_sample *sample)
{
    const bool is_moved = sample->text[SG_PC_CHARGED_TO] != 0;
    const char *to =
        sg_pc_samples_text(side->samples, sample, is_moved ? SG_PC_CHARGED_TO : SG_PC_INSTRUCTION);
    SG_SCOPED(sg_names) names = {0};
    sg_names_add_split(&names, to, ';');
    for (size_t i = 0; i < names.count; i++)
        charge(side, sample, names.items[i] + strspn(names.items[i], " "),
               side->points * sample->samples / (double)names.count);
}

static void add_side(struct side *side, const char *const name[3], double ratio)
{
    struct sg_where *where = side->where;
    double *all = &where->samples[side->number];
    for (size_t i = 0; i < side->samples->count; i++)
        if (sg_pc_sample_is_of(side->samples, &side->samples->items[i], name))
            *all += side->samples->items[i].samples;
    side->points = *all > 0 ? 100 * ratio / *all : 0;
    for (size_t i = 0; *all > 0 && i < side->samples->count; i++)
        if (sg_pc_sample_is_of(side->samples, &side->samples->items[i], name))
            charge_all(side, &side->samples->items[i]);
}

static double weight(const struct sg_where_row *row)
{
    return fabs(row->points[SG_WHERE_CANDIDATE] - row->points[SG_WHERE_BASELINE]);
}

static int by_difference(const void *a, const void *b)
{
    const double left = weight(a), right = weight(b);
    return (left < right) - (left > right);
}

void sg_where_find(struct sg_pc_samples *samples, const char *const *const variant[SG_WHERE_SIDES],
                   double ratio, struct sg_where *where)
{
    for (int number = 0; number < SG_WHERE_SIDES; number++) {
        struct side side = {.samples = samples, .where = where, .number = number};
        if (variant[number])
            add_side(&side, variant[number], number == SG_WHERE_CANDIDATE ? ratio : 1);
    }
    qsort(where->rows, where->count, sizeof(*where->rows), by_difference);
}
