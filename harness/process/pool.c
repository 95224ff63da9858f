#include "process/pool.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/worker_process.h"

#define READ_BYTES 65536
/* reads of READ_BYTES: more than the pipes of a dead worker hold. Limits a worker that left its
 * group and keeps writing */
#define DRAIN_READS 64

struct running {
    struct sg_worker_job *job; /* NULL: free slot */
    struct sg_worker_process process;
    double started_s, late_s; /* on the monotonic clock; late_s: deadline */
    double kill_s;            /* when to send SIGKILL; infinite before SIGTERM and after SIGKILL */
    bool condemned;           /* being killed; `fate` has the reason */
    enum sg_worker_fate fate;
    bool greeted, begun, bye; /* sent hello; an item has begun; sent bye */
    struct sg_text line;      /* incomplete line of messages */
    char tail[SG_CAPTURE_BYTES];
    size_t tail_count;
};

struct pool {
    struct running *slots;
    struct pollfd *polled; /* the signals, then for each slot: output, messages, pidfd */
    size_t slot_count;
    size_t next; /* all jobs before this one are started */
    int signals;
    struct sg_lifeline lifeline;
    char *bytes;         /* buffer of READ_BYTES for one read, too large for a small stack */
    struct sg_text room; /* texts of the current message */
    bool stopping;
    struct sg_err *err;
    sigset_t caught;
};

/* setup_s: time that the worker requests for an import or a first call. */
static void start_deadline(struct running *r, double setup_s)
{
    const double start_up_s = r->begun ? 0 : r->job->start_up_s;
    r->late_s =
        sg_monotonic_s() + fmax(r->job->deadline_s, fmax(start_up_s, fmin(setup_s, SG_SETUP_S)));
}

/* The worker may have left its group, so its pid gets the signal too. */
static void signal_worker(const struct running *r, int number)
{
    kill(-r->process.group, number);
    kill(r->process.pid, number);
}

static void condemn(struct running *r, enum sg_worker_fate fate)
{
    if (r->condemned)
        return;
    r->condemned = true;
    r->fate = fate;
    r->kill_s = sg_monotonic_s() + SG_KILL_GRACE_S;
    signal_worker(r, SIGTERM);
}

static void stop_all(struct pool *p)
{
    for (size_t i = 0; i < p->slot_count; i++) {
        struct running *r = &p->slots[i];
        if (r->job && r->condemned && p->stopping)
            r->kill_s = 0;
        else if (r->job)
            condemn(r, SG_WORKER_STOPPED);
    }
    p->stopping = true;
}

static enum sg_code start(struct pool *p, struct running *r, struct sg_worker_job *job)
{
    *r = (struct running){.job = job, .kill_s = INFINITY};
    job->started = true;
    if (job->process) {
        r->process = *job->process;
        job->process->pid = 0;
    } else if (sg_worker_process_start(job->argv, false, &p->lifeline, &r->process, p->err) !=
               SG_SUCCESS) {
        r->job = NULL;
        return p->err->code;
    }
    r->started_s = sg_monotonic_s();
    start_deadline(r, 0);
    memset(&job->end, 0, sizeof(job->end));
    return SG_SUCCESS;
}

static void keep_tail(struct running *r, const char *bytes, size_t count)
{
    const size_t room = sizeof(r->tail) - 1;
    if (count > room) {
        bytes += count - room;
        count = room;
    }
    size_t kept = r->tail_count + count > room ? room - count : r->tail_count;
    memmove(r->tail, r->tail + r->tail_count - kept, kept);
    memcpy(r->tail + kept, bytes, count);
    r->tail_count = kept + count;
}

static void break_protocol(struct running *r, const char *why)
{
    char *kept = r->job->end.violation;
    if (!r->condemned)
        memcpy(kept, why, strnlen(why, sizeof(r->job->end.violation) - 1));
    condemn(r, SG_WORKER_BROKE_PROTOCOL);
}

