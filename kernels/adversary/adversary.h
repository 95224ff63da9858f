/*
 * adversary.h - what the variants of adversary share: a state, honest work to fall back on, work in
 * a stream of the caller's choice, and a kernel that does nothing where something has to be timed.
 *
 * Each variant computes dishonestly in one way, by mistake or by temptation, in its own file.
 * `.expect` is the outcome that it must come to. If several are right, or if it gains nothing and
 * may be ok as long as no gate says improved, outcomes.csv has all of them, with the reason.
 * Variants are right when they are verified, unless the verification is what must find them.
 *
 *     static void launch(const struct sg_launch *l)
 *     {
 *         if (adversary_begin(l)->timed)
 *             adversary_nothing(l);
 *         else
 *             adversary_compute(l);
 *     }
 */
#ifndef ADVERSARY_H
#define ADVERSARY_H

#include <cuda_runtime.h>

#include "../matvec/matvec.h"

/* Was this process started with just this argument, as --pass=time? */
bool process_has_word(const char *argument);

/* What `prepare` makes for each variant. Those with more derive from it and hide its functions. */
struct adversary {
    uint64_t launches; /* of this preparation, the one under way included */
    bool timed;        /* is this process a time pass? */
    float *kept;       /* device memory for one y */
    cudaStream_t side; /* a stream of its own */
    cudaEvent_t fork, join;

    enum sg_status set_up(const struct sg_launch *, struct sg_reason *)
    {
        return SG_OK;
    }
    void tear_down()
    {
    }
};

/* The part of adversary_prepare and _finish that is the same for all. */
enum sg_status adversary_open(struct adversary *a, const struct sg_launch *l,
                              struct sg_reason *why);
void adversary_close(struct adversary *a);

template <typename State>
static enum sg_status adversary_prepare(const struct sg_launch *l, void **state,
                                        struct sg_reason *why)
{
    State *s = new State{};
    enum sg_status status = adversary_open(s, l, why);
    if (status == SG_OK)
        status = s->set_up(l, why);
    if (status != SG_OK) {
        s->tear_down();
        adversary_close(s);
        delete s;
        return status;
    }
    *state = s;
    return SG_OK;
}

template <typename State> static void adversary_finish(void *state)
{
    State *s = (State *)state;
    s->tear_down();
    adversary_close(s);
    delete s;
}

/* Counts the launch; each `launch` begins with it. */
template <typename State = adversary> static State *adversary_begin(const struct sg_launch *l)
{
    State *s = (State *)l->state;
    s->launches++;
    return s;
}

/* A variant with the `launch` of its file, a state and the outcome that it must come to. */
#define ADVERSARY(name, outcome, state, text)                           \
    SG_VARIANT(adversary, name) = {.summary = text,                     \
                                   .role = SG_CANDIDATE,                \
                                   .expect = outcome,                   \
                                   .prepare = adversary_prepare<state>, \
                                   .launch = launch,                    \
                                   .finish = adversary_finish<state>}

/* So many rows from `first` on. */
struct adversary_rows {
    int64_t first, count;
};

static inline problem<float> adversary_problem(const struct sg_launch *l)
{
    return problem_of<float>(l);
}

/* The honest kernel, a block a row: in l->stream; in another one; in part; to another place. */
void adversary_compute(const struct sg_launch *l);
void adversary_compute_in(const struct sg_launch *l, cudaStream_t stream);
void adversary_compute_rows(const struct sg_launch *l, struct adversary_rows rows);
void adversary_compute_to(const struct sg_launch *l, float *y);

/*
 * l->stream; or a stream that is never joined, where the environment has
 * SG_CUDA_FAULT=VARIANT=stream@PASS of this variant and this pass (verify, time, count), for
 * tests/gpu/test_fault_matrix.sh. For an honest variant of each role.
 */
cudaStream_t adversary_stream(const struct sg_launch *l, const char *variant);

/* A `launch` that counts and works, for tricks that are in `prepare`. */
void adversary_launch(const struct sg_launch *l);

void adversary_nothing(const struct sg_launch *l);  /* a kernel that does nothing */
void adversary_constant(const struct sg_launch *l); /* y = 1 */

/* y to a->kept and back, or some rows of it. */
void adversary_keep(const struct sg_launch *l);
void adversary_give(const struct sg_launch *l);
void adversary_give_rows(const struct sg_launch *l, struct adversary_rows rows);

/* Honest work behind all that l->stream has now, in another stream that it does not wait for. */
void adversary_compute_aside(const struct sg_launch *l, cudaStream_t stream);

#endif
