/*
 * results/env.h - facts of a run, env.csv: `key,value` pairs, keys unique and made of [a-z0-9_.],
 * kept in the order they were set.
 */
#pragma once

#include "util/digest.h"
#include "util/err.h"
#include "util/intern.h"

struct sg_env {
    const char **key; /* owned, its strings by `names` */
    char **value;     /* owned */
    long *line;       /* owned; of each key, where it was read; 0: it was set here */
    size_t count, capacity;
    struct sg_intern_pool *names; /* owned */
    size_t *place;                /* owned; of each name, by its id: its index above and 1; 0: it is no key now */
    size_t place_count, place_capacity;
    char *path; /* owned; of the file that was read; NULL: there is none */
};

void sg_env_release(struct sg_env *env);
void sg_env_set(struct sg_env *env, const char *key, const char *value); /* replaces; line ends and the like as in sg_csv_add_field */
/* The same with a value that is made of parts. */
void sg_env_setf(struct sg_env *env, const char *key, const char *format, ...) __attribute__((format(printf, 3, 4)));
void sg_env_unset(struct sg_env *env, const char *key); /* absent afterwards; the others keep their order */
/* NULL: absent. */
const char *sg_env_get(const struct sg_env *env, const char *key);
const char *sg_env_word(const struct sg_env *env, const char *key); /* the same, and "" where it is absent */
/* The same of a key that is made of parts. */
const char *sg_env_getf(const struct sg_env *env, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Are its times of a text or of another tool, and not of batches? */
bool sg_env_is_quoted(const struct sg_env *env);
/* Of another tool: then they may have a spread, and nothing of the run ever gates. */
bool sg_env_is_imported(const struct sg_env *env);
/* Appends " --module=FILE" for each that the `command` of a run has, as a shell takes it. */
void sg_env_add_modules(const struct sg_env *env, struct sg_text *out);
long sg_env_line(const struct sg_env *env, const char *key); /* for complaints about its value; 1 where it has none */
/* SG_BAD_INPUT with "KEY: " before the complaint, and the place of
 * the key in the file that was read. */
enum sg_code sg_env_fail(struct sg_err *err, const struct sg_env *env, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
const char *sg_env_why_invalid(const struct sg_env *env); /* why no time of the run may be believed; NULL: for all it says, they may */
double sg_env_tolerance(const struct sg_env *env, const char *family); /* ratio, of the family or the run; NaN: none, or no number */
/* Tolerances above it do not gate: of the suite (plan/suite.h), or what a
 * suite has that names none. Ratio. */
#define SG_TOLERANCE_MAX_KEY "tolerance_max"
double sg_env_tolerance_max(const struct sg_env *env);
bool sg_env_is_key(const char *string); /* [a-z0-9_.]+? */
enum sg_code sg_env_read(const char *path, struct sg_env *env, struct sg_err *err);
#define SG_ACCEPTED_RUNS_KEY  "accepted_runs" /* beside accepted numbers: of how many runs, and of which GPUs */
#define SG_ACCEPTED_UNITS_KEY "accepted_units"
/* Before FAMILY.CASE.VARIANT of an item that is of others, `RUNS:GPU+GPU`. */
#define SG_ACCEPTED_ITEM_PREFIX "accepted."
#define SG_SCHEMA               "2"    /* of a run; files of schema 1 are read, too: they have no se and no sd */
#define SG_SCHEMA_ACCEPTED      "4"    /* of accepted numbers */
#define SG_NULL_GPU             "null" /* `gpu` of simulated times */
#define SG_SIMULATED_WORDS      "simulated times, no GPU"
bool sg_env_is_simulated(const struct sg_env *env); /* are its times those of the null device? */
/* Of a run: how the first worker ended that crashed after its last message. */
#define SG_WORKER_ENDS_KEY "worker_ends"
/* Before a family's name: of a run the digest of its module; of what a worker reports the
 * sg_file_mark of the one that it loaded. */
#define SG_CODE_PREFIX "code."
/* Before a family: its vendor's rows and the absolute time of its baseline
 * gate also where builds are paired. */
#define SG_GATE_PREFIX "gate."
/* Before FAMILY.CASE of a case that the suite gave the sizes of: these, "m=512 n=4096". */
#define SG_SIZES_PREFIX "sizes."
/* A digest of which items of a run are timed against their accepted
 * builds; absent: that was not asked for. */
#define SG_PAIRS_KEY "accepted_pairs"
/* Of a night: the folder of the nights before, "" for none; and which rows it times. Absent:
 * all. */
#define SG_TIMED_SINCE_KEY "timed_since"
#define SG_CHOICE_KEY      "timed"
#define SG_CHOICE_CHANGED  "changed, and " /* its value begins so where not all rows are timed, whatever they are made of */
/* The same as below SG_CODE_PREFIX, of a run, of the accepted build
 * that the family was timed against. */
#define SG_ACCEPTED_CODE_PREFIX "accepted_code."
/*
 * What everything else rests on: SG_NOT_COMPARABLE if the files beside `path` were written in a
 * schema that is none from 1 to `newest`; SG_BAD_INPUT if nothing says so, or if a value is none of
 * its key: a tolerance, a state, where accepted numbers come from and the like.
 */
enum sg_code sg_env_check(const struct sg_env *env, const char *path, const char *newest, struct sg_err *err);
#define SG_DIGEST_KEY \
    "digest" /* over this file, but for the key itself, and the table beside it (results/run_reader.h, results/accepted_file.h) */
/* Adds keys and values, but for SG_DIGEST_KEY. */
void sg_env_digest(const struct sg_env *env, struct sg_digest *digest);
void sg_env_format(struct sg_text *out, const struct sg_env *env); /* the whole file */
enum sg_code sg_env_write(const char *path, const struct sg_env *env, struct sg_err *err);