/* A worker that rejects its command line reports that before hello. */
static enum sg_code take_hello(struct running *r, const struct sg_message *m, struct sg_err *err)
{
    if (m->kind == SG_MESSAGE_FAIL)
        return SG_SUCCESS;
    if (m->kind != SG_MESSAGE_HELLO)
        return sg_fail(err, SG_INVALID, NULL, "expected hello as the first message");
    r->greeted = true;
    if (m->version != SG_PROTOCOL_VERSION)
        return sg_fail(err, SG_INVALID, NULL,
                       "hello: expected version %d of the protocol, found %u: solgate and "
                       "solgate-worker are from different builds",
                       SG_PROTOCOL_VERSION, m->version);
    if (strcmp(m->pass, r->job->pass) != 0)
        return sg_fail(err, SG_INVALID, NULL, "hello: expected pass %s, found '%s'", r->job->pass,
                       sg_show_string(m->pass).text);
    return SG_SUCCESS;
}

static enum sg_code take_message(struct running *r, const struct sg_message *m, struct sg_err *err)
{
    if (r->bye)
        return sg_fail(err, SG_INVALID, NULL, "a message after bye");
    if (m->kind == SG_MESSAGE_SETUP) {
        start_deadline(r, m->seconds);
        return SG_SUCCESS;
    }
    if (r->job->pass && !r->greeted && take_hello(r, m, err) != SG_SUCCESS)
        return err->code;
    r->bye = m->kind == SG_MESSAGE_BYE;
    r->begun |= m->kind == SG_MESSAGE_BEGIN;
    r->job->on_message(r->job->context, m, err);
    if (sg_message_is_progress(m->kind))
        start_deadline(r, 0);
    return err->code;
}

static void take_line(struct pool *p, struct running *r)
{
    struct sg_err err = {0};
    struct sg_message message;
    if (sg_message_parse(r->line.data, r->line.length, &p->room, &message, &err) == SG_SUCCESS)
        take_message(r, &message, &err);
    if (err.code == SG_INVALID || (err.code == SG_BAD_INPUT && !err.where[0])) {
        break_protocol(r, err.message);
    } else if (err.code != SG_SUCCESS) {
        if (p->err->code == SG_SUCCESS)
            *p->err = err;
        stop_all(p);
    }
}

static void take_lines(struct pool *p, struct running *r, const char *bytes, size_t count)
{
    while (count > 0 && !r->condemned) {
        const char *end = memchr(bytes, '\n', count);
        size_t part = end ? (size_t)(end - bytes) : count;
        if (r->line.length + part > SG_MESSAGE_LINE_MAX) {
            break_protocol(r, "a line without an end");
            return;
        }
        sg_text_add_bytes(&r->line, bytes, part);
        if (!end)
            return;
        take_line(p, r);
        r->line.length = 0;
        bytes = end + 1;
        count -= part + 1;
    }
}

/* Returns false when no more data is available. */
static bool read_once(struct pool *p, struct running *r, int *fd)
{
    if (*fd < 0)
        return false;
    ssize_t count = read(*fd, p->bytes, READ_BYTES);
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (count <= 0) {
        sg_close_end(fd);
        return false;
    }
    if (fd == &r->process.output)
        keep_tail(r, p->bytes, (size_t)count);
    else
        take_lines(p, r, p->bytes, (size_t)count);
    return true;
}

static void drain(struct pool *p, struct running *r, int *fd)
{
    for (int i = 0; i < DRAIN_READS && read_once(p, r, fd); i++)
        continue;
    sg_close_end(fd);
}

bool sg_worker_died_behind_bye(const struct sg_worker_end *end)
{
    return end->said_bye && end->fate != SG_WORKER_FINISHED && end->fate != SG_WORKER_STOPPED;
}

