#include "pipeline.h"

#include <string.h>

#include "escape.h"
#include "options.h"

#define EXIT_BROKEN 5

static void add_item_line(struct sg_text *out, const struct sg_step *step, size_t width)
{
    struct sg_text name = {0};
    const struct sg_item *item = &step->item;
    sg_text_addf(&name, "%s/%s/%s", item->family->name, item->case_->name, item->variant->name);
    sg_text_addf(out, "  %-*s  expected %s, found %s", (int)width, name.data, sg_status_word(item->variant->expect),
                 sg_status_word(step->status));
    if (step->message && *step->message) {
        sg_text_add(out, ": ");
        sg_add_terminal(out, step->message);
    }
    sg_text_add(out, "\n");
    sg_text_release(&name);
}

static size_t name_length(const struct sg_item *item)
{
    return strlen(item->family->name) + strlen(item->case_->name) + strlen(item->variant->name) + 2;
}

/* Returns how many steps had this outcome. */
static size_t add_outcome(struct sg_text *out, const struct sg_pipeline *p, enum sg_outcome outcome, const char *title)
{
    size_t count = 0, width = 0;
    for (size_t i = 0; i < p->plan.count; i++) {
        if (sg_step_outcome(&p->steps[i]) != outcome)
            continue;
        count++;
        width = name_length(&p->steps[i].item) > width ? name_length(&p->steps[i].item) : width;
    }
    if (count > 0)
        sg_text_addf(out, "%s:\n", title);
    for (size_t i = 0; i < p->plan.count; i++)
        if (sg_step_outcome(&p->steps[i]) == outcome)
            add_item_line(out, &p->steps[i], width);
    return count;
}

static void add_counts(struct sg_text *out, const struct sg_pipeline *p)
{
    size_t by_status[SG_STATUS_COUNT] = {0};
    for (size_t i = 0; i < p->plan.count; i++)
        by_status[p->steps[i].status]++;
    const char *gpu = sg_env_get(&p->folder.env, "gpu");
    sg_text_addf(out, "%zu items of suite %s on gpu %s:", p->plan.count, p->suite.name, gpu ? gpu : "unknown");
    const char *separator = " ";
    for (size_t i = 0; i < SG_STATUS_COUNT; i++) {
        if (by_status[i] == 0)
            continue;
        sg_text_addf(out, "%s%zu %s", separator, by_status[i], sg_status_word((enum sg_status)i));
        separator = ", ";
    }
    sg_text_add(out, "\n");
}

enum sg_code sg_pipeline_summary(const struct sg_pipeline *p, int *exit_code, struct sg_err *err)
{
    struct sg_text out = {0};
    size_t fails = add_outcome(&out, p, SG_FAILS, "Should be correct and is not");
    add_outcome(&out, p, SG_OTHERWISE, "Fails in another way than expected");
    add_outcome(&out, p, SG_MENDS, "Passes, and was expected to fail");
    add_outcome(&out, p, SG_MISSES, "Not to be had here");
    add_counts(&out, p);
    sg_text_addf(&out, "Next: solgate compare %s\n", p->folder.path);
    *exit_code = fails > 0 ? EXIT_BROKEN : 0;
    sg_print(&out, err);
    sg_text_release(&out);
    return err->code;
}
