/* device/device_launches.h: a cubin made here, of a few symbols and the calls between them. */
#include "check.h"
#include "device/device_launches.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "util/intern.h"

/* As nvlink 13.0 writes them: lists, each behind {0, which}. */
#define CALLS         \
    {                 \
        0, 0xffffffff \
    }
#define OF_PROTOTYPE  \
    {                 \
        0, 0xfffffffe \
    }
#define CALLS_PROTOTYPE \
    {                   \
        0, 0xfffffffd   \
    }
#define TAKES_ADDRESS \
    {                 \
        0, 0xfffffffc \
    }

enum {
    NONE,
    LAUNCH, /* the driver's */
    GRAPH_LAUNCH,
    SET_CONDITION,
    PRINT,
    RUNTIME, /* that of the device, which calls the driver's */
    HELPER,
    KERNEL,
    OTHER,
    SYMBOLS
};

static const char *const names[SYMBOLS] = {
    "",        "__cuda_syscall_cnpv2LaunchDeviceV2", "cudaGraphLaunch", "cudaGraphSetConditional",
    "vprintf", "__cudaCDP2LaunchDeviceV2",           "helper",          "kernel",
    "other"};

struct cubin {
    Elf64_Ehdr head;
    Elf64_Shdr sections[4];
    Elf64_Sym symbols[SYMBOLS];
    uint32_t edges[16][2];
    char strings[512];
};

/* The driver's symbols are undefined in it. */
static void make_cubin(struct cubin *c, const uint32_t (*edges)[2], size_t count)
{
    *c = (struct cubin){.head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64},
                                 .e_machine = 190,
                                 .e_shoff = offsetof(struct cubin, sections),
                                 .e_shnum = COUNT(c->sections)}};
    size_t at = 1;
    for (size_t i = 1; i < SYMBOLS; i++) {
        c->symbols[i] =
            (Elf64_Sym){.st_name = (uint32_t)at, .st_shndx = i < RUNTIME ? SHN_UNDEF : 9};
        memcpy(c->strings + at, names[i], strlen(names[i]) + 1);
        at += strlen(names[i]) + 1;
    }
    memcpy(c->edges, edges, count * sizeof(*edges));
    c->sections[1] = (Elf64_Shdr){
        .sh_type = SHT_STRTAB, .sh_offset = offsetof(struct cubin, strings), .sh_size = at};
    c->sections[2] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
                                  .sh_offset = offsetof(struct cubin, symbols),
                                  .sh_size = sizeof(c->symbols),
                                  .sh_link = 1};
    c->sections[3] = (Elf64_Shdr){.sh_type = 0x70000001,
                                  .sh_offset = offsetof(struct cubin, edges),
                                  .sh_size = count * sizeof(*edges)};
}

TEST(a_kernel_launches_if_what_it_calls_does)
{
    static const struct {
        const char *sentence;
        uint32_t edges[12][2];
        bool kernel, other;
    } rows[] = {
        ROW("it calls the runtime of the device",
            LIST(CALLS, LIST(KERNEL, RUNTIME), LIST(RUNTIME, LAUNCH)), true, false),
        ROW("listed from below",
            LIST(CALLS, LIST(RUNTIME, LAUNCH), LIST(HELPER, RUNTIME), LIST(KERNEL, HELPER)), true,
            false),
        ROW("it launches a graph", LIST(CALLS, LIST(KERNEL, GRAPH_LAUNCH)), true, false),
        ROW("it sets the condition of a node of its graph, and prints",
            LIST(CALLS, LIST(KERNEL, SET_CONDITION), LIST(KERNEL, PRINT)), false, false),
        ROW("another kernel launches it",
            LIST(CALLS, LIST(OTHER, RUNTIME), LIST(RUNTIME, LAUNCH), TAKES_ADDRESS,
                 LIST(OTHER, KERNEL)),
            false, true),
        ROW("it takes the address of what launches",
            LIST(CALLS, LIST(HELPER, LAUNCH), TAKES_ADDRESS, LIST(KERNEL, HELPER)), true, false),
        ROW("it calls by a pointer what is of the prototype of one",
            LIST(CALLS, LIST(HELPER, LAUNCH), OF_PROTOTYPE, LIST(HELPER, 5), LIST(OTHER, 6),
                 CALLS_PROTOTYPE, LIST(KERNEL, 5), LIST(OTHER, 6)),
            true, false),
        ROW("symbols that are not there",
            LIST(CALLS, LIST(KERNEL, 99), LIST(99, LAUNCH), CALLS_PROTOTYPE,
                 LIST(KERNEL, UINT32_MAX)),
            false, false),
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct cubin c;
        struct sg_intern_pool *found = NULL;
        make_cubin(&c, rows[i].edges, COUNT(rows[i].edges));
        sg_device_launches_note(&found, &c, sizeof(c));
        if (sg_intern_pool_has(found, "kernel") != rows[i].kernel ||
            sg_intern_pool_has(found, "other") != rows[i].other)
            fail_msg("%s: kernel %d, other %d", rows[i].sentence,
                     sg_intern_pool_has(found, "kernel"), sg_intern_pool_has(found, "other"));
        sg_intern_pool_free(found);
    }
}

/* In memory of exactly its size, so that a sanitizer sees what is read beyond it. */
TEST(what_is_no_cubin_adds_nothing)
{
    static const uint32_t edges[][2] = {CALLS, {KERNEL, LAUNCH}};
    struct cubin c;
    struct sg_intern_pool *found = NULL;
    make_cubin(&c, edges, COUNT(edges));
    for (size_t bytes = 0; bytes < sizeof(c); bytes++) {
        char *cut = malloc(bytes + 1);
        memcpy(cut + 1, &c, bytes);
        sg_device_launches_note(&found, cut + 1, bytes);
        sg_intern_pool_free(found);
        found = NULL;
        free(cut);
    }
    for (size_t word = 0; word < offsetof(struct cubin, strings) / 4; word++) {
        struct cubin damaged = c;
        memset((char *)&damaged + 4 * word, 0xff, 4);
        sg_device_launches_note(&found, &damaged, sizeof(damaged));
        sg_intern_pool_free(found);
        found = NULL;
    }
    c.head.e_machine = EM_X86_64;
    sg_device_launches_note(&found, &c, sizeof(c));
    assert_null(found);
}
