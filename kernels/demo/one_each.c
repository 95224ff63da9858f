/* demo/one_each - a thread an element: simple, and what the others are compared with. */
#include "demo.h"

DEMO_VARIANT(one_each, .summary = "a thread an element", .role = SG_BASELINE);
