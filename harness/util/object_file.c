#include "util/object_file.h"

#include <stdlib.h>
#include <string.h>

#include "util/file.h"

static enum sg_code damaged(const struct sg_object_file *file, const char *what, struct sg_err *err)
{
    return sg_fail(err, SG_BAD_INPUT, file->path,
                   "expected a kernel module (ELF, 64 bits, little-endian), found %s", what);
}

enum sg_code sg_object_file_read(const char *path, struct sg_object_file *file, struct sg_err *err)
{
    struct sg_text bytes = {0};
    sg_read_file(path, &bytes, err);
    *file = (struct sg_object_file){.path = path, .bytes = bytes.data, .size = bytes.length};
    return err->code;
}

void sg_object_file_release(struct sg_object_file *file)
{
    free(file->bytes);
    *file = (struct sg_object_file){.path = NULL};
}

bool sg_object_file_is(const struct sg_object_file *file, unsigned type)
{
    Elf64_Ehdr header;
    if (file->size < sizeof(header))
        return false;
    memcpy(&header, file->bytes, sizeof(header));
    return memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_type == type;
}

static bool inside(const struct sg_object_file *file, uint64_t offset, uint64_t size)
{
    return offset <= file->size && size <= file->size - offset;
}

static void read_header(const struct sg_object_file *file, const Elf64_Ehdr *header, size_t index,
                        Elf64_Shdr *section)
{
    memcpy(section, file->bytes + header->e_shoff + index * sizeof(*section), sizeof(*section));
}

/* The name of a section from the table of names; "" if it has none. */
static const char *name_of(const struct sg_object_file *file, const Elf64_Shdr *names,
                           const Elf64_Shdr *section)
{
    if (section->sh_name >= names->sh_size ||
        !memchr(file->bytes + names->sh_offset + section->sh_name, '\0',
                names->sh_size - section->sh_name))
        return "";
    return file->bytes + names->sh_offset + section->sh_name;
}

enum sg_code sg_object_file_sections(const struct sg_object_file *file, size_t *count,
                                     struct sg_err *err)
{
    Elf64_Ehdr header;
    Elf64_Shdr names;
    if (file->size < sizeof(header) || memcmp(file->bytes, ELFMAG, SELFMAG) != 0)
        return damaged(file, "something else", err);
    memcpy(&header, file->bytes, sizeof(header));
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
        return damaged(file, "an ELF file of another kind", err);
    if (header.e_shentsize != sizeof(Elf64_Shdr) ||
        !inside(file, header.e_shoff, (uint64_t)header.e_shnum * sizeof(Elf64_Shdr)) ||
        header.e_shstrndx >= header.e_shnum)
        return damaged(file, "an ELF file whose section table is missing or damaged", err);
    read_header(file, &header, header.e_shstrndx, &names);
    if (!inside(file, names.sh_offset, names.sh_size))
        return damaged(file, "an ELF file whose section names are damaged", err);
    *count = header.e_shnum;
    return SG_SUCCESS;
}

enum sg_code sg_object_file_section(const struct sg_object_file *file, size_t index,
                                    struct sg_section *section, struct sg_err *err)
{
    Elf64_Ehdr header;
    Elf64_Shdr names;
    memcpy(&header, file->bytes, sizeof(header));
    read_header(file, &header, header.e_shstrndx, &names);
    read_header(file, &header, index, &section->header);
    section->name = name_of(file, &names, &section->header);
    section->bytes = NULL;
    if (section->header.sh_type == SHT_NOBITS)
        return SG_SUCCESS;
    if (!inside(file, section->header.sh_offset, section->header.sh_size))
        return damaged(file, "an ELF file that ends within a section", err);
    section->bytes = file->bytes + section->header.sh_offset;
    return SG_SUCCESS;
}
