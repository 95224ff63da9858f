/*
 * The injected library, loaded into any program that `solgate exec` starts: by the driver in cuInit
 * through CUDA_INJECTION64_PATH, by NVTX through NVTX_INJECTION64_PATH.
 *
 * Invariant: the program's output, exit status and results do not change. No signal handler, no
 * thread, no dependency except libc.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "inject/collect.h"
#include "inject/inject.h"
#include "inject/output.h"
#include "inject/ranges.h"

#define EXPORTED __attribute__((visibility("default")))

pthread_mutex_t sg_inject_lock = PTHREAD_MUTEX_INITIALIZER;
char *sg_inject_option[SG_TRACE_OPTIONS];
static bool has_cuda, is_off;

bool sg_inject_is_on(void)
{
    return has_cuda && !is_off;
}

void sg_inject_unlock(pthread_mutex_t **lock)
{
    pthread_mutex_unlock(*lock);
}

/* CUDA does not work in the child of a process that used it, and the records belong to the
 * parent. */
static void in_child(void)
{
    is_off |= has_cuda;
    pthread_mutex_init(&sg_inject_lock, NULL);
    sg_output_leave();
    sg_ranges_forget();
}

static void before_fork(void)
{
    pthread_mutex_lock(&sg_inject_lock);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&sg_inject_lock);
}

static void at_end(void)
{
    if (!sg_inject_is_on())
        return;
    sg_collect_stop();
    sg_output_head()->flags |= SG_TRACE_CLOSED;
    is_off = true;
}

uint64_t sg_inject_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Returns false if exec did not start the program. */
static bool read_options(void)
{
    static char *options;
    const char *given = getenv(SG_TRACE_VARIABLE);
    char *rest = options = given ? strdup(given) : NULL;
    if (!rest)
        return false;
    for (size_t i = 0; i < SG_TRACE_OPTIONS && rest; i++) {
        char *option = strsep(&rest, SG_TRACE_SEPARATOR);
        sg_inject_option[i] = *option ? option : NULL;
    }
    pthread_atfork(before_fork, in_parent, in_child);
    return sg_inject_option[SG_TRACE_FOLDER] != NULL;
}

/* Returns false if exec did not start the program, or in a child that does nothing. */
static bool begin(void)
{
    return !is_off && (sg_inject_option[SG_TRACE_FOLDER] || read_options()) &&
           sg_output_open(sg_inject_option[SG_TRACE_FOLDER]);
}

EXPORTED int InitializeInjection(void);
EXPORTED int InitializeInjectionNvtx2(sg_nvtx_export export_table);

int InitializeInjection(void)
{
    if (!begin() || has_cuda)
        return 1;
    has_cuda = true;
    atexit(at_end);
    sg_collect_start();
    return 1;
}

int InitializeInjectionNvtx2(sg_nvtx_export export_table)
{
    begin();
    return sg_ranges_attach(export_table);
}
