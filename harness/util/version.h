/*
 * util/version.h - the version of solgate and the commit it was built from.
 *
 * Invariant: the commit is read from git when solgate is built, not when it is configured. The
 * commit is "" outside of a git tree, and ends in "-dirty" if sources differed from it. A number
 * can be traced to its code, because the file env.csv holds the commit.
 */
#pragma once

const char *sg_version(void); /* "0.1.0" */
const char *sg_commit(void);  /* "0123456789ab", "0123456789ab-dirty" or "" */
