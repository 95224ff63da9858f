/*
 * standin/standin.h - a driver and a CUPTI without a GPU, for tests of the injected library.
 *
 * Two libraries bear the names of NVIDIA's, libcuda.so.1 and libcupti.so.13; their functions do
 * what is needed here, in the order in which the real ones do it. A program calls the driver by
 * the functions below, or by those of CUDA that it would call; what kernels "ran" comes as
 * records.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "inject/cupti_abi.h"

/* ---- libcupti.so.13, as the stand-in of the driver calls it ---- */

/* Enters or leaves a function of the driver. */
void standin_call(uint32_t id, const char *function, uint32_t site, const void *parameters,
                  const int *result, uint64_t *own, uint32_t correlation);
/* Of which kernel the next calls are. */
void standin_symbol(const char *symbol);
void standin_resource(uint32_t id, const void *descriptor);
/* A kernel has run; its record waits for a flush, or for its buffer to be full. */
void standin_record(const struct sg_cupti_kernel *record);
/* It runs now: is it counted? One of the symbol "stuck" then never ends. */
void standin_count(const struct sg_cupti_kernel *kernel);
/* The next so many records get lost. */
void standin_drop(unsigned count);
/* A simulated clock, so that tests repeat: each call takes 1 ns. */
uint64_t standin_now(void);
void standin_pass(uint64_t ns);
/* Which of some contexts the next calls are of. */
void standin_context(unsigned number);

/* ---- libcuda.so.1 ---- */

struct standin_kernel {
    const char *symbol;
    uint32_t grid, block;
    uint64_t ns;
    int64_t shift_ns; /* of the start in its record */
    uint64_t idle_ns; /* before the launch */
    int fails;        /* the launch returns an error */
};
void standin_launch(const struct standin_kernel *kernel);
void standin_load_module(const void *image, size_t bytes);
