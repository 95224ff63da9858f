/*
 * null/killed - its process is killed from outside, as the kernel does when memory runs out.
 */
#include "faults.h"

NULL_BROKEN(killed, "sigkill@any", .summary = "killed by SIGKILL", .expect = SG_CRASH);
