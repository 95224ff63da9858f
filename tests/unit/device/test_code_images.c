/* Which GPUs a module's images run on, and what an item says where they do not. */
#include "check.h"
#include "device/code_images.h"

TEST(an_image_runs_where_cuda_says)
{
    static const struct {
        const char *rule, *images;
        int capability;
        bool runs;
    } rows[] = {
        {"machine code runs on its own", "sm_90", 90, true},
        {"and on a later minor", "sm_80", 89, true},
        {"but on no earlier minor", "sm_89", 80, false},
        {"nor on another major", "sm_90", 100, false},
        {"nor on an earlier one", "sm_90", 80, false},
        {"PTX runs on its own", "compute_80", 80, true},
        {"and on any later one", "compute_80", 121, true},
        {"but on no earlier one", "compute_90", 89, false},
        {"wgmma's machine code runs on Hopper", "sm_90a", 90, true},
        {"and on no later one", "sm_90a", 100, false},
        {"nor on an earlier one", "sm_90a", 89, false},
        {"its PTX runs on no later one either", "compute_90a", 120, false},
        {"a family's code runs in its family", "sm_100f", 103, true},
        {"and not outside of it", "sm_100f", 120, false},
        {"nor does its PTX", "compute_100f", 120, false},
        {"one of several is enough", "sm_80 sm_90a compute_90", 120, true},
        {"and if none does, none does", "sm_80 sm_90a", 120, false},
        {"the list of a build without a GPU: A100", "sm_80 sm_89 sm_90 sm_100 sm_120 compute_120",
         80, true},
        {"RTX 4090", "sm_80 sm_89 sm_90 sm_100 sm_120 compute_120", 89, true},
        {"B200", "sm_80 sm_89 sm_90 sm_100 sm_120 compute_120", 100, true},
        {"B300", "sm_80 sm_89 sm_90 sm_100 sm_120 compute_120", 103, true},
        {"RTX 5090", "sm_80 sm_89 sm_90 sm_100 sm_120 compute_120", 120, true},
        {"Thor, which is between", "sm_80 sm_89 sm_90 sm_100 sm_120 compute_120", 110, false},
        {"T4, which is older", "sm_80 sm_89 sm_90 sm_100 sm_120 compute_120", 75, false},
        {"a word that is no image runs nowhere", "lto_90", 90, false},
        {"where no image is known the launch tells", "", 90, true},
        {"nor any list", NULL, 90, true},
        {"and where no GPU is", "sm_90a", 0, true},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (sg_images_run_on(rows[i].images, rows[i].capability) != rows[i].runs)
            fail_msg("%s: '%s' on %d", rows[i].rule, rows[i].images ? rows[i].images : "NULL",
                     rows[i].capability);
}

TEST(a_reason_names_what_is_missing)
{
    const struct sg_module wgmma = {.name = "group_gemm", .images = "sm_90a", .needs = "wgmma"};
    const struct sg_module portable = {.name = "matvec", .images = "sm_80 sm_89", .needs = ""};
    struct sg_reason why = {"untouched"};
    assert_true(sg_module_runs_on(&wgmma, 90, &why));
    assert_true(sg_module_runs_on(NULL, 90, &why));
    assert_string_equal(why.text, "untouched");
    assert_false(sg_module_runs_on(&wgmma, 100, &why));
    assert_string_equal(why.text, "needs sm_90a (wgmma); this GPU is sm_100");
    assert_false(sg_module_runs_on(&portable, 90, &why));
    assert_string_equal(
        why.text,
        "built for sm_80 sm_89; this GPU is sm_90: build with -DCMAKE_CUDA_ARCHITECTURES=90");
}
