/*
 * launch.cuh - buffers and sizes of the family launch.
 */
#ifndef LAUNCH_CUH
#define LAUNCH_CUH

#include "solgate_kernel.h"

enum { LAUNCH_OUT, LAUNCH_BUFFERS };
enum { LAUNCH_ELEMENTS };

#define LAUNCH_LANES 32 /* elements of the case: one a lane of a warp */

#endif
