/*
 * util/version.h - the version of solgate and the commit it was built from.
 *
 * Invariant: the commit is read from git when solgate is built, not when it is configured. It is ""
 * outside of a git tree and ends in "-dirty" if sources differed from the commit. env.csv holds it,
 * so that a number can be traced to its code.
 */
#pragma once

const char *sg_version(void); /* "0.1.0" */
const char *sg_commit(void);  /* "0123456789ab", "0123456789ab-dirty" or "" */
