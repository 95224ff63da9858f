/*
 * worker/module_loader.h - kernel modules (libsg_<family>.so) in the worker: loading,
 * checking, and finding what an item names.
 *
 * A module is checked as a whole when it is loaded (ABI version, names, exactly one
 * baseline, required functions), so later code need not check. Invariant: a
 * loaded module is never unloaded, because the CUDA runtime inside of it would not survive
 * that.
 */
#pragma once

#include "plan/knobs.h"
#include "results/message.h"

typedef bool sg_take_case_fn(struct sg_case *c, struct sg_reason *why);
struct sg_added_case;

struct sg_modules {
    const struct sg_module **items; /* owned array; the modules live as long as the process */
    char **paths;                   /* owned; of each, for messages */
    sg_take_case_fn **take;         /* owned; of each, or NULL: it has the cases of its table only */
    size_t count;
    struct sg_added_case *added; /* owned; what stands in place of modules that got cases */
};

/* SG_BAD_INPUT, with the path, for what cannot be loaded, is of another ABI version, breaks the
 * contract, or holds a family twice. */
enum sg_code sg_modules_load(struct sg_modules *modules, const char *const *paths, size_t count, struct sg_err *err);
/*
 * Adds "FAMILY/CASE:rows=300 cols=4096@PLACE" to the family's cases, before anything else is made
 * of them; not where no module has the family or takes sizes. SG_BAD_INPUT with the place of what
 * the family refuses.
 */
enum sg_code sg_modules_add_case(struct sg_modules *modules, const char *text, struct sg_err *err);
/* Of one of them; NULL: it is none. */
const char *sg_modules_path(const struct sg_modules *modules, const struct sg_module *module);
void sg_modules_release(struct sg_modules *modules);

/* A variant with a value for each of its knobs, ready to be prepared; borrowed. */
struct sg_configured_variant {
    const struct sg_module *module;
    const struct sg_named_variant *variant;
    const int64_t *knob; /* SG_MAX_KNOBS of them; never NULL */
};

/* What FAMILY/CASE/VARIANT names, and what it is paired with; everything
 * borrowed from the modules and the item. */
struct sg_target {
    const struct sg_module *module;
    const struct sg_module *home; /* whose case and buffers both sides work on: `against` if that is another file, or `module` */
    const struct sg_case *c;      /* of `home` */
    const struct sg_named_variant *variant;
    const struct sg_named_variant *baseline;                 /* may be the variant itself */
    const struct sg_module *against;                         /* holds the baseline; the same module unless there is a list of its own */
    const char *name, *baseline_name;                        /* what they are called in every answer */
    int64_t knob[SG_MAX_KNOBS], baseline_knob[SG_MAX_KNOBS]; /* of the variant, and of what it is paired with; 0: its default */
    double tolerance, noise;                                 /* ratios, of the time pass: --tolerance, --noise; 0: not given */
};
#define SG_TARGET_NAMES(target) (target)->module->name, (target)->c->name, (target)->name

/*
 * Where items are looked up. A variant of an `against` module, which may hold a family that
 * `modules` holds too (another commit's), has a name in `others`: so two builds of one variant are
 * told apart wherever they are named. A name that is set for the case stands for the variant of its
 * setting.
 */
struct sg_sides {
    const struct sg_modules *modules, *against; /* against may be empty */
    const struct sg_names *others;              /* NAME:VARIANT of what is taken from `against`; NULL: nothing */
    const char *baseline;                       /* what every variant is paired with; NULL: its family's baseline */
    bool pairs_builds;                          /* without `baseline`: NAME is paired with VARIANT of its family in `modules` */
    const struct sg_settings *settings;         /* NULL: none */
};

/* SG_BAD_USAGE that names the part that is unknown and what there is instead. */
enum sg_code sg_sides_find(const struct sg_sides *sides, const char *item, struct sg_target *target, struct sg_err *err);

/* Either side of it. */
struct sg_configured_variant sg_target_way(const struct sg_target *target);
struct sg_configured_variant sg_target_baseline_way(const struct sg_target *target);

/* The case of that name; NULL: the module has none. */
const struct sg_case *sg_module_case(const struct sg_module *module, const char *name);

/* "rows=4096 cols=4096" from the family's dims. */
struct sg_text;
void sg_case_shape(const struct sg_family *family, const struct sg_case *c, struct sg_text *out);
