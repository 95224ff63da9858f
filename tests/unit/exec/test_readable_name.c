/* exec/readable_name.h: symbols of kernels as they are shown. */
#include <string.h>

#include "check.h"
#include "exec/readable_name.h"

TEST(names)
{
    static const struct {
        const char *sentence, *symbol, *shown;
    } rows[] = {
        {"C++ loses parameters and arguments", "_ZN2at6native11copy_kernelILi4EEEvi",
         "at::native::copy_kernel"},
        {"Triton's own names stay", "softmax_kernel", "softmax_kernel"},
        {"with their numbers", "matmul_128", "matmul_128"},
        {"Inductor numbers its kernels anew in each graph", "triton_red_fused_add_mean_12",
         "triton_red_fused_add_mean"},
        {"so does XLA", "loop_add_fusion_3", "loop_add_fusion"},
        {"and its first has none", "loop_add_fusion", "loop_add_fusion"},
        {"cuBLAS stays", "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NNT",
         "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NNT"},
        {"CuTe DSL writes class, function, module and layouts",
         "kernel_cutlass_kernel___main__HopperWgmmaGemmKernel_object_at__CopyAtom_ThrID10",
         "HopperWgmmaGemmKernel.kernel"},
        {"or a function only", "kernel_cutlass_copy_tensorptrf32", "copy"},
        {"or the same with an MMA",
         "kernel_cutlass_gemm_kernel_TiledMMA_ThrLayoutVMNK1281111000_Permutation", "gemm_kernel"},
        {"nothing", "", ""},
        {"a number", "12", "12"},
        {"a name that only looks mangled", "_Z", "_Z"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        SG_SCOPED(sg_text) shown = {0};
        sg_add_readable_name(&shown, rows[i].symbol);
        if (strcmp(sg_text_string(&shown), rows[i].shown) != 0)
            fail_msg("%s: %s is shown as %s", rows[i].sentence, rows[i].symbol,
                     sg_text_string(&shown));
    }
}

TEST(stable_symbols)
{
    static const struct {
        const char *sentence, *symbol, *key;
    } rows[] = {
        {"a symbol is its key", "_ZN2at6native11copy_kernelILi4EEEvi",
         "_ZN2at6native11copy_kernelILi4EEEvi"},
        {"numbers of generated kernels are part of it", "triton_red_fused_add_mean_12",
         "triton_red_fused_add_mean_12"},
        {"file and hash of a nameless namespace are not",
         "_ZN27_GLOBAL__N__0123abcd_4_a_cu5scaleIfEEvPT_", "_ZN5scaleIfEEvPT_"},
        {"nor those of internal linkage", "__nv_static_13__0123abcd_a_cu_Z5scalePf", "_Z5scalePf"},
        {"a length beyond the end is none", "_ZN99_GLOBAL__N_x", "_ZN99_GLOBAL__N_x"},
        {"nothing", "", ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        SG_SCOPED(sg_text) key = {0};
        sg_add_stable_symbol(&key, rows[i].symbol);
        if (strcmp(sg_text_string(&key), rows[i].key) != 0)
            fail_msg("%s: the key of %s is %s", rows[i].sentence, rows[i].symbol,
                     sg_text_string(&key));
    }
}
