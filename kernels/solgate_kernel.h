/*
 * solgate_kernel.h - the interface between solgate and a family of kernels with its variants.
 *
 * A family (a folder) describes the problem once: its cases, buffers, work and reference. A variant
 * (one file in that folder) solves the problem with a launch function. The harness owns everything
 * else: memory, inputs, poison, canaries, timing, counters, processes. A family and its variants
 * are built into one shared object, libsg_<family>.so, which solgate-worker loads.
 *
 * Invariant: while a launch is timed, the harness calls no function of the module except `launch`.
 * To use it: copy kernels/matvec; docs/cuda.md explains each step. solgate_add_family() in CMake
 * builds a family inside this tree or outside it (find_package(solgate)).
 *
 * Plain C and C++ both include this file. Every name (family, case, variant, buffer) matches
 * [a-z0-9_]+.
 */
#ifndef SOLGATE_KERNEL_H
#define SOLGATE_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Increases whenever a struct below changes its layout or its meaning. A worker refuses a module
 * with another version. */
#define SG_ABI_VERSION 5u

#define SG_MAX_BUFFERS     16 /* buffers of one case */
#define SG_MAX_DIMS        8  /* dimensions of one case */
#define SG_MAX_FACTS       16 /* facts of one variant about one case */
#define SG_MAX_KNOBS       8  /* knobs of one variant */
#define SG_MAX_KNOB_VALUES 16 /* values of one knob for a sweep to try */

/* Outcomes of running a variant. The first column is the constant, the second the word in files and
 * on the command line. */
#define SG_STATUS_TABLE(X)                                                                         \
    X(SG_OK, "ok", "right, by every check that was made")                                          \
    X(SG_WRONG, "wrong", "an element differs from the reference by more than the tolerance")       \
    X(SG_NAN, "nan", "an element is not a number where the reference has one")                     \
    X(SG_UNWRITTEN, "unwritten", "an output element was never written")                            \
    X(SG_OVERRUN, "overrun", "wrote outside of its outputs: a canary or an input changed")         \
    X(SG_NONDETERMINISTIC, "nondeterministic",                                                     \
      "claims the same bits every time, and does not deliver them")                                \
    X(SG_MISPLACED, "misplaced", "worked elsewhere than where it is timed")                        \
    X(SG_LEAK, "leak", "memory that its launches took was not given back")                         \
    X(SG_LAUNCH_FAILED, "launch_failed", "the launch was refused; nothing ran")                    \
    X(SG_CUDA_ERROR, "cuda_error", "the kernel faulted on the device")                             \
    X(SG_CRASH, "crash", "its process died of a signal or left with an error")                     \
    X(SG_HANG, "hang", "it passed its deadline and was killed")                                    \
    X(SG_OOM, "oom", "not enough memory on the device or the host")                                \
    X(SG_UNSUPPORTED, "unsupported", "the variant refuses this case or this device, and says why") \
    X(SG_SKIPPED, "skipped", "not run: filtered out, or something it depends on failed")           \
    X(SG_UNAVAILABLE, "unavailable",                                                               \
      "something it needs is not on this machine (a vendor library, a GPU)")                       \
    X(SG_FLAKY, "flaky",                                                                           \
      "failed while it was timed or counted, and was right when that was done again")

enum sg_status {
#define X(constant, word, meaning) constant,
    SG_STATUS_TABLE(X)
#undef X
        SG_STATUS_COUNT
};

/* Number formats of buffers and of arithmetic. The third column is the size of one element in bits;
 * e2m1 (fp4) is packed, two elements to a byte. */
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
    SG_VENDOR,    /* kernel of a vendor library: compared like a candidate, listed separately */
};

/* How the harness treats a buffer. */
enum sg_use {
    SG_INPUT,  /* filled by the harness; must be unchanged after a launch */
    SG_OUTPUT, /* poisoned before a check; every element must be written */
    SG_INOUT,  /* filled; restored from a pristine copy before every launch; checked like an output
                */
    SG_SCRATCH /* contents undefined before and after */
};

/* How the harness fills an input. */
enum sg_fill {
    SG_NORMAL,  /* mean 0, standard deviation `scale` (0 means 1), rounded to the buffer's dtype */
    SG_CUSTOM,  /* written on the host by the family's `fill`, which is slower for large buffers */
    SG_UNIFORM, /* uniform between -`scale` and `scale` (0 means 1), rounded to the buffer's dtype
                 */
    SG_REARRANGED, /* as SG_CUSTOM; each timed launch gets runs of 256 of its elements in a new
                      random order */
};

struct sg_buffer {
    const char *name;
    enum sg_dtype dtype;
    uint64_t count; /* elements, > 0 */
    uint64_t row;   /* elements per row, so that a message can print [i,j]; 0: one-dimensional */
    enum sg_use use;
    enum sg_fill fill; /* SG_INPUT and SG_INOUT only */
    double scale;      /* SG_NORMAL: standard deviation; SG_UNIFORM: largest magnitude; 0 means 1 */
};

