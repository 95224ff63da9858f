/* probe/clusters - one block an SM, in clusters of four or eight. The parts of the GPU do
 * not hold all of them at once. Against: one_block. Expect: clusters that do not fit. */
#include "probe.cuh"

static const int sizes[] = {1, 4, 8, 4};

static enum sg_status prepare(const struct sg_launch *, void **, struct sg_reason *)
{
    cudaFuncSetAttribute(probe_kernel<probe_base>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         160 << 10);
    return SG_OK;
}

static void launch(const struct sg_launch *l)
{
    const int strength = (int)l->c->dim[PROBE_STRENGTH], size = sizes[strength];
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = (unsigned)size;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(l->sm_count * (strength == 3 ? 2 : 1) / size * size);
    config.blockDim = dim3(PROBE_THREADS);
    config.dynamicSmemBytes = 150 << 10;
    config.stream = (cudaStream_t)l->stream;
    config.attrs = &cluster;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, probe_kernel<probe_base>, probe_arguments_of(l));
}

SG_VARIANT(probe, clusters) = {.summary = "clusters that do not all fit at once",
                               .role = SG_CANDIDATE,
                               .prepare = prepare,
                               .launch = launch};
