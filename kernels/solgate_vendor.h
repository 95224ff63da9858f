/*
 * solgate_vendor.h - for C++ variants with state to set up, such as those that call a vendor
 * library, which may be missing on a machine.
 *
 * Invariant: tear_down releases everything that set_up acquired, also if set_up failed half-way.
 * Without the library the variant is `unavailable`.
 *
 *     struct vendor : sg_vendor {
 *         enum sg_status set_up(const struct sg_launch *l, struct sg_reason *why);
 *         void tear_down();                        ends with close()
 *     };
 *     SG_VARIANT(...) = { ..., .prepare = sg_prepare_state<vendor>, .launch = launch, .finish
 *     = sg_finish_state<vendor> };
 */
#ifndef SOLGATE_VENDOR_H
#define SOLGATE_VENDOR_H

#include "solgate_cuda.h"

#define SG_TEXT_OF(number) #number
#define SG_TEXT(number)    SG_TEXT_OF(number)

/* A library opened in `prepare`, and its workspace. All zero: not open. */
struct sg_vendor {
    const char *file;
    void *library;
    void *workspace; /* device memory; NULL: none */

    bool open(const char *library_file, struct sg_reason *why)
    {
        file = library_file;
        library = sg_cuda_library(file, why);
        return library != nullptr;
    }
    template <typename Function>
    bool find(const char *name, Function *function, struct sg_reason *why) const
    {
        *function = (Function)sg_cuda_function(library, file, name, why);
        return *function != nullptr;
    }
    void close()
    {
        cudaFree(workspace);
        if (library)
            dlclose(library);
    }
};

template <typename State>
static enum sg_status sg_prepare_state(const struct sg_launch *l, void **state,
                                       struct sg_reason *why)
{
    State *s = new State{};
    const enum sg_status status = s->set_up(l, why);
    if (status == SG_OK) {
        *state = s;
        return SG_OK;
    }
    s->tear_down();
    delete s;
    return status;
}

template <typename State> static void sg_finish_state(void *state)
{
    State *s = (State *)state;
    s->tear_down();
    delete s;
}

#endif
