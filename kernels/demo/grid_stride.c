/* demo/grid_stride - a fixed grid that walks over all elements: as fast as the baseline. */
#include "demo.h"

DEMO_VARIANT(grid_stride, .summary = "a fixed grid, each thread with a stride");
