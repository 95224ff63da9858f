/*
 * compare/findings.h - the findings of a comparison.
 *
 * One is made with sg_finding_of or by hand, explained with sg_finding_why, kept with
 * sg_finding_add, and read with sg_finding_at. Equal reasons are kept once. Invariant: what
 * sg_finding_at returns is what was added; its strings stay until the comparison is released.
 */
#ifndef SG_COMPARE_FINDINGS_H
#define SG_COMPARE_FINDINGS_H

#include <stddef.h>

struct sg_comparison;
struct sg_finding;
struct sg_findings; /* storage, of sg_comparison */

#define SG_FINDING_REASON_MAX 1280 /* bytes of a reason, with its end; a longer one is cut */

/* Where a reason is written before its finding is kept. */
struct sg_finding_reason {
    char text[SG_FINDING_REASON_MAX];
};

void sg_finding_add(struct sg_comparison *comparison, const struct sg_finding *finding);
/* Number `index` as it was added; of any index below comparison->count. */
struct sg_finding sg_finding_at(const struct sg_comparison *comparison, size_t index);
/* Takes the place of number `index`. */
void sg_finding_put(struct sg_comparison *comparison, size_t index, const struct sg_finding *finding);
/* Writes the reason into finding->room, which sg_finding_of gives it. */
void sg_finding_why(struct sg_finding *finding, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sg_findings_free(struct sg_findings *findings); /* may be NULL */

#endif
