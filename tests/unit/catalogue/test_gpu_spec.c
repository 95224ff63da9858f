/* GPU specs: what is shipped is consistent with itself and with published figures, names fit one
 * card only, wrong files are refused. */
#include <math.h>

#include "check.h"
#include "catalogue/catalogue.h"
#include "temp_home.h"
#include "util/paths.h"
#include "util/text.h"

static void load(const char *key, struct sg_gpu_spec *spec)
{
    struct sg_err err = {0};
    if (sg_gpu_load(key, spec, &err) != SG_SUCCESS)
        fail_msg("%s: %s: %s", key, err.where, err.message);
}

static void check_whole(const char *key)
{
    struct sg_gpu_spec spec;
    load(key, &spec);
    assert_string_equal(spec.key, key);
    assert_true(spec.dram_bytes_per_s >= 3e11 && spec.dram_bytes_per_s <= 1e13);
    assert_true(spec.l2_bytes >= 1 << 20 && spec.sm_count >= 1 && spec.sm_clock_hz >= 1e9);
    assert_true(strlen(spec.source) > 20 && strlen(spec.name) > 3);
    for (int d = 0; d < SG_DTYPE_COUNT; d++)
        assert_true(spec.flop_per_s[d] == 0 ||
                    (spec.flop_per_s[d] >= 2e11 && spec.flop_per_s[d] <= 1e17));
}

TEST(each_shipped_spec_is_whole)
{
    SG_SCOPED(sg_text) folder = {0};
    struct sg_err err = {0};
    SG_SCOPED(sg_names) files = {0};
    assert_int_equal(sg_path_in_home(&folder, "metrics/gpus", &err), SG_SUCCESS);
    assert_int_equal(sg_list_files(sg_text_string(&folder), ".gpu", &files, &err), SG_SUCCESS);
    assert_true(files.count >= 8);
    for (size_t i = 0; i < files.count; i++) {
        *strrchr(files.items[i], '.') = '\0';
        check_whole(files.items[i]);
    }
}

/* What the deviceQuery of the CUDA samples prints for each card. The 2.5 % are for the H200, whose
 * datasheet rounds down. No such list is at hand for the B200 and the B300. */
TEST(specs_agree_with_what_the_driver_reports)
{
    static const struct {
        const char *key, *device;
        int sm_count, l2_mib, bus_bits;
        double memory_mhz, sm_mhz;
    } rows[] = {
        {"h200", "NVIDIA H200", 132, 60, 6144, 3201, 1980},
        {"h100", "NVIDIA H100 80GB HBM3", 132, 50, 5120, 2619, 1980},
        {"h20", "NVIDIA H20", 78, 60, 6144, 2619, 1980},
        {"gh200", "NVIDIA GH200 480GB", 132, 60, 6144, 2619, 1980},
        {"a100", "NVIDIA A100-SXM4-80GB", 108, 40, 5120, 1593, 1410},
        {"a100_40", "NVIDIA A100-SXM4-40GB", 108, 40, 5120, 1215, 1410},
        {"v100", "Tesla V100-SXM2-16GB", 80, 6, 4096, 877, 1530},
        {"t4", "Tesla T4", 40, 4, 256, 5001, 1590},
        {"a10", "NVIDIA A10", 72, 6, 384, 6251, 1695},
        {"rtx_3090", "NVIDIA GeForce RTX 3090", 82, 6, 384, 9751, 1695},
        {"l4", "NVIDIA L4", 58, 48, 192, 6251, 2040},
        {"l40s", "NVIDIA L40S", 142, 96, 384, 9001, 2520},
        {"rtx_4090", "NVIDIA GeForce RTX 4090", 128, 72, 384, 10501, 2520},
        {"rtx_5090", "NVIDIA GeForce RTX 5090", 170, 96, 512, 14001, 2407},
        {"rtx_pro_6000", "NVIDIA RTX PRO 6000 Blackwell Workstation Edition", 188, 128, 512, 14001,
         2617},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_err err = {0};
        struct sg_gpu_spec spec;
        char *key = NULL;
        assert_int_equal(sg_gpu_key_for(rows[i].device, &key, &err), SG_SUCCESS);
        assert_string_equal(key, rows[i].key);
        free(key);
        load(rows[i].key, &spec);
        const double bytes_per_s = 2 * rows[i].memory_mhz * 1e6 * rows[i].bus_bits / 8;
        if (spec.sm_count != rows[i].sm_count || spec.l2_bytes != rows[i].l2_mib * 1048576.0 ||
            fabs(spec.dram_bytes_per_s / bytes_per_s - 1) > 0.025 ||
            spec.sm_clock_hz > rows[i].sm_mhz * 1.001e6)
            fail_msg("%s: %g SMs, L2 of %g bytes, DRAM of %g bytes/s, %g Hz: not what %s reports",
                     rows[i].key, spec.sm_count, (double)spec.l2_bytes, spec.dram_bytes_per_s,
                     spec.sm_clock_hz, rows[i].device);
    }
}

