#include "device/nvml.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "results/units.h"
#include "results/throttle_reasons.h"
#include "util/dynlib.h"

/* The used declarations of NVIDIA's nvml.h; NVML keeps them stable across versions. */
typedef int nvml_return;
typedef struct nvml_device_opaque *nvml_device;
struct nvml_process {
    unsigned pid;
    unsigned long long used_bytes;
    unsigned gpu_instance, compute_instance;
};
struct nvml_violation {
    unsigned long long reference_us, violation_ns;
};
enum {
    NVML_SUCCESS = 0,
    NVML_INSUFFICIENT_SIZE = 7,
    NVML_CLOCK_SM = 1,
    NVML_CLOCK_MEM = 2,
    NVML_TEMPERATURE_GPU = 0
};

#define NVML_TABLE(X)                                                                           \
    X(init, "nvmlInit_v2", (void))                                                              \
    X(shutdown, "nvmlShutdown", (void))                                                         \
    X(device_by_pci, "nvmlDeviceGetHandleByPciBusId_v2", (const char *id, nvml_device *device)) \
    X(driver_version, "nvmlSystemGetDriverVersion", (char *text, unsigned length))              \
    X(clock, "nvmlDeviceGetClockInfo", (nvml_device device, int type, unsigned *mhz))           \
    X(max_clock, "nvmlDeviceGetMaxClockInfo", (nvml_device device, int type, unsigned *mhz))    \
    X(power, "nvmlDeviceGetPowerUsage", (nvml_device device, unsigned *mw))                     \
    X(power_cap, "nvmlDeviceGetEnforcedPowerLimit", (nvml_device device, unsigned *mw))         \
    X(temperature, "nvmlDeviceGetTemperature",                                                  \
      (nvml_device device, int sensor, unsigned *celsius))                                      \
    X(reasons, "nvmlDeviceGetCurrentClocksThrottleReasons",                                     \
      (nvml_device device, unsigned long long *reasons))                                        \
    X(mig_mode, "nvmlDeviceGetMigMode",                                                         \
      (nvml_device device, unsigned *current, unsigned *pending))                               \
    X(processes, "nvmlDeviceGetComputeRunningProcesses_v3",                                     \
      (nvml_device device, unsigned *count, struct nvml_process *infos))                        \
    X(mps_processes, "nvmlDeviceGetMPSComputeRunningProcesses_v3",                              \
      (nvml_device device, unsigned *count, struct nvml_process *infos))

/* A driver may lack these functions; they are NULL then, and everything else still works. */
#define NVML_OPTIONAL_TABLE(X)                                                                     \
    X(vbios, "nvmlDeviceGetVbiosVersion", (nvml_device device, char *text, unsigned length))       \
    X(energy, "nvmlDeviceGetTotalEnergyConsumption", (nvml_device device, unsigned long long *mj)) \
    X(violation, "nvmlDeviceGetViolationStatus",                                                   \
      (nvml_device device, int policy, struct nvml_violation *time))

/* Policies for which NVML accumulates the time at a reduced clock, and the event to report if that
 * time grew. Needed because polling between two launches misses such times. */
static const struct {
    int policy; /* nvmlPerfPolicyType_t */
    enum sg_event event;
} policies[] = {{0, SG_EVENT_SW_POWER_CAP}, {1, SG_EVENT_SW_THERMAL}};

enum { POLICIES = sizeof(policies) / sizeof(policies[0]) };

struct sg_nvml {
    void *library;
    nvml_device device;
    struct sg_held_time held[POLICIES];
#define X(field, symbol, arguments) nvml_return(*field) arguments;
    NVML_TABLE(X)
    NVML_OPTIONAL_TABLE(X)
#undef X
};

#define X(field, symbol, arguments) {symbol, offsetof(struct sg_nvml, field)},
static const struct sg_symbol symbols[] = {NVML_TABLE(X)};
static const struct sg_symbol optional_symbols[] = {NVML_OPTIONAL_TABLE(X)};
#undef X

static void bind_optional(struct sg_nvml *nvml, const char *library_name)
{
    for (size_t i = 0; i < sizeof(optional_symbols) / sizeof(optional_symbols[0]); i++)
        sg_dynlib_bind(nvml->library, library_name, &optional_symbols[i], 1, nvml, SG_IGNORED);
}

enum sg_code sg_nvml_open(const char *pci_bus_id, struct sg_nvml **nvml, struct sg_err *err)
{
    static const char *const names[] = {"libnvidia-ml.so.1", "libnvidia-ml.so", NULL};
    struct sg_nvml *made = sg_alloc(1, sizeof(*made));
    bool initialised = false;
    if (sg_dynlib_open(names, &made->library, err) != SG_SUCCESS ||
        sg_dynlib_bind(made->library, names[0], symbols, sizeof(symbols) / sizeof(symbols[0]), made,
                       err) != SG_SUCCESS)
        goto out;
    bind_optional(made, names[0]);
    nvml_return result = made->init();
    initialised = result == NVML_SUCCESS;
    if (initialised)
        result = made->device_by_pci(pci_bus_id, &made->device);
    if (result != NVML_SUCCESS)
        sg_fail(err, SG_INVALID, names[0], "NVML refuses device %s with error %d", pci_bus_id,
                result);
out:
    if (err->code == SG_SUCCESS) {
        *nvml = made;
        return SG_SUCCESS;
    }
    if (initialised)
        made->shutdown();
    sg_dynlib_close(made->library);
    free(made);
    return err->code;
}

void sg_nvml_close(struct sg_nvml *nvml)
{
    if (!nvml)
        return;
    nvml->shutdown();
    sg_dynlib_close(nvml->library);
    free(nvml);
}

