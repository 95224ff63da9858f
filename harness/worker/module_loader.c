#include "worker/module_loader.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include "device/gate_host.h"
#include "plan/gate_script.h"
#include "util/file.h"
#include "util/names.h"
#include "util/text.h"

#define KNOB_NAME_MAX 48 /* knob_<name> is a metric's name, and the column of a table */

#define DEADLINE_MS_MAX 3600000u /* also the maximum of a suite */

/* Describes the error in a knob's values; NULL: none. */
static const char *complaint_of_values(const struct sg_knob *knob)
{
    if (knob->count < 1 || knob->count > SG_MAX_KNOB_VALUES)
        return "a value or more, at most SG_MAX_KNOB_VALUES";
    for (size_t i = 0; i < knob->count; i++) {
        if (knob->value[i] <= 0)
            return "values above 0";
        for (size_t j = 0; j < i; j++)
            if (knob->value[j] == knob->value[i])
                return "each value once";
    }
    return NULL;
}

static enum sg_code check_knobs(const struct sg_named_variant *v, const char *path,
                                struct sg_err *err)
{
    const struct sg_knob *knobs = v->variant->knobs;
    const size_t count = v->variant->knob_count;
    if (count > SG_MAX_KNOBS)
        return sg_fail(err, SG_BAD_INPUT, path, "variant %s has %zu knobs: expected at most %d",
                       v->name, count, SG_MAX_KNOBS);
    for (size_t i = 0; i < count; i++) {
        if (!knobs[i].name || !sg_is_name(knobs[i].name) || strlen(knobs[i].name) > KNOB_NAME_MAX)
            return sg_fail(err, SG_BAD_INPUT, path,
                           "knob %zu of variant %s is named \"%s\": expected [a-z0-9_]+ of at most "
                           "%d characters",
                           i, v->name, knobs[i].name ? knobs[i].name : "", KNOB_NAME_MAX);
        for (size_t j = 0; j < i; j++)
            if (strcmp(knobs[j].name, knobs[i].name) == 0)
                return sg_fail(err, SG_BAD_INPUT, path, "variant %s has knob %s twice", v->name,
                               knobs[i].name);
        const char *expected = complaint_of_values(&knobs[i]);
        if (expected)
            return sg_fail(err, SG_BAD_INPUT, path, "knob %s of variant %s: expected %s",
                           knobs[i].name, v->name, expected);
    }
    return SG_SUCCESS;
}

static enum sg_code check_variants(const struct sg_module *module, const char *path,
                                   struct sg_err *err)
{
    size_t baselines = 0;
    for (size_t i = 0; i < module->variant_count; i++) {
        const struct sg_named_variant *v = &module->variants[i];
        if (!v->name || !sg_is_name(v->name))
            return sg_fail(err, SG_BAD_INPUT, path,
                           "variant %zu is named \"%s\": expected [a-z0-9_]+", i,
                           v->name ? v->name : "");
        if (!v->variant || !v->variant->launch)
            return sg_fail(err, SG_BAD_INPUT, path, "variant %s has no launch function", v->name);
        if (v->variant->deadline_ms > DEADLINE_MS_MAX)
            return sg_fail(err, SG_BAD_INPUT, path,
                           "variant %s has a deadline of %lu ms: expected at most %lu, an hour",
                           v->name, (unsigned long)v->variant->deadline_ms,
                           (unsigned long)DEADLINE_MS_MAX);
        if (check_knobs(v, path, err) != SG_SUCCESS)
            return err->code;
        baselines += v->variant->role == SG_BASELINE;
    }
    if (baselines != 1)
        return sg_fail(err, SG_BAD_INPUT, path,
                       "family %s has %zu baselines among %zu variants: expected exactly one",
                       module->name, baselines, module->variant_count);
    return SG_SUCCESS;
}

/* Does not look for duplicate names: the list pass does that once (plan/module_list.h). */
static enum sg_code check_cases(const struct sg_family *family, const char *path,
                                struct sg_err *err)
{
    if (family->case_count == 0)
        return sg_fail(err, SG_BAD_INPUT, path, "the family has no cases");
    for (size_t i = 0; i < family->case_count; i++) {
        const struct sg_case *c = &family->cases[i];
        if (!c->name || !sg_is_name(c->name))
            return sg_fail(err, SG_BAD_INPUT, path, "case %zu is named \"%s\": expected [a-z0-9_]+",
                           i, c->name ? c->name : "");
    }
    return SG_SUCCESS;
}

