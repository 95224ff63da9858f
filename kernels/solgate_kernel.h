/*
 * solgate_kernel.h - what a family of kernels and its variants tell solgate.
 *
 * A family (a folder) describes the problem once: its cases, its buffers, its work, a reference. A
 * variant (one file in that folder) is one way of solving it: a launch function. The harness owns
 * everything else: memory, inputs, poison, canaries, timing, counters, processes. A family and its
 * variants become one shared object, libsg_<family>.so, which solgate-worker loads.
 *
 * Invariant: nothing here is called while a launch is being timed but `launch` itself.
 * How it is used: kernels/matvec is the example to copy; docs/adding.md walks
 * through it; solgate_add_family() in CMake builds it, inside this tree or
 * outside of it (find_package(solgate)).
 *
 * Plain C and C++ both include this file. Every name (family, case,
 * variant, buffer) matches [a-z0-9_]+.
 */
#ifndef SOLGATE_KERNEL_H
#define SOLGATE_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Goes up whenever a struct below changes its layout or its meaning; a worker
 * refuses a module of another version. */
#define SG_ABI_VERSION 5u

#define SG_MAX_BUFFERS     16 /* buffers of one case */
#define SG_MAX_DIMS        8  /* dimensions of one case */
#define SG_MAX_FACTS       16 /* facts of one variant about one case */
#define SG_MAX_KNOBS       8  /* knobs of one variant */
#define SG_MAX_KNOB_VALUES 16 /* values of one knob that are worth trying */

/* What came of running a variant. The first column is the constant, the second the word
 * in files and on the command line. */
#define SG_STATUS_TABLE(X)                                                                                   \
    X(SG_OK, "ok", "right, by every check that was made")                                                    \
    X(SG_WRONG, "wrong", "an element differs from the reference by more than the tolerance")                 \
    X(SG_NAN, "nan", "an element is not a number where the reference has one")                               \
    X(SG_UNWRITTEN, "unwritten", "an output element was never written")                                      \
    X(SG_OVERRUN, "overrun", "wrote outside of its outputs: a canary or an input changed")                   \
    X(SG_NONDETERMINISTIC, "nondeterministic", "claims the same bits every time, and does not deliver them") \
    X(SG_MISPLACED, "misplaced", "worked elsewhere than where it is timed")                                  \
    X(SG_LEAK, "leak", "memory that its launches took was not given back")                                   \
    X(SG_LAUNCH_FAILED, "launch_failed", "the launch was refused; nothing ran")                              \
    X(SG_CUDA_ERROR, "cuda_error", "the kernel faulted on the device")                                       \
    X(SG_CRASH, "crash", "its process died of a signal or left with an error")                               \
    X(SG_HANG, "hang", "it passed its deadline and was killed")                                              \
    X(SG_OOM, "oom", "not enough memory on the device or the host")                                          \
    X(SG_UNSUPPORTED, "unsupported", "the variant refuses this case or this device, and says why")           \
    X(SG_SKIPPED, "skipped", "not run: filtered out, or something it depends on failed")                     \
    X(SG_UNAVAILABLE, "unavailable", "something it needs is not on this machine (a vendor library, a GPU)")  \
    X(SG_FLAKY, "flaky", "failed while it was timed or counted, and was right when that was done again")

enum sg_status {
#define X(constant, word, meaning) constant,
    SG_STATUS_TABLE(X)
#undef X
        SG_STATUS_COUNT
};

/* Number formats of buffers and of arithmetic. Bits is the size of one element;
 * e2m1 (fp4) is packed, two to a byte. */
#define SG_DTYPE_TABLE(X)  \
    X(SG_F64, "f64", 64)   \
    X(SG_F32, "f32", 32)   \
    X(SG_TF32, "tf32", 32) \
    X(SG_F16, "f16", 16)   \
    X(SG_BF16, "bf16", 16) \
    X(SG_E4M3, "e4m3", 8)  \
    X(SG_E2M1, "e2m1", 4)  \
    X(SG_I32, "i32", 32)   \
    X(SG_I8, "i8", 8)

enum sg_dtype {
#define X(constant, word, bits) constant,
    SG_DTYPE_TABLE(X)
#undef X
        SG_DTYPE_COUNT
};

enum sg_role {
    SG_CANDIDATE, /* compared with the family's baseline, in pairs */
    SG_BASELINE,  /* exactly one in a family */
    SG_VENDOR,    /* a library's kernel: compared like a candidate, shown apart */
};

