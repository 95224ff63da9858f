/*
 * results/env.h - facts of a run, env.csv: `key,value` pairs in the order they were set. Keys are
 * unique and match [a-z0-9_.]+.
 */
#pragma once

#include "util/digest.h"
#include "util/err.h"
#include "util/intern.h"

struct sg_env {
    const char **key; /* owned; its strings belong to `names` */
    char **value;     /* owned */
    long *line;       /* owned; line of each key in the file; 0: set by sg_env_set */
    size_t count, capacity;
    struct sg_intern_pool *names; /* owned */
    size_t *place; /* owned; per id of a name: its index above plus 1; 0: not a key now */
    size_t place_count, place_capacity;
    char *path; /* owned; the file that was read; NULL: none */
};

/* What a fact is about: the run (none), a family, a case or an item, as SG_OF(family, case,
 * variant). For a build, its digest replaces the family. */
#define SG_OF(...) ((const char *const[3]){__VA_ARGS__})

void sg_env_release(struct sg_env *env);
/* The value of a fact; NULL: absent. The key in the file is KEY.FAMILY.CASE.VARIANT. */
const char *sg_fact_get(const struct sg_env *env, const char *key, const char *const of[3]);
void sg_fact_set(struct sg_env *env, const char *key, const char *const of[3], const char *value);
/* True if the index-th fact has this key and is about a family, a case or an item. Then `of` has
 * its names, which point into `names`. */
bool sg_fact_at(const struct sg_env *env, size_t index, const char *key, struct sg_text *names,
                const char *of[3]);
void sg_env_set(struct sg_env *env, const char *key,
                const char *value); /* replaces; escapes line ends etc. like sg_csv_add_field */
/* The same with a formatted value. */
void sg_env_setf(struct sg_env *env, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds a key as read from a line of a file. SG_BAD_INPUT without a place: not a key, or there
 * already. */
enum sg_code sg_env_take(struct sg_env *env, const char *key, const char *value, long line,
                         struct sg_err *err);
void sg_env_unset(struct sg_env *env,
                  const char *key); /* no effect if absent; the other keys keep their order */
/* Returns the value; NULL: absent. */
const char *sg_env_get(const struct sg_env *env, const char *key);
const char *sg_env_word(const struct sg_env *env, const char *key); /* the same, but "" if absent */
/* True if the times come from a text or another tool instead of measured batches. */
bool sg_env_is_quoted(const struct sg_env *env);
/* True if the times come from another tool: the run gates only with `compare --gate`. */
bool sg_env_is_imported(const struct sg_env *env);
/* Appends " --module=FILE", quoted for a shell, for each module in the `command` of a run. */
void sg_env_add_modules(const struct sg_env *env, struct sg_text *out);
long sg_env_line(const struct sg_env *env,
                 const char *key); /* line for messages about the key's value; 1 if unknown */
/* SG_BAD_INPUT with the key's path and line; the message begins with "KEY: ". */
enum sg_code sg_env_fail(struct sg_err *err, const struct sg_env *env, const char *key,
                         const char *format, ...) __attribute__((format(printf, 4, 5)));
const char *sg_env_why_invalid(
    const struct sg_env *env); /* why the times of the run are invalid; NULL: no known reason */
double
sg_env_tolerance(const struct sg_env *env,
                 const char *family); /* ratio, of the family or the run; NaN: none or invalid */
/* A row whose tolerance exceeds this ratio does not gate. From the suite (plan/suite.h), or the
 * default. */
#define SG_TOLERANCE_MAX_KEY "tolerance_max"
double sg_env_tolerance_max(const struct sg_env *env);
bool sg_env_is_key(const char *string); /* true if it matches [a-z0-9_.]+ */
enum sg_code sg_env_read(const char *path, struct sg_env *env, struct sg_err *err);
#define SG_ACCEPTED_RUNS_KEY \
    "accepted_runs" /* in accepted numbers: the number of runs accepted last, and their GPUs */
#define SG_ACCEPTED_UNITS_KEY "accepted_units"
#define SG_SCHEMA             "2"     /* of a run; schema 1, without se and sd, is also read */
#define SG_SCHEMA_ACCEPTED    "5"     /* of accepted numbers */
#define SG_FILES_KEY          "files" /* of an imported run: their number, and the */
#define SG_CONTENTS_KEY       "file_digests" /* digest of each, joined by + */
#define SG_NULL_GPU           "null"         /* `gpu` of simulated times */
#define SG_SIMULATED_WORDS    "simulated times, no GPU"
#define SG_NO_TOOLKIT         "was built without the CUDA toolkit; `scripts/package --cuda` fetches one"
bool sg_env_is_simulated(
    const struct sg_env *env); /* true if the times are those of the null device */
/* In a run: how the first worker that crashed after its last message ended. */
#define SG_WORKER_ENDS_KEY "worker_ends"
/* For a family: in a run, the digest of its module; from a worker, the sg_file_mark of the module
 * that it loaded. The second key is for the accepted build that the run timed the family against.
 */
#define SG_CODE_KEY          "code"
#define SG_ACCEPTED_CODE_KEY "accepted_code"
#define SG_SIZES_KEY         "sizes"    /* of a case whose sizes the suite sets: "m=512 n=4096" */
#define SG_KNOBS_KEY         "setting"  /* of an item: its knobs */
#define SG_KNOB_COUNT_KEY    "settings" /* number of items with knobs */
#define SG_COMMAND_KEY       "exec"     /* of a program: its command */
/* Digest of the list of items that a run times against their accepted builds; absent: none were
 * requested. */
#define SG_PAIRS_KEY "accepted_pairs"
/* In a nightly run: the folder of the earlier nightly runs, or ""; and which rows were timed, all
 * or those that changed. Absent: all rows. */
#define SG_TIMED_SINCE_KEY  "timed_since"
#define SG_CHOICE_KEY       "timed"
#define SG_CHOICE_ALL       "all"
#define SG_CHOICE_CHANGED   "changed"
#define SG_CHOICE_WHY_KEY   "timed_why"   /* why all rows were timed, for people */
#define SG_CHOICE_DRAWN_KEY "timed_drawn" /* identical rows that are timed, joined by + */
/* Checks what all readers rely on. SG_NOT_COMPARABLE: the schema is not in 1 to `newest`.
 * SG_BAD_INPUT: the schema is missing, or a key has an invalid value (a tolerance, a state, the
 * GPUs of accepted numbers, ...). */
enum sg_code sg_env_check(const struct sg_env *env, const char *path, const char *newest,
                          struct sg_err *err);
#define SG_DIGEST_KEY                                                                 \
    "digest" /* over this file without this key, and its table (results/run_reader.h, \
                results/accepted_file.h) */
/* Adds all keys and values except SG_DIGEST_KEY. */
void sg_env_digest(const struct sg_env *env, struct sg_digest *digest);
enum sg_code sg_env_write(const char *path, const struct sg_env *env, struct sg_err *err);