static enum sg_code check_family(const struct sg_family *family, const char *path,
                                 struct sg_err *err)
{
    const struct {
        const char *name;
        bool present;
    } required[] = {
        {"layout", family->layout != NULL},
        {"work", family->work != NULL},
        {"tolerance", family->tolerance != NULL},
        {"reference", family->reference != NULL},
        {"dims", family->dims != NULL},
        {"simulate (needed by a SG_HOST family)",
         family->device != SG_HOST || family->simulate != NULL},
    };
    if (family->dims && !sg_gate_host && strpbrk(family->dims, " \t;"))
        return sg_fail(err, SG_BAD_INPUT, path,
                       ".dims: expected names separated by commas, \"rows,cols\", found '%s'",
                       sg_show_string(family->dims).text);
    for (size_t i = 0; i < sizeof(required) / sizeof(required[0]); i++)
        if (!required[i].present)
            return sg_fail(err, SG_BAD_INPUT, path, "the family does not set %s", required[i].name);
    return check_cases(family, path, err);
}

static enum sg_code check_module(const struct sg_modules *modules, const struct sg_module *module,
                                 const char *path, struct sg_err *err)
{
    if (!module)
        return sg_fail(err, SG_BAD_INPUT, path, SG_MODULE_SYMBOL "() returned NULL");
    if (module->abi_version != SG_ABI_VERSION)
        return sg_fail(
            err, SG_BAD_INPUT, path,
            "module of ABI version %u, expected %u: build it again with this solgate_kernel.h",
            module->abi_version, SG_ABI_VERSION);
    if (!module->name || !sg_is_name(module->name) || !module->family ||
        (module->variant_count && !module->variants))
        return sg_fail(err, SG_BAD_INPUT, path,
                       "module without a name of [a-z0-9_]+, a family or variants");
    for (size_t i = 0; i < modules->count; i++)
        if (strcmp(modules->items[i]->name, module->name) == 0)
            return sg_fail(err, SG_BAD_INPUT, path, "contains family %s, which %s contains too",
                           module->name, modules->paths[i]);
    if (check_family(module->family, path, err) != SG_SUCCESS)
        return err->code;
    return check_variants(module, path, err);
}

/* dlopen would block on a pipe. */
static enum sg_code check_file(const char *path, struct sg_err *err)
{
    int descriptor = -1;
    if (access(path, F_OK) == 0 && sg_open_to_read(path, &descriptor, err) == SG_SUCCESS)
        close(descriptor);
    return err->code;
}

/* ISO C has no cast from an object pointer to a function pointer. */
#define AS_FUNCTION(function, symbol) memcpy(&(function), &(symbol), sizeof(function))

/* The module of a shared object, not yet checked; NULL with the reason in err. */
static const struct sg_module *open_module(const char *path, sg_take_case_fn **take,
                                           struct sg_err *err)
{
    if (check_file(path, err) != SG_SUCCESS)
        return NULL;
    if (sg_gate_host && sg_is_gate_script(path))
        return *sg_gate_script_commit(path) ? sg_gate_host->of_commit : sg_gate_host->module;
    const struct sg_module *module = NULL;
    /* dlopen looks up a name without a slash in the system's folders. */
    SG_FORMATTED(file, "%s%s", strchr(path, '/') ? "" : "./", path);
    void *handle = dlopen(file.data, RTLD_NOW | RTLD_LOCAL);
    void *symbol = handle ? dlsym(handle, SG_MODULE_SYMBOL) : NULL;
    if (!symbol) {
        const char *why = dlerror();
        sg_fail(err, SG_BAD_INPUT, path,
                "expected a kernel module that exports " SG_MODULE_SYMBOL ": %s",
                why ? why : "it is empty");
    } else {
        const struct sg_module *(*get)(void);
        AS_FUNCTION(get, symbol);
        module = get();
        symbol = dlsym(handle, SG_TAKE_CASE_SYMBOL);
        AS_FUNCTION(*take, symbol);
    }
    return module;
}

enum sg_code sg_modules_load(struct sg_modules *modules, const char *const *paths, size_t count,
                             struct sg_err *err)
{
    *modules = (struct sg_modules){.items = sg_alloc(count, sizeof(*modules->items)),
                                   .paths = sg_alloc(count, sizeof(char *)),
                                   .take = sg_alloc(count, sizeof(*modules->take))};
    for (size_t i = 0; i < count; i++) {
        const struct sg_module *module = open_module(paths[i], &modules->take[i], err);
        if (err->code != SG_SUCCESS || check_module(modules, module, paths[i], err) != SG_SUCCESS)
            return err->code;
        modules->items[modules->count] = module;
        modules->paths[modules->count++] = sg_copy_string(paths[i]);
    }
    return SG_SUCCESS;
}

