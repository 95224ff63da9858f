/* worker/session.h: which items a pass refuses before anything is allocated for them. */
#include "check.h"
#include "worker/session.h"

#include <string.h>

static bool large_cases(const struct sg_case *c, struct sg_reason *why)
{
    strcpy(why->text, "too small");
    return c->dim[0] > 1;
}

TEST(an_item_runs_where_its_code_does)
{
    static const struct sg_family family = {.device = SG_CUDA};
    static const struct sg_module portable = {.family = &family, .images = "sm_80 compute_80"};
    static const struct sg_module wgmma = {.family = &family, .images = "sm_90a", .needs = "wgmma"};
    static const struct sg_variant variant = {.supports = large_cases};
    static const struct sg_named_variant named = {.name = "v", .variant = &variant};
    static const struct sg_case small = {.dim = {1}}, large = {.dim = {2}};
    static const struct {
        const char *sentence;
        int capability;
        enum sg_pass_kind kind;
        const struct sg_case *c;
        const struct sg_module *module, *against;
        const char *refused; /* NULL: it runs */
        bool of_baseline;
    } rows[] = {
        {"its module runs here", 100, SG_PASS_TIME, &large, &portable, &portable, NULL, false},
        {"wgmma on Hopper", 90, SG_PASS_TIME, &large, &wgmma, &wgmma, NULL, false},
        {"wgmma elsewhere", 100, SG_PASS_VERIFY, &large, &wgmma, &wgmma,
         "needs sm_90a (wgmma); this GPU is sm_100", false},
        {"its baseline's module does not run here", 100, SG_PASS_TIME, &large, &portable, &wgmma,
         "needs sm_90a (wgmma); this GPU is sm_100", true},
        {"which a verification does not launch", 100, SG_PASS_VERIFY, &large, &portable, &wgmma,
         NULL, false},
        {"what the variant itself refuses comes first", 100, SG_PASS_TIME, &small, &wgmma, &wgmma,
         "too small", false},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sg_device device = {.capability = rows[i].capability};
        const struct sg_order order = {.kind = rows[i].kind};
        const struct sg_pass pass = {.order = &order, .device = {[SG_CUDA] = &device}};
        const struct sg_target target = {.module = rows[i].module,
                                         .home = rows[i].module,
                                         .against = rows[i].against,
                                         .c = rows[i].c,
                                         .variant = &named};
        struct sg_outcome outcome = {.status = SG_OK};
        print_message("  %s\n", rows[i].sentence);
        assert_int_equal(sg_pass_can_run(&pass, &target, &outcome), !rows[i].refused);
        assert_int_equal(outcome.status, rows[i].refused ? SG_UNSUPPORTED : SG_OK);
        assert_string_equal(outcome.message, rows[i].refused ? rows[i].refused : "");
        assert_int_equal(outcome.of_baseline, rows[i].of_baseline);
    }
}