/* How the harness treats a buffer. */
enum sg_use {
    SG_INPUT,  /* filled by the harness; must be unchanged after a launch */
    SG_OUTPUT, /* poisoned before a check; every element must be written */
    SG_INOUT,  /* filled; restored from a pristine copy before every launch; checked like an output */
    SG_SCRATCH /* contents undefined before and after */
};

/* How the harness fills an input. */
enum sg_fill {
    SG_NORMAL,     /* mean 0, standard deviation `scale` (0 means 1), rounded to the buffer's dtype */
    SG_CUSTOM,     /* the family's `fill` writes it: all of it on the host, so large buffers take longer than by the others */
    SG_UNIFORM,    /* even between -`scale` and `scale` (0 means 1), rounded to the buffer's dtype */
    SG_REARRANGED, /* as SG_CUSTOM; launches that are timed get runs of 256 elements of it, drawn anew for each */
};

struct sg_buffer {
    const char *name;
    enum sg_dtype dtype;
    uint64_t count; /* elements, > 0 */
    uint64_t row;   /* elements of one row, so that a message can say [i,j]; 0: one-dimensional */
    enum sg_use use;
    enum sg_fill fill; /* SG_INPUT and SG_INOUT only */
    double scale;      /* SG_NORMAL: standard deviation; SG_UNIFORM: the largest; 0 means 1 */
};

/* One line of a family's table of cases. */
struct sg_case {
    const char *name;
    int64_t dim[SG_MAX_DIMS]; /* in the order of the family's `dims` */
    enum sg_dtype dtype;      /* the main one, for tables; what it means is the family's business */
    const char *summary;      /* why this case is here, one line */
    const void *more;         /* whatever else the family needs (lists of sizes, ...); may be NULL */
};

/* Work that any correct implementation of the case must do, some at least: the
 * basis of speed-of-light figures. */
struct sg_work {
    double flop[SG_DTYPE_COUNT]; /* floating-point operations by the unit that can do them at best; an FMA counts 2 */
    double read_bytes;           /* compulsory: each input read once */
    double write_bytes;          /* compulsory: each output written once */
};

/*
 * When an output counts as right. Both bounds hold over the whole buffer; 0 means bitwise
 * equal to the reference rounded to the buffer's dtype. One of them is below 1, or outputs of
 * nothing but zeros would be right.
 */
struct sg_tolerance {
    double rel_rms;     /* ||out - ref|| / ||ref|| (Frobenius), ratio */
    double rel_max;     /* max |out - ref| / (|ref| + rms(ref)), ratio */
    const char *reason; /* where the numbers come from, one line */
};

/* What `fill` is handed for a buffer of SG_CUSTOM. */
struct sg_fill_request {
    const struct sg_case *c;
    uint64_t seed;
    bool integers;     /* small integers whose sums are exact: the result must then match bitwise */
    void *const *host; /* all buffers of the layout, host memory, index as in `layout`; write the SG_CUSTOM ones */
};

/* What `reference` is handed. It may use the device (its own kernels), but
 * must not share code with a variant. */
struct sg_reference_request {
    const struct sg_case *c;
    const void *const *host;   /* inputs as the device sees them (already rounded to their dtype), host memory */
    const void *const *device; /* the same in device memory; NULL for a SG_HOST family */
    double *const *expected;   /* [buffer index] for SG_OUTPUT and SG_INOUT: count doubles to write; NULL for the others */
};

/* What `launch`, `prepare` and `finish` are handed. */
struct sg_launch {
    const struct sg_case *c;
    void *const *buffer; /* device pointers (host memory for a SG_HOST family), index as in `layout`, 256-byte aligned */
    void *stream;        /* cudaStream_t / CUstream; NULL for a SG_HOST family */
    void *state;         /* what `prepare` stored; NULL without one */
    int sm_count;        /* multiprocessors of the device */
    const int64_t *knob; /* a value for each of sg_variant.knobs, in their order; 0: the variant's default for the case; never NULL */
    uint64_t repeat;     /* 0, 1, 2 ... over the launches of this process; for variants of the null family that change their mind */
};

/* A reason in words, written by the callee; always terminated. */
struct sg_reason {
    char text[256];
};
#define sg_why sg_reason /* its name before 0.2 */

/*
 * A number that is known before anything runs; it becomes a row of the run, compared by
 * equality. A metric that is no section of metrics.ini is as good; one that is must
 * have the unit that it has there.
 */
