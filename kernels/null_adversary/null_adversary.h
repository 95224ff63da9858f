/*
 * null_adversary.h - what the variants of null_adversary share: the problem (y = x z), a right
 * answer to it, and faults that any variant can be told to have.
 *
 * A variant of this family is right when it is verified and breaks later, in a pass that it was
 * made for. What it does by itself is a fault in the words below ("crash@time"), or a trick of its
 * own file. SG_NULL_FAULT in the environment gives faults to any variant, baseline and vendor
 * included:
 *
 *     SG_NULL_FAULT=VARIANT=FAULT@PASS[,...]    SG_NULL_FAULT=ok=crash@time,vendor_ok=hang@count
 *
 * and replaces what the variant does in that pass by itself; `baseline` is another name of ok. A
 * fault of launches begins at the first one of a verify or count pass, and behind the warm-up of a
 * time pass. With SG_NULL_FAULT_ONE_IN=N each launch has it by chance, one in N; SG_NULL_FAULT_LOG
 * names a file that gets a line of each launch that has it, and with SG_NULL_FAULT_TIMES=N no
 * launch has it any more when there are N. A specification that is wrong, or names nobody of this
 * family, makes `prepare` refuse with launch_failed and the reason.
 */
#ifndef SG_NULL_ADVERSARY_H
#define SG_NULL_ADVERSARY_H

#include "solgate_kernel.h"

#define ADVERSARY_VARIABLE        "SG_NULL_FAULT"
#define ADVERSARY_ONE_IN_VARIABLE "SG_NULL_FAULT_ONE_IN"
#define ADVERSARY_LOG_VARIABLE    "SG_NULL_FAULT_LOG"
#define ADVERSARY_TIMES_VARIABLE  "SG_NULL_FAULT_TIMES"

enum { IN_X, IN_Z, OUT_Y };

#define ADVERSARY_FAULT_TABLE(X)                                                      \
    X(ADVERSARY_NO_FAULT, "none", "does what is right")                               \
    X(ADVERSARY_FAULT, "fault", "faults on the simulated device")                     \
    X(ADVERSARY_HANG, "hang", "never ends")                                           \
    X(ADVERSARY_LEAK, "leak", "maps 4 MiB and keeps it")                              \
    X(ADVERSARY_WRONG, "wrong", "gets one element wrong")                             \
    X(ADVERSARY_SPOILS, "spoils", "makes other candidates of its process wrong")      \
    X(ADVERSARY_OVERRUN, "overrun", "writes behind its output")                       \
    X(ADVERSARY_STREAM, "stream", "not simulated: the host has no streams")           \
    X(ADVERSARY_EXIT, "exit", "leaves the process by exit(0)")                        \
    X(ADVERSARY_CRASH, "crash", "aborts")                                             \
    X(ADVERSARY_SIGSEGV, "sigsegv", "writes to an address that nobody has")           \
    X(ADVERSARY_EXIT_CRASH, "atexit", "aborts when its process ends")                 \
    X(ADVERSARY_SIGKILL, "sigkill", "kills its process as no handler sees")           \
    X(ADVERSARY_ENDS_PARENT, "sigterm", "sends SIGTERM to solgate")                   \
    X(ADVERSARY_PREPARE_ERROR, "prepare_error", "its prepare leaves an error behind") \
    X(ADVERSARY_FINISH_ERROR, "finish_error", "its finish leaves an error behind")    \
    X(ADVERSARY_SETTINGS, "settings", "its prepare sets most of the L2 aside")        \
    X(ADVERSARY_SETS_LATE, "sets_late", "its launch sets most of the L2 aside")

enum adversary_fault {
#define X(constant, word, meaning) constant,
    ADVERSARY_FAULT_TABLE(X)
#undef X
        ADVERSARY_FAULTS
};

#define ADVERSARY_PASS_TABLE(X)      \
    X(ADVERSARY_IN_VERIFY, "verify") \
    X(ADVERSARY_IN_TIME, "time")     \
    X(ADVERSARY_IN_COUNT, "count")

enum adversary_pass {
#define X(constant, word) constant,
    ADVERSARY_PASS_TABLE(X)
#undef X
        ADVERSARY_PASSES /* also: another pass, or none that is known */
};

/* A verification makes fewer launches than this of a variant that claims no determinism. */
#define ADVERSARY_LAUNCHES_OF_VERIFICATION 8

/* State of a preparation. Variants with more to remember begin theirs with it. */
struct adversary {
    enum adversary_fault fault[ADVERSARY_PASSES + 1]; /* by pass; the last is of no pass: nothing */
    uint64_t launches;                                /* of this preparation so far */
    const char *variant;                              /* its name */
};

uint64_t adversary_count(const struct sg_case *c); /* elements of each buffer */

/*
 * For `prepare`: a state of `bytes`, zeroed, that begins with a struct adversary, with the faults
 * of `does` ("FAULT@PASS,..." or "") and what the environment tells of `variant`. Freed by
 * adversary_finish.
 */
enum sg_status adversary_prepare(const char *variant, const char *does, size_t bytes, void **state, struct sg_reason *why);
void adversary_finish(void *state);

void adversary_compute(const struct sg_launch *l); /* the right answer, and nothing else */
/* Of this preparation before this launch: what each `launch` of a trick of its own begins with. */
uint64_t adversary_launches_before(const struct sg_launch *l);
void adversary_strike(const struct sg_launch *l); /* the fault that is due in this pass, if any */
void adversary_launch(const struct sg_launch *l); /* all three: for variants without a trick */

/* sg_family.last_error: a fault shows at the second call, that for the end of the launch. */
int adversary_last_error(struct sg_reason *why);

/*
 * Defines the variant and its `prepare`: `does` as for adversary_prepare, `memory` the type of its
 * state, then its other fields.
 */
#define ADVERSARY_VARIANT(variant, does, memory, ...)                                             \
    static enum sg_status prepare(const struct sg_launch *l, void **state, struct sg_reason *why) \
    {                                                                                             \
        (void)l;                                                                                  \
        return adversary_prepare(#variant, does, sizeof(memory), state, why);                     \
    }                                                                                             \
    SG_VARIANT(null_adversary, variant) = {.prepare = prepare, .finish = adversary_finish, __VA_ARGS__}

#endif
