#include "compare/night_items.h"

#include "util/text.h"

struct sg_night_item *sg_night_items_at(struct sg_night_items *items, const char *name)
{
    const sg_id id = sg_intern(&items->names, name);
    while (items->count <= id)
        *SG_APPEND(items->of, items->count, items->capacity) = (struct sg_night_item){0};
    return &items->of[id];
}

const struct sg_night_item *sg_night_items_find(const struct sg_night_items *items,
                                                const char *family, const char *case_,
                                                const char *variant)
{
    if (!items || items->count == 0)
        return NULL;
    SG_FORMATTED(name, "%s/%s/%s", family, case_, variant);
    const sg_id id = sg_intern_pool_find(items->names, name.data);
    return id == UINT32_MAX ? NULL : &items->of[id];
}
