/*
 * worker/case_buffers.h - the buffers of one case on a device:
 * guarded, poisoned, read back.
 *
 * Each buffer stands in a block of its own between two guards. What inputs are made from is
 * worker/fresh_buffers.h. Invariant: the device pointers stay the same from open to release, so
 * that all variants of a pair run on the same memory.
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
    struct sg_tolerance tolerance[SG_MAX_BUFFERS]; /* the family's, or the guest's of each output */
    uint64_t bytes[SG_MAX_BUFFERS];                /* of the elements */
    void *block[SG_MAX_BUFFERS];                   /* owned by the device; guard, elements, guard */
    void *memory[SG_MAX_BUFFERS];                  /* elements inside of block */
    void *pristine[SG_MAX_BUFFERS];                /* owned by the device; SG_INOUT only: copy to restore from */
    void *pool[SG_MAX_BUFFERS];                    /* owned by the device; what fresh inputs are made from (worker/fresh_buffers.h) */
    uint64_t pool_bytes[SG_MAX_BUFFERS];
    void *guards; /* owned by the device; where all guards are copied to, to be read at once */
    void *spare;  /* owned by the device: room for what launches are checked with (worker/checked_launch.h) */
    uint64_t spare_bytes;
    bool borrows;           /* pools and spare bytes belong to others */
    bool bare;              /* blocks have no guards, so that a tool sees what is written beside them; for launches that are not checked */
    uint64_t seed;          /* that the pools were drawn from */
    bool integers;          /* so they were drawn */
    unsigned sets;          /* of SG_CUSTOM inputs in a pool; 0: there are no pools */
    unsigned unseen, shown; /* more of them; how many of those launches get (worker/fresh_buffers.h) */
};

/*
 * Asks the family for its layout and takes the device's memory for it. SG_OOM goes to outcome;
 * SG_BAD_INPUT for a layout that breaks the contract. Either way sg_buffers_release is called
 * afterwards. `bare`: as in the struct.
 */
enum sg_code sg_buffers_open(struct sg_buffers *buffers, const struct sg_target *target, struct sg_device *device, bool bare,
                             struct sg_outcome *outcome, struct sg_err *err);
void sg_buffers_release(struct sg_buffers *buffers);
void sg_buffers_free(struct sg_buffers *buffers); /* of sg_alloc; may be NULL */

/* Pools and spare bytes are those of others of the same case, which outlive these. */
void sg_buffers_borrow(struct sg_buffers *buffers, const struct sg_buffers *from);
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
/* After it: SG_OVERRUN if a guard changed. */
enum sg_code sg_buffers_check_guards(struct sg_buffers *buffers, struct sg_outcome *outcome, struct sg_err *err);
/* Reads a buffer to memory of bytes[i]. */
enum sg_code sg_buffers_read(struct sg_buffers *buffers, size_t i, void *to, struct sg_err *err);

/* The variant of a target on these buffers, not yet prepared. */
struct sg_runnable sg_buffers_runnable(struct sg_buffers *buffers, const struct sg_configured_variant *way);

bool sg_is_checked(const struct sg_buffer *buffer); /* SG_OUTPUT or SG_INOUT: compared with the reference */
bool sg_is_filled(const struct sg_buffer *buffer);  /* SG_INPUT or SG_INOUT */
