/*
 * Exact facts of a launch: registers, shared and local memory, geometry, theoretical occupancy and
 * its limit.
 *
 * Launches are seen as driver calls (device/cuda/driver_calls.h), so kernels of vendor libraries
 * are seen too; the driver supplies the rest. Occupancy is the driver's figure. Its limit follows
 * the resource rules of the CUDA programming guide (registers per warp in units of 256, 1 KiB of
 * reserved shared memory). Invariant: the facts cover the launches between sg_facts_begin and
 * sg_facts_end, on any thread.
 */
#include "device/cuda/counter_pass.h"

#include <math.h>

#include "device/kernel_name.h"

#define WARP_THREADS  32
#define REGISTER_UNIT 256 /* granularity of a warp's registers */

struct sm_limits {
    int warps, blocks, registers, shared_bytes; /* per SM */
};
struct block_needs {
    int threads, registers; /* registers per thread */
    long shared_bytes;      /* static + dynamic + the reserved share */
};

/* Returns the resource that limits the blocks per SM: warps | blocks | registers | shared.
 * *blocks: the limit. */
static const char *occupancy_limit(const struct sm_limits *sm, const struct block_needs *needs,
                                   int *blocks)
{
    int warps = (needs->threads + WARP_THREADS - 1) / WARP_THREADS;
    int warp_registers =
        (needs->registers * WARP_THREADS + REGISTER_UNIT - 1) / REGISTER_UNIT * REGISTER_UNIT;
    const struct {
        const char *name;
        long blocks;
    } limits[] = {
        {"warps", warps > 0 ? sm->warps / warps : 0},
        {"blocks", sm->blocks},
        {"registers",
         warp_registers > 0 && warps > 0 ? sm->registers / warp_registers / warps : sm->blocks},
        {"shared", needs->shared_bytes > 0 ? sm->shared_bytes / needs->shared_bytes : sm->blocks},
    };
    size_t least = 0;
    for (size_t i = 1; i < sizeof(limits) / sizeof(limits[0]); i++) {
        if (limits[i].blocks < limits[least].blocks)
            least = i;
    }
    *blocks = (int)limits[least].blocks;
    return limits[least].name;
}

static struct sg_launch_seen seen_plain(const cuLaunchKernel_params *p)
{
    return (struct sg_launch_seen){
        .function = p->f,
        .grid_blocks = p->gridDimX * p->gridDimY * p->gridDimZ,
        .block_threads = p->blockDimX * p->blockDimY * p->blockDimZ,
        .dynamic_shared_bytes = p->sharedMemBytes,
        .cluster_blocks = 1,
    };
}

