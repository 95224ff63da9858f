/*
 * family_module.h - the module of a family as the worker loads it, which lies in ../bin beside the
 * folder of the test; and what any family promises before there is a device. Included behind
 * cmocka.h. Invariant: what is asked for by a name is there, or the test fails.
 *
 *     module = family_module("matvec");
 *     const struct sg_case *c = family_case(module, "r64_c64_f32");
 */
#pragma once

#include <dlfcn.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "solgate_kernel.h"
#include "util/text.h"

#define FAMILY_MODULE_SKIPPED 77 /* what a test leaves with where the module is not built */

/* NULL: dlerror() says why. It stays loaded. */
static inline const struct sg_module *family_module(const char *family)
{
    char self[4096];
    SG_SCOPED(sg_text) path = {0};
    const struct sg_module *(*entry)(void) = NULL;
    const ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (length < 0)
        return NULL;
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    sg_text_addf(&path, "%s/../bin/libsg_%s.so", self, family);
    void *module = dlopen(sg_text_string(&path), RTLD_NOW | RTLD_LOCAL);
    if (module)
        *(void **)&entry = dlsym(module, SG_MODULE_SYMBOL);
    return entry ? entry() : NULL;
}

static inline const struct sg_case *family_case(const struct sg_module *module, const char *name)
{
    for (size_t i = 0; i < module->family->case_count; i++)
        if (strcmp(module->family->cases[i].name, name) == 0)
            return &module->family->cases[i];
    fail_msg("%s has no case %s", module->name, name);
    return NULL;
}

/* Whoever agrees to a case has facts for it, and whoever does not has a reason. */
static inline void family_answers_for_every_case(const struct sg_module *module)
{
    for (size_t v = 0; v < module->variant_count; v++)
        for (size_t i = 0; i < module->family->case_count; i++) {
            const struct sg_variant *variant = module->variants[v].variant;
            const struct sg_case *c = &module->family->cases[i];
            struct sg_reason why = {""};
            struct sg_fact facts[SG_MAX_FACTS];
            const int64_t knob[SG_MAX_KNOBS] = {0};
            if (!variant->supports || variant->supports(c, &why)) {
                const size_t count = variant->facts ? variant->facts(c, knob, facts) : 0;
                assert_true(count <= SG_MAX_FACTS);
                for (size_t j = 0; j < count; j++)
                    assert_true(isfinite(facts[j].value));
            } else if (why.text[0] == '\0') {
                fail_msg("%s refuses %s and does not say why", module->variants[v].name, c->name);
            }
        }
}
