/* run/sanitizer_report.h: logs in the formats of compute-sanitizer, whole, torn and hostile. */
#include <string.h>

#include "check.h"
#include "run/sanitizer_report.h"

#define HEAD "========= COMPUTE-SANITIZER\n"

static const char out_of_bounds[] =
    HEAD "printed by the program\n"
         "========= Invalid __global__ write of size 4 bytes\n"
         "=========     at scale(float *, int)+0x160 in scale.cu:34\n"
         "=========     by thread (3,0,0) in block (1,0,0)\n"
         "=========     Access at 0x7f1dce800010 is out of bounds\n"
         "=========     and is 13 bytes after the nearest allocation at 0x7f1dce800000 of size 4 bytes\n"
         "=========     Saved host backtrace up to driver entry point at kernel launch time\n"
         "=========         Host Frame: [0x3344e0] in libcuda.so.1\n"
         "========= \n"
         "========= Invalid __global__ read of size 8 bytes\n"
         "=========     at other()+0x10\n"
         "========= Program hit cudaErrorLaunchFailure (error 719) due to \"unspecified launch failure\" on CUDA API call to cudaFree.\n"
         "=========     Saved host backtrace up to driver entry point at error\n"
         "========= ERROR SUMMARY: 3 errors\n";

static const struct {
    const char *sentence, *log, *kind, *kernel, *place, *trouble;
} rows[] = {
    {"nothing", HEAD "========= ERROR SUMMARY: 0 errors\n", "", "", "", ""},
    {"no log", "", "", "", "", ""},
    {"a write out of bounds", out_of_bounds, "Invalid __global__ write of size 4 bytes", "scale(float *, int)",
     "+0x160 in scale.cu:34, thread (3,0,0) in block (1,0,0)", ""},
    {"without line numbers, of a template",
     HEAD "========= Invalid __shared__ read of size 16 bytes\n"
          "=========     at void spmm<(int)128, c::tile<+0x1>>(const __half *, unsigned int)+0x7f0\n"
          "=========     by thread (0,0,0) in block (0,2,0)\n",
     "Invalid __shared__ read of size 16 bytes", "void spmm<(int)128, c::tile<+0x1>>(const __half *, unsigned int)",
     "+0x7f0, thread (0,0,0) in block (0,2,0)", ""},
    {"as older tools have it",
     HEAD "========= Invalid __global__ write of size 4 bytes\r\n"
          "=========     at 0x160 in memcheck_demo.cu:34:unaligned_kernel(void)\r\n"
          "=========     by thread (0,0,0) in block (0,0,0)\r\n",
     "Invalid __global__ write of size 4 bytes", "unaligned_kernel(void)", "0x160 in memcheck_demo.cu:34, thread (0,0,0) in block (0,0,0)",
     ""},
    {"in a function that was inlined",
     HEAD "========= Invalid __global__ read of size 4 bytes\n"
          "=========     at __ldg(const float *)+0x150 in sm_32_intrinsics.hpp:134\n"
          "=========     by thread (0,0,0) in block (0,0,0)\n"
          "=========         Device Frame: load(const float *)+0x150 in m.cu:8\n"
          "=========         Device Frame: void rows(problem<float>)+0x150 in m.cu:20\n",
     "Invalid __global__ read of size 4 bytes", "void rows(problem<float>)",
     "+0x150 in sm_32_intrinsics.hpp:134, thread (0,0,0) in block (0,0,0)", ""},
    {"frames as older tools have them",
     HEAD "========= Invalid __global__ read of size 4 bytes\n"
          "=========     at 0x150 in m.cu:8:load(float *)\n"
          "=========     Device Frame:rows(float *) (m.cu:20 : 0x150)\n"
          "=========     Device Frame:rows(float *) [0x150]\n",
     "Invalid __global__ read of size 4 bytes", "rows(float *)", "0x150 in m.cu:8", ""},
    {"the same without a line",
     HEAD "========= Invalid __global__ write of size 4 bytes\n"
          "=========     at 0x160 in unaligned_kernel(void)\n",
     "Invalid __global__ write of size 4 bytes", "unaligned_kernel(void)", "0x160", ""},
    {"a race",
     HEAD "========= Error: Race reported between Write access at sum(int *, int *)+0x80 in race.cu:12\n"
          "=========     and Read access at sum(int *, int *)+0x100 in race.cu:20 [508 hazards]\n"
          "=========\n"
          "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n",
     "Race reported between Write access and Read access", "sum(int *, int *)", "+0x80 in race.cu:12", ""},
    {"a race that is a warning",
     HEAD "========= Warning: Race reported between Read access at k()+0x80\n"
          "=========     and Write access at k()+0x100 [4 hazards]\n",
     "Race reported between Read access and Write access", "k()", "+0x80", ""},
    {"a hazard",
     HEAD "========= Error: Potential WAW hazard detected at __shared__ 0x0 in block (0,0,0) :\n"
          "=========     Write Thread (0,0,0) at k(int *)+0x90 in race.cu:7\n"
          "=========     Write Thread (1,0,0) at k(int *)+0x90 in race.cu:7\n",
     "Potential WAW hazard detected at __shared__ 0x0 in block (0,0,0) :", "k(int *)", "+0x90 in race.cu:7", ""},
    {"memory that nobody wrote",
     HEAD "========= Uninitialized __global__ memory read of size 4 bytes\n"
          "=========     at add(int *)+0x70 in init.cu:9\n"
          "=========     by thread (31,0,0) in block (0,0,0)\n"
          "=========     Access at 0x7f0\n",
     "Uninitialized __global__ memory read of size 4 bytes", "add(int *)", "+0x70 in init.cu:9, thread (31,0,0) in block (0,0,0)", ""},
    {"a barrier",
     HEAD "========= Barrier error detected. Divergent thread(s) in warp.\n"
          "=========     at wait()+0x50 in sync.cu:20\n"
          "=========     by thread (32,0,0) in block (0,0,0)\n",
     "Barrier error detected. Divergent thread(s) in warp.", "wait()", "+0x50 in sync.cu:20, thread (32,0,0) in block (0,0,0)", ""},
    {"the kernel's finding comes before the call's",
     HEAD "========= Program hit cudaErrorLaunchFailure (error 719) on CUDA API call to cudaFree.\n"
          "========= Invalid __global__ read of size 2 bytes\n=========     at k()+0x8\n",
     "Invalid __global__ read of size 2 bytes", "k()", "+0x8", ""},
    {"a call alone",
     HEAD "========= Program hit cudaErrorInvalidValue (error 1) due to \"invalid argument\" on CUDA API call to cudaLaunchKernel.\n"
          "=========     Saved host backtrace up to driver entry point at error\n",
     "Program hit cudaErrorInvalidValue (error 1) due to \"invalid argument\" on CUDA API call to cudaLaunchKernel.", "", "", ""},
    {"the tool could not look", HEAD "========= Error: Target application terminated before first instrumented API call\n", "", "", "",
     "Target application terminated before first instrumented API call"},
    {"nor on this GPU",
     HEAD "========= Error: Device not supported. Please refer to the documentation.\n========= ERROR SUMMARY: 1 error\n", "", "", "",
     "Device not supported. Please refer to the documentation."},
    {"what looks like it and is the program's", "======== Invalid read\n==========Invalid read\n=========Invalid read\n Invalid x\n", "",
     "", "", ""},
    {"a kind that is not known", HEAD "========= Something new\n=========     at k()+0x8\n", "", "", "", ""},
};

