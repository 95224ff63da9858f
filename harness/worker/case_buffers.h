/*
 * worker/case_buffers.h - the buffers of one case on a device:
 * guarded, filled, poisoned, read back.
 *
 * Each buffer stands in a block of its own between two guards. Inputs keep a host copy,
 * which is what the reference reads and what the device's copy is compared with after a
 * launch. Invariant: the device pointers stay the same from open to release, so that all
 * variants of a pair run on the same memory.
 */
#ifndef SG_WORKER_CASE_BUFFERS_H
#define SG_WORKER_CASE_BUFFERS_H

#include "device/device.h"
#include "worker/module_loader.h"
#include "worker/output_check.h"
#include "worker/random_fill.h"

struct sg_buffers {
    struct sg_device *device;       /* borrowed */
    const struct sg_family *family; /* borrowed */
    const struct sg_case *c;        /* borrowed */
    size_t count;
    struct sg_buffer layout[SG_MAX_BUFFERS];
    uint64_t bytes[SG_MAX_BUFFERS];           /* of the elements */
    void *host[SG_MAX_BUFFERS];               /* owned; what the device was given; NULL for outputs and scratch */
    struct sg_fill_rest rest[SG_MAX_BUFFERS]; /* of the inputs: what was drawn and sent, and what was copied from that on the device */
    void *block[SG_MAX_BUFFERS];              /* owned by the device; guard, elements, guard */
    void *memory[SG_MAX_BUFFERS];             /* elements inside of block */
    void *pristine[SG_MAX_BUFFERS];           /* owned by the device; SG_INOUT only: copy to restore from */
    void *pool[SG_MAX_BUFFERS];               /* owned by the device; what fresh inputs are made from (worker/fresh_buffers.h) */
    uint64_t pool_bytes[SG_MAX_BUFFERS];
    void *spare; /* owned by the device: room for what launches are checked with (worker/timed_check.h) */
    uint64_t spare_bytes;
    bool has_pools;
    bool bare; /* blocks are the elements alone, so that a tool sees what is written beside them; for launches that are not checked */
    uint64_t seed;
    bool integers;
    bool drawn;  /* from seed and integers, on the host */
    bool whole;  /* and copied behind what was drawn, on the host */
    bool filled; /* from seed and integers, on the device */
};

/*
 * Asks the family for its layout and takes the host's memory: all that needs no device. SG_OOM
 * goes to outcome; SG_BAD_INPUT for a layout that breaks the contract. Either way
 * sg_buffers_release is called afterwards.
 */
enum sg_code sg_buffers_lay_out(struct sg_buffers *buffers, const struct sg_target *target, struct sg_outcome *outcome, struct sg_err *err);
/* Takes the device's memory for what was laid out; SG_OOM goes to outcome. */
void sg_buffers_open(struct sg_buffers *buffers, struct sg_device *device, struct sg_outcome *outcome);
void sg_buffers_release(struct sg_buffers *buffers);
void sg_buffers_free(struct sg_buffers *buffers); /* of sg_alloc; may be NULL */

/* Does the family's own code fill any of them? */
bool sg_buffers_are_custom(const struct sg_buffers *buffers);
/*
 * Makes inputs on the host, which a fill of the same seed then need not; `whole`: as the reference
 * reads them, not only what is sent. Needs no device.
 */
void sg_buffers_draw(struct sg_buffers *buffers, uint64_t seed, bool integers, bool whole);
/* Fills inputs on the host and sends them; the same seed gives the same inputs. */
enum sg_code sg_buffers_fill(struct sg_buffers *buffers, uint64_t seed, bool integers, struct sg_err *err);
/* Inputs of that seed, as sg_buffers_fill makes them, unless they are there already;
 * host copies are let go, so nothing else may fill or check these buffers afterwards.
 * For launches that are not checked. */
enum sg_code sg_buffers_keep_filled(struct sg_buffers *buffers, uint64_t seed, struct sg_err *err);
/* The two halves of that, with what stands between them. */
enum sg_code sg_buffers_send(struct sg_buffers *buffers, uint64_t seed, struct sg_err *err);
void sg_buffers_forget_host(struct sg_buffers *buffers);
/* Host copies that were let go, empty; SG_OOM goes to outcome. */
void sg_buffers_take_host(struct sg_buffers *buffers, struct sg_outcome *outcome);
/* How input i, which the family does not fill itself, is drawn. */
struct sg_fill_plan sg_buffers_fill_plan(const struct sg_buffers *buffers, size_t i);
uint64_t sg_buffers_bytes(const struct sg_buffers *buffers); /* of all elements, of what fresh inputs are made from, and the spare ones */
/* At least so many spare bytes, which stay: what was in others is lost. SG_OOM goes to outcome. */
void sg_buffers_take_spare(struct sg_buffers *buffers, uint64_t bytes, struct sg_outcome *outcome);
/* Before a checked launch: outputs and scratch poisoned, SG_INOUT restored, guards as they were, or
 * whole where the poison reached them. */
enum sg_code sg_buffers_poison(struct sg_buffers *buffers, unsigned turn, struct sg_err *err);
/* Does it reach none, so that what a launch writes to them stays there? */
bool sg_buffers_poison_spares_guards(const struct sg_buffers *buffers);
/* Only the guards. */
enum sg_code sg_buffers_renew_guards(struct sg_buffers *buffers, struct sg_err *err);
/*
 * After it: SG_OVERRUN if a guard changed, or an input: what was drawn is read back and compared
 * with the host's, and what was copied from that is compared with it on the device.
 */
enum sg_code sg_buffers_check_guards(struct sg_buffers *buffers, struct sg_outcome *outcome, struct sg_err *err);
enum sg_code sg_buffers_check_inputs(struct sg_buffers *buffers, struct sg_outcome *outcome, struct sg_err *err);
/* SG_OVERRUN: the byte of input i changed. */
void sg_buffers_report_changed(const struct sg_buffers *buffers, size_t i, uint64_t byte, struct sg_outcome *outcome);
/* Reads a buffer to memory of bytes[i]. */
enum sg_code sg_buffers_read(struct sg_buffers *buffers, size_t i, void *to, struct sg_err *err);

/* The variant of a target on these buffers, not yet prepared. */
struct sg_runnable sg_buffers_runnable(struct sg_buffers *buffers, const struct sg_configured_variant *way);

bool sg_is_checked(const struct sg_buffer *buffer); /* SG_OUTPUT or SG_INOUT: compared with the reference */
bool sg_is_filled(const struct sg_buffer *buffer);  /* SG_INPUT or SG_INOUT */

#endif
