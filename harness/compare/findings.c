#include "compare/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "compare/compare.h"
#include "util/intern.h"

struct sg_findings {
    struct sg_finding *items; /* their reasons by `reasons` */
    size_t capacity;
    struct sg_intern_pool *reasons;
};

void sg_finding_add(struct sg_comparison *comparison, const struct sg_finding *finding)
{
    if (!comparison->findings)
        comparison->findings = sg_alloc(1, sizeof(*comparison->findings));
    struct sg_findings *all = comparison->findings;
    all->items = sg_grow(all->items, &all->capacity, comparison->count + 1, sizeof(*all->items));
    sg_finding_put(comparison, comparison->count++, finding);
}

void sg_finding_put(struct sg_comparison *comparison, size_t index, const struct sg_finding *finding)
{
    struct sg_findings *all = comparison->findings;
    const sg_id why = sg_intern(&all->reasons, finding->why ? finding->why : "");
    all->items[index] = *finding;
    all->items[index].why = sg_intern_pool_string(all->reasons, why);
    all->items[index].room = NULL;
}

struct sg_finding sg_finding_at(const struct sg_comparison *comparison, size_t index)
{
    return comparison->findings->items[index];
}

void sg_finding_why(struct sg_finding *finding, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(finding->room->text, sizeof(finding->room->text), format, args);
    va_end(args);
    finding->why = finding->room->text;
}

void sg_findings_free(struct sg_findings *findings)
{
    if (!findings)
        return;
    free(findings->items);
    sg_intern_pool_free(findings->reasons);
    free(findings);
}
