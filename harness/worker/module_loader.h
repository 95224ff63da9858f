/*
 * worker/module_loader.h - kernel modules (libsg_<family>.so) in the worker: loading, checking and
 * looking up items.
 *
 * A module is checked completely when loaded (ABI version, names, exactly one baseline, required
 * functions), so later code need not check. Invariant: a loaded module is never unloaded, because
 * the CUDA runtime in it would not survive that.
 */
#pragma once

#include "plan/knobs.h"

typedef bool sg_take_case_fn(struct sg_case *c, struct sg_reason *why);
struct sg_added_case;

struct sg_modules {
    const struct sg_module **items; /* owned array; the modules live as long as the process */
    char **paths;                   /* owned; per module, for messages */
    sg_take_case_fn **take; /* owned; per module; NULL: it has only the cases of its table */
    size_t count;
    struct sg_added_case *added; /* owned; replacements of modules with added cases */
};

/* SG_BAD_INPUT, with the path: a module cannot be loaded, has another ABI version, breaks the
 * contract, or holds the family of another module. */
enum sg_code sg_modules_load(struct sg_modules *modules, const char *const *paths, size_t count,
                             struct sg_err *err);
/* Adds "FAMILY/CASE:rows=300 cols=4096@FILE:LINE" to the family's cases; call before any other use
 * of the modules. No effect if no module has the family or accepts sizes. SG_BAD_INPUT, with
 * FILE:LINE, if the family refuses the case. */
enum sg_code sg_modules_add_case(struct sg_modules *modules, const char *text, struct sg_err *err);
/* The path of a loaded module; NULL: not in `modules`. */
const char *sg_modules_path(const struct sg_modules *modules, const struct sg_module *module);

/* A variant with a value for each of its knobs, ready to be prepared; borrowed. */
struct sg_configured_variant {
    const struct sg_module *module;
    const struct sg_named_variant *variant;
    const int64_t *knob; /* SG_MAX_KNOBS values; never NULL */
};

/* The variant of FAMILY/CASE/VARIANT and the variant it is paired with. Everything is borrowed from
 * the modules and the item. */
struct sg_target {
    const struct sg_module *module;
    /* defines the case and the buffers of both sides: `against` if that is another file, otherwise
     * `module` */
    const struct sg_module *home;
    const struct sg_case *c; /* of `home` */
    const struct sg_named_variant *variant;
    const struct sg_named_variant *baseline; /* may be the variant itself */
    const struct sg_module
        *against; /* module of the baseline; `module` unless --against names another */
    const char *name, *baseline_name; /* names in all messages of the protocol */
    int64_t knob[SG_MAX_KNOBS],
        baseline_knob[SG_MAX_KNOBS]; /* values of the variant and of its baseline; 0: default */
    double tolerance, noise; /* ratios for the time pass: --tolerance, --noise; 0: not given */
};
#define SG_TARGET_NAMES(target) (target)->module->name, (target)->c->name, (target)->name

/* Where items are looked up. `against` may hold a family that `modules` also holds (of another
 * commit); its variants get a name in `others`, which distinguishes two builds of a variant. If a
 * setting of the case has the name, its variant is used. */
struct sg_sides {
    const struct sg_modules *modules, *against; /* against may be empty */
    const struct sg_names *others; /* NAME:VARIANT of the variants from `against`; NULL: none */
    const char
        *baseline; /* the variant that all others are paired with; NULL: their family's baseline */
    bool pairs_builds; /* if `baseline` is NULL: pairs NAME with VARIANT of its family in `modules`
                        */
    const struct sg_knob_settings *settings; /* NULL: none */
};

/* SG_BAD_USAGE names the unknown part of the item and the known ones. */
enum sg_code sg_sides_find(const struct sg_sides *sides, const char *item, struct sg_target *target,
                           struct sg_err *err);

/* The candidate's and the baseline's side of a target. */
struct sg_configured_variant sg_target_configured(const struct sg_target *target);
struct sg_configured_variant sg_target_baseline_configured(const struct sg_target *target);

/* The case of that name; NULL: none. */
const struct sg_case *sg_module_case(const struct sg_module *module, const char *name);

/* Appends "rows=4096 cols=4096", with the family's dims. */
struct sg_text;
void sg_case_shape(const struct sg_family *family, const struct sg_case *c, struct sg_text *out);