/* One line of a family's table of cases. */
struct sg_case {
    const char *name;
    int64_t dim[SG_MAX_DIMS]; /* in the order of the family's `dims` */
    enum sg_dtype dtype;      /* the main dtype, shown in tables; the family defines its meaning */
    const char *summary;      /* why this case exists, one line */
    const void *more; /* other data that the family needs (lists of sizes, ...); may be NULL */
};

/* The minimum work of any correct implementation of the case: the basis of speed-of-light
 * figures. */
struct sg_work {
    double flop[SG_DTYPE_COUNT]; /* floating-point operations per dtype, of the fastest unit that
                                    can do them; an FMA counts 2 */
    double read_bytes;           /* compulsory: each input is read once */
    double write_bytes;          /* compulsory: each output is written once */
};

/* When an output is correct. Both bounds apply to the whole buffer; 0 means bitwise equal to the
 * reference rounded to the buffer's dtype. One bound must be below 1; otherwise an output of only
 * zeros would pass. */
struct sg_tolerance {
    double rel_rms;     /* ||out - ref|| / ||ref|| (Frobenius), ratio */
    double rel_max;     /* max |out - ref| / (|ref| + rms(ref)), ratio */
    const char *reason; /* origin of the bounds, one line */
};

/* The argument of `fill`, for SG_CUSTOM buffers. */
struct sg_fill_request {
    const struct sg_case *c;
    uint64_t seed;
    bool integers; /* write small integers whose sums are exact: the result must then match bitwise
                    */
    void *const
        *host; /* all buffers, host memory, index as in `layout`; write the SG_CUSTOM ones */
};

/* The argument of `reference`. The reference may use the device (its own kernels), but must not
 * share code with a variant. */
struct sg_reference_request {
    const struct sg_case *c;
    const void *const *host;   /* inputs in host memory, already rounded to their dtype */
    const void *const *device; /* the same inputs in device memory; NULL for a SG_HOST family */
    double *const *expected;   /* [buffer index] SG_OUTPUT and SG_INOUT: write `count` doubles; NULL
                                  for others */
};

/* The argument of `launch` and `prepare`. */
struct sg_launch {
    const struct sg_case *c;
    void *const *buffer; /* device pointers (host memory for a SG_HOST family), index as in
                            `layout`, 256-byte aligned */
    void *stream;        /* cudaStream_t / CUstream; NULL for a SG_HOST family */
    void *state;         /* the state that `prepare` stored; NULL without `prepare` */
    int sm_count;        /* multiprocessors of the device */
    const int64_t *knob; /* a value per knob, in the order of sg_variant.knobs; 0: the variant's
                            default for the case; never NULL */
    uint64_t repeat;     /* index of the launch in this process: 0, 1, 2 ...; for null variants that
                            change their result */
};

/* A reason in words, written by the callee; always null-terminated. */
struct sg_reason {
    char text[256];
};
#define sg_why sg_reason /* name before 0.2 */

/* A number that is known before anything runs. The fact becomes a row of the run and is compared by
 * equality. The metric need not be a section of metrics.ini; if it is, the fact must have the unit
 * of that section. */
struct sg_fact {
    const char *metric;  /* [a-z0-9_]+ */
    const char *unit;    /* a unit of metrics.ini */
    double value;        /* finite */
    const char *message; /* shown with the number; may be NULL */
};

/* A tuning parameter of a variant: a tile's width, a number of stages. `solgate run --sweep` tries
 * the grid of all values. A text file (--config) may set any integer of at least 1, so `prepare`
 * must refuse an unsupported value with SG_UNSUPPORTED and a reason. */
struct sg_knob {
    const char *name;                  /* [a-z0-9_]+; the run records the knob as row knob_<name> */
    const char *summary;               /* one line */
    size_t count;                      /* number of values, 1 to SG_MAX_KNOB_VALUES */
    int64_t value[SG_MAX_KNOB_VALUES]; /* values for a sweep, each > 0 and unique */
};

/* Parameters of the simulated time source (docs/method.md), for a SG_HOST family. */
struct sg_simulation {
    double time_ns; /* true time of one launch, > 0 */
    double noise;   /* standard deviation of ln(time) of one launch, >= 0; 0: the source's default;
                       noisy counters vary by it too */
    double clock_exponent; /* how time scales with the simulated clock: 1 clock-bound, 0 independent
                              of the clock */
};

