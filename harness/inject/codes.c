#include "inject/codes.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

#include "inject/map.h"
#include "inject/output.h"

#define TEXT ".text."

static struct sg_map sums, counts; /* by name */
static struct sg_map seen;         /* by name and code */

struct sg_codes sg_codes_of(uint64_t name)
{
    struct sg_codes codes = {0, 0};
    if (sg_map_get(&sums, name, &codes.sum))
        sg_map_get(&counts, name, &codes.count);
    return codes;
}

static void add_code(const char *name, const void *code, size_t bytes)
{
    const uint64_t key = sg_map_digest(name, strlen(name)), digest = sg_map_digest(code, bytes),
                   pair[2] = {key, digest};
    const uint64_t both = sg_map_digest(pair, sizeof(pair));
    struct sg_codes codes = sg_codes_of(key);
    uint64_t unused;
    if (sg_map_get(&seen, both, &unused))
        return;
    codes.sum += digest;
    codes.count++;
    if (sg_map_put(&seen, both, 1) && sg_map_put(&sums, key, codes.sum) &&
        sg_map_put(&counts, key, codes.count))
        sg_output_code(key, codes.sum, codes.count);
}

static bool is_inside(uint64_t offset, uint64_t size, size_t bytes)
{
    return offset <= bytes && size <= bytes - offset;
}

void sg_codes_add(const void *image, size_t bytes)
{
    const unsigned char *at = image;
    Elf64_Ehdr head;
    if (!at || bytes < sizeof(head))
        return;
    memcpy(&head, at, sizeof(head));
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_shentsize != sizeof(Elf64_Shdr) || head.e_shstrndx >= head.e_shnum ||
        !is_inside(head.e_shoff, (uint64_t)head.e_shnum * sizeof(Elf64_Shdr), bytes))
        return;
    Elf64_Shdr names, section;
    memcpy(&names, at + head.e_shoff + head.e_shstrndx * sizeof(names), sizeof(names));
    if (!is_inside(names.sh_offset, names.sh_size, bytes) || names.sh_size == 0 ||
        at[names.sh_offset + names.sh_size - 1] != '\0')
        return;
    for (unsigned i = 0; i < head.e_shnum; i++) {
        memcpy(&section, at + head.e_shoff + i * sizeof(section), sizeof(section));
        const char *name = section.sh_name < names.sh_size
                               ? (const char *)at + names.sh_offset + section.sh_name
                               : "";
        if (section.sh_type == SHT_PROGBITS && strncmp(name, TEXT, strlen(TEXT)) == 0 &&
            is_inside(section.sh_offset, section.sh_size, bytes))
            add_code(name + strlen(TEXT), at + section.sh_offset, section.sh_size);
    }
}
