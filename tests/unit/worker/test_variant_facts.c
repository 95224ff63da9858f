/* worker/variant_facts.c: what the compiler made of a launch's kernels, added up. What a variant
 * says of itself is in tests/cli/test_run_modules.sh. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "worker/session.h"

static const struct sg_kernel_build kernels[] = {
    ROW(.name = "spills", .notes = "C7519 C7510", .note_count = 3, .spill_store_bytes = 948,
        .spill_load_bytes = 968, .instructions = 70, .hgmma = 4),
    ROW(.name = "plain", .notes = "", .instructions = 30, .qgmma = 2, .tma_loads = 2,
        .tma_stores = 1, .local_loads = 0, .local_stores = 0),
    ROW(.name = "noted", .notes = "C7510", .note_count = 1, .instructions = 5),
    ROW(.name = "half", .notes = "", .spill_store_bytes = 8, .instructions = -1, .hgmma = -1,
        .qgmma = -1),
    ROW(.name = "others:shared", .notes = "", .spill_store_bytes = 2, .instructions = 10),
    ROW(.name = "mine:shared", .notes = "", .spill_store_bytes = 4, .instructions = 11),
    ROW(.name = "others:theirs", .notes = "", .instructions = 12),
    ROW(.name = NULL),
};

struct row {
    const char *sentence;
    const struct sg_kernel_build *kernels;
    const char *launched[3];
    double spill_store_bytes, notes, instructions, hgmma;
    const char *codes;
};

static const struct row rows[] = {
    ROW("one kernel is itself", kernels, LIST("spills"), 948, 3, 70, 4, "C7519 C7510"),
    ROW("a kernel without spills has 0", kernels, LIST("plain"), 0, 0, 30, 0, ""),
    ROW("kernels add up", kernels, LIST("spills", "plain"), 948, 3, 100, 4, "C7519 C7510"),
    ROW("a kernel that is launched twice counts twice", kernels, LIST("plain", "plain"), 0, 0, 60,
        0, ""),
    ROW("codes that are there already are not said again", kernels, LIST("spills", "noted"), 948, 4,
        75, 4, "C7519 C7510"),
    ROW("a launch without kernels made nothing", kernels, LIST(NULL), 0, 0, 0, 0, ""),
    ROW("what is not known of one kernel is not known of the launch", kernels,
        LIST("plain", "half"), 8, 0, NAN, NAN, ""),
    ROW("a kernel of a library makes all of it unknown", kernels, LIST("spills", "nvjet"), NAN, NAN,
        NAN, NAN, ""),
    ROW("and stays unknown whatever comes behind it", kernels, LIST("nvjet", "plain"), NAN, NAN,
        NAN, NAN, ""),
    ROW("of kernels of one name in several objects, the one of the variant", kernels,
        LIST("shared"), 4, 0, 11, 0, ""),
    ROW("of one that only others have, nothing is known", kernels, LIST("theirs"), NAN, NAN, NAN,
        NAN, ""),
    ROW("a module that nothing is known of", NULL, LIST("spills"), NAN, NAN, NAN, NAN, ""),
};

static void assert_fact(const char *sentence, const char *name, double found, double expected)
{
    if (isnan(found) != isnan(expected) || (!isnan(found) && found != expected))
        fail_msg("%s: %s: expected %g, found %g", sentence, name, expected, found);
}

TEST(kernels_of_a_launch_add_up)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct row *row = &rows[i];
        struct sg_launch_facts facts = {.registers = 168};
        sg_launch_facts_of_no_kernel(&facts);
        for (size_t k = 0; k < 3 && row->launched[k]; k++)
            sg_launch_facts_add_kernel(&facts, row->kernels, "mine", row->launched[k]);
        assert_fact(row->sentence, "spills", facts.spill_store_bytes, row->spill_store_bytes);
        assert_fact(row->sentence, "notes", facts.notes, row->notes);
        assert_fact(row->sentence, "instructions", facts.instructions, row->instructions);
        assert_fact(row->sentence, "hgmma", facts.hgmma, row->hgmma);
        assert_fact(row->sentence, "registers, which the driver tells", facts.registers, 168);
        if (strcmp(facts.note_codes, row->codes) != 0)
            fail_msg("%s: expected the codes '%s', found '%s'", row->sentence, row->codes,
                     facts.note_codes);
    }
}

TEST(a_kernel_without_a_name_is_unknown)
{
    struct sg_launch_facts facts = {0};
    sg_launch_facts_of_no_kernel(&facts);
    sg_launch_facts_add_kernel(&facts, kernels, "mine", NULL);
    assert_true(isnan(facts.instructions));
}
