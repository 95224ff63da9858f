#include "process/standby.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "util/text.h"

#define POLL_MS 50 /* between checks for a signal; signals are blocked meanwhile */

enum sg_code sg_standby_start(struct sg_standby *standby, struct sg_names *argv, struct sg_err *err)
{
    if (standby->capacity > 0 || sg_lifeline_open(&standby->lifeline, err) == SG_SUCCESS) {
        struct sg_standby_worker *worker =
            SG_APPEND(standby->workers, standby->count, standby->capacity);
        worker->argv = *argv;
        *argv = (struct sg_names){0};
        sg_names_add(&worker->argv, SG_STANDBY_OPTION);
        if (sg_worker_process_start((const char *const *)worker->argv.items, true,
                                    &standby->lifeline, &worker->process, err) != SG_SUCCESS)
            sg_names_release(&standby->workers[--standby->count].argv);
    }
    sg_names_release(argv);
    return err->code;
}

static bool is_stopped(void)
{
    sigset_t pending;
    sigpending(&pending);
    return sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) ||
           sigismember(&pending, SIGHUP);
}

/* The worker is ready when its byte has arrived; the byte stays in the socket. A closed socket
 * means that the worker ended. */
static bool is_ready(const struct sg_worker_process *process, double end_s)
{
    char byte;
    struct pollfd begin = {.fd = process->begin, .events = POLLIN};
    while (poll(&begin, 1, POLL_MS) == 0 && sg_monotonic_s() < end_s && !is_stopped())
        continue;
    return recv(process->begin, &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 1;
}

static void end_behind(struct sg_standby *standby, size_t kept)
{
    while (standby->count > kept) {
        struct sg_standby_worker *last = &standby->workers[--standby->count];
        if (last->process.pid > 0)
            sg_worker_process_kill(&last->process);
        sg_names_release(&last->argv);
    }
}

void sg_standby_forget(struct sg_standby *standby)
{
    end_behind(standby, standby->begun);
}

void sg_standby_settle(struct sg_standby *standby, double seconds)
{
    const double end_s = sg_monotonic_s() + seconds;
    size_t ready = standby->begun;
    while (ready < standby->count && is_ready(&standby->workers[ready].process, end_s))
        ready++;
    end_behind(standby, ready);
}

bool sg_standby_is_next(const struct sg_standby *standby, const struct sg_names *argv)
{
    const struct sg_standby_worker *next = &standby->workers[standby->begun];
    bool is_same = standby->begun < standby->count && next->argv.count == argv->count + 1;
    for (size_t i = 0; is_same && i < argv->count; i++)
        is_same = strcmp(next->argv.items[i], argv->items[i]) == 0;
    return is_same &&
           poll(&(struct pollfd){.fd = next->process.alive, .events = POLLIN}, 1, 0) == 0;
}

struct sg_worker_process *sg_standby_take(struct sg_standby *standby)
{
    const unsigned char others = (unsigned char)(sg_standby_others(standby) - 1);
    struct sg_worker_process *process = &standby->workers[standby->begun++].process;
    /* on failure, reading its messages shows that the worker ended */
    send(process->begin, &others, 1, MSG_NOSIGNAL);
    return process;
}

size_t sg_standby_others(const struct sg_standby *standby)
{
    size_t there = 0;
    for (size_t i = 0; i < standby->count; i++)
        there += standby->workers[i].process.pid > 0;
    return there;
}

/* Returns how the worker ended; SG_WORKER_LATE if it had to be killed at end_s. */
static struct sg_worker_end end_one(struct sg_worker_process *process, double end_s)
{
    struct pollfd ended = {.fd = process->alive, .events = POLLIN};
    const bool is_late = poll(&ended, 1, (int)(1e3 * fmax(0, end_s - sg_monotonic_s()))) != 1;
    struct sg_worker_end end = {.signal = 0};
    sg_worker_end_set(&end, sg_worker_process_kill(process), true);
    end.fate = is_late ? SG_WORKER_LATE : end.fate;
    return end;
}

bool sg_standby_dismiss(struct sg_standby *standby, double seconds, struct sg_worker_end *left)
{
    const double end_s = sg_monotonic_s() + seconds;
    bool all_left = true;
    for (size_t i = 0; i < standby->begun; i++)
        if (standby->workers[i].process.pid > 0)
            sg_close_end(&standby->workers[i].process.begin);
    for (size_t i = 0; i < standby->begun; i++) {
        struct sg_standby_worker *worker = &standby->workers[i];
        const struct sg_worker_end end = worker->process.pid > 0
                                             ? end_one(&worker->process, end_s)
                                             : (struct sg_worker_end){.signal = 0};
        if (end.fate != SG_WORKER_FINISHED)
            *left = end;
        all_left &= end.fate == SG_WORKER_FINISHED;
        sg_names_release(&worker->argv);
    }
    standby->count -= standby->begun;
    if (standby->count > 0)
        memmove(standby->workers, standby->workers + standby->begun,
                standby->count * sizeof(*standby->workers));
    standby->begun = 0;
    return all_left;
}

void sg_standby_clear(struct sg_standby *standby)
{
    end_behind(standby, 0);
    if (standby->capacity > 0)
        sg_lifeline_close(&standby->lifeline);
    free(standby->workers);
    *standby = (struct sg_standby){0};
}