TEST(first_findings)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_sanitizer_finding f;
        sg_sanitizer_read(rows[i].log, strlen(rows[i].log), &f);
        if (strcmp(f.kind, rows[i].kind) != 0 || strcmp(f.kernel, rows[i].kernel) != 0 || strcmp(f.place, rows[i].place) != 0 ||
            strcmp(f.trouble, rows[i].trouble) != 0)
            fail_msg("%s: kind '%s', kernel '%s', place '%s', trouble '%s'", rows[i].sentence, f.kind, f.kernel, f.place, f.trouble);
    }
}

TEST(only_a_summary_of_nothing_is_clean)
{
    static const struct {
        const char *log;
        bool is_clean;
    } logs[] = {
        {HEAD "========= ERROR SUMMARY: 0 errors\n", true},
        {HEAD "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n", true},
        {HEAD "========= Something new\n========= ERROR SUMMARY: 3 errors\n", false},
        {HEAD "========= Something new\n========= ERROR SUMMARY: 10 errors\n", false},
        {HEAD, false},
        {"", false},
        {out_of_bounds, false},
        {HEAD "========= Program hit cudaErrorInvalidValue (error 1)\n========= ERROR SUMMARY: 0 errors\n", false},
    };
    for (size_t i = 0; i < COUNT(logs); i++) {
        struct sg_sanitizer_finding f;
        sg_sanitizer_read(logs[i].log, strlen(logs[i].log), &f);
        if (f.is_clean != logs[i].is_clean)
            fail_msg("log %zu is %s", i, f.is_clean ? "clean" : "not clean");
    }
}

/* Cut off anywhere, as by a deadline, the kind is the finding's or the beginning of it. */
TEST(torn_logs)
{
    for (size_t length = 0; length < sizeof(out_of_bounds); length++) {
        struct sg_sanitizer_finding f;
        sg_sanitizer_read(out_of_bounds, length, &f);
        assert_true(strncmp("Invalid __global__ write of size 4 bytes", f.kind, strlen(f.kind)) == 0);
        assert_true(strncmp("scale(float *, int)", f.kernel, strlen(f.kernel)) == 0);
    }
}

/* Longer than any field, and bytes that are no text. */
TEST(hostile_logs)
{
    static char log[8192];
    struct sg_sanitizer_finding f;
    memset(log, 'x', sizeof(log));
    memcpy(log, "========= Invalid ", 18);
    sg_sanitizer_read(log, sizeof(log), &f);
    assert_int_equal(strlen(f.kind), sizeof(f.kind) - 1);
    memcpy(log + 4000, "\n=========     at ", 18);
    memcpy(log + 8000, "+0x1\n", 5);
    sg_sanitizer_read(log, sizeof(log), &f);
    assert_true(strlen(f.kernel) < sizeof(f.kernel) && strlen(f.place) < sizeof(f.place));
    for (size_t i = 0; i < sizeof(log); i++)
        log[i] = (char)(i * 37 + i / 256);
    sg_sanitizer_read(log, sizeof(log), &f);
    assert_string_equal(f.kind, "");
}

TEST(in_one_line)
{
    struct sg_sanitizer_finding f;
    struct sg_text text = {0};
    sg_sanitizer_read(out_of_bounds, sizeof(out_of_bounds), &f);
    sg_sanitizer_add(&text, SG_SANITIZER_MEMCHECK, &f);
    assert_string_equal(text.data, "memcheck: Invalid __global__ write of size 4 bytes; scale(float *, int); +0x160 in scale.cu:34, thread "
                                   "(3,0,0) in block (1,0,0)");
    sg_text_release(&text);
}
