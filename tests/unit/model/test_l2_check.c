#include <math.h>

#include "check.h"
#include "model/l2_check.h"

#define MIB 1048576.0

TEST(declared_state_is_held_against_counters)
{
    static const struct {
        const char *sentence;
        struct sg_l2_evidence evidence;
        enum sg_l2_finding finding;
    } rows[] = {
        ROW("all bytes from DRAM is cold", LIST(SG_L2_COLD, 16 * MIB, 16 * MIB, 1, 60 * MIB),
            SG_L2_AS_DECLARED),
        ROW("a tenth less is still cold", LIST(SG_L2_COLD, 14.4 * MIB, 16 * MIB, 1, 60 * MIB),
            SG_L2_AS_DECLARED),
        ROW("a seventh less is not", LIST(SG_L2_COLD, 13.7 * MIB, 16 * MIB, 1, 60 * MIB),
            SG_L2_CONTRADICTED),
        ROW("what outlived a flush of a grouped GEMM's inputs is no contradiction",
            LIST(SG_L2_CLEAN, 33561856, 36 * MIB, 4 * MIB, 60 * MIB), SG_L2_AS_DECLARED),
        ROW("nothing from DRAM is not cold", LIST(SG_L2_COLD, 0, 16 * MIB, 1, 60 * MIB),
            SG_L2_CONTRADICTED),
        ROW("half from DRAM is not cold", LIST(SG_L2_COLD, 8 * MIB, 16 * MIB, 1, 60 * MIB),
            SG_L2_CONTRADICTED),
        ROW("reading twice is cold all the same", LIST(SG_L2_COLD, 32 * MIB, 16 * MIB, 1, 60 * MIB),
            SG_L2_AS_DECLARED),
        ROW("all bytes from DRAM is clean", LIST(SG_L2_CLEAN, 16 * MIB, 16 * MIB, 1, 60 * MIB),
            SG_L2_AS_DECLARED),
        ROW("half from DRAM is not clean", LIST(SG_L2_CLEAN, 8 * MIB, 16 * MIB, 1, 60 * MIB),
            SG_L2_CONTRADICTED),
        ROW("what does not fit can be clean", LIST(SG_L2_CLEAN, 64 * MIB, 64 * MIB, 1, 60 * MIB),
            SG_L2_AS_DECLARED),
        ROW("nothing from DRAM is warm", LIST(SG_L2_WARM, 0, 16 * MIB, 1, 60 * MIB),
            SG_L2_AS_DECLARED),
        ROW("all bytes from DRAM is not warm", LIST(SG_L2_WARM, 16 * MIB, 16 * MIB, 1, 60 * MIB),
            SG_L2_CONTRADICTED),
        ROW("what does not fit cannot be warm", LIST(SG_L2_WARM, 64 * MIB, 64 * MIB, 1, 60 * MIB),
            SG_L2_NOT_JUDGED),
        ROW("output takes room in the L2 too",
            LIST(SG_L2_WARM, 16 * MIB, 16 * MIB, 16 * MIB, 60 * MIB), SG_L2_NOT_JUDGED),
        ROW("nor is so little that what outlived a flush is a fifth",
            LIST(SG_L2_CLEAN, 1049856, 1.25 * MIB, 1, 60 * MIB), SG_L2_NOT_JUDGED),
        ROW("a few KiB are not judged", LIST(SG_L2_COLD, 0, 4096, 1, 60 * MIB), SG_L2_NOT_JUDGED),
        ROW("without the counter nothing is said", LIST(SG_L2_COLD, NAN, 16 * MIB, 1, 60 * MIB),
            SG_L2_NOT_JUDGED),
        ROW("an unknown L2 is not judged warm", LIST(SG_L2_WARM, 0, 16 * MIB, 1, NAN),
            SG_L2_NOT_JUDGED),
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        double share = NAN;
        if (sg_l2_judge(&rows[i].evidence, &share) != rows[i].finding)
            fail_msg("%s", rows[i].sentence);
        if (rows[i].finding != SG_L2_NOT_JUDGED &&
            share != rows[i].evidence.dram_read_bytes / rows[i].evidence.read_bytes)
            fail_msg("%s: share %g", rows[i].sentence, share);
    }
}
