/*
 * adversary/host_thread - a thread launches the work a little later, in a stream of its own; what
 * is timed is an empty kernel.
 *
 * In a verification the launch waits for the thread.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "adversary.h"

#define LATER_US 50

namespace
{
struct state : adversary {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct sg_launch job;
    uint64_t posted, done;
    bool started, stop;
    int device;

    enum sg_status set_up(const struct sg_launch *l, struct sg_reason *why);
    void tear_down();
};
} // namespace

static void *serve(void *argument)
{
    struct state *s = (struct state *)argument;
    cudaSetDevice(s->device);
    pthread_mutex_lock(&s->mutex);
    for (;;) {
        while (s->done == s->posted && !s->stop)
            pthread_cond_wait(&s->changed, &s->mutex);
        if (s->stop)
            break;
        const struct sg_launch job = s->job;
        const uint64_t posted = s->posted;
        pthread_mutex_unlock(&s->mutex);
        usleep(LATER_US);
        adversary_compute_in(&job, s->side);
        pthread_mutex_lock(&s->mutex);
        s->done = posted;
        pthread_cond_broadcast(&s->changed);
    }
    pthread_mutex_unlock(&s->mutex);
    return nullptr;
}

enum sg_status state::set_up(const struct sg_launch *, struct sg_reason *why)
{
    pthread_mutex_init(&mutex, nullptr);
    pthread_cond_init(&changed, nullptr);
    cudaGetDevice(&device);
    started = pthread_create(&thread, nullptr, serve, this) == 0;
    if (!started)
        snprintf(why->text, sizeof(why->text), "no thread");
    return started ? SG_OK : SG_UNAVAILABLE;
}

void state::tear_down()
{
    if (!started)
        return;
    pthread_mutex_lock(&mutex);
    stop = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, nullptr);
    cudaStreamSynchronize(side);
}

static void launch(const struct sg_launch *l)
{
    struct state *s = adversary_begin<state>(l);
    cudaEventRecord(s->fork, (cudaStream_t)l->stream);
    cudaStreamWaitEvent(s->side, s->fork, 0);
    pthread_mutex_lock(&s->mutex);
    s->job = *l;
    s->posted++;
    pthread_cond_broadcast(&s->changed);
    while (!s->timed && s->done != s->posted)
        pthread_cond_wait(&s->changed, &s->mutex);
    pthread_mutex_unlock(&s->mutex);
    adversary_nothing(l);
}

SG_VARIANT(adversary, host_thread) = {
    .summary = "a thread does its work later",
    .role = SG_CANDIDATE,
    .expect = SG_MISPLACED,
    .prepare = adversary_prepare<state>,
    .launch = launch,
    .finish = adversary_finish<state>,
};
