/*
 * results/settings.h - the settings of a measurement, one row each. A new setting is a row here, a
 * row of docs/formats.md, and its use.
 *
 * From this table come: the keys of [suite] and of a family's section, options of `ab`, the
 * worker's --set=KEY=VALUE, keys of env.csv and their checks, what --resume requires to be equal,
 * what makes two runs comparable, and the terms of a verdict.
 *
 * Suites and `ab` read "0.5%" or "20s" and check the row's range. env.csv and workers read 0.005 or
 * 20, and accept smaller numbers, which only programs choose (a pilot of 2 blocks). Pure.
 */
#pragma once

#include "results/env.h"
#include "results/l2_state.h"
#include "stats/run_limits.h"
#include "util/names.h"
#include "util/record.h"

#define SG_AUTO           "auto"
#define SG_PROCESSES_AUTO 0 /* as many as the verdict needs (stats/sequential.h) */

/* Where a setting is used. */
enum {
    SG_IN_SUITE = 1 << 0,  /* a key of [suite] */
    SG_IN_FAMILY = 1 << 1, /* a key of a family's section; env.csv has KEY.FAMILY, too */
    SG_IN_ENV = 1 << 2,    /* a key of env.csv; --resume needs the same value */
    /* env.csv has the key only if the value differs from the default. Files of versions without
     * the setting then have its default. */
    SG_IF_SET = 1 << 3,
    SG_TO_WORKER = 1 << 4, /* an argument of workers */
    /* A term of the verdict, accepted with the numbers: a change in this direction may pass what
     * failed before. For a family's setting, the term is KEY.FAMILY. */
    SG_LARGER_IS_LOOSER = 1 << 5,
    SG_SMALLER_IS_LOOSER = 1 << 6,
    /* Numbers measured with different values are not compared with accepted numbers, not accepted
     * together, and not in one history. Not for a family's setting. */
    SG_MUST_EQUAL = 1 << 7,
    SG_OF_WORKERS = SG_IN_SUITE | SG_IN_ENV | SG_TO_WORKER,
};

/* Types of the members. L2 has the words of results/l2_state.h. People write a tolerance as a
 * percentage, which sg_parse_percent limits instead of the row's range, and seconds with a unit. */
typedef enum sg_l2 sg_setting_L2;
typedef bool sg_setting_SWITCH;
typedef double sg_setting_TOLERANCE, sg_setting_SECONDS;
typedef unsigned sg_setting_WHOLE, sg_setting_EVEN, sg_setting_WHOLE_OR_AUTO;

/* X(key, type, default, least, most, uses, option, help): `key` is also the member; `option` is AB
 * for a setting that `solgate ab --KEY` sets, otherwise NO. */
#define SG_SETTINGS(X)                                                                             \
    X(l2, L2, SG_L2_COLD, 0, 0, SG_OF_WORKERS | SG_MUST_EQUAL, AB,                                 \
      "the L2 cache before each launch")                                                           \
    X(processes, WHOLE_OR_AUTO, SG_PROCESSES_DEFAULT, SG_PROCESSES_MIN, SG_PROCESSES_MAX,          \
      SG_IN_SUITE | SG_IN_ENV | SG_SMALLER_IS_LOOSER, NO, "processes that time a pair")            \
    X(blocks, EVEN, SG_BLOCKS_DEFAULT, 4, SG_BLOCKS_MAX, SG_OF_WORKERS, NO,                        \
      "minimum number of ABBA rounds of a pair in one process")                                    \
    X(launches, WHOLE, SG_LAUNCHES_DEFAULT, 1, SG_LAUNCHES_MAX, SG_OF_WORKERS, NO,                 \
      "timed launches of a batch")                                                                 \
    X(repeats, WHOLE, SG_REPEATS_DEFAULT, 1, SG_REPEATS_MAX, SG_OF_WORKERS | SG_SMALLER_IS_LOOSER, \
      NO, "counts of each item")                                                                   \
    X(tolerance, TOLERANCE, SG_TOLERANCE_DEFAULT, 0, 1,                                            \
      SG_IN_SUITE | SG_IN_FAMILY | SG_IN_ENV | SG_LARGER_IS_LOOSER, AB,                            \
      "how much slower is still fine")                                                             \
    X(tolerance_max, TOLERANCE, SG_TOLERANCE_MAX, 0, 1,                                            \
      SG_IN_SUITE | SG_IN_ENV | SG_LARGER_IS_LOOSER, NO,                                           \
      "upper limit of all tolerances: a row that needs a wider one is too noisy to gate")          \
    X(gate, SWITCH, false, 0, 0, SG_IN_FAMILY | SG_IN_ENV | SG_IF_SET | SG_SMALLER_IS_LOOSER, NO,  \
      "vendor rows and the baseline's absolute time also gate against accepted builds")            \
    X(deadline, SECONDS, SG_DEADLINE_DEFAULT_S, SG_DEADLINE_MIN_S, SG_DEADLINE_MAX_S, SG_IN_SUITE, \
      NO, "limit for one item in one pass")                                                        \
    X(sustained, SWITCH, false, 0, 0, SG_IN_ENV | SG_IF_SET | SG_TO_WORKER, AB,                    \
      "interleaved segments of 2 s of launches, so that power draw counts too; minutes per case, " \
      "warm L2")                                                                                   \
    X(energy, SWITCH, false, 0, 0, SG_OF_WORKERS | SG_IF_SET, AB,                                  \
      "judge the energy of a launch, to 3 %: 4 segments of 1 s for each pair in each process; "    \
      "H100 or newer, warm L2")                                                                    \
    X(pilot_ms, WHOLE, SG_PILOT_MS_DEFAULT, 1, 60000, SG_TO_WORKER, NO,                            \
      "time that the blocks of a pair may take because of noise")