/* ---- cases of a suite ---- */

/* A copy of a module with one more case. */
struct sg_added_case {
    struct sg_added_case *before;
    char *name; /* owned; name of the case */
    struct sg_module module;
    struct sg_family family;
    struct sg_case cases[];
};

/* Index of a dimension by name; SG_MAX_DIMS: none. */
static size_t find_dim(const struct sg_family *family, const char *name)
{
    SG_SCOPED(sg_names) dims = {0};
    size_t i = 0;
    sg_names_add_split(&dims, family->dims, ',');
    while (i < dims.count && strcmp(dims.items[i], name) != 0)
        i++;
    return i < dims.count && i < SG_MAX_DIMS ? i : SG_MAX_DIMS;
}

/* Parses "rows=300". */
static enum sg_code set_size(const struct sg_module *module, char *word, struct sg_case *c,
                             struct sg_err *why)
{
    char *value = strchr(word, '=');
    uint64_t number = 0;
    if (!value)
        return sg_fail(why, SG_BAD_INPUT, NULL, "expected sizes as NAME=N, found '%s'",
                       sg_show_string(word).text);
    *value++ = '\0';
    const size_t dim = find_dim(module->family, word);
    if (strcmp(word, "dtype") == 0)
        c->dtype = sg_dtype_from_word(value);
    else if (dim == SG_MAX_DIMS)
        return sg_fail(why, SG_BAD_INPUT, NULL,
                       "expected sizes of %s, which are %s and dtype, found '%s'", module->name,
                       module->family->dims, sg_show_string(word).text);
    else if (c->dim[dim] != 0)
        return sg_fail(why, SG_BAD_INPUT, NULL, "expected each size once, found %s again", word);
    else if (!sg_parse_u64(value, &number) || number == 0 || number > INT64_MAX)
        return sg_fail(why, SG_BAD_INPUT, NULL, "%s: expected a whole number from 1 on, found '%s'",
                       word, sg_show_string(value).text);
    else
        c->dim[dim] = (int64_t)number;
    return c->dtype < SG_DTYPE_COUNT
               ? SG_SUCCESS
               : sg_fail(why, SG_BAD_INPUT, NULL,
                         "dtype: expected a number format such as bf16, found '%s'",
                         sg_show_string(value).text);
}

static enum sg_code set_sizes(const struct sg_module *module, sg_take_case_fn *take,
                              const char *sizes, struct sg_case *c, struct sg_err *why)
{
    SG_SCOPED(sg_names) words = {0};
    struct sg_reason refusal = {""};
    sg_names_add_split(&words, sizes, ' ');
    for (size_t i = 0; i < words.count; i++)
        if (*words.items[i] && set_size(module, words.items[i], c, why) != SG_SUCCESS)
            return why->code;
    return take(c, &refusal) ? SG_SUCCESS
                             : sg_fail(why, SG_BAD_INPUT, NULL, "%s rejects these sizes: %s",
                                       module->name, refusal.text);
}

/* Replaces the module by a copy with the case appended. */
static void append_case(struct sg_modules *modules, size_t index, const struct sg_case *c)
{
    const struct sg_module *was = modules->items[index];
    const size_t count = was->family->case_count;
    struct sg_added_case *added = sg_alloc(1, sizeof(*added) + (count + 1) * sizeof(*c));
    memcpy(added->cases, was->family->cases, count * sizeof(*c));
    added->cases[count] = *c;
    added->cases[count].name = added->name = sg_copy_string(c->name);
    added->family = *was->family;
    added->family.cases = added->cases;
    added->family.case_count = count + 1;
    added->module = *was;
    added->module.family = &added->family;
    added->before = modules->added;
    modules->added = added;
    modules->items[index] = &added->module;
}

