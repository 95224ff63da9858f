// Programs that make it hard to see all of their kernels: traps NAME [LAUNCHES], and traps of
// gates: dial PERCENT, pair PERCENT. tests/gpu/test_exec.sh runs them by `solgate exec`.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <nvtx3/nvToolsExt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <thread>

#define OK(call)                                                   \
    do {                                                           \
        const cudaError_t error_ = (call);                         \
        if (error_ != cudaSuccess) {                               \
            printf("%s: %s\n", #call, cudaGetErrorString(error_)); \
            exit(1);                                               \
        }                                                          \
    } while (0)

static __global__ void tiny()
{
}

static __global__ void work(float *out, int steps)
{
    float x = threadIdx.x;
    for (int i = 0; i < steps; i++)
        x = x * 1.0001f + 1;
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

static __global__ void cooperative(float *out)
{
    cooperative_groups::this_grid().sync();
    out[0] = 1;
}

static __global__ void __cluster_dims__(2, 1, 1) cluster(float *out)
{
    out[blockIdx.x] = 1;
}

static __global__ void dependent(float *out)
{
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
    out[blockIdx.x] = 2;
}

static __global__ void waits(volatile int *flag)
{
    while (!*flag)
        ;
}

static __global__ void sets(volatile int *flag)
{
    *flag = 1;
}

static float *memory;
static cudaStream_t streams[8];

static void begin()
{
    OK(cudaMalloc(&memory, 64 << 20));
    for (cudaStream_t &stream : streams)
        OK(cudaStreamCreate(&stream));
}

static void end()
{
    OK(cudaDeviceSynchronize());
}

static void launch(int count)
{
    for (int i = 0; i < count; i++)
        work<<<8, 64>>>(memory, 100);
}

static void plain(int count)
{
    launch(count);
    end();
}

static double now()
{
    timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

/* What a launch costs. */
static void many(int count)
{
    rusage usage;
    tiny<<<1, 32>>>();
    end();
    const double before = now();
    for (int i = 0; i < count; i++)
        tiny<<<1, 32>>>();
    const double launched = now();
    end();
    getrusage(RUSAGE_SELF, &usage);
    fprintf(stderr, "launches %d: %.3f us a launch, %.3f us a launch until done, rss %ld KiB\n",
            count, (launched - before) / count * 1e6, (now() - before) / count * 1e6,
            usage.ru_maxrss);
}

/* A context that comes late, of a thread that comes late. */
static void late_context(int count)
{
    launch(count);
    end();
    std::thread([count] {
        CUcontext context;
        CUdevice device;
        CUdeviceptr out;
        usleep(100000);
        cuDeviceGet(&device, 0);
#if CUDA_VERSION >= 13000
        cuCtxCreate(&context, NULL, 0, device);
#else
        cuCtxCreate(&context, 0, device);
#endif
        cuMemAlloc(&out, 1 << 20);
        for (int i = 0; i < count; i++)
            work<<<8, 64>>>((float *)out, 100);
        cuCtxSynchronize();
        cuCtxDestroy(context);
    }).join();
}

static void clusters(int count)
{
    for (int i = 0; i < count; i++)
        cluster<<<8, 32>>>(memory);
    end();
}

static void cooperatives(int count)
{
    void *arguments[] = {&memory};
    for (int i = 0; i < count; i++)
        OK(cudaLaunchCooperativeKernel((void *)cooperative, 4, 32, arguments, 0, 0));
    end();
}

static void programmatic(int count)
{
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = 4;
    config.blockDim = 32;
    config.attrs = &attribute;
    config.numAttrs = 1;
    config.stream = streams[0];
    for (int i = 0; i < count; i++)
        OK(cudaLaunchKernelEx(&config, dependent, memory));
    end();
}

static void many_streams(int count)
{
    for (int i = 0; i < count; i++)
        work<<<4, 64, 0, streams[i % 8]>>>(memory, 2000);
    end();
}

/* Five kernels, launched as a graph in a loop. */
static void graph(int count)
{
    cudaGraph_t of;
    cudaGraphExec_t executable;
    OK(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal));
    for (int i = 0; i < 5; i++)
        work<<<4 + i, 64, 0, streams[0]>>>(memory, 100);
    OK(cudaStreamEndCapture(streams[0], &of));
    OK(cudaGraphInstantiate(&executable, of, 0));
    OK(cudaGraphDestroy(of));
    for (int i = 0; i < count; i++)
        OK(cudaGraphLaunch(executable, streams[0]));
    end();
}

/* Its kernels end only side by side. */
static void spin(int count)
{
    int *flag;
    OK(cudaMalloc(&flag, sizeof(*flag)));
    for (int i = 0; i < count; i++) {
        OK(cudaMemset(flag, 0, sizeof(*flag)));
        end();
        waits<<<1, 1, 0, streams[0]>>>(flag);
        sets<<<1, 1, 0, streams[1]>>>(flag);
        end();
    }
}

static void reset(int count)
{
    plain(count);
    cudaDeviceReset();
}

static void no_wait(int count)
{
    launch(count);
    exit(5);
}

static void leaves(int count)
{
    plain(count);
    _exit(6);
}

static void aborts(int count)
{
    plain(count);
    abort();
}

static void killed(int count)
{
    plain(count);
    launch(3);
    kill(getpid(), SIGKILL);
}

static void forks(int count)
{
    plain(count);
    if (fork() == 0)
        exit(0);
    wait(NULL);
    plain(count);
}

/* ---- other clients of CUPTI ---- */

template <typename function> static function find(const char *name, int mode)
{
    void *library = dlopen("libcupti.so.13", RTLD_NOW | mode);
    void *found = library ? dlsym(library, name) : NULL;
    if (!found) {
        printf("no %s: %s\n", name, dlerror());
        exit(1);
    }
    return (function)found;
}

static void subscribe(int mode)
{
    using callback = void (*)(void *, int, unsigned, const void *);
    void *subscriber;
    const int result = find<int (*)(void **, callback, void *)>("cuptiSubscribe", mode)(
        &subscriber, [](void *, int, unsigned, const void *) {}, NULL);
    printf("subscribe: %d\n", result);
}

static void subscriber_first(int count)
{
    subscribe(RTLD_GLOBAL);
    begin();
    plain(count);
}

static void subscriber_later(int count)
{
    launch(count);
    subscribe(RTLD_NOLOAD);
    plain(count);
}

static void takes_records(int count)
{
    using request = void (*)(unsigned char **, size_t *, size_t *);
    using complete = void (*)(CUcontext, unsigned, unsigned char *, size_t, size_t);
    find<int (*)(request, complete)>("cuptiActivityRegisterCallbacks", RTLD_NOLOAD)(
        [](unsigned char **buffer, size_t *size, size_t *most) {
            *size = 65536;
            *buffer = (unsigned char *)aligned_alloc(8, *size);
            *most = 0;
        },
        [](CUcontext, unsigned, unsigned char *buffer, size_t, size_t) { free(buffer); });
    plain(count);
}

static void finalizes(int count)
{
    plain(count);
    find<int (*)()>("cuptiFinalize", RTLD_NOLOAD)();
    plain(count);
}

/* ---- gates ---- */

#define DIAL_STEPS    120000
#define DIAL_LAUNCHES 40

/* A kernel that takes so many percent more. */
static void dial(int percent)
{
    for (int i = 0; i < DIAL_LAUNCHES; i++)
        work<<<132, 128>>>(memory, DIAL_STEPS / 100 * (100 + percent));
    end();
}

/* The same as ranges that take turns, A B B A. */
static void pair(int percent)
{
    for (int i = 0; i < 2 * DIAL_LAUNCHES; i++) {
        const bool is_candidate = i % 4 == 1 || i % 4 == 2;
        nvtxRangePushA(is_candidate ? "solgate:candidate" : "solgate:baseline");
        work<<<132, 128>>>(memory, DIAL_STEPS / 100 * (100 + (is_candidate ? percent : 0)));
        nvtxRangePop();
    }
    end();
}

static const struct {
    const char *name;
    void (*run)(int number);
    bool begins; /* by itself */
} traps[] = {
    {"plain", plain},
    {"many", many},
    {"late_context", late_context},
    {"clusters", clusters},
    {"cooperatives", cooperatives},
    {"programmatic", programmatic},
    {"many_streams", many_streams},
    {"graph", graph},
    {"spin", spin},
    {"reset", reset},
    {"no_wait", no_wait},
    {"leaves", leaves},
    {"aborts", aborts},
    {"killed", killed},
    {"forks", forks},
    {"subscriber_first", subscriber_first, true},
    {"subscriber_later", subscriber_later},
    {"takes_records", takes_records},
    {"finalizes", finalizes},
    {"dial", dial},
    {"pair", pair},
};

int main(int argc, char **argv)
{
    for (const auto &trap : traps)
        if (argc == 3 && strcmp(trap.name, argv[1]) == 0) {
            if (!trap.begins)
                begin();
            trap.run(atoi(argv[2]));
            puts("done");
            return 0;
        }
    fprintf(stderr, "usage: traps NAME NUMBER\n");
    return 2;
}
