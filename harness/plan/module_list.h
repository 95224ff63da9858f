/*
 * plan/module_list.h - the families, cases and variants in kernel modules, as reported by a
 * worker's list pass. solgate itself loads no module.
 *
 * Each module gets its own worker, so that a failure identifies the broken module. Invariant: a
 * listed family has exactly one baseline, at least one case, and no name twice.
 */
#pragma once

#include "util/err.h"
#include "plan/suite.h"
#include "util/names.h"

struct sg_listed_case {
    char *name, *dtype, *shape, *summary;
};

struct sg_listed_knob {
    char *name, *summary;
    int64_t value[SG_MAX_KNOB_VALUES]; /* values worth trying */
    size_t count;
};

struct sg_listed_variant {
    char *name, *summary;
    enum sg_role role;
    enum sg_status expect;
    double deadline_s; /* limit of the variant's verification; 0: the suite's */
    struct sg_listed_knob knob[SG_MAX_KNOBS];
    size_t knob_count;
};

struct sg_listed_family {
    char *name, *module, *device, *dims,
        *summary; /* module: path of the shared object; device: "cuda" or "host" */
    char *commit; /* "0123456789ab", also -dirty, or SG_COMMIT_UNKNOWN */
    struct sg_listed_case *cases;
    size_t case_count, case_capacity;
    struct sg_listed_variant *variants;
    size_t variant_count, variant_capacity;
};

struct sg_module_list {
    char *worker; /* path of solgate-worker */
    struct sg_listed_family *families;
    size_t count, capacity;
    const struct sg_suite
        *suite; /* borrowed or NULL; defines cases; set before modules are added */
};

/* Adds the families of the modules, in the given order. SG_BAD_INPUT: a file is not a module, or
 * two modules have the same family (both are named). */
enum sg_code sg_module_list_add(const char *const *modules, size_t count,
                                struct sg_module_list *listing, struct sg_err *err);
/* Adds worker arguments that define the cases of these sizes. */
void sg_module_list_add_sizes(const struct sg_module_list *listing, struct sg_names *args);
struct sg_message;
/* Reports the facts of a module that need no device: value messages for the shapes and the work of
 * its cases, kernel messages for its compiled kernels. */
typedef enum sg_code sg_described_fn(void *context, const struct sg_message *message,
                                     struct sg_err *err);
enum sg_code sg_module_describe(const char *module, sg_described_fn *each, void *context,
                                struct sg_err *err);

const struct sg_listed_family *sg_module_list_find(const struct sg_module_list *listing,
                                                   const char *family); /* NULL: not listed */
bool sg_listed_needs_gpu(const struct sg_listed_family *family);
/* Find a case or a variant by name. NULL: not found. */
const struct sg_listed_case *sg_listed_case_find(const struct sg_listed_family *family,
                                                 const char *name);
const struct sg_listed_variant *sg_listed_variant_find(const struct sg_listed_family *family,
                                                       const char *name);