/* Peak = SMs x clock x what one SM does in a cycle: a wrong digit in any of the three shows. */
TEST(peaks_are_what_the_units_do_at_the_clock)
{
    static const struct {
        const char *key;
        enum sg_dtype dtype;
        double flop_per_sm_cycle, clock_hz; /* 0: the spec has one clock for all */
    } rows[] = {
        {"h200", SG_BF16, 4096, 0},
        {"h200", SG_E4M3, 8192, 0},
        {"h200", SG_TF32, 2048, 0},
        {"h200", SG_I8, 8192, 0},
        {"h200", SG_F32, 256, 1.98e9},
        {"h200", SG_F64, 256, 1.98e9},
        {"h100", SG_F16, 4096, 0},
        {"h100", SG_F32, 256, 1.98e9},
        {"h100_pcie", SG_BF16, 4096, 0},
        {"h100_pcie", SG_E4M3, 8192, 0},
        {"h100_pcie", SG_F32, 256, 1.755e9},
        {"a100", SG_BF16, 2048, 0},
        {"a100", SG_TF32, 1024, 0},
        {"a100", SG_I8, 4096, 0},
        {"a100", SG_F32, 128, 0},
        {"b200", SG_BF16, 8192, 0},
        {"b200", SG_E4M3, 16384, 0},
        {"b200", SG_E2M1, 32768, 0},
        {"b200_datasheet", SG_E2M1, 32768, 0},
        {"rtx_4090", SG_F32, 256, 0},
        {"rtx_4090", SG_BF16, 512, 0},
        {"rtx_4090", SG_F16, 1024, 0},
        {"rtx_4090", SG_E4M3, 2048, 0},
        {"a100_40", SG_BF16, 2048, 0},
        {"a10", SG_F32, 256, 0},
        {"a10", SG_BF16, 1024, 0},
        {"rtx_3090", SG_F32, 256, 0},
        {"rtx_3090", SG_F16, 1024, 0},
        {"rtx_3090", SG_I8, 2048, 0},
        {"t4", SG_F32, 128, 0},
        {"t4", SG_F16, 1024, 0},
        {"t4", SG_I8, 2048, 0},
        {"v100", SG_F32, 128, 0},
        {"v100", SG_F64, 64, 0},
        {"v100", SG_F16, 1024, 0},
        {"l4", SG_F32, 256, 0},
        {"l4", SG_BF16, 1024, 0},
        {"l4", SG_E4M3, 2048, 0},
        {"l40s", SG_F32, 256, 0},
        {"l40s", SG_E4M3, 2048, 0},
        {"h20", SG_BF16, 1024, 0},
        {"h20", SG_E4M3, 2048, 0},
        {"h20", SG_F32, 256, 1.98e9},
        {"gh200", SG_BF16, 4096, 0},
        {"gh200", SG_F32, 256, 1.98e9},
        {"rtx_5090", SG_F32, 256, 0},
        {"rtx_5090", SG_BF16, 512, 0},
        {"rtx_5090", SG_E2M1, 4096, 0},
        {"rtx_pro_6000", SG_F32, 256, 0},
        {"rtx_pro_6000", SG_BF16, 1024, 0},
        {"rtx_pro_6000", SG_E2M1, 4096, 0},
        {"b300", SG_BF16, 8192, 0},
        {"b300", SG_E2M1, 49152, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_gpu_spec spec;
        load(rows[i].key, &spec);
        const double clock_hz = rows[i].clock_hz > 0 ? rows[i].clock_hz : spec.sm_clock_hz;
        assert_true(spec.flop_clock_hz[rows[i].dtype] == rows[i].clock_hz);
        const double should = spec.sm_count * clock_hz * rows[i].flop_per_sm_cycle,
                     is = spec.flop_per_s[rows[i].dtype];
        if (fabs(is / should - 1) > 0.005)
            fail_msg("%s %s: %g, the units do %g", rows[i].key, sg_dtype_word(rows[i].dtype), is,
                     should);
    }
}

TEST(a_device_name_finds_its_own_card_and_no_other)
{
    static const struct {
        const char *device, *key;
    } rows[] = {
        {"NVIDIA H200", "h200"},
        {"NVIDIA H200 NVL", ""}, /* other peaks */
        {"NVIDIA H200 MIG 1g.18gb", ""},
        {"NVIDIA H100 80GB HBM3", "h100"},
        {"NVIDIA H100 PCIe", "h100_pcie"},
        {"NVIDIA B200", "b200"}, /* and not b200_datasheet */
        {"NVIDIA A100-SXM4-80GB", "a100"},
        {"NVIDIA A100-SXM4-40GB", "a100_40"},
        {"NVIDIA GeForce RTX 4090", "rtx_4090"},
        {"NVIDIA GeForce RTX 4090 Laptop GPU", ""},
        {"NVIDIA L40", ""}, /* neither an L4 nor an L40S */
        {"NVIDIA B300 SXM6 AC", "b300"},
        {"null", "null"},
        {"", ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_err err = {0};
        char *key = NULL;
        assert_int_equal(sg_gpu_key_for(rows[i].device, &key, &err), SG_SUCCESS);
        if (strcmp(key, rows[i].key) != 0)
            fail_msg("'%s' finds '%s', should find '%s'", rows[i].device, key, rows[i].key);
        free(key);
    }
}

#define SPEC(match)                                                                              \
    "[gpu]\nname = n\nmatch = " match                                                            \
    "\nchip = GH100\ndram_bytes_per_s = 1e12\nl2_bytes = 1e7\nsm_count = 4\nsm_clock_hz = 1e9\n" \
    "source = s\n"

TEST(the_longest_match_wins_and_a_star_stands_for_the_rest)
{
    static const struct {
        const char *device, *key;
    } rows[] = {{"Card 7", "exact"}, {"Card 7 X", "wide"}, {"Card 9", "wide"}, {"Car", ""}};
    struct temp_home home;
    temp_home_begin(&home);
    temp_home_write(&home, "metrics/metrics.ini", "");
    temp_home_write(&home, "metrics/gpus/exact.gpu", SPEC("Card 7"));
    temp_home_write(&home, "metrics/gpus/wide.gpu", SPEC("Card*"));
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_err err = {0};
        char *key = NULL;
        assert_int_equal(sg_gpu_key_for(rows[i].device, &key, &err), SG_SUCCESS);
        assert_string_equal(key, rows[i].key);
        free(key);
    }
    temp_home_end(&home);
}

/* A copied spec whose match was left as it was must not decide by its name whose peaks are used. */
TEST(two_specs_of_one_match_are_refused)
{
    struct temp_home home;
    struct sg_err err = {0};
    char *key = NULL;
    temp_home_begin(&home);
    temp_home_write(&home, "metrics/metrics.ini", "");
    temp_home_write(&home, "metrics/gpus/card.gpu", SPEC("Card 7"));
    temp_home_write(&home, "metrics/gpus/copy.gpu", SPEC("Card 7"));
    assert_int_equal(sg_gpu_key_for("Card 7", &key, &err), SG_BAD_INPUT);
    assert_null(key);
    assert_string_equal(err.where, "copy.gpu");
    assert_non_null(strstr(err.message, "found 'Card 7', which card.gpu has too"));
    temp_home_end(&home);
}

TEST(an_unknown_key_is_refused_with_the_known_ones)
{
    static const char *const keys[] = {"h300", "", "../gpus/h200", "h200.gpu", "h2"};
    for (size_t i = 0; i < COUNT(keys); i++) {
        struct sg_gpu_spec spec;
        struct sg_err err = {0};
        assert_int_equal(sg_gpu_load(keys[i], &spec, &err), SG_BAD_INPUT);
        assert_non_null(strstr(err.message, "b200_datasheet"));
        assert_null(spec.key);
    }
}

TEST(a_wrong_spec_is_refused_with_its_line)
{
    static const struct {
        const char *name, *text, *place, *part;
    } rows[] = {
        {"another section", "[card]\nname = n\n", ":1", "found [card]"},
        {"an unknown key", "[gpu]\ndram_bw = 1\n", ":2", "unknown key 'dram_bw'"},
        {"no source",
         "[gpu]\nname = n\nmatch =\nchip = C\ndram_bytes_per_s = 1\nl2_bytes = 1\nsm_count = "
         "1\nsm_clock_hz = 1\n",
         ":1", "'source' is missing"},
        {"no bandwidth",
         "[gpu]\nname = n\nmatch =\nchip = C\nl2_bytes = 1\nsm_count = 1\nsm_clock_hz = 1\nsource "
         "= s\n",
         ":1", "'dram_bytes_per_s' is missing"},
        {"a bandwidth of 0",
         "[gpu]\nname = n\nmatch =\nchip = C\ndram_bytes_per_s = 0\nl2_bytes = 1\nsm_count = "
         "1\nsm_clock_hz = 1\nsource = s\n",
         ":1", "over 0"},
        {"a number with its unit", "[gpu]\ndram_bytes_per_s = 4.8 TB/s\n", ":2",
         "found '4.8 TB/s'"},
        {"a number format that is none", "[gpu]\nflop_per_s.fp32 = 1e12\n", ":2", "found 'fp32'"},
        {"a peak twice", "[gpu]\nflop_per_s.f32 = 1e12\nflop_per_s.f32 = 1e12\n", ":3",
         "given twice"},
        {"a clock of a format twice", "[gpu]\nsm_clock_hz.f32 = 1e9\nsm_clock_hz.f32 = 1e9\n", ":3",
         "given twice"},
        {"a clock of a format that is none", "[gpu]\nsm_clock_hz.fp32 = 1e9\n", ":2",
         "expected a number format as in sm_clock_hz.bf16"},
        {"a negative peak", "[gpu]\nflop_per_s.f32 = -1\n", ":2", "not negative"},
        {"an empty name", "[gpu]\nname =\n", ":2", "expected a text"},
        {"nothing in it", "# nothing\n", "x.gpu:1", "expected the section [gpu]"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct temp_home home;
        struct sg_gpu_spec spec;
        struct sg_err err = {0};
        temp_home_begin(&home);
        temp_home_write(&home, "metrics/metrics.ini", "");
        temp_home_write(&home, "metrics/gpus/x.gpu", rows[i].text);
        if (sg_gpu_load("x", &spec, &err) != SG_BAD_INPUT)
            fail_msg("%s: code %d (%s)", rows[i].name, err.code, err.message);
        assert_complaint(rows[i].name, err.where, err.message, rows[i].place, rows[i].part);
        temp_home_end(&home);
    }
}