enum sg_code sg_modules_add_case(struct sg_modules *modules, const char *text, struct sg_err *err)
{
    const char *slash = strchr(text, '/'), *colon = slash ? strchr(slash, ':') : NULL,
               *at = colon ? strchr(colon, '@') : NULL;
    SG_SCOPED(sg_text) family = {0}, name = {0}, sizes = {0};
    if (!at)
        return sg_fail(err, SG_BAD_USAGE, NULL, "--case=%s: expected FAMILY/CASE:SIZES@FILE:LINE",
                       text);
    sg_text_add_bytes(&family, text, (size_t)(slash - text));
    sg_text_add_bytes(&name, slash + 1, (size_t)(colon - slash - 1));
    sg_text_add_bytes(&sizes, colon + 1, (size_t)(at - colon - 1));
    for (size_t i = 0; i < modules->count; i++) {
        const struct sg_module *module = modules->items[i];
        struct sg_case c = {.name = sg_text_string(&name),
                            .dtype = module->family->cases[0].dtype,
                            .summary = "sizes of the suite"};
        struct sg_err why = {0};
        if (!modules->take[i] || strcmp(module->name, sg_text_string(&family)) != 0)
            continue;
        if (sg_module_case(module, c.name))
            sg_fail(&why, SG_BAD_INPUT, NULL, "%s has a case of the name %s", module->name, c.name);
        else if (set_sizes(module, modules->take[i], sg_text_string(&sizes), &c, &why) ==
                 SG_SUCCESS)
            append_case(modules, i, &c);
        if (why.code != SG_SUCCESS)
            return sg_fail(err, why.code, at + 1, "case: %s", why.message);
    }
    return SG_SUCCESS;
}

const char *sg_modules_path(const struct sg_modules *modules, const struct sg_module *module)
{
    for (size_t i = 0; i < modules->count; i++)
        if (modules->items[i] == module)
            return modules->paths[i];
    return NULL;
}

const struct sg_case *sg_module_case(const struct sg_module *module, const char *name)
{
    return SG_FIND(module->family->cases, module->family->case_count, name, name);
}

static const struct sg_named_variant *find_variant(const struct sg_module *module, const char *name)
{
    return SG_FIND(module->variants, module->variant_count, name, name);
}

static const struct sg_module *find_family(const struct sg_modules *modules, const char *name)
{
    for (size_t i = 0; i < modules->count; i++)
        if (strcmp(modules->items[i]->name, name) == 0)
            return modules->items[i];
    return NULL;
}

/* The variant of `against` with this name; NULL: none. */
static const char *find_other(const struct sg_sides *sides, const char *name)
{
    const size_t length = strlen(name);
    for (size_t i = 0; sides->others && i < sides->others->count; i++) {
        const char *other = sides->others->items[i];
        if (strncmp(other, name, length) == 0 && other[length] == ':')
            return other + length + 1;
    }
    return NULL;
}

/* One side of a target, to be looked up in its case. */
struct side {
    const char *family, *case_, *name;
    const struct sg_module **module;
    const struct sg_named_variant **variant;
    int64_t *knob; /* SG_MAX_KNOBS values */
};

/* Finds a variant by its name, or by the name of a setting. */
static enum sg_code find_called(const struct sg_sides *sides, const struct side *side,
                                const char *variant, struct sg_err *err)
{
    const char *other = find_other(sides, side->name);
    *side->module = find_family(other ? sides->against : sides->modules, side->family);
    if (!*side->module)
        return sg_fail(err, SG_BAD_USAGE, NULL, "no module of family \"%s\" among the %zu given",
                       side->family, sides->modules->count + sides->against->count);
    *side->variant = find_variant(*side->module, other ? other : variant);
    if (!*side->variant)
        return sg_fail(
            err, SG_BAD_USAGE, NULL,
            "family %s has no variant \"%s\" (it has %zu; `solgate list variants` shows them)",
            side->family, variant, (*side->module)->variant_count);
    return SG_SUCCESS;
}

static const struct sg_named_variant *baseline_of(const struct sg_module *module)
{
    for (size_t i = 0; i < module->variant_count; i++)
        if (module->variants[i].variant->role == SG_BASELINE)
            return &module->variants[i];
    return NULL;
}

/* Sets values in the order of the variant's knobs. */
static enum sg_code turn_knobs(const struct sg_knob_setting *setting,
                               const struct sg_named_variant *variant, int64_t knob[SG_MAX_KNOBS],
                               struct sg_err *err)
{
    const struct sg_variant *v = variant->variant;
    for (size_t i = 0; i < setting->count; i++) {
        const struct sg_knob *known = SG_FIND(v->knobs, v->knob_count, name, setting->knob[i].name);
        if (!known)
            return sg_fail(err, SG_BAD_USAGE, NULL,
                           "variant %s of family %s has no knob \"%s\" (it has %zu; `solgate list "
                           "knobs` shows them)",
                           variant->name, setting->family, setting->knob[i].name, v->knob_count);
        knob[known - v->knobs] = setting->knob[i].value;
    }
    return SG_SUCCESS;
}

