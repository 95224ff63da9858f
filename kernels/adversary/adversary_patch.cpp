#include "adversary_patch.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool adversary_supports_patches(const struct sg_case *, struct sg_reason *why)
{
#ifdef __x86_64__
    (void)why;
    return true;
#else
    snprintf(why->text, sizeof(why->text), "writes machine code of x86-64, and this is another processor");
    return false;
#endif
}

static bool protect(const void *object, size_t bytes, int protection)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t first = (uintptr_t)object / page * page;
    const uintptr_t end = ((uintptr_t)object + bytes + page - 1) / page * page;
    return mprotect((void *)first, end - first, protection) == 0;
}

bool adversary_unlock(const void *object, size_t bytes)
{
    return protect(object, bytes, PROT_READ | PROT_WRITE);
}

static void write_code(void *at, const unsigned char code[ADVERSARY_PATCH_BYTES])
{
    memcpy(at, code, ADVERSARY_PATCH_BYTES);
    __builtin___clear_cache((char *)at, (char *)at + ADVERSARY_PATCH_BYTES);
}

bool adversary_patch_apply(struct adversary_patch *patch)
{
    /* movabs $to, %rax; jmp *%rax */
    unsigned char code[ADVERSARY_PATCH_BYTES] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
    if (!patch->from || !protect(patch->from, ADVERSARY_PATCH_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC)) {
        patch->from = nullptr;
        return false;
    }
    memcpy(patch->before, patch->from, ADVERSARY_PATCH_BYTES);
    memcpy(code + 2, &patch->to, sizeof(patch->to));
    write_code(patch->from, code);
    return true;
}

void adversary_patch_undo(const struct adversary_patch *patch)
{
    if (patch->from)
        write_code(patch->from, patch->before);
}

void *adversary_loaded(const char *const *files, size_t count, const char *function)
{
    for (size_t i = 0; i < count; i++) {
        void *library = dlopen(files[i], RTLD_NOW | RTLD_NOLOAD);
        void *found = library ? dlsym(library, function) : nullptr;
        if (library)
            dlclose(library); /* whoever loaded it keeps it */
        if (found)
            return found;
    }
    return nullptr;
}
