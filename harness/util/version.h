/*
 * util/version.h - which solgate this is: its version and the commit it was built from.
 *
 * Invariant: the commit is asked of git when solgate is built, not when it is configured; ""
 * outside of a git tree, "-dirty" at its end when sources differed from it. Written into env.csv,
 * so that a number can be traced to the code that took it.
 */
#pragma once

const char *sg_version(void); /* "0.1.0" */
const char *sg_commit(void);  /* "0123456789ab", "0123456789ab-dirty" or "" */
