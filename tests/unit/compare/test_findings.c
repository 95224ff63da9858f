/* compare/findings.h: each finding keeps its reason, and equal reasons are kept once. */
#include "check.h"
#include "compare/findings.h"

TEST(a_finding_keeps_its_reason)
{
    struct sg_comparison comparison = {0};
    for (int i = 0; i < 100; i++) {
        struct sg_finding finding = sg_finding_none();
        finding.why = sg_reason(&comparison, "within %d %% of accepted", i / 50);
        sg_finding_add(&comparison, &finding);
    }
    struct sg_finding other = sg_finding_at(&comparison, 7);
    char borrowed[] = "another one";
    other.why = borrowed;
    sg_finding_put(&comparison, 7, &other);
    borrowed[0] = 'A';
    assert_int_equal(comparison.count, 100);
    assert_string_equal(sg_finding_at(&comparison, 7).why, "another one");
    assert_string_equal(sg_finding_at(&comparison, 99).why, "within 1 % of accepted");
    assert_ptr_equal(sg_finding_at(&comparison, 0).why, sg_finding_at(&comparison, 49).why);
}