static struct sg_launch_seen seen_config(const cuLaunchKernelEx_params *p)
{
    const CUlaunchConfig *c = p->config;
    struct sg_launch_seen seen = {
        .function = p->f,
        .grid_blocks = c->gridDimX * c->gridDimY * c->gridDimZ,
        .block_threads = c->blockDimX * c->blockDimY * c->blockDimZ,
        .dynamic_shared_bytes = c->sharedMemBytes,
        .cluster_blocks = 1,
    };
    for (unsigned i = 0; i < c->numAttrs; i++) {
        if (c->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
            seen.cluster_blocks = c->attrs[i].value.clusterDim.x * c->attrs[i].value.clusterDim.y *
                                  c->attrs[i].value.clusterDim.z;
    }
    return seen;
}

static void on_launch(void *context, const struct sg_call *call)
{
    struct sg_facts *facts = context;
    if (facts->count < SG_FACTS_KERNELS_MAX)
        facts->seen[facts->count] =
            call->kind == SG_CALL_LAUNCH ? seen_plain(call->params) : seen_config(call->params);
    facts->count++;
}

static enum sg_code show(const struct sg_facts *facts, bool on, struct sg_err *err)
{
    if (sg_calls_show(&facts->calls, SG_CALL_LAUNCH, on, err) == SG_SUCCESS)
        sg_calls_show(&facts->calls, SG_CALL_LAUNCH_CONFIG, on, err);
    return err->code;
}

enum sg_code sg_facts_open(struct sg_facts *facts, const struct sg_cupti *cupti, struct sg_err *err)
{
    facts->calls = (struct sg_calls){.cupti = cupti, .on_launch = on_launch, .context = facts};
    return sg_calls_open(&facts->calls, err);
}

enum sg_code sg_facts_begin(struct sg_facts *facts, struct sg_err *err)
{
    facts->count = 0;
    return show(facts, true, err);
}

/* The runtime may pass a CUkernel where the documentation says CUfunction. */
static CUfunction as_function(const struct sg_cuda *cuda, CUfunction handle)
{
    CUfunction function = NULL;
    if (cuda->kernel_function(&function, (CUkernel)handle) == CUDA_SUCCESS && function)
        return function;
    return handle;
}

static double attribute(const struct sg_cuda *cuda, CUfunction function, CUfunction_attribute which)
{
    int value = 0;
    return cuda->function_attribute(&value, which, function) == CUDA_SUCCESS ? value : NAN;
}

static int device_attribute(const struct sg_facts *facts, CUdevice_attribute which)
{
    int value = 0;
    facts->cuda->device_attribute(&value, which, facts->device);
    return value;
}

static void add_occupancy(const struct sg_facts *facts, const struct sg_launch_seen *launch,
                          struct sg_launch_facts *out)
{
    CUfunction function = as_function(facts->cuda, launch->function);
    int blocks = 0;
    if (facts->cuda->occupancy_blocks(&blocks, function, (int)launch->block_threads,
                                      launch->dynamic_shared_bytes) != CUDA_SUCCESS)
        return;
    const struct sm_limits sm = {
        .warps = device_attribute(facts, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) /
                 WARP_THREADS,
        .blocks = device_attribute(facts, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR),
        .registers = device_attribute(facts, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR),
        .shared_bytes =
            device_attribute(facts, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
    };
    const struct block_needs needs = {
        .threads = (int)launch->block_threads,
        .registers = (int)attribute(facts->cuda, function, CU_FUNC_ATTRIBUTE_NUM_REGS),
        .shared_bytes =
            (long)attribute(facts->cuda, function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES) +
            (long)launch->dynamic_shared_bytes +
            device_attribute(facts, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK),
    };
    int warps = (needs.threads + WARP_THREADS - 1) / WARP_THREADS, by_limit = 0;
    out->occupancy_theoretical = sm.warps > 0 ? 100.0 * blocks * warps / sm.warps : NAN;
    out->occupancy_limit = occupancy_limit(&sm, &needs, &by_limit);
}

/* Mangled name; NULL if the driver does not report it. */
static const char *name_of(const struct sg_cuda *cuda, CUfunction function)
{
    const char *name = NULL;
    return cuda->function_name(&name, function) == CUDA_SUCCESS ? name : NULL;
}

static void add_kernel(const struct sg_facts *facts, const struct sg_launch_seen *launch,
                       const struct sg_runnable *what, struct sg_kernel_names *names,
                       struct sg_launch_facts *out)
{
    CUfunction function = as_function(facts->cuda, launch->function);
    const char *name = name_of(facts->cuda, function);
    sg_kernel_names_add(names, name);
    sg_launch_facts_add_kernel(out, what->module->kernels, what->variant->name, name);
    out->registers =
        fmax(out->registers, attribute(facts->cuda, function, CU_FUNC_ATTRIBUTE_NUM_REGS));
    out->local_bytes = fmax(out->local_bytes,
                            attribute(facts->cuda, function, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
    out->shared_static_bytes =
        fmax(out->shared_static_bytes,
             attribute(facts->cuda, function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
    out->shared_dynamic_bytes = fmax(out->shared_dynamic_bytes, launch->dynamic_shared_bytes);
    out->grid_blocks += launch->grid_blocks;
    out->block_threads = fmax(out->block_threads, launch->block_threads);
    out->cluster_blocks = fmax(out->cluster_blocks, launch->cluster_blocks);
}

enum sg_code sg_facts_end(struct sg_facts *facts, const struct sg_runnable *what,
                          struct sg_launch_facts *out, struct sg_err *err)
{
    struct sg_kernel_names names = {.count = 0};
    if (show(facts, false, err) != SG_SUCCESS)
        return err->code;
    *out = (struct sg_launch_facts){
        .kernels = facts->count, .occupancy_theoretical = NAN, .occupancy_limit = ""};
    sg_launch_facts_of_no_kernel(out);
    unsigned kept = facts->count < SG_FACTS_KERNELS_MAX ? facts->count : SG_FACTS_KERNELS_MAX;
    const struct sg_launch_seen *largest = NULL;
    for (unsigned i = 0; i < kept; i++) {
        add_kernel(facts, &facts->seen[i], what, &names, out);
        if (!largest || facts->seen[i].grid_blocks > largest->grid_blocks)
            largest = &facts->seen[i];
    }
    if (kept < facts->count)
        sg_launch_facts_unknown(out);
    sg_kernel_names_format(&names, out->kernel_names, sizeof(out->kernel_names));
    if (largest)
        add_occupancy(facts, largest, out);
    return SG_SUCCESS;
}