#define X(key, type, ...) sg_setting_##type key;
struct sg_settings {
    SG_SETTINGS(X)
};
#undef X
#define X(key, ...) bool key;
/* Which settings a section or a command line sets; parallel to struct sg_settings. */
struct sg_settings_given {
    SG_SETTINGS(X)
};
#undef X
#define X(key, ...) SG_SETTING_OF_##key,
enum sg_setting_index { SG_SETTINGS(X) SG_SETTING_COUNT };
#undef X

struct sg_setting {
    const char *key;
    struct sg_field written, plain; /* the setting as people write it, and as in env.csv */
    size_t given;                   /* offset in struct sg_settings_given */
    unsigned uses;
};
extern const struct sg_setting sg_setting_table[SG_SETTING_COUNT];

struct sg_settings sg_settings_of_defaults(void);

/* Parse a value as people write it, and one of env.csv or for a worker. SG_BAD_INPUT: expected,
 * found. */
enum sg_code sg_setting_parse(const struct sg_setting *setting, const char *text,
                              struct sg_settings *settings, struct sg_err *err);
enum sg_code sg_setting_parse_plain(const struct sg_setting *setting, const char *text,
                                    struct sg_settings *settings, struct sg_err *err);
/* Appends the value as in env.csv. */
void sg_setting_format(const struct sg_setting *setting, const struct sg_settings *settings,
                       struct sg_text *out);
const struct sg_setting *sg_setting_find(const char *key); /* NULL: no such setting */
/* Finds the setting of a key of env.csv, KEY or KEY.FAMILY; NULL: the key is not a setting. */
const struct sg_setting *sg_setting_of_env(const char *key);

/* Stores the keys of the settings with this use; returns their number. */
size_t sg_settings_keys(unsigned use, const char *keys[SG_SETTING_COUNT]);
/* Finds a setting with SG_MUST_EQUAL whose value differs between two files, and stores both values
 * in of_a and of_b ("": absent). NULL: no such setting differs. */
const struct sg_setting *sg_settings_unequal(const struct sg_env *a, const struct sg_env *b,
                                             struct sg_text *of_a, struct sg_text *of_b);
/* Compares the facts of a run that is resumed with those of this command line. Each fact of `here`
 * must be in `begun`, and each setting of `begun` in `here`: a setting with SG_IF_SET that is back
 * at its default has no key. SG_NOT_COMPARABLE: the first fact that differs, with both values. */
enum sg_code sg_settings_check_resumed(const struct sg_env *begun, const struct sg_env *here,
                                       const char *path, struct sg_err *err);

/* Copies the settings whose `given` equals is_given. */
void sg_settings_override(struct sg_settings *into, const struct sg_settings *from,
                          const struct sg_settings_given *given, bool is_given);
/* Sets the keys of env.csv: the run's, or the family's if a family is given. */
void sg_settings_to_env(const struct sg_settings *settings, const char *family, struct sg_env *env);
/* Adds --set=KEY=VALUE for a worker, and takes KEY=VALUE there. */
void sg_settings_add_arguments(const struct sg_settings *settings, struct sg_names *arguments);
enum sg_code sg_settings_take_argument(void *settings, const char *argument, struct sg_err *err);

/* A row of options (util/options.h) for a command whose input has `field.settings` and
 * `field.given`. */
#define SG_SETTING_OPTION(key, type, low, high, words, input, field, ...)                \
    {                                                                                    \
        .name = #key, .arg = SG_SETTING_ARG_##type, SG_INTO(input, field.settings.key),  \
        .given = offsetof(input, field.given.key), .read = sg_setting_read_##key,        \
        .least = (uint64_t)(low), .most = (uint64_t)(high), .help = (words), __VA_ARGS__ \
    }
#define SG_SETTING_ARG_L2            SG_L2_CHOICES
#define SG_SETTING_ARG_SWITCH        NULL
#define SG_SETTING_ARG_TOLERANCE     "PERCENT"
#define SG_SETTING_ARG_SECONDS       "TIME"
#define SG_SETTING_ARG_WHOLE         "N"
#define SG_SETTING_ARG_EVEN          "N"
#define SG_SETTING_ARG_WHOLE_OR_AUTO "N|" SG_AUTO
/* Reads what people write; `place` is the member. An option without a value means yes. */
#define X(key, ...) \
    enum sg_code sg_setting_read_##key(void *place, const char *found, struct sg_err *err);
SG_SETTINGS(X)
#undef X
