#include "cuda_facts.h"

#include <math.h>
#include <stdio.h>

#include "known.h"

#define WARP_THREADS  32
#define REGISTER_UNIT 256 /* registers are handed to a warp in multiples of this */

const char *sg_occupancy_limit(const struct sg_sm_limits *sm, const struct sg_block_needs *needs, int *blocks)
{
    int warps = (needs->threads + WARP_THREADS - 1) / WARP_THREADS;
    int warp_registers = (needs->registers * WARP_THREADS + REGISTER_UNIT - 1) / REGISTER_UNIT * REGISTER_UNIT;
    const struct {
        const char *name;
        long blocks;
    } limits[] = {
        {"warps", warps > 0 ? sm->warps / warps : 0},
        {"blocks", sm->blocks},
        {"registers", warp_registers > 0 && warps > 0 ? sm->registers / warp_registers / warps : sm->blocks},
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

/* The launch functions, and where each keeps its numbers. */
static const CUpti_CallbackId plain_launches[] = {
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
};
static const CUpti_CallbackId config_launches[] = {
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
};
#define PLAIN_LAUNCHES  (sizeof(plain_launches) / sizeof(plain_launches[0]))
#define CONFIG_LAUNCHES (sizeof(config_launches) / sizeof(config_launches[0]))

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
            seen.cluster_blocks = c->attrs[i].value.clusterDim.x * c->attrs[i].value.clusterDim.y * c->attrs[i].value.clusterDim.z;
    }
    return seen;
}

static bool is_one_of(CUpti_CallbackId id, const CUpti_CallbackId *ids, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (ids[i] == id)
            return true;
    }
    return false;
}

static void CUPTIAPI on_launch(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data)
{
    struct sg_facts *facts = user;
    const CUpti_CallbackData *call = data;
    if (domain != CUPTI_CB_DOMAIN_DRIVER_API || call->callbackSite != CUPTI_API_ENTER)
        return;
    struct sg_launch_seen seen;
    if (is_one_of(id, plain_launches, PLAIN_LAUNCHES))
        /* the cooperative launch's parameters begin with the same members */
        seen = seen_plain(call->functionParams);
    else if (is_one_of(id, config_launches, CONFIG_LAUNCHES))
        seen = seen_config(call->functionParams);
    else
        return;
    if (facts->count < SG_FACTS_KERNELS_MAX)
        facts->seen[facts->count] = seen;
    facts->count++;
}

static enum sg_code enable(struct sg_facts *facts, uint32_t on, struct sg_err *err)
{
    CUptiResult result = CUPTI_SUCCESS;
    for (size_t i = 0; result == CUPTI_SUCCESS && i < PLAIN_LAUNCHES; i++)
        result = facts->cupti->enable_callback(on, facts->subscriber, CUPTI_CB_DOMAIN_DRIVER_API, plain_launches[i]);
    for (size_t i = 0; result == CUPTI_SUCCESS && i < CONFIG_LAUNCHES; i++)
        result = facts->cupti->enable_callback(on, facts->subscriber, CUPTI_CB_DOMAIN_DRIVER_API, config_launches[i]);
    return sg_cupti_check(facts->cupti, result, "cuptiEnableCallback", err);
}

enum sg_code sg_facts_open(struct sg_facts *facts, struct sg_err *err)
{
    return sg_cupti_check(facts->cupti, facts->cupti->subscribe(&facts->subscriber, on_launch, facts), "cuptiSubscribe", err);
}

void sg_facts_close(struct sg_facts *facts)
{
    if (facts->subscriber)
        facts->cupti->unsubscribe(facts->subscriber);
    facts->subscriber = NULL;
}

enum sg_code sg_facts_begin(struct sg_facts *facts, struct sg_err *err)
{
    facts->count = 0;
    return enable(facts, 1, err);
}

/* The runtime may hand the driver a CUkernel where the documentation says CUfunction. */
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

static void add_occupancy(const struct sg_facts *facts, const struct sg_launch_seen *launch, struct sg_launch_facts *out)
{
    CUfunction function = as_function(facts->cuda, launch->function);
    int blocks = 0;
    if (facts->cuda->occupancy_blocks(&blocks, function, (int)launch->block_threads, launch->dynamic_shared_bytes) != CUDA_SUCCESS)
        return;
    const struct sg_sm_limits sm = {
        .warps = device_attribute(facts, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) / WARP_THREADS,
        .blocks = device_attribute(facts, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR),
        .registers = device_attribute(facts, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR),
        .shared_bytes = device_attribute(facts, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
    };
    const struct sg_block_needs needs = {
        .threads = (int)launch->block_threads,
        .registers = (int)attribute(facts->cuda, function, CU_FUNC_ATTRIBUTE_NUM_REGS),
        .shared_bytes = (long)attribute(facts->cuda, function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES) + (long)launch->dynamic_shared_bytes +
                        device_attribute(facts, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK),
    };
    int warps = (needs.threads + WARP_THREADS - 1) / WARP_THREADS, by_limit = 0;
    out->occupancy_theoretical = sm.warps > 0 ? 100.0 * blocks * warps / sm.warps : NAN;
    out->occupancy_limit = sg_occupancy_limit(&sm, &needs, &by_limit);
}

/* Mangled; NULL where the driver does not tell. */
static const char *name_of(const struct sg_cuda *cuda, CUfunction function)
{
    const char *name = NULL;
    return cuda->function_name(&name, function) == CUDA_SUCCESS ? name : NULL;
}

static void add_kernel(const struct sg_facts *facts, const struct sg_launch_seen *launch, const struct sg_kernel_build *kernels,
                       struct sg_launch_facts *out)
{
    CUfunction function = as_function(facts->cuda, launch->function);
    sg_known_add_kernel(out, kernels, name_of(facts->cuda, function));
    out->registers = fmax(out->registers, attribute(facts->cuda, function, CU_FUNC_ATTRIBUTE_NUM_REGS));
    out->local_bytes = fmax(out->local_bytes, attribute(facts->cuda, function, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
    out->shared_static_bytes = fmax(out->shared_static_bytes, attribute(facts->cuda, function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
    out->shared_dynamic_bytes = fmax(out->shared_dynamic_bytes, launch->dynamic_shared_bytes);
    out->grid_blocks += launch->grid_blocks;
    out->block_threads = fmax(out->block_threads, launch->block_threads);
    out->cluster_blocks = fmax(out->cluster_blocks, launch->cluster_blocks);
}

enum sg_code sg_facts_end(struct sg_facts *facts, const struct sg_kernel_build *kernels, struct sg_launch_facts *out, struct sg_err *err)
{
    if (enable(facts, 0, err) != SG_DONE)
        return err->code;
    *out = (struct sg_launch_facts){.kernels = facts->count, .occupancy_theoretical = NAN, .occupancy_limit = ""};
    sg_known_no_kernel(out);
    unsigned kept = facts->count < SG_FACTS_KERNELS_MAX ? facts->count : SG_FACTS_KERNELS_MAX;
    const struct sg_launch_seen *largest = NULL;
    for (unsigned i = 0; i < kept; i++) {
        add_kernel(facts, &facts->seen[i], kernels, out);
        if (!largest || facts->seen[i].grid_blocks > largest->grid_blocks)
            largest = &facts->seen[i];
    }
    if (kept < facts->count)
        sg_known_nothing(out);
    if (!largest)
        return SG_DONE;
    add_occupancy(facts, largest, out);
    const char *name = name_of(facts->cuda, as_function(facts->cuda, largest->function));
    if (name)
        snprintf(out->kernel, sizeof(out->kernel), "%s", name);
    return SG_DONE;
}
