/*
 * device/cuda/loaded_code.h - what code was loaded into the GPU: the digest of each cubin, by
 * CUPTI's callback at its load.
 *
 * Whatever it was made from: a module's own images, a file, PTX or source that was compiled at run
 * time, by the variant or by a library. The harness's own kernels are loaded before.
 */
#ifndef SG_DEVICE_CUDA_LOADED_CODE_H
#define SG_DEVICE_CUDA_LOADED_CODE_H

#include <pthread.h>

#include "device/cuda/driver_calls.h"
#include "util/digest.h"
#include "util/names.h"

struct sg_loaded_code {
    struct sg_calls calls;
    pthread_mutex_t lock;
    struct sg_names digests; /* of cubins, in the order of their loads */
    struct sg_err fault;     /* why they are not known; code SG_SUCCESS: they are */
};

/* Before a variant is prepared; must stay where it is until it is closed. Where CUPTI is not to be
 * had, that is its fault. */
void sg_loaded_code_open(struct sg_loaded_code *loaded, struct sg_cupti *cupti);
void sg_loaded_code_close(struct sg_loaded_code *loaded);
/* Adds what was loaded so far, in an order that does not depend on threads. SG_INVALID: it is not
 * known. */
enum sg_code sg_loaded_code_add(struct sg_loaded_code *loaded, struct sg_digest *digest, struct sg_err *err);

#endif
