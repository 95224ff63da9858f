#include "compare/usual_spreads.h"

#include "util/text.h"

void sg_usual_spreads_add(struct sg_usual_spreads *spreads, const char *item,
                          struct sg_usual_spread usual)
{
    const sg_id id = sg_intern(&spreads->items, item);
    while (spreads->count <= id)
        *SG_APPEND(spreads->of, spreads->count, spreads->capacity) = (struct sg_usual_spread){0};
    spreads->of[id] = usual;
}

const struct sg_usual_spread *sg_usual_spreads_find(const struct sg_usual_spreads *spreads,
                                                    const char *family, const char *case_,
                                                    const char *variant)
{
    SG_SCOPED(sg_text) name = {0};
    if (!spreads || spreads->count == 0)
        return NULL;
    sg_text_addf(&name, "%s/%s/%s", family, case_, variant);
    const sg_id id = sg_intern_pool_find(spreads->items, name.data);
    return id == UINT32_MAX ? NULL : &spreads->of[id];
}
