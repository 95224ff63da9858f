/*
 * builds/store.h - the store of accepted builds: kernel modules by the digest of their bytes,
 * outside of git.
 *
 *     STORE/<digest>/libsg_<family>.so    the module
 *     STORE/<digest>/build.csv            its facts, key,value; written last
 *     STORE/accepted/<number>             the path of a file of accepted numbers that may refer to
 *                                         builds
 *
 * Invariants: a build without facts, or whose module has another digest, is damaged; a whole one is
 * never changed; a module is handed out only after its bytes were digested again. Writers and prune
 * hold the store's lock.
 */
#pragma once

#include "results/env.h"
#include "util/names.h"
#include "util/text.h"

#define SG_BUILDS_VARIABLE "SOLGATE_BUILDS"

/* Appends the store's folder: $SOLGATE_BUILDS, $XDG_CACHE_HOME/solgate/builds or
 * $HOME/.cache/solgate/builds. SG_SYSTEM: none is set. */
enum sg_code sg_builds_place(struct sg_text *store, struct sg_err *err);
/* Appends " --builds=DIR" where SOLGATE_BUILDS names one: for commands that are printed. */
void sg_builds_add_option(struct sg_text *out);

/* Makes the folder and holds it until the descriptor is closed. SG_SYSTEM when it cannot be
 * written, or another holds it for too long. */
enum sg_code sg_builds_lock(const char *store, int *descriptor, struct sg_err *err);

/* Keys of build.csv, beside those that it takes over from env.csv of the run. */
#define SG_BUILD_FAMILY_KEY "family"
#define SG_BUILD_ABI_KEY    "module_abi" /* SG_ABI_VERSION */
#define SG_BUILD_STANDS_KEY "stands_for" /* digest of the build whose place it takes; only of one that was built again */
#define SG_BUILD_IMAGES_KEY "images"     /* what its device code was built for: "sm_90a compute_90"; absent: none is found */

/*
 * Copies the module into the store under its digest, which must be `digest`, unless that is NULL.
 * One that is there and whole stays as it is; one whose bytes are not its digest's is replaced. To
 * be called with the lock. SG_NOT_COMPARABLE: the file has another digest; SG_BAD_INPUT, SG_SYSTEM.
 * *kept, where not NULL: its digest.
 */
enum sg_code sg_build_keep(const char *store, const char *module, const char *digest, const struct sg_env *facts,
                           struct sg_digest_word *kept, struct sg_err *err);

struct sg_build {
    char *digest, *module; /* owned: the name of its folder, the path of its module */
    struct sg_env facts;
    uint64_t bytes;
    struct sg_err fault; /* code SG_SUCCESS: it is whole */
};
/* Reads and checks one. What is wrong with it, or that it is not there, goes into build->fault. */
void sg_build_read(const char *store, const char *digest, struct sg_build *build);
void sg_build_release(struct sg_build *build);
/* Is it there and whole? */
bool sg_build_is_kept(const char *store, const char *digest);

struct sg_builds {
    struct sg_build *items; /* owned; sorted by date, the newest first, then by digest */
    size_t count, capacity;
};
/* Reads and checks all that is in the store; a store that is not there is empty. SG_SYSTEM. */
enum sg_code sg_builds_read(const char *store, struct sg_builds *builds, struct sg_err *err);
void sg_builds_release(struct sg_builds *builds);
/* NULL: none of that digest. */
const struct sg_build *sg_builds_find(const struct sg_builds *builds, const char *digest);
/* The digest that numbers refer to it by: its own, or that of the build whose place it takes. */
const char *sg_build_stands_for(const struct sg_build *build);

/* To be called with the lock. SG_SYSTEM. */
enum sg_code sg_build_remove(const char *store, const char *digest, struct sg_err *err);
