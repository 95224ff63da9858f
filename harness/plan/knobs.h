/*
 * plan/knobs.h - settings of knobs: a variant, a case, the knobs' values, and the name of the
 * resulting item.
 *
 * Settings come from a text file (docs/formats.md), which `solgate run --sweep` writes and
 * --config=FILE reads:
 *
 *     [group_gemm/persistent]             FAMILY/VARIANT
 *     large = tile_n=128 stages=5         a case, and its knobs (`solgate list knobs`): whole
 *                                         numbers, 0 is the variant's default
 *
 * or from a sweep, which gives each configuration its own name. A worker gets each setting by
 * --setting="FAMILY/CASE/NAME:VARIANT:KNOB=VALUE KNOB=VALUE": an item of that NAME is VARIANT
 * with these knobs. An item without a setting is a variant with all its knobs at 0. Invariant: all
 * words are valid names, no knob is set twice in a setting, and values are 0 (the variant's
 * default) or above.
 */
#pragma once

#include "util/err.h"
#include "util/text.h"

#define SG_KNOB_PREFIX "knob_" /* prefix of metrics that record a knob's value */

struct sg_knob_value {
    char *name; /* owned */
    int64_t value;
};

struct sg_knob_setting {
    char *family, *case_, *name, *variant; /* owned */
    struct sg_knob_value knob[SG_MAX_KNOBS];
    size_t count; /* number of knobs */
    long line;    /* in the file it was read from; 0: not from a file */
};

/* What a setting applies to; borrowed. */
struct sg_knob_setting_of {
    const char *family, *case_, *name, *variant;
};

struct sg_knob_settings {
    struct sg_knob_setting *items; /* owned */
    size_t count, capacity;
};

/* Adds a setting without knobs. The pointer is valid until the next call. */
struct sg_knob_setting *sg_knob_settings_add(struct sg_knob_settings *settings,
                                             const struct sg_knob_setting_of *of);
/* Parses KNOB=VALUE KNOB=VALUE, separated by blanks. SG_BAD_INPUT without a place: a syntax error
 * or a repeated knob. */
enum sg_code sg_knob_setting_set_all(struct sg_knob_setting *setting, const char *knobs,
                                     struct sg_err *err);
/* Returns NULL if the item has no setting, or if `settings` is NULL. */
const struct sg_knob_setting *sg_knob_settings_find(const struct sg_knob_settings *settings,
                                                    const char *family, const char *case_,
                                                    const char *name);

enum sg_code sg_knob_setting_copy_knobs(const struct sg_knob_setting *from,
                                        struct sg_knob_setting *to, struct sg_err *err);

/* Formats the knobs as sg_knob_setting_set_all parses them. */
void sg_knob_setting_add_knobs(const struct sg_knob_setting *setting, struct sg_text *out);
/* Formats and parses a setting as an option's argument. SG_BAD_USAGE names the expected form. */
void sg_knob_setting_format(const struct sg_knob_setting *setting, struct sg_text *out);
enum sg_code sg_knob_setting_parse(void *settings, const char *text, struct sg_err *err);

/* Adds the settings of a file; each has its variant's name. SG_BAD_INPUT with file and line. Names
 * of families, cases and knobs are checked later, when the modules are known (run/run_plan.c). */
enum sg_code sg_knob_file_read(const char *path, struct sg_knob_settings *settings,
                               struct sg_err *err);
