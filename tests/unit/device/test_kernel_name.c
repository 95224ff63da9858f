/* device/kernel_name.h: what kernels are called, and a list of those of a launch. */
#include <string.h>

#include "check.h"
#include "device/kernel_name.h"

TEST(names)
{
    static const struct {
        const char *sentence, *mangled, *shown;
    } rows[] = {
        {"a plain name stays", "sm90_xmma_gemm_f32f32", "sm90_xmma_gemm_f32f32"},
        {"parameters go", "_Z6matvecPKfS0_Pf", "matvec"},
        {"a parameter's class is none of the name", "_Z6matvec5Thing", "matvec"},
        {"template arguments go", "_Z6kernelILi128ELb1EEvPf", "kernel"},
        {"namespaces stay", "_ZN7cutlass13device_kernelINS_4gemm6kernelIfEEEEvNT_6ParamsE",
         "cutlass::device_kernel"},
        {"one that has no name goes", "_ZN41_GLOBAL__N__0a1b2c3d_9_matvec_cu_012345676matvecEPf",
         "matvec"},
        {"internal linkage is no part of it", "_ZL6matvecPf", "matvec"},
        {"nor the file in code that was linked",
         "__nv_static_43__fd0d9379_15_device_graph_cu_ccd4eef0_29151__Z12starts_"
         "graph7problemIfEP14CUgraphExec_st",
         "starts_graph"},
        {"unless that is cut", "__nv_static_43__fd0d9379", "__nv_static_43__fd0d9379"},
        {"nor in a namespace", "_ZN2sgL6matvecEPf", "sg::matvec"},
        {"what is not as mangled names are stays", "_Z", "_Z"},
        {"so does one whose length is wrong", "_Z99matvecv", "_Z99matvecv"},
        {"none at all", NULL, "without a name"},
        {"an empty one", "", "without a name"},
        {"a long one is cut", "a23456789b23456789c23456789d23456789e23456789f23456789g23456789",
         "a23456789b23456789c23456789d23456789e23456789f23456789g23456789"},
        {"by one letter", "a23456789b23456789c23456789d23456789e23456789f23456789g23456789h",
         "a23456789b23456789c23456789d23456789e23456789f23456789g23456..."},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sg_kernel_name name = sg_kernel_name(rows[i].mangled);
        if (strcmp(name.text, rows[i].shown) != 0)
            fail_msg("%s: %s is shown as %s", rows[i].sentence,
                     rows[i].mangled ? rows[i].mangled : "(null)", name.text);
    }
}

TEST(lists)
{
    char text[64], little[12];
    struct sg_kernel_names list = {.count = 0};
    sg_kernel_names_format(&list, text, sizeof(text));
    assert_string_equal(text, "");
    sg_kernel_names_add(&list, "_Z6reduceILi1EEvv");
    sg_kernel_names_add(&list, "splitk");
    sg_kernel_names_add(&list, "_Z6reduceILi2EEvv");
    sg_kernel_names_add(&list, "_Z6reduceILi2EEvv");
    sg_kernel_names_format(&list, text, sizeof(text));
    assert_string_equal(text, "reduce x3; splitk");
    assert_int_equal(sg_kernel_names_times(&list, "_Z6reduceILi2EEvv"), 2);
    assert_int_equal(sg_kernel_names_times(&list, "reduce"), 0);
    sg_kernel_names_add(&list, NULL);
    sg_kernel_names_format(&list, text, sizeof(text));
    assert_string_equal(text, "reduce x3; splitk; without a name");
    sg_kernel_names_format(&list, little, sizeof(little));
    assert_string_equal(little, "reduce x...");
}
