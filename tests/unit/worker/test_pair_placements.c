/* worker/pair_placements.h: how many placements a pair has, and that each has code and buffers of
 * its own. */
#include "check.h"
#include "worker/pair_placements.h"

#include <stdlib.h>

#include "util/paths.h"
#include "util/text.h"
#include "worker/fresh_buffers.h"
#include "worker/session.h"

#define MIB (UINT64_C(1) << 20)

TEST(as_many_places_as_the_tolerance_asks_for)
{
    static const struct {
        const char *sentence;
        double placement_ns, launch_ns, tolerance;
        uint64_t bytes;
        unsigned placements;
    } rows[] = {
        {"short launches have eight", 200, 13e3, 0.001, MIB, 8},
        {"below 0.1 % all", 200, 50e3, 0.0005, MIB, SG_PLACEMENTS_MAX},
        {"a placement that moves 0.2 % needs three for half a percent", 200, 100e3, 0.005, MIB, 3},
        {"long launches need one", 200, 1e6, 0.005, MIB, 1},
        {"so does a simulated GPU", 0, 13e3, 0.001, MIB, 1},
        {"without a tolerance nothing asks for more", 200, 13e3, 0, MIB, 1},
        {"of large buffers as many as have room", 200, 13e3, 0.001, UINT64_C(1) << 31, 2},
        {"and one always", 200, 13e3, 0.001, UINT64_C(1) << 33, 1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        print_message("  %s\n", rows[i].sentence);
        assert_int_equal(sg_placements_wanted(rows[i].placement_ns, rows[i].launch_ns,
                                              rows[i].tolerance, rows[i].bytes),
                         rows[i].placements);
    }
}

TEST(each_place_has_code_and_buffers_of_its_own)
{
    const struct sg_order order = {.kind = SG_PASS_TIME, .seed = 1};
    struct sg_pass pass = {.order = &order};
    SG_SCOPED(sg_text) path = {0};
    struct sg_err err = {0};
    struct sg_outcome outcome = {.status = SG_OK};
    struct sg_target target;
    struct sg_placement placement[3];
    assert_int_equal(sg_path_next_to_program(&path, "../bin/libsg_null.so", &err), SG_SUCCESS);
    assert_int_equal(
        sg_modules_load(&pass.modules, &(const char *){sg_text_string(&path)}, 1, &err),
        SG_SUCCESS);
    const struct sg_sides sides = {.modules = &pass.modules, .against = &pass.against};
    assert_int_equal(sg_sides_find(&sides, "null/small/slower", &target, &err), SG_SUCCESS);
    assert_int_equal(sg_device_open_null(0, &pass.device[SG_HOST], &err), SG_SUCCESS);
    struct sg_buffers *first = sg_pass_buffers(&pass, &target, &outcome, &err);
    assert_non_null(first);
    assert_int_equal(
        sg_pools_make(first, &(struct sg_pool_plan){.seed = 1, .sets = 2}, &outcome, &err),
        SG_SUCCESS);

    for (unsigned i = 1; i < 3; i++) {
        assert_true(sg_placement_open(&placement[i], &pass, &target, first, i, &err));
        assert_string_equal(placement[i].target.variant->name, "slower");
        assert_string_equal(placement[i].target.baseline->name, target.baseline->name);
        assert_true(placement[i].target.variant->variant->launch !=
                    target.variant->variant->launch);
        assert_ptr_not_equal(placement[i].buffers->memory[0], first->memory[0]);
        assert_ptr_equal(placement[i].buffers->pool[0], first->pool[0]);
    }
    assert_true(placement[1].target.variant->variant->launch !=
                placement[2].target.variant->variant->launch);
    sg_placement_close(&placement[2]);
    const size_t loaded = pass.copies.count;
    assert_true(
        sg_placement_open(&placement[2], &pass, &target, first, 2, &err)); /* the copy is there */
    assert_int_equal(pass.copies.count, loaded);

    sg_placement_close(&placement[1]);
    sg_placement_close(&placement[2]);
    sg_pass_forget(&pass);
    free(pass.cases);
    pass.device[SG_HOST]->ops->close(pass.device[SG_HOST]);
}