struct sg_variant {
    const char *summary; /* one line: the idea */
    enum sg_role role;
    enum sg_status
        expect; /* SG_OK; for a variant that is broken on purpose, the outcome that it must have */
    bool deterministic;   /* claims the same bits from the same inputs; checked with 20 repeats */
    uint32_t deadline_ms; /* deadline of its verification alone, at most one hour; 0: the suite's */
    /* True if the variant can run this case. False: the row is `unsupported`, with the reason in
     * *why. NULL: all cases are supported. This is called before any allocation and before a device
     * is chosen, so it must not touch a device. `prepare` refuses whatever depends on the
     * device. */
    bool (*supports)(const struct sg_case *c, struct sg_reason *why);
    /* Untimed set-up, once per case: handles, workspaces, descriptors. Returns SG_OK and stores
     * *state, or returns the status of the row (SG_UNAVAILABLE, SG_OOM, SG_UNSUPPORTED, ...) with
     * the reason. NULL: no set-up. With SG_OK, a text in *why is a note for readers, such as the
     * algorithm that a library chose; it becomes the message of a row `note`. */
    enum sg_status (*prepare)(const struct sg_launch *l, void **state, struct sg_reason *why);
    /* The timed part: no allocation, no synchronization, no error check. All work goes to
     * l->stream, directly or as a CUDA graph launched there; no host functions, no other threads.
     * Work that runs elsewhere makes the row `misplaced`. */
    void (*launch)(const struct sg_launch *l);
    /* Undoes `prepare`; NULL: nothing to undo. A CUDA runtime error that `prepare` or `finish`
     * leaves uncleared counts as the variant's own outcome, like an error of a launch. */
    void (*finish)(void *state);
    /* Facts of a case that are known before it runs (stages, bytes of shared memory). Fills out[]
     * and returns their number. NULL: no facts. `knob` is as in sg_launch and may hold values that
     * `prepare` would refuse. */
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
    const char *dims; /* names of the entries of sg_case.dim, comma separated: "rows,cols" */
    const struct sg_case *cases;
    size_t case_count;
    /* Fills out[] with the buffers of a case and returns their number (<= SG_MAX_BUFFERS). Any
     * thread may call this, also before a device is chosen. */
    size_t (*layout)(const struct sg_case *c, struct sg_buffer out[SG_MAX_BUFFERS]);
    struct sg_work (*work)(const struct sg_case *c);
    struct sg_tolerance (*tolerance)(const struct sg_case *c);
    void (*fill)(const struct sg_fill_request *request); /* NULL when no buffer is SG_CUSTOM */
    void (*reference)(const struct sg_reference_request *request);
    bool exact_integers; /* small integer inputs give an exact result: also check that bitwise */
    /* Returns and clears the last error of this module's own CUDA runtime: 0 for none, else its
     * number, with the text in *why. NULL for SG_HOST. */
    int (*last_error)(struct sg_reason *why);
    struct sg_simulation (*simulate)(const struct sg_case *c, const char *variant,
                                     const int64_t *knob); /* SG_HOST only */
    bool (*simulate_counter)(const struct sg_case *c, const char *variant, const char *metric,
                             double *out); /* SG_HOST; may be NULL */
};

struct sg_named_variant {
    const char *name;
    const struct sg_variant *variant;
};

/* Compiler statistics of one kernel of the module, written by build_facts.sh at build time.
 * Negative: unknown. */
struct sg_kernel_build {
    const char *name;  /* mangled; "VARIANT:NAME" if variants have different kernels of that name;
                          NULL ends the list */
    const char *notes; /* codes of ptxas notes: "C7510 C7519", each once */
    int note_count;    /* number of ptxas notes */
    int spill_store_bytes, spill_load_bytes;
    int instructions;          /* machine instructions: all, then some kinds */
    int hgmma, qgmma;          /* warpgroup MMA: 16-bit and 8-bit operands */
    int tma_loads, tma_stores; /* TMA tile copies */
    int local_loads, local_stores;
};

/* What a module exports. The worker copies the module at load time, including everything that the
 * module points to except sg_case.more. Later writes by the module therefore have no effect.
 * Functions get a case as a read-only copy. */
struct sg_module {
    uint32_t abi_version; /* SG_ABI_VERSION; always the first member */
    const char *name;     /* name of the family */
    const char *commit;   /* commit of the source the module was built from, or "" */
    const struct sg_family *family;
    const struct sg_named_variant *variants; /* sorted by name */
    size_t variant_count;
    const struct sg_kernel_build *kernels; /* NULL: unknown */
    /* Targets that the kernels were built for, recorded by solgate_add_family(): machine code
     * (sm_80, sm_90a) and PTX (compute_90), separated by blanks. On a GPU that supports none of
     * them, every variant is `unsupported`. NULL or "": unknown, so the first launch decides. */
    const char *images;
    const char
        *needs; /* why only these targets, for that message: "wgmma"; NULL or "": no reason given */
};

/* The one exported function of a module; solgate_add_family() generates it. */
const struct sg_module *solgate_module(void);
#define SG_MODULE_SYMBOL "solgate_module"

/*
 * Optional second export: decides whether a suite may use a case with custom sizes, such as
 * `rows=300 cols=4096`. `c` holds the name, the dtype and dim[], with 0 for an omitted size. The
 * dtype is the requested one, or that of the first case in the table. The function may fill in
 * omitted sizes and `more`. False: refused, with the reason in *why. An accepted case is treated
 * like any other.
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

/*
 * Definitions; the initialisers must follow the order of declaration:
 *
 *     SG_FAMILY(matvec) = { ... };
 *     SG_VARIANT(matvec, warp_per_row) = { ... };
 */
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
