/* where/pc_samples.h: a file and back, damaged ones, and the join with the code. */
#include "check.h"
#include "scratch.h"

#include "diagnose/pc_samples.h"

#define HEADER "family,case,variant,kernel,code,pc,instruction,charged_to,reason,samples\n"
#define ROWS                                                           \
    HEADER                                                             \
    "f,c,v,k,0:1,48,\"a.cu:2 FMUL R7, R6, R8\",a.cu:1 LDG R6,wait,9\n" \
    "f,c,v,k,0:1,32,,,selected,4\n"

TEST(samples_come_back_as_they_were_written)
{
    struct sg_err err = {0};
    struct sg_pc_samples samples = {0};
    SG_SCOPED(sg_text) text = {0};
    const char *const name[] = {"f", "c", "v"}, *const other[] = {"f", "c", "w"};
    SCRATCH(s);
    scratch_write(&s, "pc_samples.csv", BYTES(ROWS));
    assert_int_equal(sg_pc_samples_read(s.path, &samples, &err), SG_SUCCESS);
    assert_int_equal(samples.count, 2);
    assert_int_equal(samples.items[0].pc, 48);
    assert_true(samples.items[1].samples == 4);
    assert_true(sg_pc_sample_is_of(&samples, &samples.items[0], name) &&
                !sg_pc_sample_is_of(&samples, &samples.items[0], other));
    assert_int_equal(sg_pc_samples_write(s.path, &samples, &err), SG_SUCCESS);
    assert_int_equal(sg_read_text(s.path, &text, &err), SG_SUCCESS);
    assert_string_equal(text.data, ROWS);
}

static enum sg_code read_samples(const char *path, struct sg_err *err)
{
    struct sg_pc_samples samples = {0};
    sg_pc_samples_read(path, &samples, err);
    return err->code;
}

TEST(no_file_has_no_samples)
{
    struct sg_err err = {0};
    assert_int_equal(read_samples("/nowhere/pc_samples.csv", &err), SG_SUCCESS);
}

TEST(damaged_samples_are_refused)
{
    static const struct {
        const char *row, *why;
    } table[] = {
        {"f,c,v,k,0:1,-1,,,wait,1\n",
         "pc: expected a whole number from 0 to 4294967295, found '-1'"},
        {"f,c,v,k,0:1,16,,,wait,0.5\n",
         "samples: expected a whole number from 0 to 4294967295, found '0.5'"},
        {"f,c,v,,0:1,16,,,wait,1\n", "kernel: expected the name of a kernel, found ''"},
        {"f,c,no name,k,0:1,16,,,wait,1\n", "variant: "},
        {"f,c,v,k,0:1,16,,,wait,many\n",
         "samples: expected a whole number from 0 to 4294967295, found 'many'"},
    };
    SCRATCH(s);
    for (size_t i = 0; i < COUNT(table); i++) {
        struct sg_err err = {0};
        char bytes[256];
        const int length = snprintf(bytes, sizeof(bytes), HEADER "%s", table[i].row);
        scratch_write(&s, "pc_samples.csv", bytes, (size_t)length);
        assert_int_equal(read_samples(s.path, &err), SG_BAD_INPUT);
        assert_non_null(strstr(err.message, table[i].why));
        assert_non_null(strstr(err.where, "pc_samples.csv:2"));
    }
}

static char code[] =
    ".section .text.k,\"ax\"\n"
    "//## File \"src/a.cu\", line 1\n"
    "/*0000*/ LDG.E R6, desc[UR4][R2.64] ; /* 0x0000000406067981 */\n/* 0x000ea8000c1e9500 */\n"
    "/*0010*/ FMUL R7, R6, R8 ; /* 0x0000000806077220 */\n/* 0x004fca0000400000 */\n";

static void take(struct sg_pc_samples *samples, const char *kernel, uint32_t pc)
{
    const struct sg_message message = {.kind = SG_MESSAGE_PC,
                                       .name = {"f", "c", "v"},
                                       .kernel = kernel,
                                       .code = "0:1",
                                       .reason = "long_scoreboard",
                                       .pc = pc,
                                       .pc_samples = 5};
    sg_take_pc(&message, samples);
}

TEST(rows_get_their_instruction_and_what_their_wait_is_charged_to)
{
    struct sg_pc_samples samples = {0};
    struct sg_sass sass = {0};
    sg_sass_read(&sass, code, "k");
    take(&samples, "k", 0x10);
    take(&samples, "other", 0x10);
    take(&samples, "k", 0x40);
    sg_pc_samples_join(&samples, 0, &sass, "k", "0:1");
    assert_string_equal(sg_pc_samples_text(&samples, &samples.items[0], SG_PC_INSTRUCTION),
                        "a.cu:1 FMUL R7, R6, R8");
    assert_string_equal(sg_pc_samples_text(&samples, &samples.items[0], SG_PC_CHARGED_TO),
                        "a.cu:1 LDG.E R6, desc[UR4][R2.64]");
    assert_string_equal(sg_pc_samples_text(&samples, &samples.items[1], SG_PC_INSTRUCTION), "");
    assert_string_equal(sg_pc_samples_text(&samples, &samples.items[2], SG_PC_INSTRUCTION), "0x40");
    assert_string_equal(sg_pc_samples_text(&samples, &samples.items[2], SG_PC_CHARGED_TO), "");
}