void sg_worker_end_set(struct sg_worker_end *end, int how, bool said_bye)
{
    end->said_bye = said_bye;
    if (WIFSIGNALED(how))
        end->fate = SG_WORKER_SIGNALLED;
    else
        end->fate = WEXITSTATUS(how) == 0 && said_bye ? SG_WORKER_FINISHED : SG_WORKER_EXITED;
    end->signal = WIFSIGNALED(how) ? WTERMSIG(how) : 0;
    end->exit_status = WIFEXITED(how) ? WEXITSTATUS(how) : 0;
}

static void fill_end(struct running *r, int how, double ended_s)
{
    struct sg_worker_end *end = &r->job->end;
    sg_worker_end_set(end, how, r->bye);
    end->fate = r->condemned ? r->fate : end->fate;
    end->wall_s = ended_s - r->started_s;
    for (size_t i = 0; i < r->tail_count; i++) {
        unsigned char c = (unsigned char)r->tail[i];
        end->output[i] = (c >= ' ' && c < 0x7f) || c == '\n' || c == '\t' ? (char)c : '?';
    }
    end->output[r->tail_count] = '\0';
}

static void leave(struct pool *p, struct running *r)
{
    struct sg_worker_job *job = r->job;
    sg_text_release(&r->line);
    r->job = NULL;
    if (job->on_end && job->on_end(job->context, job, p->err) != SG_SUCCESS)
        stop_all(p);
    if (job->again)
        p->next = 0;
    job->again = false;
}

/* The worker is done and belongs to the caller again. */
static void hand_back(struct pool *p, struct running *r)
{
    for (int i = 0; i < DRAIN_READS && read_once(p, r, &r->process.output); i++)
        continue;
    sg_close_end(&r->process.output);
    sg_close_end(&r->process.messages);
    *r->job->process = r->process;
    fill_end(r, 0, sg_monotonic_s());
    leave(p, r);
}

/* Kills everything the worker started, then reads the rest of its pipes and frees the slot. */
static void finish(struct pool *p, struct running *r)
{
    double ended_s = sg_monotonic_s();
    kill(-r->process.group, SIGKILL);
    drain(p, r, &r->process.messages);
    drain(p, r, &r->process.output);
    const int how = sg_worker_process_reap(&r->process);
    fill_end(r, how, ended_s);
    leave(p, r);
}

static void watch(struct running *r)
{
    const double now_s = sg_monotonic_s();
    if (!r->condemned && now_s >= r->late_s)
        condemn(r, SG_WORKER_LATE);
    if (r->condemned && now_s >= r->kill_s) {
        r->kill_s = INFINITY;
        signal_worker(r, SIGKILL);
    }
}

/* Milliseconds until the next deadline or end of a grace period; -1: none. */
static int wait_ms(const struct pool *p)
{
    double next_s = INFINITY;
    for (size_t i = 0; i < p->slot_count; i++) {
        const struct running *r = &p->slots[i];
        if (r->job)
            next_s = fmin(next_s, r->condemned ? r->kill_s : r->late_s);
    }
    return isinf(next_s) ? -1 : (int)fmax(0, fmin(ceil((next_s - sg_monotonic_s()) * 1e3), 1e6));
}

static void poll_all(struct pool *p)
{
    p->polled[0] = (struct pollfd){.fd = p->signals, .events = POLLIN};
    for (size_t i = 0; i < p->slot_count; i++) {
        const struct running *r = &p->slots[i];
        p->polled[1 + 3 * i] =
            (struct pollfd){.fd = r->job ? r->process.output : -1, .events = POLLIN};
        p->polled[2 + 3 * i] =
            (struct pollfd){.fd = r->job ? r->process.messages : -1, .events = POLLIN};
        p->polled[3 + 3 * i] =
            (struct pollfd){.fd = r->job ? r->process.alive : -1, .events = POLLIN};
    }
    if (poll(p->polled, 1 + 3 * p->slot_count, wait_ms(p)) >= 0)
        return;
    if (errno != EINTR && errno != EAGAIN) {
        sg_fail(p->err, SG_SYSTEM, NULL, "cannot wait for workers: %s", strerror(errno));
        stop_all(p);
    }
    for (size_t i = 0; i < 1 + 3 * p->slot_count; i++)
        p->polled[i].revents = 0;
}