struct sg_fact {
    const char *metric;  /* [a-z0-9_]+ */
    const char *unit;    /* a word of metrics.ini */
    double value;        /* finite */
    const char *message; /* beside the number; may be NULL */
};

/*
 * A number that a variant leaves open: a tile's width, a number of stages. `solgate run --sweep`
 * tries the grid of all values; a text file (--config) sets any whole number from 1 on, so
 * `prepare` refuses, by SG_UNSUPPORTED and a reason, what the variant cannot do.
 */
struct sg_knob {
    const char *name;                  /* [a-z0-9_]+; the run has it as a row knob_<name> */
    const char *summary;               /* one line */
    size_t count;                      /* of values, 1 to SG_MAX_KNOB_VALUES */
    int64_t value[SG_MAX_KNOB_VALUES]; /* worth trying, each > 0 and once */
};

/* Times of a SG_HOST family come from the simulated source of
 * docs/method.md: these are its parameters. */
struct sg_simulation {
    double time_ns; /* true time of one launch, > 0 */
    double noise;   /* log standard deviation of one launch, >= 0; 0 means the default of the source; its noisy counters vary as much */
    double clock_exponent; /* how time follows the simulated clock: 1 clock-bound, 0 not at all */
};

struct sg_variant {
    const char *summary; /* one line: the idea */
    enum sg_role role;
    enum sg_status expect; /* SG_OK unless the variant is broken on purpose: then the outcome that it must have */
    bool deterministic;    /* claims the same bits from the same inputs; checked by 20 repeats */
    uint32_t deadline_ms;  /* for its verification alone, up to an hour; 0: the suite's */
    /*
     * May this case run? false: `unsupported`, with the reason. NULL: every case. Called before
     * anything is allocated, and before a device is chosen: it must not touch one. What depends on
     * the device is for `prepare` to refuse.
     */
    bool (*supports)(const struct sg_case *c, struct sg_reason *why);
    /*
     * Untimed set-up, once a case: handles, workspaces, descriptors. Returns SG_OK and stores
     * *state, or the status of the row (SG_UNAVAILABLE, SG_OOM, SG_UNSUPPORTED, ...) with the
     * reason. NULL: nothing to set up. What it writes to `why` beside SG_OK is a note for readers
     * of the run, such as the algorithm that a library chose: the message of a row `note`.
     */
    enum sg_status (*prepare)(const struct sg_launch *l, void **state, struct sg_reason *why);
    /*
     * The timed part: no allocation, no waiting, no error check. All on l->stream, or by a
     * CUDA graph that is launched there; no host functions, no other threads. What runs
     * elsewhere makes the row `misplaced`.
     */
    void (*launch)(const struct sg_launch *l);
    /*
     * Undoes `prepare`; NULL: nothing. An error of the CUDA runtime that either of them leaves
     * behind, uncleared, is the variant's own outcome, as one of a launch is.
     */
    void (*finish)(void *state);
    /*
     * What is known of a case before it runs (stages, bytes of shared memory): fills out[], returns
     * how many. NULL: nothing. `knob` is that of sg_launch, and may be what `prepare` would refuse.
     */
    size_t (*facts)(const struct sg_case *c, const int64_t *knob, struct sg_fact out[SG_MAX_FACTS]);
    const struct sg_knob *knobs; /* NULL: none */
    size_t knob_count;           /* up to SG_MAX_KNOBS */
};

enum sg_device_kind {
    SG_CUDA, /* needs an NVIDIA GPU */
    SG_HOST, /* runs anywhere; its times are simulated and labelled gpu=null */
};

struct sg_family {
    const char *summary;
    enum sg_device_kind device;
    const char *dims; /* names of sg_case.dim, comma separated: "rows,cols" */
    const struct sg_case *cases;
    size_t case_count;
    /* Fills out[] with the buffers of a case and returns how many (<= SG_MAX_BUFFERS). By any
     * thread, and before there is a device. */
    size_t (*layout)(const struct sg_case *c, struct sg_buffer out[SG_MAX_BUFFERS]);
    struct sg_work (*work)(const struct sg_case *c);
    struct sg_tolerance (*tolerance)(const struct sg_case *c);
    void (*fill)(const struct sg_fill_request *request); /* NULL when no buffer is SG_CUSTOM */
    void (*reference)(const struct sg_reference_request *request);
    bool exact_integers; /* with small integer inputs the result is exact: also check it bitwise */
    /* The last error of this module's own CUDA runtime, cleared by the call: 0, or its number
     * with the text. NULL for SG_HOST. */
    int (*last_error)(struct sg_reason *why);
    struct sg_simulation (*simulate)(const struct sg_case *c, const char *variant, const int64_t *knob);     /* SG_HOST only */
    bool (*simulate_counter)(const struct sg_case *c, const char *variant, const char *metric, double *out); /* SG_HOST; may be NULL */
};

