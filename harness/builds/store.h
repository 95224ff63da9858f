/*
 * builds/store.h - the store of accepted builds: kernel modules by the digest of their bytes,
 * outside of git.
 *
 *     STORE/<digest>/libsg_<family>.so    the module
 *     STORE/<digest>/build.csv            its facts, key,value; written last
 *     STORE/accepted/<number>             the path of a file of accepted numbers that may refer to
 *                                         builds
 *
 * Invariants: a build without facts, or with a module of another digest, is damaged. An undamaged
 * build is never changed. A module is returned only after its bytes were digested again. Writers
 * and prune hold the store's lock.
 */
#pragma once

#include "results/accepted_place.h"
#include "util/names.h"
#include "util/text.h"

/* Appends the store's folder: $SOLGATE_BUILDS, $XDG_CACHE_HOME/solgate/builds or
 * $HOME/.cache/solgate/builds. SG_SYSTEM: none is set. */
enum sg_code sg_builds_place(struct sg_text *store, struct sg_err *err);

/* Makes the folder and locks it until the descriptor is closed. SG_SYSTEM if the folder cannot
 * be written, or after a timeout. */
enum sg_code sg_builds_lock(const char *store, int *descriptor, struct sg_err *err);

/* Keys of build.csv in addition to those copied from the run's env.csv. */
#define SG_BUILD_FAMILY_KEY "family"
#define SG_BUILD_ABI_KEY    "module_abi" /* SG_ABI_VERSION */
/* digest of the replaced build; only for a build made again */
#define SG_BUILD_REPLACES_KEY "stands_for"

/* Copies the module into the store under its digest, which must be `digest`. Keeps an undamaged
 * build that exists, replaces a damaged one. The caller holds the lock. SG_NOT_COMPARABLE: the file
 * has another digest; SG_BAD_INPUT, SG_SYSTEM. */
enum sg_code sg_build_keep(const char *store, const char *module, const char *digest,
                           const struct sg_env *facts, struct sg_err *err);

struct sg_build {
    char *digest, *module; /* owned: name of the folder, path of the module */
    struct sg_env facts;
    uint64_t bytes;
    struct sg_err fault; /* code SG_SUCCESS: not damaged */
};
/* Reads and checks one build. build->fault tells if it is damaged or missing. */
void sg_build_read(const char *store, const char *digest, struct sg_build *build);
/* Returns true if the build exists and is not damaged. */
bool sg_build_is_kept(const char *store, const char *digest);

struct sg_builds {
    struct sg_build *items; /* owned; sorted by date, newest first, then by digest */
    size_t count, capacity;
};
/* Reads and checks all builds of the store; a missing store is empty. SG_SYSTEM. */
enum sg_code sg_builds_read(const char *store, struct sg_builds *builds, struct sg_err *err);
/* Returns NULL if the digest is not in the store. */
const struct sg_build *sg_builds_find(const struct sg_builds *builds, const char *digest);
/* Returns an undamaged build that has or replaces the digest; NULL: none. */
const struct sg_build *sg_builds_usable(const struct sg_builds *builds, const char *digest);
/* The digest by which accepted numbers name the build: its own, or the replaced build's. */
const char *sg_build_replaced_digest(const struct sg_build *build);

/* The caller holds the lock. SG_SYSTEM. */
enum sg_code sg_build_remove(const char *store, const char *digest, struct sg_err *err);
