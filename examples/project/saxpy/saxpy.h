/*
 * saxpy.h - z = 2.5 x + y: the names that the family and its variants share.
 */
#ifndef SAXPY_H
#define SAXPY_H

#include "solgate_kernel.h"

enum { SAXPY_X, SAXPY_Y, SAXPY_Z, SAXPY_BUFFERS };
enum { SAXPY_N };

#define SAXPY_FACTOR  2.5f
#define SAXPY_THREADS 256

#endif
