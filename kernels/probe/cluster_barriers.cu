/* probe/cluster_barriers - barriers of a cluster, of two blocks, between exchanges. Each
 * releases, for which the compiler puts a fence of the GPU (MEMBAR) before it. Expect: fences,
 * barriers, waits at barriers. */
#include "probe.cuh"

struct mechanism : probe_base {
    static __device__ void between_exchanges(const probe_arguments &a)
    {
#if __CUDA_ARCH__ >= 900
        probe_repeat(a.strength, [] {
            asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::
                             : "memory");
        });
#endif
    }
};

static void launch(const struct sg_launch *l)
{
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = 2;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(PROBE_BLOCKS(l));
    config.blockDim = dim3(PROBE_THREADS);
    config.stream = (cudaStream_t)l->stream;
    config.attrs = &cluster;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, probe_kernel<mechanism>, probe_arguments_of(l));
}

SG_VARIANT(probe, cluster_barriers) = {
    .summary = "barriers of a cluster between exchanges", .role = SG_CANDIDATE, .launch = launch};
