#define _GNU_SOURCE /* for pipe2, ppoll */
#include "exec/program.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WATCH_NS 25000000

static volatile sig_atomic_t running, came; /* pid; last signal received; 0: none */

static void keep(int number)
{
    came = number;
}

static void forward(int number)
{
    came = number;
    if (running > 0)
        kill((pid_t)running, number);
}

static const struct {
    int number;
    void (*handler)(int number);
} while_it_runs[] = {{SIGINT, keep}, {SIGQUIT, keep}, {SIGTERM, forward}, {SIGHUP, forward}};
#define SIGNALS (sizeof(while_it_runs) / sizeof(while_it_runs[0]))

/* A signal that solgate ignores, as under nohup, stops neither solgate nor the program. */
static void take_signals(struct sigaction *before)
{
    for (size_t i = 0; i < SIGNALS; i++) {
        sigaction(while_it_runs[i].number, NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            sigaction(
                while_it_runs[i].number,
                &(struct sigaction){.sa_handler = while_it_runs[i].handler, .sa_flags = SA_RESTART},
                NULL);
    }
}

/* Ranks in other process groups are killed too: they would run into the next start. */
static int wait_for(pid_t child, const struct sg_program_start *start,
                    struct sg_descendants *descendants)
{
    int status = 0;
    long ns = WATCH_NS / 64; /* short at first: most test programs end at once */
    struct pollfd ended_at = {.fd = (int)syscall(SYS_pidfd_open, child, 0), .events = POLLIN};
    for (pid_t ended = 0; ended != child; ns = ns < WATCH_NS ? ns + ns / 8 : WATCH_NS) {
        ended = waitpid(child, &status, WNOHANG);
        if (ended < 0 && errno != EINTR)
            break;
        if (ended != 0)
            continue;
        sg_descendants_scan(descendants);
        if ((start->is_to_end && start->is_to_end(start->given)) || (start->is_in_worker && came))
            sg_descendants_kill(descendants);
        ppoll(&ended_at, 1, &(struct timespec){.tv_nsec = ns}, NULL);
    }
    if (ended_at.fd >= 0)
        close(ended_at.fd);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* A program in a worker is in the background: it must not wait for input. */
static enum sg_code start_child(const struct sg_program_start *start,
                                const struct sg_environment_change *changes, size_t count,
                                pid_t *child, struct sg_err *err)
{
    const int output = start->output
                           ? open(start->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)
                           : SG_FROM_CALLER;
    const struct sg_process_start process = {
        .argv = start->argv,
        .changes = changes,
        .change_count = count,
        .descriptors = {start->is_in_worker ? SG_FROM_NOTHING : SG_FROM_CALLER, output, output,
                        SG_FROM_CALLER},
        .group = SG_CALLERS_GROUP,
    };
    if (start->output && output < 0)
        return sg_fail(err, sg_code_of_errno(errno, SG_BAD_USAGE), start->output,
                       "cannot be written: %s", strerror(errno));
    if (sg_process_start(&process, child, err) != SG_SUCCESS)
        err->code = sg_code_of_errno(errno, SG_BAD_USAGE);
    if (start->output)
        close(output);
    return err->code;
}

bool sg_program_is_stopped(void)
{
    return came != 0;
}

enum sg_code sg_program_run(const struct sg_program_start *start,
                            const struct sg_environment_change *changes, size_t change_count,
                            struct sg_descendants *descendants, struct sg_program_end *end,
                            struct sg_err *err)
{
    struct sigaction before[SIGNALS];
    pid_t child = 0;
    if (!start->is_in_worker)
        came = 0;
    take_signals(before);
    if (start_child(start, changes, change_count, &child, err) == SG_SUCCESS) {
        running = child;
        if (came == SIGTERM || came == SIGHUP) /* before the pid was known */
            kill(child, came);
        const int status = wait_for(child, start, descendants);
        running = 0;
        *end = (struct sg_program_end){.status = status, .signal = came};
    }
    for (size_t i = 0; i < SIGNALS && !start->is_in_worker; i++)
        sigaction(while_it_runs[i].number, &before[i], NULL);
    return err->code;
}

/* ---- is there a GPU? ---- */

struct driver {
    int (*init)(unsigned flags);
    int (*count)(int *count);
    int (*name)(char *name, int size, int device);
    int (*pci_bus_id)(char *id, int size, int device);
};
struct answer {
    char name[256], pci_bus_id[32];
};

static const char *ask_driver(struct answer *answer)
{
    struct driver driver = {.init = NULL};
    int count = 0;
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library)
        return "no driver: libcuda.so.1 not found";
    *(void **)&driver.init = dlsym(library, "cuInit");
    *(void **)&driver.count = dlsym(library, "cuDeviceGetCount");
    *(void **)&driver.name = dlsym(library, "cuDeviceGetName");
    *(void **)&driver.pci_bus_id = dlsym(library, "cuDeviceGetPCIBusId");
    if (!driver.init || !driver.count || !driver.name || !driver.pci_bus_id)
        return "libcuda.so.1 is not a CUDA driver";
    if (driver.init(0) != 0 || driver.count(&count) != 0 || count == 0 ||
        driver.name(answer->name, sizeof(answer->name), 0) != 0 ||
        driver.pci_bus_id(answer->pci_bus_id, sizeof(answer->pci_bus_id), 0) != 0)
        return "the driver finds no GPU";
    return NULL;
}

enum sg_code sg_find_gpu(struct sg_text *name, struct sg_text *pci_bus_id, struct sg_err *err)
{
    struct answer answer = {.name = ""};
    int pipes[2];
    if (pipe2(pipes, O_CLOEXEC) != 0)
        return sg_fail(err, SG_SYSTEM, NULL, "cannot open a pipe: %s", strerror(errno));
    const pid_t child = fork();
    if (child == 0) {
        const char *why = ask_driver(&answer);
        if (why)
            snprintf(answer.name, sizeof(answer.name), "%s", why);
        _exit(write(pipes[1], &answer, sizeof(answer)) < 0 || why ? 1 : 0);
    }
    close(pipes[1]);
    const ssize_t got = child > 0 ? read(pipes[0], &answer, sizeof(answer)) : -1;
    const int status = child > 0 ? sg_process_wait(child) : -1;
    close(pipes[0]);
    if (status != 0 || got != sizeof(answer))
        return sg_fail(err, SG_NO_GPU, NULL, "%s",
                       got == sizeof(answer) ? answer.name
                                             : "the process that queries the driver failed");
    sg_text_add(name, answer.name);
    sg_text_add(pci_bus_id, answer.pci_bus_id);
    return SG_SUCCESS;
}
