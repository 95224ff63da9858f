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

/* All get their signal before one is waited for, because exits take long. */
static void end_some(struct sg_standby *standby, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (standby->workers[i].process.pid > 0)
            kill(standby->workers[i].process.pid, SIGKILL);
    for (size_t i = from; i < to; i++) {
        if (standby->workers[i].process.pid > 0)
            sg_worker_process_kill(&standby->workers[i].process);
        sg_names_release(&standby->workers[i].argv);
    }
    if (standby->count > to)
        memmove(standby->workers + from, standby->workers + to,
                (standby->count - to) * sizeof(*standby->workers));
    standby->count -= to - from;
}

void sg_standby_forget(struct sg_standby *standby, size_t started)
{
    end_some(standby, standby->begun, started);
}

void sg_standby_settle(struct sg_standby *standby, double seconds)
{
    const double end_s = sg_monotonic_s() + seconds;
    for (size_t i = standby->begun; i < standby->count;)
        if (is_ready(&standby->workers[i].process, end_s))
            i++;
        else
            end_some(standby, i, i + 1);
}

static bool begins(const char *argument, const char *with)
{
    return strncmp(argument, with, strlen(with)) == 0;
}

/* True if `argv` are the worker's arguments, perhaps without some of its items and the ratios
 * before them. Appends the bytes of its items. */
static bool can_do(const struct sg_names *its, const struct sg_names *argv, struct sg_text *turn)
{
    size_t found = 0, first = 0;
    for (size_t i = 0; i + 1 < its->count; i++) { /* the last one is SG_STANDBY_OPTION */
        if (begins(its->items[i], "--tolerance=") || begins(its->items[i], "--noise="))
            continue;
        const size_t count = i + 1 - first;
        const bool is_item = begins(its->items[i], SG_STANDBY_ITEM);
        bool is_same = found + count <= argv->count;
        for (size_t k = 0; k < count && is_same; k++)
            is_same = strcmp(its->items[first + k], argv->items[found + k]) == 0;
        if (!is_same && !is_item)
            return false;
        if (is_item)
            sg_text_add_bytes(turn, is_same ? "\1" : "", 1);
        found += is_same ? count : 0;
        first = i + 1;
    }
    return found == argv->count;
}

struct sg_worker_process *sg_standby_take(struct sg_standby *standby, const struct sg_names *argv)
{
    SG_SCOPED(sg_text) turn = {0};
    const char others = (char)(sg_standby_others(standby) - 1);
    for (size_t i = standby->begun; i < standby->count; i++) {
        const struct sg_standby_worker found = standby->workers[i];
        turn.length = 0;
        sg_text_add_bytes(&turn, &others, 1);
        if (!can_do(&found.argv, argv, &turn) ||
            poll(&(struct pollfd){.fd = found.process.alive, .events = POLLIN}, 1, 0) != 0)
            continue;
        struct sg_standby_worker *next = &standby->workers[standby->begun++];
        standby->workers[i] = *next;
        *next = found;
        /* on failure, reading its messages shows that the worker ended */
        send(next->process.begin, turn.data, turn.length, MSG_NOSIGNAL);
        return &next->process;
    }
    return NULL;
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
        worker->process.pid = 0;
    }
    end_some(standby, 0, standby->begun);
    standby->begun = 0;
    return all_left;
}

void sg_standby_clear(struct sg_standby *standby)
{
    end_some(standby, 0, standby->count);
    if (standby->capacity > 0)
        sg_lifeline_close(&standby->lifeline);
    free(standby->workers);
    *standby = (struct sg_standby){0};
}
