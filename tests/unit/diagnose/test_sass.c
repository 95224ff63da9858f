/* where/sass.h on machine code of kernels/matvec/block_reduce.cu for sm_90, printed by nvdisasm. */
#include "check.h"
#include "scratch.h"

#include "diagnose/sass.h"

#define KERNEL "_Z12block_reduceIfLb0EEv7problemIT_E"

static void read_code(struct sg_sass *sass, const char *kernel)
{
    SG_SCOPED(sg_text) text = {0}, path = {0};
    struct sg_err err = {0};
    *sass = (struct sg_sass){0};
    assert_int_equal(sg_path_in_home(&path, "tests/data/sass/block_reduce.sass", &err), SG_SUCCESS);
    assert_int_equal(sg_read_text(path.data, &text, &err), SG_SUCCESS);
    sg_sass_read(sass, text.data, kernel);
}

TEST(an_instruction_has_its_address_words_and_the_line_that_is_no_header_of_the_toolkit)
{
    struct sg_sass sass;
    SG_SCOPED(sg_text) text = {0};
    read_code(&sass, KERNEL);
    assert_int_equal(sass.count, 0x1280 / SG_SASS_STEP);
    sg_sass_add(&text, &sass, sg_sass_find(&sass, 0x210));
    assert_string_equal(text.data, "matvec.cuh:17 LDG.E.CONSTANT R3, desc[UR6][R2.64]");
    assert_int_equal(sg_sass_find(&sass, 0x1280), SG_SASS_NONE);
    assert_int_equal(sg_sass_find(&sass, 0x214), SG_SASS_NONE);
}

/* As nvdisasm prints the code of Triton and CuTe DSL. */
TEST(of_python_the_line_is_that_of_the_kernel_not_of_a_package)
{
    char code[] = ".section .text.k,\"ax\"\n"
                  "//## File \"/v/site-packages/triton/language/standard.py\", line 290 inlined at "
                  "\"/w/kernel.py\", line 12\n"
                  "//## File \"/w/kernel.py\", line 12\n"
                  "/*0000*/ FADD R1, R2, R3 ;  /* 0x0000000302017221 */\n"
                  "/* 0x004fc60000000000 */\n"
                  "//## File \"/v/dist-packages/cutlass/cute/math.py\", line 7\n"
                  "/*0010*/ EXIT ;  /* 0x000000000000794d */\n";
    struct sg_sass sass = {0};
    SG_SCOPED(sg_text) text = {0};
    sg_sass_read(&sass, code, "k");
    assert_int_equal(sass.count, 2);
    sg_sass_add(&text, &sass, 0);
    sg_text_add(&text, "; ");
    sg_sass_add(&text, &sass, 1);
    assert_string_equal(text.data, "kernel.py:12 FADD R1, R2, R3; math.py:7 EXIT");
}

TEST(of_another_kernel_nothing_is_read)
{
    struct sg_sass sass;
    read_code(&sass, "_Z12block_reduceIfLb0EEv7problem");
    assert_int_equal(sass.count, 0);
}

/* Addresses, the ones it is charged to ended by 0. */
static const struct {
    const char *what;
    uint32_t at;
    const char *reason;
    uint32_t charged[3];
} waits[] = {
    {"a sum of two loads waits for both", 0x590, "long_scoreboard", {0x4e0, 0x500}},
    {"of a barrier that several loads signal, for the one whose register it reads",
     0x600,
     "long_scoreboard",
     {0x540, 0x5e0}},
    {"of loads that share one, for the last of them in order", 0xe80, "short_scoreboard", {0xe70}},
    {"an address waits for a special register", 0x3b0, "short_scoreboard", {0x2d0}},
    {"what follows a barrier waits at it", 0xeb0, "barrier", {0xea0}},
    {"the barrier itself is charged with its own", 0xea0, "barrier", {0}},
    {"a chain waits for the sum before", 0x6c0, "wait", {0x690}},
    {"the counter of a loop waits for its last turn, or for what came before the loop",
     0x470,
     "wait",
     {0x3f0, 0x820}},
    {"behind a branch, for it", 0x450, "branch_resolving", {0x440}},
    {"a busy pipe is nobody's else", 0x590, "math_pipe_throttle", {0}},
    {"no scoreboard is waited for", 0x5a0, "long_scoreboard", {0}},
};

static int by_number(const void *a, const void *b)
{
    return (*(const size_t *)a > *(const size_t *)b) - (*(const size_t *)a < *(const size_t *)b);
}

TEST(a_wait_is_charged_to_what_it_waits_for)
{
    struct sg_sass sass;
    read_code(&sass, KERNEL);
    for (size_t i = 0; i < COUNT(waits); i++) {
        size_t found[SG_SASS_PRODUCERS_MAX], wanted = 0;
        const size_t count =
            sg_sass_producers(&sass, sg_sass_find(&sass, waits[i].at), waits[i].reason, found);
        while (waits[i].charged[wanted])
            wanted++;
        qsort(found, count, sizeof(*found), by_number);
        if (count != wanted)
            fail_msg("%s: %zu instructions, not %zu", waits[i].what, count, wanted);
        for (size_t k = 0; k < count; k++)
            if (sass.items[found[k]].pc != waits[i].charged[k])
                fail_msg("%s: 0x%x, not 0x%x", waits[i].what, sass.items[found[k]].pc,
                         waits[i].charged[k]);
    }
}
