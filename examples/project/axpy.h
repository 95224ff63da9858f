/*
 * axpy.h - y = 2.5 x + y: the names that the family and its variants share.
 */
#ifndef AXPY_H
#define AXPY_H

#include "solgate_kernel.h"

enum { AXPY_X, AXPY_Y, AXPY_BUFFERS };
enum { AXPY_N };

#define AXPY_FACTOR 2.5f

#endif