static enum sg_code find_side(const struct sg_sides *sides, const struct side *side,
                              struct sg_err *err)
{
    const struct sg_knob_setting *setting =
        sg_knob_settings_find(sides->settings, side->family, side->case_, side->name);
    if (find_called(sides, side, setting ? setting->variant : side->name, err) != SG_SUCCESS)
        return err->code;
    return setting ? turn_knobs(setting, *side->variant, side->knob, err) : SG_SUCCESS;
}

/* For an item of another build: the variant of that name in the family's own module. NULL: none, or
 * the item is of the family's own module. */
static const struct sg_named_variant *sibling_of(const struct sg_sides *sides,
                                                 const struct sg_target *target)
{
    const struct sg_module *own = find_family(sides->modules, target->module->name);
    return own && own != target->module ? find_variant(own, target->variant->name) : NULL;
}

static enum sg_code find_sides(const struct sg_sides *sides, const char *family, const char *case_,
                               struct sg_target *target, struct sg_err *err)
{
    const struct side own = {family,           case_,       target->name, &target->module,
                             &target->variant, target->knob};
    if (find_side(sides, &own, err) != SG_SUCCESS)
        return err->code;
    const struct sg_named_variant *sibling =
        sides->pairs_builds && !sides->baseline ? sibling_of(sides, target) : NULL;
    target->home = sibling ? find_family(sides->modules, family) : target->module;
    target->c = sg_module_case(target->home, case_);
    if (!target->c || !sg_module_case(target->module, case_))
        return sg_fail(err, SG_BAD_USAGE, NULL,
                       "family %s has no case \"%s\" (it has %zu; `solgate list cases` shows them)",
                       target->module->name, case_, target->module->family->case_count);
    if (sides->baseline || sibling) {
        target->baseline_name = sibling ? sibling->name : sides->baseline;
        const struct side other = {family,
                                   case_,
                                   target->baseline_name,
                                   &target->against,
                                   &target->baseline,
                                   target->baseline_knob};
        find_side(sides, &other, err);
        if (err->code == SG_SUCCESS && !sibling &&
            sg_module_case(target->against, case_)) { /* its tolerance judges the candidate */
            target->home = target->against;
            target->c = sg_module_case(target->home, case_);
        }
        return err->code;
    }
    target->against = target->module;
    target->baseline = baseline_of(target->module);
    target->baseline_name = target->baseline->name;
    const struct sg_knob_setting *setting =
        sg_knob_settings_find(sides->settings, family, case_, target->baseline_name);
    return setting ? turn_knobs(setting, target->baseline, target->baseline_knob, err) : SG_SUCCESS;
}

enum sg_code sg_sides_find(const struct sg_sides *sides, const char *item, struct sg_target *target,
                           struct sg_err *err)
{
    const char *first = strchr(item, '/');
    const char *second = first ? strchr(first + 1, '/') : NULL;
    SG_SCOPED(sg_text) family = {0}, case_ = {0};
    if (!second || strchr(second + 1, '/'))
        return sg_fail(err, SG_BAD_USAGE, NULL, "--item=%s: expected FAMILY/CASE/VARIANT", item);
    sg_text_add_bytes(&family, item, (size_t)(first - item));
    sg_text_add_bytes(&case_, first + 1, (size_t)(second - first - 1));
    *target = (struct sg_target){.name = second + 1};
    find_sides(sides, sg_text_string(&family), sg_text_string(&case_), target, err);
    return err->code;
}

struct sg_configured_variant sg_target_configured(const struct sg_target *target)
{
    return (struct sg_configured_variant){
        .module = target->module, .variant = target->variant, .knob = target->knob};
}

struct sg_configured_variant sg_target_baseline_configured(const struct sg_target *target)
{
    return (struct sg_configured_variant){
        .module = target->against, .variant = target->baseline, .knob = target->baseline_knob};
}

void sg_case_shape(const struct sg_family *family, const struct sg_case *c, struct sg_text *out)
{
    const char *name = family->dims;
    if (sg_gate_host) { /* cases of a program also have values other than sizes */
        sg_text_add(out, c->summary);
        return;
    }
    for (size_t i = 0; i < SG_MAX_DIMS && *name; i++) {
        const size_t length = strcspn(name, ",");
        sg_text_addf(out, "%s%.*s=%lld", i ? " " : "", (int)length, name, (long long)c->dim[i]);
        name += length + (name[length] == ',');
    }
}