static void set_number(struct sg_env *env, const char *key, nvml_return result, double value)
{
    if (result == NVML_SUCCESS)
        sg_env_setf(env, key, "%.9g", value);
}

void sg_nvml_describe(struct sg_nvml *nvml, struct sg_env *env)
{
    unsigned value = 0, pending = 0;
    char driver[96];
    if (nvml->driver_version(driver, sizeof(driver)) == NVML_SUCCESS)
        sg_env_set(env, "driver", driver);
    if (nvml->vbios && nvml->vbios(nvml->device, driver, sizeof(driver)) == NVML_SUCCESS)
        sg_env_set(env, SG_VBIOS_KEY, driver);
    nvml_return result = nvml->max_clock(nvml->device, NVML_CLOCK_SM, &value);
    set_number(env, "sm_clock_max_hz", result, value * 1e6);
    result = nvml->clock(nvml->device, NVML_CLOCK_MEM, &value);
    set_number(env, "mem_clock_hz", result, value * 1e6);
    result = nvml->power_cap(nvml->device, &value);
    set_number(env, "power_cap_w", result, value / 1e3);
    result = nvml->power(nvml->device, &value);
    set_number(env, "power_w", result, value / 1e3);
    result = nvml->temperature(nvml->device, NVML_TEMPERATURE_GPU, &value);
    set_number(env, "temperature_c", result, value);
    result = nvml->mig_mode(nvml->device, &value, &pending);
    set_number(env, "mig", result, value);
    unsigned long long reasons = 0;
    if (nvml->reasons(nvml->device, &reasons) == NVML_SUCCESS) {
        SG_SCOPED(sg_text) words = {0};
        sg_throttle_reasons_words(reasons, &words);
        sg_env_set(env, "event_reasons", sg_text_string(&words));
    }
}

/* Returns the number of processes; -1: not known. *me: this process; pid 0: not among the first
 * 64. */
static int list_processes(nvml_return (*list)(nvml_device device, unsigned *count,
                                              struct nvml_process *infos),
                          nvml_device device, struct nvml_process *me)
{
    struct nvml_process infos[64];
    const unsigned room = sizeof(infos) / sizeof(infos[0]);
    unsigned count = room;
    *me = (struct nvml_process){0};
    const nvml_return result = list(device, &count, infos);
    /* A list that does not fit means many processes; not every driver returns the number in
     * `count` then. */
    if (result == NVML_INSUFFICIENT_SIZE)
        return (int)(count > room ? count : room + 1);
    if (result != NVML_SUCCESS)
        return -1;
    for (unsigned i = 0; i < count; i++)
        *me = infos[i].pid == (unsigned)getpid() ? infos[i] : *me;
    return (int)count;
}

int sg_nvml_other_processes(struct sg_nvml *nvml, int siblings)
{
    struct nvml_process me;
    const int count = list_processes(nvml->processes, nvml->device, &me), own = 1 + siblings;
    /* In a container this process may have another pid, or be hidden; then its neighbours are
     * hidden too. */
    if (!me.pid && count <= own)
        return -1;
    return count > own ? count - own : 0;
}

uint64_t sg_nvml_own_memory(struct sg_nvml *nvml)
{
    struct nvml_process me;
    list_processes(nvml->processes, nvml->device, &me);
    return me.used_bytes == ~0ULL /* not available */ ? 0 : me.used_bytes;
}

/* Events that reduced the clock since the last call; none at the first call. */
static uint64_t events_since(struct sg_nvml *nvml)
{
    uint64_t events = 0;
    for (size_t i = 0; i < POLICIES && nvml->violation; i++) {
        struct nvml_violation now = {0};
        if (nvml->violation(nvml->device, policies[i].policy, &now) == NVML_SUCCESS &&
            sg_held_since(&nvml->held[i], now.violation_ns))
            events |= policies[i].event;
    }
    return events;
}

double sg_nvml_clock(struct sg_nvml *nvml)
{
    unsigned mhz = 0;
    return nvml->clock(nvml->device, NVML_CLOCK_SM, &mhz) == NVML_SUCCESS ? mhz * 1e6 : NAN;
}

double sg_nvml_energy(struct sg_nvml *nvml)
{
    unsigned long long mj = 0;
    return nvml->energy && nvml->energy(nvml->device, &mj) == NVML_SUCCESS ? (double)mj / 1e3 : NAN;
}

bool sg_nvml_read(struct sg_nvml *nvml, int siblings, double figure[SG_FIGURE_COUNT],
                  uint64_t *events)
{
    unsigned value = 0, pending = 0;
    unsigned long long reasons = 0;
    struct nvml_process me;
    const double clock = sg_nvml_clock(nvml);
    if (!isnan(clock))
        figure[SG_FIGURE_SM_CLOCK] = clock;
    if (nvml->power(nvml->device, &value) == NVML_SUCCESS)
        figure[SG_FIGURE_POWER] = value / 1e3;
    if (nvml->temperature(nvml->device, NVML_TEMPERATURE_GPU, &value) == NVML_SUCCESS)
        figure[SG_FIGURE_TEMPERATURE] = value;
    if (nvml->mig_mode(nvml->device, &value, &pending) == NVML_SUCCESS)
        figure[SG_FIGURE_MIG] = value;
    const int others = sg_nvml_other_processes(nvml, siblings),
              shared = list_processes(nvml->mps_processes, nvml->device, &me);
    if (others >= 0)
        figure[SG_FIGURE_OTHERS] = others;
    if (shared >= 0)
        figure[SG_FIGURE_MPS] = shared > 0;
    *events |= events_since(nvml);
    if (nvml->reasons(nvml->device, &reasons) != NVML_SUCCESS)
        return false;
    *events |= reasons;
    return true;
}
