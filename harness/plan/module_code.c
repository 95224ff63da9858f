#include "plan/module_code.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/file.h"

/* A file in memory, and the parts of it that are device code. */
struct image {
    const char *path;
    char *bytes; /* owned */
    size_t size;
    struct sg_text code; /* sections with their names, one after the other; empty: there are none */
};

static enum sg_code damaged(const struct image *image, const char *what, struct sg_err *err)
{
    return sg_fail(err, SG_BAD_INPUT, image->path, "expected a kernel module (ELF, 64 bits, little-endian), found %s", what);
}

static enum sg_code read_file(struct image *image, struct sg_err *err)
{
    int descriptor;
    struct stat facts;
    if (sg_open_to_read(image->path, &descriptor, err) != SG_SUCCESS)
        return err->code;
    if (fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode)) {
        damaged(image, "no ordinary file", err);
    } else {
        image->bytes = sg_alloc((size_t)facts.st_size + 1, 1);
        sg_read_bytes(image->path, descriptor, image->bytes, (size_t)facts.st_size, &image->size, err);
    }
    close(descriptor);
    return err->code;
}

/* Is [offset, offset + size) inside of the file? */
static bool inside(const struct image *image, uint64_t offset, uint64_t size)
{
    return offset <= image->size && size <= image->size - offset;
}

static void read_section(const struct image *image, const Elf64_Ehdr *header, size_t index, Elf64_Shdr *section)
{
    memcpy(section, image->bytes + header->e_shoff + index * sizeof(*section), sizeof(*section));
}

/* The name of a section, out of the table of names; "" where it has none. */
static const char *name_of(const struct image *image, const Elf64_Shdr *names, const Elf64_Shdr *section)
{
    if (section->sh_name >= names->sh_size ||
        !memchr(image->bytes + names->sh_offset + section->sh_name, '\0', names->sh_size - section->sh_name))
        return "";
    return image->bytes + names->sh_offset + section->sh_name;
}

static enum sg_code check_header(const struct image *image, Elf64_Ehdr *header, struct sg_err *err)
{
    if (image->size < sizeof(*header) || memcmp(image->bytes, ELFMAG, SELFMAG) != 0)
        return damaged(image, "something else", err);
    memcpy(header, image->bytes, sizeof(*header));
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
        return damaged(image, "an ELF file of another kind", err);
    if (header->e_shentsize != sizeof(Elf64_Shdr) || !inside(image, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr)) ||
        header->e_shstrndx >= header->e_shnum)
        return damaged(image, "an ELF file whose table of sections is missing or damaged", err);
    return SG_SUCCESS;
}

static enum sg_code gather_code(struct image *image, struct sg_err *err)
{
    Elf64_Ehdr header = {0};
    Elf64_Shdr names, section;
    if (check_header(image, &header, err) != SG_SUCCESS)
        return err->code;
    read_section(image, &header, header.e_shstrndx, &names);
    if (!inside(image, names.sh_offset, names.sh_size))
        return damaged(image, "an ELF file whose names of sections are damaged", err);
    for (size_t i = 0; i < header.e_shnum; i++) {
        read_section(image, &header, i, &section);
        const char *name = name_of(image, &names, &section);
        if (section.sh_type != SHT_PROGBITS || (strcmp(name, ".nv_fatbin") != 0 && strcmp(name, "__nv_relfatbin") != 0))
            continue;
        if (!inside(image, section.sh_offset, section.sh_size))
            return damaged(image, "an ELF file that ends inside of its device code", err);
        sg_text_add(&image->code, name);
        sg_text_add_bytes(&image->code, image->bytes + section.sh_offset, section.sh_size);
    }
    return SG_SUCCESS;
}

static enum sg_code open_image(const char *path, struct image *image, struct sg_err *err)
{
    *image = (struct image){.path = path};
    if (read_file(image, err) == SG_SUCCESS && image->bytes)
        gather_code(image, err);
    return err->code;
}

static void release_image(struct image *image)
{
    free(image->bytes);
    sg_text_release(&image->code);
}

static bool equal(const char *a, size_t a_size, const char *b, size_t b_size)
{
    return a && b && a_size == b_size && memcmp(a, b, a_size) == 0;
}

enum sg_code sg_same_code(const char *path, const char *other, bool *same, struct sg_err *err)
{
    struct image a = {0}, b = {0};
    *same = false;
    if (open_image(path, &a, err) == SG_SUCCESS && open_image(other, &b, err) == SG_SUCCESS)
        *same = a.code.length > 0 ? equal(a.code.data, a.code.length, sg_text_string(&b.code), b.code.length)
                                  : equal(a.bytes, a.size, b.bytes, b.size);
    release_image(&a);
    release_image(&b);
    return err->code;
}
