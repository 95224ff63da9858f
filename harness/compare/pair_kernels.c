/* Renames accepted kernels whose symbol has more geometries on one side than on the other. */
#include <string.h>

#include "compare/compare_internal.h"

/* Items with the same symbol, grid and block: the first row and the number of items, in each
 * table. */
struct twins {
    size_t now, then;
    unsigned nows, thens;
    const char *name; /* the new name of the accepted rows; NULL: keep their name */
};

/* Length without the digits of the geometry. */
static size_t symbol_length(const char *variant)
{
    const size_t length = strlen(variant), most = strlen(SG_GEOMETRY_MARK) + SG_GEOMETRY_DIGITS;
    const char *mark = variant + (length > most ? length - most : length),
               *digits = mark + strlen(SG_GEOMETRY_MARK);
    const bool is_marked =
        length > most && strncmp(mark, SG_GEOMETRY_MARK, strlen(SG_GEOMETRY_MARK)) == 0;
    return is_marked && digits[strspn(digits, "0123456789abcdef")] == '\0' ? length - most : length;
}

/* A note has "..., grid (8, 2, 1), block (256, 1, 1)...". Shapes may have equal block counts. */
static void add_shape(struct sg_text *key, const char *note)
{
    const char *shape = note ? strstr(note, ", grid (") : NULL;
    const size_t grid = shape ? strcspn(shape, ")") : 0,
                 block = grid > 0 && shape[grid] ? strcspn(shape + grid + 1, ")") + 1 : 0;
    sg_text_add_bytes(key, shape ? shape : "", grid + block);
}

static void take(struct sg_intern_pool **keys, const struct sg_table *table, bool is_run,
                 bool by_note, struct twins *all)
{
    for (struct sg_side side = {.to = 0}; side.to < table->count;) {
        side = sg_side_from(table, side.to);
        const struct sg_row *grid = sg_side_row(&side, "grid"),
                            *block = sg_side_row(&side, "block");
        const struct sg_value item = sg_value_of(table, &table->rows[side.from]);
        SG_SCOPED(sg_text) key = {0};
        const char *note = by_note ? sg_side_message(&side, "note") : NULL;
        if (grid && block) {
            sg_text_addf(&key, "%s/%s/%.*s %.0f %.0f", item.family, item.case_,
                         (int)symbol_length(item.variant), item.variant, grid->value, block->value);
            add_shape(&key, note);
        } else if (note) { /* a benchmark: its whole name */
            sg_text_addf(&key, "%s/%s %s", item.family, item.case_, note);
        } else {
            continue;
        }
        struct twins *twins = &all[sg_intern(keys, key.data)];
        *(is_run ? &twins->now : &twins->then) = side.from;
        ++*(is_run ? &twins->nows : &twins->thens);
    }
}

/* Sets the name if each side has exactly one such item, and no other kernel was accepted under that
 * name. */
static void find_name(const struct sg_table *run, const struct sg_table *accepted,
                      struct twins *twins)
{
    if (twins->nows != 1 || twins->thens != 1)
        return;
    const struct sg_value now = sg_value_of(run, &run->rows[twins->now]);
    const struct sg_row_range taken = sg_table_variant(accepted, SG_NAMES(now));
    twins->name = taken.from == taken.to ? now.variant : NULL;
}

enum sg_code sg_pair_kernels(const struct sg_table *run, struct sg_accepted_file *accepted,
                             struct sg_err *err)
{
    struct sg_table *table = &accepted->table;
    struct sg_intern_pool *keys = NULL;
    SG_FREED struct twins *all = sg_alloc(run->count + table->count + 1, sizeof(*all));
    const bool by_note =
        !sg_env_get(&accepted->env, SG_ACCEPTED_RUNS_KEY); /* accepted numbers have no notes */
    take(&keys, run, true, by_note, all);
    take(&keys, table, false, by_note, all);
    const uint32_t count = sg_intern_pool_count(keys);
    for (uint32_t i = 0; i < count; i++) /* before any rename, because find_name searches by name */
        find_name(run, table, &all[i]);
    for (uint32_t i = 0; i < count; i++) {
        const struct twins *twins = &all[i];
        const struct sg_side then = sg_side_from(table, twins->then);
        for (size_t k = then.from; twins->name && k < then.to; k++)
            table->rows[k].variant = sg_table_intern(table, twins->name);
    }
    return sg_accepted_sort(accepted, NULL, err);
}
