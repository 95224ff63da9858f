#include "device/null/simulated_code.h"

#include <stdio.h>

#include "util/file.h"
#include "util/text.h"

#define KERNEL       "null_kernel"
#define NAME         "0000000000000000" /* where a digest of the code would stand */
#define PER_PERCENT  10                 /* samples for a warp that waits in 1 % of the issue cycles */
#define SELECTED_PCT 100                /* a warp is selected in each of them */

/* y[i] = a * x[i], with the bits that ptxas for sm_90 gives such instructions. */
static const char code[] = "\t.section\t.text." KERNEL ",\"ax\",@progbits\n" KERNEL ":\n"
                           "\t//## File \"null/scale.c\", line 12\n"
                           "        /*0000*/ S2R R5, SR_CTAID.X ; /* 0x0000000000057919 */\n"
                           "                                      /* 0x000e620000002500 */\n"
                           "        /*0010*/ IMAD.WIDE.U32 R2, R5, 0x8, R2 ; /* 0x0000000805027825 */\n"
                           "                                                 /* 0x002fc600078e0002 */\n"
                           ".L_x_0:\n"
                           "\t//## File \"null/scale.c\", line 14\n"
                           "        /*0020*/ LDG.E R6, desc[UR4][R2.64] ; /* 0x0000000406067981 */\n"
                           "                                              /* 0x000ea8000c1e9500 */\n"
                           "        /*0030*/ FMUL R7, R6, R8 ; /* 0x0000000806077220 */\n"
                           "                                   /* 0x004fca0000400000 */\n"
                           "        /*0040*/ STG.E desc[UR4][R2.64], R7 ; /* 0x0000000702007986 */\n"
                           "                                              /* 0x0001e2000c101904 */\n"
                           "\t//## File \"null/scale.c\", line 13\n"
                           "        /*0050*/ @!P0 BRA `(.L_x_0) ; /* 0xfffffffc00c08947 */\n"
                           "                                      /* 0x000fea000383ffff */\n"
                           "        /*0060*/ EXIT ; /* 0x000000000000794d */\n"
                           "                        /* 0x000fea0003800000 */\n";

/* Where each of the counters that families make up is seen. */
static const struct {
    const char *reason;
    uint32_t pc;
} seen[] = {
    {"long_scoreboard", 0x30},    {"short_scoreboard", 0x10}, {"lg_throttle", 0x20}, {"wait", 0x40},
    {"math_pipe_throttle", 0x30}, {"mio_throttle", 0x40},     {"barrier", 0x50},     {"membar", 0x50},
};

enum sg_code sg_null_write_code(const char *folder, struct sg_err *err)
{
    SG_SCOPED(sg_text) path = {0};
    sg_text_addf(&path, "%s/" NAME ".sass", folder);
    sg_write_file(path.data, code, sizeof(code) - 1, err);
    return err->code;
}

static void take(const struct sg_pc_sink *sink, uint32_t pc, const char *reason, double percent)
{
    const uint32_t samples = (uint32_t)(percent * PER_PERCENT);
    if (samples > 0)
        sink->take(sink->context,
                   &(struct sg_pc_count){.kernel = KERNEL, .code = NAME ":0", .pc = pc, .reason = reason, .samples = samples});
}

void sg_null_samples(const struct sg_runnable *what, const struct sg_pc_sink *sink)
{
    const struct sg_family *family = what->module->family;
    for (size_t i = 0; family->simulate_counter && i < sizeof(seen) / sizeof(seen[0]); i++) {
        char metric[64];
        double percent = 0;
        snprintf(metric, sizeof(metric), "stall_%s", seen[i].reason);
        if (family->simulate_counter(what->launch.c, what->variant->name, metric, &percent))
            take(sink, seen[i].pc, seen[i].reason, percent);
    }
    take(sink, 0x20, "selected", SELECTED_PCT);
}
