#include "worker/module_copy.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CHUNK_BYTES (64u << 10) /* at least; of whole pages */

/* Pages that copies are put on, one behind the other. The newest
 * chunk is the one that is filled. */
struct chunk {
    struct chunk *older;
    size_t bytes, used;
};

struct copying {
    struct chunk *chunk;
    struct sg_err *err;
};

static size_t rounded_up(size_t bytes, size_t to)
{
    return (bytes + to - 1) / to * to;
}

/* The chunk that has so much room; NULL: there is none, which the error says. */
static struct chunk *chunk_with(struct copying *copying, size_t bytes)
{
    if (copying->chunk && copying->chunk->bytes - copying->chunk->used >= bytes)
        return copying->chunk;
    const size_t head = rounded_up(sizeof(struct chunk), _Alignof(max_align_t));
    const size_t wanted = rounded_up(head + (bytes < CHUNK_BYTES ? CHUNK_BYTES : bytes), (size_t)sysconf(_SC_PAGESIZE));
    struct chunk *chunk = mmap(NULL, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (chunk == MAP_FAILED) {
        sg_fail(copying->err, SG_SYSTEM, NULL, "no room for %zu bytes of a module's tables: %s", wanted, strerror(errno));
        return NULL;
    }
    *chunk = (struct chunk){.older = copying->chunk, .bytes = wanted, .used = head};
    copying->chunk = chunk;
    return chunk;
}

/* A copy of bytes. NULL: there is nothing to copy, or no room, which the error says. */
static void *keep(struct copying *copying, const void *from, size_t bytes)
{
    const size_t room = rounded_up(bytes, _Alignof(max_align_t));
    if (!from || bytes == 0 || copying->err->code != SG_SUCCESS)
        return NULL;
    struct chunk *chunk = chunk_with(copying, room);
    if (!chunk)
        return NULL;
    void *to = (char *)chunk + chunk->used;
    chunk->used += room;
    return memcpy(to, from, bytes);
}

static const char *keep_string(struct copying *copying, const char *string)
{
    return keep(copying, string, string ? strlen(string) + 1 : 0);
}

static const struct sg_case *keep_cases(struct copying *copying, const struct sg_case *from, size_t count)
{
    struct sg_case *cases = keep(copying, from, count * sizeof(*cases));
    for (size_t i = 0; cases && i < count; i++) {
        cases[i].name = keep_string(copying, cases[i].name);
        cases[i].summary = keep_string(copying, cases[i].summary);
    }
    return cases;
}

static const struct sg_family *keep_family(struct copying *copying, const struct sg_family *from)
{
    struct sg_family *family = keep(copying, from, sizeof(*family));
    if (!family)
        return NULL;
    family->summary = keep_string(copying, family->summary);
    family->dims = keep_string(copying, family->dims);
    family->cases = keep_cases(copying, family->cases, family->case_count);
    return family;
}

static const struct sg_knob *keep_knobs(struct copying *copying, const struct sg_knob *from, size_t count)
{
    struct sg_knob *knobs = keep(copying, from, count * sizeof(*knobs));
    for (size_t i = 0; knobs && i < count; i++) {
        knobs[i].name = keep_string(copying, knobs[i].name);
        knobs[i].summary = keep_string(copying, knobs[i].summary);
    }
    return knobs;
}

static const struct sg_variant *keep_variant(struct copying *copying, const struct sg_variant *from)
{
    struct sg_variant *variant = keep(copying, from, sizeof(*variant));
    if (!variant)
        return NULL;
    variant->summary = keep_string(copying, variant->summary);
    variant->knobs = keep_knobs(copying, variant->knobs, variant->knob_count);
    return variant;
}

static const struct sg_named_variant *keep_variants(struct copying *copying, const struct sg_named_variant *from, size_t count)
{
    struct sg_named_variant *variants = keep(copying, from, count * sizeof(*variants));
    for (size_t i = 0; variants && i < count; i++) {
        variants[i].name = keep_string(copying, variants[i].name);
        variants[i].variant = keep_variant(copying, variants[i].variant);
    }
    return variants;
}

/* The list ends with a kernel without a name. */
static const struct sg_kernel_build *keep_kernels(struct copying *copying, const struct sg_kernel_build *from)
{
    size_t count = 0;
    while (from && from[count].name)
        count++;
    struct sg_kernel_build *kernels = keep(copying, from, (count + 1) * sizeof(*kernels));
    for (size_t i = 0; kernels && i < count; i++) {
        kernels[i].name = keep_string(copying, kernels[i].name);
        kernels[i].notes = keep_string(copying, kernels[i].notes);
    }
    return kernels;
}

static const struct sg_module *keep_module(struct copying *copying, const struct sg_module *from)
{
    struct sg_module *module = keep(copying, from, sizeof(*module));
    if (!module)
        return NULL;
    module->name = keep_string(copying, module->name);
    module->commit = keep_string(copying, module->commit);
    module->family = keep_family(copying, module->family);
    module->variants = keep_variants(copying, module->variants, module->variant_count);
    module->kernels = keep_kernels(copying, module->kernels);
    module->images = keep_string(copying, module->images);
    module->needs = keep_string(copying, module->needs);
    return module;
}

static void seal(const struct copying *copying)
{
    for (struct chunk *chunk = copying->chunk; chunk; chunk = chunk->older)
        if (mprotect(chunk, chunk->bytes, PROT_READ) != 0)
            sg_fail(copying->err, SG_SYSTEM, NULL, "a module's tables cannot be kept from being written: %s", strerror(errno));
}

enum sg_code sg_module_copy(const struct sg_module *module, const struct sg_module **copy, struct sg_err *err)
{
    struct copying copying = {.err = err};
    *copy = keep_module(&copying, module);
    seal(&copying);
    return err->code;
}
