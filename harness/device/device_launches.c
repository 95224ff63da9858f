#include "device/device_launches.h"

#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/intern.h"
#include "util/text.h"

#define MACHINE_CUDA       190
#define SECTION_CALL_GRAPH 0x70000001
/* __cuda_syscall_cnpv2LaunchDeviceV2, cudaGraphLaunch, cudaLaunchDevice */
#define LAUNCH "Launch"

/* The lists of a call graph. Each list follows an entry whose first word is 0. */
#define CALLS        UINT32_MAX       /* function, function */
#define OF_PROTOTYPE (UINT32_MAX - 1) /* function whose address is taken, its prototype */
#define CALLS_PROTOTYPE                                                                        \
    (UINT32_MAX - 2)                   /* function that calls through a pointer, the prototype \
                                        */
#define TAKES_ADDRESS (UINT32_MAX - 3) /* function, function */

struct edge {
    uint32_t from, to;
};

struct cubin {
    const char *bytes;
    size_t size;
    Elf64_Shdr symbols, strings, graph; /* size 0: missing */
    bool *launches;                     /* owned: true for each symbol that launches */
};

/* Reads unaligned data. Returns false, with zeros in `out`, beyond the end of the file. */
static bool take(const struct cubin *c, uint64_t offset, void *out, size_t bytes)
{
    memset(out, 0, bytes);
    if (offset > c->size || bytes > c->size - offset)
        return false;
    memcpy(out, c->bytes + offset, bytes);
    return true;
}

static size_t count_of(const struct cubin *c, const Elf64_Shdr *section, size_t each)
{
    return section->sh_offset > c->size || section->sh_size > c->size - section->sh_offset
               ? 0
               : section->sh_size / each;
}

static size_t symbol_count(const struct cubin *c)
{
    return count_of(c, &c->symbols, sizeof(Elf64_Sym));
}

static Elf64_Sym symbol_at(const struct cubin *c, size_t i)
{
    Elf64_Sym symbol;
    take(c, c->symbols.sh_offset + i * sizeof(symbol), &symbol, sizeof(symbol));
    return symbol;
}

static const char *name_of(const struct cubin *c, const Elf64_Sym *symbol)
{
    const size_t length = count_of(c, &c->strings, 1);
    if (symbol->st_name >= length)
        return "";
    const char *name = c->bytes + c->strings.sh_offset + symbol->st_name;
    return memchr(name, '\0', length - symbol->st_name) ? name : "";
}

static size_t edge_count(const struct cubin *c)
{
    return count_of(c, &c->graph, sizeof(struct edge));
}

static struct edge edge_at(const struct cubin *c, size_t i)
{
    struct edge edge;
    take(c, c->graph.sh_offset + i * sizeof(edge), &edge, sizeof(edge));
    return edge;
}

static bool open_cubin(struct cubin *c)
{
    Elf64_Ehdr head;
    if (!take(c, 0, &head, sizeof(head)) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_machine != MACHINE_CUDA)
        return false;
    for (size_t i = 0; i < head.e_shnum; i++) {
        Elf64_Shdr section;
        take(c, head.e_shoff + i * sizeof(section), &section, sizeof(section));
        if (section.sh_type == SECTION_CALL_GRAPH)
            c->graph = section;
        if (section.sh_type != SHT_SYMTAB)
            continue;
        c->symbols = section;
        take(c, head.e_shoff + section.sh_link * sizeof(section), &c->strings, sizeof(c->strings));
    }
    return symbol_count(c) > 0;
}

/* Marks the launch calls of the driver. */
static bool find_launches(struct cubin *c)
{
    bool any = false;
    c->launches = sg_alloc(symbol_count(c), sizeof(*c->launches));
    for (size_t i = 0; i < symbol_count(c); i++) {
        const Elf64_Sym symbol = symbol_at(c, i);
        c->launches[i] = symbol.st_shndx == SHN_UNDEF && strstr(name_of(c, &symbol), LAUNCH);
        any |= c->launches[i];
    }
    return any;
}

static bool launches(const struct cubin *c, uint32_t symbol)
{
    return symbol < symbol_count(c) && c->launches[symbol];
}

/* Returns true if a function of this prototype, whose address is taken, can launch. */
static bool prototype_launches(const struct cubin *c, uint32_t prototype)
{
    uint32_t list = 0;
    for (size_t i = 0; i < edge_count(c); i++) {
        const struct edge edge = edge_at(c, i);
        if (edge.from == 0)
            list = edge.to;
        else if (list == OF_PROTOTYPE && edge.to == prototype && launches(c, edge.from))
            return true;
    }
    return false;
}

/* Marks functions that call a marked one, in one pass over the call graph. Returns false if no
 * mark was added; the caller repeats until then. */
static bool mark_callers(struct cubin *c)
{
    bool any = false;
    uint32_t list = 0;
    for (size_t i = 0; i < edge_count(c); i++) {
        const struct edge edge = edge_at(c, i);
        if (edge.from == 0)
            list = edge.to;
        else if (edge.from >= symbol_count(c) || c->launches[edge.from])
            continue;
        else if (list == CALLS || list == TAKES_ADDRESS)
            any |= c->launches[edge.from] = launches(c, edge.to);
        else if (list == CALLS_PROTOTYPE)
            any |= c->launches[edge.from] = prototype_launches(c, edge.to);
    }
    return any;
}

void sg_device_launches_note(struct sg_intern_pool **names, const void *cubin, size_t bytes)
{
    struct cubin c = {.bytes = cubin, .size = bytes};
    if (!open_cubin(&c))
        return;
    if (find_launches(&c)) {
        while (mark_callers(&c))
            ;
        for (size_t i = 0; i < symbol_count(&c); i++) {
            const Elf64_Sym symbol = symbol_at(&c, i);
            /* Without a call graph any function may launch. */
            if (c.launches[i] || edge_count(&c) == 0)
                sg_intern(names, name_of(&c, &symbol));
        }
    }
    free(c.launches);
}
