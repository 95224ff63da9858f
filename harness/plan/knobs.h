/*
 * plan/knobs.h - knobs that are set: of which variant for which case, to
 * what, and what it is called then.
 *
 * Settings come from a text file (docs/formats.md), which `solgate run --sweep` writes and
 * --config=FILE takes:
 *
 *     [group_gemm/persistent]             FAMILY/VARIANT
 *     large = tile_n=128 stages=5         a case, and its knobs (`solgate list knobs`): whole
 *                                         numbers, 0 is the variant's default
 *
 * or from a sweep, which calls each of its configurations by a name of its own. A worker gets each
 * by --setting="FAMILY/CASE/NAME:VARIANT:KNOB=VALUE KNOB=VALUE": an item of that NAME is VARIANT
 * with these knobs, and what no setting names is a variant with all its knobs at 0. Invariant: all
 * of it are names, no knob is set twice in a setting, and values are 0, the variant's default, or
 * above.
 */
#pragma once

#include "util/err.h"
#include "util/text.h"

#define SG_KNOB_PREFIX "knob_" /* of rows of a run that say how a knob is set */

struct sg_knob_value {
    char *name; /* owned */
    int64_t value;
};

struct sg_setting {
    char *family, *case_, *name, *variant; /* owned */
    struct sg_knob_value knob[SG_MAX_KNOBS];
    size_t count; /* of knobs */
    long line;    /* of the file that it was read from; 0: of none */
};

/* What a setting is of; borrowed. */
struct sg_setting_of {
    const char *family, *case_, *name, *variant;
};

struct sg_settings {
    struct sg_setting *items; /* owned */
    size_t count, capacity;
};

/* One more, without knobs; good until the next is added. */
struct sg_setting *sg_settings_add(struct sg_settings *settings, const struct sg_setting_of *of);
enum sg_code sg_setting_set(struct sg_setting *setting, const char *knob, int64_t value, struct sg_err *err);
/* From KNOB=VALUE KNOB=VALUE, with blanks between. SG_BAD_INPUT without a
 * place: anything else, or a knob twice. */
enum sg_code sg_setting_set_all(struct sg_setting *setting, const char *knobs, struct sg_err *err);
/* NULL: nothing is set for the item; so when settings is NULL. */
const struct sg_setting *sg_settings_find(const struct sg_settings *settings, const char *family, const char *case_, const char *name);
void sg_settings_release(struct sg_settings *settings);

enum sg_code sg_setting_copy_knobs(const struct sg_setting *from, struct sg_setting *to, struct sg_err *err);

/* As sg_setting_set_all takes them. */
void sg_setting_add_knobs(const struct sg_setting *setting, struct sg_text *out);
/* As an option's argument, and back: SG_BAD_USAGE says what was expected. */
void sg_setting_format(const struct sg_setting *setting, struct sg_text *out);
enum sg_code sg_setting_parse(const char *text, struct sg_settings *settings, struct sg_err *err);

/* Adds the settings of a file, each called by its variant's name. SG_BAD_INPUT with file and line;
 * whether there is a family, a case or a knob of these names is checked where the modules are
 * known (run/run_plan.c). */
enum sg_code sg_knob_file_read(const char *path, struct sg_settings *settings, struct sg_err *err);