struct sg_named_variant {
    const char *name;
    const struct sg_variant *variant;
};

/* What the compiler made of a kernel of the module: build_facts.sh writes it down when the
 * module is built. Below 0: not known. */
struct sg_kernel_build {
    const char *name;  /* mangled; "VARIANT:NAME", where objects of variants have others of that name; NULL ends a list */
    const char *notes; /* of ptxas: "C7510 C7519", each once */
    int note_count;    /* how often ptxas noted something */
    int spill_store_bytes, spill_load_bytes;
    int instructions;          /* machine code: all of them, and of some kinds */
    int hgmma, qgmma;          /* products of warpgroups: of 16, of 8 bits */
    int tma_loads, tma_stores; /* of tiles */
    int local_loads, local_stores;
};

/*
 * What a module exports. The worker copies it when it is loaded, with all that it points to but
 * sg_case.more: what is written there afterwards changes nothing, and a case that a function is
 * handed is a copy, which cannot be written.
 */
struct sg_module {
    uint32_t abi_version; /* SG_ABI_VERSION; stays the first member for ever */
    const char *name;     /* of the family */
    const char *commit;   /* of the source it was built from, or "" */
    const struct sg_family *family;
    const struct sg_named_variant *variants; /* sorted by name */
    size_t variant_count;
    const struct sg_kernel_build *kernels; /* NULL: not known */
    /*
     * What its kernels were built for, as solgate_add_family() wrote it down: machine code (sm_80,
     * sm_90a) and PTX (compute_90), with blanks between. On a GPU that none of it runs on, each
     * variant is `unsupported`. NULL, "": not known, so that a launch tells.
     */
    const char *images;
    const char *needs; /* why these and no others, for that message: "wgmma"; NULL, "": no reason given */
};

/* The one exported function of a module, by this name; solgate_add_family() generates it. */
const struct sg_module *solgate_module(void);
#define SG_MODULE_SYMBOL "solgate_module"

/*
 * Optional, beside it: may a suite ask for a case of sizes of its own, as `rows=300 cols=4096`?
 * `c` has its name, the dtype that was asked for or else that of the first case of the table, and
 * dim[], 0 where a size was left out, which the function may fill in as well as `more`. false:
 * refused, for the reason. Layout, work, reference and variants are handed the case as any other.
 *
 *     SG_TAKE_CASE(c, why)
 *     {
 *         return c->dim[0] > 0 && c->dim[1] > 0;
 *     }
 */
#define SG_TAKE_CASE_SYMBOL "solgate_take_case"
#define SG_TAKE_CASE(c, why)                                                        \
    SG_EXPORTED bool solgate_take_case(struct sg_case *(c), struct sg_reason *why); \
    bool solgate_take_case(struct sg_case *(c), struct sg_reason *why)
#ifdef __cplusplus
#define SG_EXPORTED extern "C" __attribute__((visibility("default")))
#else
#define SG_EXPORTED __attribute__((visibility("default")))
#endif

/* Definitions: SG_FAMILY(matvec) = { ... };  SG_VARIANT(matvec, warp_per_row) = { ...
 *     };  initialisers in declaration order. */
#ifdef __cplusplus
#define SG_FAMILY(family)                                 \
    extern "C" const struct sg_family sg_family_##family; \
    const struct sg_family sg_family_##family
#define SG_VARIANT(family, name)                                     \
    extern "C" const struct sg_variant sg_variant_##family##_##name; \
    const struct sg_variant sg_variant_##family##_##name
#else
#define SG_FAMILY(family)                             \
    extern const struct sg_family sg_family_##family; \
    const struct sg_family sg_family_##family
#define SG_VARIANT(family, name)                                 \
    extern const struct sg_variant sg_variant_##family##_##name; \
    const struct sg_variant sg_variant_##family##_##name
#endif

#ifdef __cplusplus
}
#endif
#endif
