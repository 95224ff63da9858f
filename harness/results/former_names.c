#include "results/former_names.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static struct former {
    const char *family; /* "": a suite */
    const char *was, *is;
    atomic_flag is_reported;
} formers[] = {
    {"group_gemm", "seed_percta", "per_cta_tensormaps_rebuilt", ATOMIC_FLAG_INIT},
    {"", "percta", "per_cta_tensormaps", ATOMIC_FLAG_INIT},
    {"", "gate50", "bench_gate", ATOMIC_FLAG_INIT},
};
enum { FORMERS = sizeof(formers) / sizeof(formers[0]) };

static const char *name_now(const char *family, const char *name)
{
    for (size_t i = 0; i < FORMERS; i++) {
        struct former *former = &formers[i];
        if (strcmp(name, former->was) != 0 || strcmp(family, former->family) != 0)
            continue;
        if (!atomic_flag_test_and_set(&former->is_reported))
            fprintf(stderr, "solgate: the %s %s%s%s is called %s now\n", *family ? "variant" : "suite", family, *family ? "/" : "", name,
                    former->is);
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

const char *sg_suite_name_before(const char *suite)
{
    for (size_t i = 0; i < FORMERS; i++)
        if (!*formers[i].family && strcmp(suite, formers[i].is) == 0)
            return formers[i].was;
    return NULL;
}
