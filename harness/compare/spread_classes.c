#include "compare/spread_classes.h"

#include <math.h>
#include <string.h>

#include "util/text.h"

static bool is_metric(const struct sg_accepted_file *file, const struct sg_row *row,
                      const char *name)
{
    return strcmp(sg_table_string(&file->table, row->metric), name) == 0;
}

/* Time of the baseline that the row is measured against; without one, the row's own time; 1 ns if
 * neither is known. */
static double time_of(const struct sg_accepted_file *file, const struct sg_row *row)
{
    const struct sg_table *table = &file->table;
    const char *partner = sg_row_partner(table, row), *own = sg_table_string(table, row->variant);
    const char *family = sg_table_string(table, row->family),
               *case_ = sg_table_string(table, row->case_);
    const struct sg_row *time =
        sg_table_find(table, family, case_, partner ? partner : own, "time");
    if (!time)
        time = sg_table_find(table, family, case_, own, "time");
    return time && (time->has & SG_HAS_VALUE) && time->value > 0 ? time->value : 1;
}

static struct sg_spread_class class_of(const struct sg_accepted_file *file,
                                       const struct sg_row *row)
{
    return (struct sg_spread_class){
        .paired = is_metric(file, row, "time_ratio"),
        .family = row->family,
        .decade = (int)floor(log10(time_of(file, row))),
    };
}

static struct sg_spread_class *find(const struct sg_spread_classes *classes,
                                    const struct sg_spread_class *key)
{
    for (size_t i = 0; i < classes->count; i++) {
        struct sg_spread_class *item = &classes->items[i];
        if (item->paired == key->paired && item->family == key->family &&
            item->decade == key->decade)
            return item;
    }
    return NULL;
}

void sg_spread_classes_init(struct sg_spread_classes *classes, const struct sg_accepted_file *file)
{
    *classes = (struct sg_spread_classes){0};
    for (size_t i = 0; i < file->table.count; i++) {
        const struct sg_row *row = &file->table.rows[i];
        const struct sg_accepted *accepted = &file->accepted[i];
        if (!isfinite(accepted->sd_day) ||
            !(is_metric(file, row, "time_ratio") || is_metric(file, row, "time")) ||
            sg_origin_of_row(file, row, "").units <= 1)
            continue;
        const struct sg_spread_class key = class_of(file, row);
        struct sg_spread_class *item = find(classes, &key);
        if (!item) {
            item = SG_APPEND(classes->items, classes->count, classes->capacity);
            *item = key;
        }
        item->squares += accepted->sd_day * accepted->sd_day;
        item->rows++;
    }
}

double sg_spread_of_class(const struct sg_spread_classes *classes,
                          const struct sg_accepted_file *file, const struct sg_row *row)
{
    if (classes->count == 0)
        return NAN;
    const struct sg_spread_class key = class_of(file, row), *item = find(classes, &key);
    return item && item->rows >= SG_CLASS_ROWS ? sqrt(item->squares / (double)item->rows) : NAN;
}