static void take_signals(struct pool *p)
{
    struct signalfd_siginfo info;
    while (read(p->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        sg_fail(p->err, SG_INTERRUPTED, NULL, "stopped by %s", sg_signal_name((int)info.ssi_signo));
        stop_all(p);
    }
}

static void step(struct pool *p)
{
    poll_all(p);
    if (p->polled[0].revents)
        take_signals(p);
    for (size_t i = 0; i < p->slot_count; i++) {
        struct running *r = &p->slots[i];
        if (!r->job)
            continue;
        if (p->polled[2 + 3 * i].revents)
            read_once(p, r, &r->process.messages);
        if (p->polled[1 + 3 * i].revents)
            read_once(p, r, &r->process.output);
        if (p->polled[3 + 3 * i].revents)
            finish(p, r);
        else if (r->bye && !r->condemned && r->job->process)
            hand_back(p, r);
        else
            watch(r);
    }
}

static void stopping_signals(sigset_t *set)
{
    static const int stopping[] = {SIGINT, SIGTERM, SIGHUP};
    sigemptyset(set);
    for (size_t i = 0; i < sizeof(stopping) / sizeof(stopping[0]); i++) {
        struct sigaction now;
        // A blocked signal is queued even if it is ignored, so signalfd would return a signal that
        // nohup ignores.
        if (sigaction(stopping[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(set, stopping[i]);
    }
}

void sg_signals_hold(sigset_t *before)
{
    sigset_t set;
    stopping_signals(&set);
    sigprocmask(SIG_BLOCK, &set, before);
}

void sg_signals_let_go(const sigset_t *before)
{
    sigprocmask(SIG_SETMASK, before, NULL);
}

static enum sg_code open_pool(struct pool *p, size_t parallel, struct sg_err *err)
{
    *p = (struct pool){.slot_count = parallel, .err = err};
    stopping_signals(&p->caught);
    p->signals = signalfd(-1, &p->caught, SFD_CLOEXEC | SFD_NONBLOCK);
    if (p->signals < 0)
        return sg_fail(err, SG_SYSTEM, NULL, "cannot open a signalfd: %s", strerror(errno));
    if (sg_lifeline_open(&p->lifeline, err) != SG_SUCCESS) {
        close(p->signals);
        return err->code;
    }
    p->bytes = sg_alloc(READ_BYTES, 1);
    p->slots = sg_alloc(parallel, sizeof(*p->slots));
    p->polled = sg_alloc(1 + 3 * parallel, sizeof(*p->polled));
    return SG_SUCCESS;
}

static void close_pool(struct pool *p)
{
    sg_lifeline_close(&p->lifeline);
    close(p->signals);
    free(p->bytes);
    sg_text_release(&p->room);
    free(p->slots);
    free(p->polled);
}

static size_t fill_slots(struct pool *p, struct sg_worker_job *jobs, size_t count)
{
    size_t alive = 0;
    for (size_t i = 0; i < p->slot_count; i++) {
        while (p->next < count && jobs[p->next].started)
            p->next++;
        if (!p->slots[i].job && p->next < count && !p->stopping &&
            start(p, &p->slots[i], &jobs[p->next]) != SG_SUCCESS)
            stop_all(p);
        alive += p->slots[i].job != NULL;
    }
    return alive;
}

enum sg_code sg_workers_run(struct sg_worker_job *jobs, size_t count, size_t parallel,
                            struct sg_err *err)
{
    struct pool p;
    // No more slots than jobs: poll accepts no more entries than the limit of descriptors.
    if (open_pool(&p, parallel < count ? parallel : count, err) != SG_SUCCESS)
        return err->code;
    sigset_t mask;
    sigprocmask(SIG_BLOCK, &p.caught, &mask);

    while (fill_slots(&p, jobs, count) > 0)
        step(&p);

    sigprocmask(SIG_SETMASK, &mask, NULL);
    close_pool(&p);
    return err->code;
}
