/*
 * null/crash - it brings its process down with a segmentation fault.
 */
#include "faults.h"

NULL_BROKEN(crash, "sigsegv@any", .summary = "segmentation fault on the host", .expect = SG_CRASH);
