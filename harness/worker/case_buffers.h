/*
 * worker/case_buffers.h - the buffers of one case on a device: guarded, poisoned, read back.
 *
 * Each buffer has its own block, between two guards. worker/fresh_buffers.h makes the inputs.
 * Invariant: the device pointers stay the same from open to release, so that all variants of a pair
 * run on the same memory.
 */
#pragma once

#include "device/device.h"
#include "worker/module_loader.h"
#include "worker/output_check.h"

struct sg_buffers {
    struct sg_device *device;       /* borrowed */
    const struct sg_family *family; /* borrowed */
    const struct sg_case *c;        /* borrowed */
    size_t count;
    struct sg_buffer layout[SG_MAX_BUFFERS];
    struct sg_tolerance
        tolerance[SG_MAX_BUFFERS];  /* per output: from the family, or from a Python gate */
    uint64_t bytes[SG_MAX_BUFFERS]; /* size of the elements, without guards */
    void *block[SG_MAX_BUFFERS];    /* owned by the device; guard, elements, guard */
    void *memory[SG_MAX_BUFFERS];   /* the elements within the block */
    void *pristine[SG_MAX_BUFFERS]; /* owned by the device; SG_INOUT only: a copy to restore from */
    void *pool[SG_MAX_BUFFERS];     /* owned by the device; source of fresh inputs
                                       (worker/fresh_buffers.h) */
    uint64_t pool_bytes[SG_MAX_BUFFERS];
    void *guards; /* owned by the device; all guards are copied here, to read them at once */
    void *spare;  /* owned by the device: spare memory for checks (worker/checked_launch.h) */
    uint64_t spare_bytes;
    bool borrows;  /* the pools and the spare bytes belong to other buffers */
    bool bare;     /* blocks have no guards, so that a tool sees writes out of bounds; for unchecked
                      launches */
    uint64_t seed; /* seed of the pools */
    bool integers; /* pools hold small integers */
    unsigned sets; /* number of sets of SG_CUSTOM inputs in a pool; 0: no pools */
    unsigned unseen, shown; /* further sets, how many are in use (worker/fresh_buffers.h) */
};

/* Gets the family's layout and allocates its device memory. Sets outcome to SG_OOM if there is too
 * little; SG_BAD_INPUT for a layout that breaks the contract. The caller must call
 * sg_buffers_release in any case. `bare`: see the struct. */
enum sg_code sg_buffers_open(struct sg_buffers *buffers, const struct sg_target *target,
                             struct sg_device *device, bool bare, struct sg_outcome *outcome,
                             struct sg_err *err);
void sg_buffers_release(struct sg_buffers *buffers);
void sg_buffers_free(struct sg_buffers *buffers); /* allocated by sg_alloc; may be NULL */

/* Shares the pools and the spare bytes of `from`, which must have the same case and outlive
 * `buffers`. */
void sg_buffers_borrow(struct sg_buffers *buffers, const struct sg_buffers *from);
uint64_t
sg_buffers_bytes(const struct sg_buffers *buffers); /* all elements, pools and spare bytes */
/* Provides at least `bytes` spare bytes. Growing discards their contents. Sets outcome to SG_OOM if
 * there is too little memory. */
void sg_buffers_take_spare(struct sg_buffers *buffers, uint64_t bytes, struct sg_outcome *outcome);
/* Call before a checked launch. Poisons outputs and scratch and restores SG_INOUT. Guards keep
 * their contents, and are renewed where the poison reaches them. */
enum sg_code sg_buffers_poison(struct sg_buffers *buffers, unsigned turn, struct sg_err *err);
/* True if the poison reaches no guard, so that a write of a launch to a guard remains visible. */
bool sg_buffers_poison_spares_guards(const struct sg_buffers *buffers);
/* Renews only the guards. */
enum sg_code sg_buffers_renew_guards(struct sg_buffers *buffers, struct sg_err *err);
/* Call after the launch: sets outcome to SG_OVERRUN if a guard changed. */
enum sg_code sg_buffers_check_guards(struct sg_buffers *buffers, struct sg_outcome *outcome,
                                     struct sg_err *err);
/* Reads a buffer into host memory of bytes[i]. */
enum sg_code sg_buffers_read(struct sg_buffers *buffers, size_t i, void *to, struct sg_err *err);

/* Returns the variant `configured` on these buffers, not yet prepared. */
struct sg_runnable sg_buffers_runnable(struct sg_buffers *buffers,
                                       const struct sg_configured_variant *configured);

bool sg_is_checked(
    const struct sg_buffer *buffer); /* SG_OUTPUT or SG_INOUT: compared with the reference */
bool sg_is_filled(const struct sg_buffer *buffer); /* SG_INPUT or SG_INOUT */
