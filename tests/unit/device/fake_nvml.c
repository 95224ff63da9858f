/* A driver as a test tells it to be (fake_nvml.h): no machine has an old one and a new one. */
#include "fake_nvml.h"

#include <stdlib.h>
#include <unistd.h>

enum { SUCCESS = 0, NOT_SUPPORTED = 3 };

typedef int of_nothing(void);
typedef int of_device(const void *device, unsigned *value);
typedef int of_kind(const void *device, int kind, unsigned *value);
typedef int of_two(const void *device, unsigned *value, void *other);

extern struct fake_nvml fake_nvml;
struct fake_nvml fake_nvml;

of_nothing nvmlInit_v2, nvmlShutdown;
of_device nvmlDeviceGetPowerUsage, nvmlDeviceGetEnforcedPowerLimit;
of_kind nvmlDeviceGetClockInfo, nvmlDeviceGetMaxClockInfo, nvmlDeviceGetTemperature;
of_two nvmlDeviceGetMigMode, nvmlDeviceGetComputeRunningProcesses_v3,
    nvmlDeviceGetMPSComputeRunningProcesses_v3;
int nvmlDeviceGetHandleByPciBusId_v2(const char *id, const void **device);
int nvmlSystemGetDriverVersion(char *text, unsigned length);
int nvmlDeviceGetCurrentClocksThrottleReasons(const void *device, unsigned long long *reasons);

int nvmlInit_v2(void)
{
    if (getenv("STANDIN_CLOCK"))
        fake_nvml.clock_mhz = (unsigned)atoi(getenv("STANDIN_CLOCK"));
    return SUCCESS;
}

int nvmlShutdown(void)
{
    return SUCCESS;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *id, const void **device)
{
    *device = id;
    return SUCCESS;
}

int nvmlSystemGetDriverVersion(char *text, unsigned length)
{
    (void)text, (void)length;
    return NOT_SUPPORTED;
}

int nvmlDeviceGetPowerUsage(const void *device, unsigned *value)
{
    (void)device, (void)value;
    return NOT_SUPPORTED;
}

int nvmlDeviceGetEnforcedPowerLimit(const void *device, unsigned *value)
{
    (void)device, (void)value;
    return NOT_SUPPORTED;
}

int nvmlDeviceGetClockInfo(const void *device, int kind, unsigned *value)
{
    (void)device, (void)kind;
    *value = fake_nvml.clock_mhz;
    return fake_nvml.clock_mhz > 0 ? SUCCESS : NOT_SUPPORTED;
}

int nvmlDeviceGetMaxClockInfo(const void *device, int kind, unsigned *value)
{
    return nvmlDeviceGetClockInfo(device, kind, value);
}

int nvmlDeviceGetTemperature(const void *device, int kind, unsigned *value)
{
    (void)device, (void)kind, (void)value;
    return NOT_SUPPORTED;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(const void *device, unsigned long long *reasons)
{
    (void)device;
    *reasons = 0;
    return SUCCESS;
}

int nvmlDeviceGetMigMode(const void *device, unsigned *value, void *other)
{
    (void)device, (void)value, (void)other;
    return NOT_SUPPORTED;
}

int nvmlDeviceGetComputeRunningProcesses_v3(const void *device, unsigned *value, void *other)
{
    struct {
        unsigned pid;
        unsigned long long used_bytes;
        unsigned instance[2];
    } *infos = other;
    (void)device;
    if (fake_nvml.processes == 0)
        return NOT_SUPPORTED;
    for (unsigned i = 0; i < fake_nvml.processes; i++) {
        const bool is_me = !fake_nvml.is_hidden && i + 1 == fake_nvml.processes;
        infos[i].pid = is_me ? (unsigned)getpid() : 1;
        infos[i].used_bytes = is_me ? fake_nvml.used_bytes : 1 << 30;
    }
    *value = fake_nvml.processes;
    return SUCCESS;
}

int nvmlDeviceGetMPSComputeRunningProcesses_v3(const void *device, unsigned *value, void *other)
{
    return nvmlDeviceGetMigMode(device, value, other);
}

#ifndef FAKE_IS_OLD
int nvmlDeviceGetTotalEnergyConsumption(const void *device, unsigned long long *mj);

int nvmlDeviceGetTotalEnergyConsumption(const void *device, unsigned long long *mj)
{
    (void)device;
    *mj = fake_nvml.energy_mj;
    return SUCCESS;
}

struct held_time {
    unsigned long long since_us, held_ns;
};
int nvmlDeviceGetViolationStatus(const void *device, int policy, struct held_time *time);

int nvmlDeviceGetViolationStatus(const void *device, int policy, struct held_time *time)
{
    (void)device;
    *time = (struct held_time){.held_ns = fake_nvml.held_ns[policy]};
    return fake_nvml.held_known[policy] ? SUCCESS : NOT_SUPPORTED;
}
#endif
