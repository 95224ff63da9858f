#define _GNU_SOURCE /* memfd_create */
#include "worker/pair_placements.h"

#include <math.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/file.h"
#include "util/text.h"
#include "worker/fresh_buffers.h"
#include "worker/session.h"

#define PLACEMENT_SHARE 4.0   /* placements may add the tolerance / this to a process's value */
#define FEW             8.0   /* placements, unless the tolerance is below FINE */
#define FINE            0.001 /* ratio */
#define BYTES_MAX       (UINT64_C(4) << 30)
#define PAD_PAGES       16u
#define PAGE_BYTES      (UINT64_C(2) << 20) /* page size of GPU memory */

unsigned sg_placements_wanted(double placement_ns, double launch_ns, double tolerance,
                              uint64_t bytes)
{
    if (!(tolerance > 0) || !(launch_ns > 0))
        return 1;
    const double times = PLACEMENT_SHARE * placement_ns / launch_ns / tolerance,
                 room = floor((double)BYTES_MAX / (double)bytes),
                 most = tolerance < FINE ? SG_PLACEMENTS_MAX : FEW;
    return (unsigned)fmax(1, fmin(fmin(most, ceil(times * times)), room));
}

/* ---- code ---- */

struct sg_module_copy {
    const struct sg_module *of, *module; /* module NULL: a further copy cannot be loaded */
    unsigned number;
};

/* Copies the file, because the loader maps two names of one file to the same object; -1: failed.
 * The copy stays open, because the loader would also take a reused name for the same object. */
static int copy_file(const char *path)
{
    SG_SCOPED(sg_text) bytes = {0};
    struct sg_err unused = {0};
    int to = memfd_create("module", MFD_CLOEXEC);
    if (to >= 0 && (sg_read_file(path, &bytes, &unused) != SG_SUCCESS ||
                    sg_write_bytes(path, to, bytes.data, bytes.length, &unused) != SG_SUCCESS)) {
        close(to);
        to = -1;
    }
    return to;
}

static const struct sg_module *load_copy(const char *path)
{
    struct sg_modules one = {0};
    char name[32];
    const int copy = copy_file(path);
    if (copy < 0)
        return NULL;
    snprintf(name, sizeof(name), "/proc/self/fd/%d", copy);
    return sg_modules_load(&one, &(const char *){name}, 1, SG_IGNORED) == SG_SUCCESS ? one.items[0]
                                                                                     : NULL;
}

static const struct sg_module *copy_of(struct sg_pass *pass, const struct sg_module *of,
                                       unsigned number)
{
    struct sg_module_copies *copies = &pass->copies;
    for (size_t i = 0; i < copies->count; i++)
        if (copies->items[i].of == of && copies->items[i].number == number)
            return copies->items[i].module;
    const char *own = sg_modules_path(&pass->modules, of),
               *path = own ? own : sg_modules_path(&pass->against, of);
    struct sg_module_copy *copy = SG_APPEND(copies->items, copies->count, copies->capacity);
    *copy = (struct sg_module_copy){.of = of, .module = load_copy(path), .number = number};
    return copy->module;
}

static bool move_side(struct sg_pass *pass, const struct sg_module **module,
                      const struct sg_named_variant **variant, unsigned number)
{
    const struct sg_module *copy = copy_of(pass, *module, number);
    if (!copy)
        return false;
    *variant = &copy->variants[*variant - (*module)->variants];
    *module = copy;
    return true;
}

/* ---- buffers ---- */

/* Allocates a pad of random size first, so that each process has its buffers at other addresses. */
static bool open_buffers(struct sg_placement *placement, struct sg_pass *pass,
                         const struct sg_buffers *first, unsigned number, struct sg_err *err)
{
    struct sg_device *device = first->device;
    struct sg_outcome outcome = {.status = SG_OK};
    enum sg_status unused = SG_OK;
    const uint64_t draw = sg_fresh_key(pass->order->seed + number, pass->order->process);
    void *pad = device->ops->alloc(device, (1 + draw % PAD_PAGES) * PAGE_BYTES, &unused);
    placement->buffers = sg_pass_open_case(pass, &placement->target, &outcome, err);
    if (pad)
        device->ops->release(device, pad);
    if (!placement->buffers)
        return false;
    sg_buffers_borrow(placement->buffers, first);
    return sg_place_inputs(placement->buffers, err) == SG_SUCCESS &&
           sg_buffers_renew_guards(placement->buffers, err) == SG_SUCCESS;
}

bool sg_placement_open(struct sg_placement *placement, struct sg_pass *pass,
                       const struct sg_target *target, struct sg_buffers *first, unsigned number,
                       struct sg_err *err)
{
    *placement = (struct sg_placement){.target = *target};
    if (move_side(pass, &placement->target.module, &placement->target.variant, number) &&
        move_side(pass, &placement->target.against, &placement->target.baseline, number) &&
        open_buffers(placement, pass, first, number, err))
        return true;
    sg_placement_close(placement);
    return false;
}

void sg_placement_close(struct sg_placement *placement)
{
    sg_buffers_free(placement->buffers);
    placement->buffers = NULL;
}
