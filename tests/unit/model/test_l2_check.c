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
        {"all bytes from DRAM is cold",
         {SG_L2_COLD, 16 * MIB, 16 * MIB, 1, 60 * MIB},
         SG_L2_AS_DECLARED},
        {"a tenth less is still cold",
         {SG_L2_COLD, 14.4 * MIB, 16 * MIB, 1, 60 * MIB},
         SG_L2_AS_DECLARED},
        {"a seventh less is not",
         {SG_L2_COLD, 13.7 * MIB, 16 * MIB, 1, 60 * MIB},
         SG_L2_CONTRADICTED},
        {"what outlived a flush of a grouped GEMM's inputs is no contradiction",
         {SG_L2_CLEAN, 33561856, 36 * MIB, 4 * MIB, 60 * MIB},
         SG_L2_AS_DECLARED},
        {"nothing from DRAM is not cold",
         {SG_L2_COLD, 0, 16 * MIB, 1, 60 * MIB},
         SG_L2_CONTRADICTED},
        {"half from DRAM is not cold",
         {SG_L2_COLD, 8 * MIB, 16 * MIB, 1, 60 * MIB},
         SG_L2_CONTRADICTED},
        {"reading twice is cold all the same",
         {SG_L2_COLD, 32 * MIB, 16 * MIB, 1, 60 * MIB},
         SG_L2_AS_DECLARED},
        {"all bytes from DRAM is clean",
         {SG_L2_CLEAN, 16 * MIB, 16 * MIB, 1, 60 * MIB},
         SG_L2_AS_DECLARED},
        {"half from DRAM is not clean",
         {SG_L2_CLEAN, 8 * MIB, 16 * MIB, 1, 60 * MIB},
         SG_L2_CONTRADICTED},
        {"what does not fit can be clean",
         {SG_L2_CLEAN, 64 * MIB, 64 * MIB, 1, 60 * MIB},
         SG_L2_AS_DECLARED},
        {"nothing from DRAM is warm", {SG_L2_WARM, 0, 16 * MIB, 1, 60 * MIB}, SG_L2_AS_DECLARED},
        {"all bytes from DRAM is not warm",
         {SG_L2_WARM, 16 * MIB, 16 * MIB, 1, 60 * MIB},
         SG_L2_CONTRADICTED},
        {"what does not fit cannot be warm",
         {SG_L2_WARM, 64 * MIB, 64 * MIB, 1, 60 * MIB},
         SG_L2_NOT_JUDGED},
        {"output takes room in the L2 too",
         {SG_L2_WARM, 16 * MIB, 16 * MIB, 16 * MIB, 60 * MIB},
         SG_L2_NOT_JUDGED},
        {"nor is so little that what outlived a flush is a fifth",
         {SG_L2_CLEAN, 1049856, 1.25 * MIB, 1, 60 * MIB},
         SG_L2_NOT_JUDGED},
        {"a few KiB are not judged", {SG_L2_COLD, 0, 4096, 1, 60 * MIB}, SG_L2_NOT_JUDGED},
        {"without the counter nothing is said",
         {SG_L2_COLD, NAN, 16 * MIB, 1, 60 * MIB},
         SG_L2_NOT_JUDGED},
        {"an unknown L2 is not judged warm", {SG_L2_WARM, 0, 16 * MIB, 1, NAN}, SG_L2_NOT_JUDGED},
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
