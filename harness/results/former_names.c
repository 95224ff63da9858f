#include "results/former_names.h"

#include <stdatomic.h>
#include <string.h>

static struct former {
    const char *family; /* "": a suite */
    const char *was, *is;
    atomic_bool is_read;
} formers[] = {
    {"group_gemm", "seed_percta", "per_cta_tensormaps_rebuilt", false},
    {"", "percta", "per_cta_tensormaps", false},
    {"", "gate50", "bench_gate", false},
};
enum { FORMERS = sizeof(formers) / sizeof(formers[0]) };

static const char *name_now(const char *family, const char *name)
{
    for (size_t i = 0; i < FORMERS; i++) {
        struct former *former = &formers[i];
        if (strcmp(name, former->was) != 0 || strcmp(family, former->family) != 0)
            continue;
        atomic_store(&former->is_read, true);
        return former->is;
    }
    return name;
}

const char *sg_variant_name_now(const char *family, const char *variant)
{
    return name_now(family, variant);
}

const char *sg_suite_name_now(const char *suite)
{
    return name_now("", suite);
}

void sg_former_names_read(struct sg_text *out)
{
    for (size_t i = 0; i < FORMERS; i++) {
        const struct former *former = &formers[i];
        const bool is_suite = !*former->family;
        if (atomic_load(&former->is_read))
            sg_text_addf(out, "solgate: the %s %s%s%s is called %s now\n", is_suite ? "suite" : "variant", former->family,
                         is_suite ? "" : "/", former->was, former->is);
    }
}

const char *sg_suite_name_before(const char *suite)
{
    for (size_t i = 0; i < FORMERS; i++)
        if (!*formers[i].family && strcmp(suite, formers[i].is) == 0)
            return formers[i].was;
    return NULL;
}
