#include "process/standby.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "util/text.h"

#define LOOK_MS 50 /* between looks for a signal, which is blocked meanwhile */

void sg_standby_start(struct sg_standby *standby, struct sg_names *argv)
{
    struct sg_err none = {0}; /* its job starts it again, and reports the reason */
    if (standby->capacity == 0 && sg_lifeline_open(&standby->lifeline, &none) != SG_SUCCESS) {
        sg_names_release(argv);
        return;
    }
    struct sg_standby_worker *worker = SG_APPEND(standby->workers, standby->count, standby->capacity);
    *worker = (struct sg_standby_worker){.argv = *argv};
    *argv = (struct sg_names){0};
    sg_names_add(&worker->argv, SG_STANDBY_OPTION);
    if (sg_worker_process_start((const char *const *)worker->argv.items, true, &standby->lifeline, &worker->process, &none) == SG_SUCCESS)
        return;
    sg_names_release(&worker->argv);
    standby->count--;
}

static void forget(struct sg_standby *standby, size_t i)
{
    sg_names_release(&standby->workers[i].argv);
    standby->workers[i] = standby->workers[--standby->count];
}

static void end_one(struct sg_standby *standby, size_t i)
{
    sg_worker_process_kill(&standby->workers[i].process);
    forget(standby, i);
}

static bool is_stopped(void)
{
    sigset_t pending;
    sigpending(&pending);
    return sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) || sigismember(&pending, SIGHUP);
}

/* One byte makes it ready; the end of the socket is that of the worker. */
static bool is_ready(const struct sg_worker_process *process, double end_s)
{
    char byte;
    struct pollfd turn = {.fd = process->turn, .events = POLLIN};
    while (poll(&turn, 1, LOOK_MS) == 0 && sg_monotonic_s() < end_s && !is_stopped())
        continue;
    return recv(process->turn, &byte, 1, MSG_DONTWAIT) == 1;
}

void sg_standby_settle(struct sg_standby *standby, double seconds)
{
    const double end_s = sg_monotonic_s() + seconds;
    for (size_t i = standby->count; i-- > 0;) {
        struct sg_standby_worker *worker = &standby->workers[i];
        worker->is_ready = worker->is_ready || is_ready(&worker->process, end_s);
        if (!worker->is_ready)
            end_one(standby, i);
    }
}

static bool is_same(const struct sg_names *waiting, const char *const *argv)
{
    size_t i = 0;
    while (i + 1 < waiting->count && argv[i] && strcmp(waiting->items[i], argv[i]) == 0)
        i++;
    return i + 1 == waiting->count && !argv[i];
}

static size_t find(const struct sg_standby *standby, const char *const *argv)
{
    size_t i = 0;
    while (i < standby->count && !is_same(&standby->workers[i].argv, argv))
        i++;
    return i;
}

bool sg_standby_has(const struct sg_standby *standby, const char *const *argv)
{
    return find(standby, argv) < standby->count;
}

bool sg_standby_take(struct sg_standby *standby, const char *const *argv, struct sg_worker_process *process)
{
    const size_t i = find(standby, argv);
    const unsigned char others = (unsigned char)(sg_standby_others(standby) - 1);
    if (i == standby->count)
        return false;
    *process = standby->workers[i].process;
    if (send(process->turn, &others, 1, MSG_NOSIGNAL) != 1) {
        sg_standby_clear(standby); /* what starts now has none beside it */
        return false;
    }
    forget(standby, i);
    return true;
}

void sg_standby_forget(struct sg_standby *standby)
{
    while (standby->count > 0)
        end_one(standby, standby->count - 1);
}

size_t sg_standby_others(const struct sg_standby *standby)
{
    return standby->count + standby->parked_count;
}

void sg_standby_park(struct sg_standby *standby, struct sg_worker_process *process)
{
    *SG_APPEND(standby->parked, standby->parked_count, standby->parked_capacity) = *process;
}

bool sg_standby_dismiss(struct sg_standby *standby, double seconds, struct sg_worker_end *left)
{
    const double end_s = sg_monotonic_s() + seconds;
    bool all_left = true;
    for (size_t i = 0; i < standby->parked_count; i++)
        sg_close_end(&standby->parked[i].turn);
    for (size_t i = 0; i < standby->parked_count; i++) {
        struct pollfd ended = {.fd = standby->parked[i].alive, .events = POLLIN};
        const bool is_late = poll(&ended, 1, (int)(1e3 * fmax(0, end_s - sg_monotonic_s()))) != 1;
        struct sg_worker_end end = {.signal = 0};
        sg_worker_end_set(&end, sg_worker_process_kill(&standby->parked[i]), true);
        if (end.fate == SG_WORKER_FINISHED)
            continue;
        all_left = false;
        *left = end;
        left->fate = is_late ? SG_WORKER_LATE : end.fate;
    }
    standby->parked_count = 0;
    return all_left;
}

void sg_standby_clear(struct sg_standby *standby)
{
    sg_standby_forget(standby);
    while (standby->parked_count > 0)
        sg_worker_process_kill(&standby->parked[--standby->parked_count]);
    free(standby->parked);
    if (standby->capacity > 0)
        sg_lifeline_close(&standby->lifeline);
    free(standby->workers);
    *standby = (struct sg_standby){0};
}
