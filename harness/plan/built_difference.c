#include "plan/built_difference.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/file.h"
#include "util/paths.h"

#define SHORT_HASH 7 /* minimum number of hash digits that git prints */

/* ---- sections of a file ---- */

/* Of ELF, 64 bits, little-endian. No access outside of the file, however damaged it is. */
struct object_file {
    const char *path; /* borrowed */
    char *bytes;      /* owned */
    size_t size;
};

struct section {
    Elf64_Shdr header;
    const char *name;
    const char *bytes; /* header.sh_size bytes; NULL: not stored in the file */
};

static enum sg_code damaged(const struct object_file *file, const char *what, struct sg_err *err)
{
    return sg_fail(err, SG_BAD_INPUT, file->path,
                   "expected a kernel module (ELF, 64 bits, little-endian), found %s", what);
}

/* Any kind of file. */
static enum sg_code read_object_file(const char *path, struct object_file *file, struct sg_err *err)
{
    struct sg_text bytes = {0};
    sg_read_file(path, &bytes, err);
    *file = (struct object_file){.path = path, .bytes = bytes.data, .size = bytes.length};
    return err->code;
}

static void object_file_release(struct object_file *file)
{
    free(file->bytes);
    *file = (struct object_file){.path = NULL};
}

/* True for an ELF file of this type (ET_REL, ET_DYN). */
static bool is_object_file(const struct object_file *file, unsigned type)
{
    Elf64_Ehdr header;
    if (file->size < sizeof(header))
        return false;
    memcpy(&header, file->bytes, sizeof(header));
    return memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_type == type;
}

static bool inside(const struct object_file *file, uint64_t offset, uint64_t size)
{
    return offset <= file->size && size <= file->size - offset;
}

static void read_header(const struct object_file *file, const Elf64_Ehdr *header, size_t index,
                        Elf64_Shdr *section)
{
    memcpy(section, file->bytes + header->e_shoff + index * sizeof(*section), sizeof(*section));
}

/* The name of a section from the table of names; "" if it has none. */
static const char *name_of(const struct object_file *file, const Elf64_Shdr *names,
                           const Elf64_Shdr *section)
{
    if (section->sh_name >= names->sh_size ||
        !memchr(file->bytes + names->sh_offset + section->sh_name, '\0',
                names->sh_size - section->sh_name))
        return "";
    return file->bytes + names->sh_offset + section->sh_name;
}

static enum sg_code count_sections(const struct object_file *file, size_t *count,
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

static enum sg_code read_section(const struct object_file *file, size_t index,
                                 struct section *section, struct sg_err *err)
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

/* ---- the digest of a file ---- */

/* Overwrites each occurrence of at least that many leading digits of `commit` with `x`, and -dirty
 * after them with the zeros that a clean commit has there (cmake/SolgateCommit.cmake). */
static void mask_commit(struct object_file *file, const char *commit)
{
    static const char dirty[] = "-dirty";
    const size_t digits = strspn(commit, "0123456789abcdef");
    for (size_t i = 0; i + SHORT_HASH <= file->size; i++) {
        size_t length = 0;
        while (i + length < file->size && length < digits &&
               file->bytes[i + length] == commit[length])
            length++;
        if (length < SHORT_HASH)
            continue;
        memset(file->bytes + i, 'x', length);
        if (i + length + sizeof(dirty) <= file->size &&
            memcmp(file->bytes + i + length, dirty, sizeof(dirty)) == 0)
            memset(file->bytes + i + length, 0, sizeof(dirty));
    }
}

/* The symbol table of an object file; an object file has one. */
struct symbols {
    struct section table, names;
};

static enum sg_code find_symbols(const struct object_file *file, struct symbols *symbols,
                                 struct sg_err *err)
{
    struct section section;
    size_t count = 0;
    if (count_sections(file, &count, err) != SG_SUCCESS)
        return err->code;
    for (size_t i = 0; i < count && read_section(file, i, &section, err) == SG_SUCCESS; i++)
        if (section.header.sh_type == SHT_SYMTAB && section.header.sh_link < count) {
            symbols->table = section;
            read_section(file, section.header.sh_link, &symbols->names, err);
        }
    return err->code;
}

/* Returns the next symbol from *at on. *name is its name for other objects, or "". */
static bool next_symbol(const struct symbols *symbols, size_t *at, Elf64_Sym *symbol,
                        const char **name)
{
    const size_t size = symbols->names.header.sh_size;
    const char *names = symbols->names.bytes;
    if (!symbols->table.bytes || *at + sizeof(*symbol) > symbols->table.header.sh_size)
        return false;
    memcpy(symbol, symbols->table.bytes + *at, sizeof(*symbol));
    *at += sizeof(*symbol);
    const bool is_named = ELF64_ST_BIND(symbol->st_info) != STB_LOCAL && names &&
                          symbol->st_name < size &&
                          memchr(names + symbol->st_name, '\0', size - symbol->st_name);
    *name = is_named ? names + symbol->st_name : "";
    return true;
}

/* A relocation section counts if the section that it applies to is loaded. */
static bool is_loaded(const struct object_file *file, size_t count, const struct section *section,
                      struct sg_err *err)
{
    struct section target = *section;
    const Elf64_Shdr *header = &section->header;
    if (header->sh_type == SHT_RELA && !(header->sh_flags & SHF_ALLOC) && header->sh_info < count)
        read_section(file, header->sh_info, &target, err);
    return (target.header.sh_flags & SHF_ALLOC) && strcmp(target.name, ".note.gnu.build-id") != 0;
}

static enum sg_code add_loaded(const struct object_file *file, struct sg_digest *digest,
                               struct sg_err *err)
{
    struct section section;
    size_t count = 0;
    if (count_sections(file, &count, err) != SG_SUCCESS)
        return err->code;
    for (size_t i = 0; i < count && read_section(file, i, &section, err) == SG_SUCCESS; i++) {
        if (!is_loaded(file, count, &section, err))
            continue;
        sg_digest_add_string(digest, section.name);
        sg_digest_add(digest, &section.header.sh_size, sizeof(section.header.sh_size));
        sg_digest_add(digest, section.bytes, section.bytes ? section.header.sh_size : 0);
    }
    return err->code;
}

/* Digests the symbols that relocations refer to by index only. */
static enum sg_code add_symbols(const struct object_file *file, struct sg_digest *digest,
                                struct sg_err *err)
{
    struct symbols symbols = {.table = {.name = NULL}};
    Elf64_Sym symbol;
    const char *name;
    find_symbols(file, &symbols, err);
    for (size_t at = 0; err->code == SG_SUCCESS && next_symbol(&symbols, &at, &symbol, &name);) {
        const uint64_t facts[] = {symbol.st_info, symbol.st_shndx, symbol.st_value, symbol.st_size};
        sg_digest_add(digest, facts, sizeof(facts));
        sg_digest_add_string(digest, name);
    }
    return err->code;
}

enum sg_code sg_built_digest(const char *path, const char *commit, struct sg_digest *digest,
                             struct sg_err *err)
{
    SG_SCOPED(object_file) file = {0};
    if (read_object_file(path, &file, err) == SG_SUCCESS) {
        mask_commit(&file, commit);
        if (is_object_file(&file, ET_DYN))
            add_loaded(&file, digest, err);
        else if (!is_object_file(&file, ET_REL))
            sg_digest_add(digest, file.bytes, file.size);
        else if (add_loaded(&file, digest, err) == SG_SUCCESS)
            add_symbols(&file, digest, err);
    }
    return err->code;
}

/* ---- two builds ---- */

/* An object file that is in either build or in both. */
struct object {
    const char *name;              /* file name */
    const char *variant;           /* borrowed; NULL: shared by the variants */
    struct sg_names defined, used; /* external symbols that it defines and uses, in either build */
    bool is_different;
};

/* Finds the variant that an object was compiled from, by the target names of solgate_add_family. */
static const char *variant_of(const char *object, const char *family,
                              const struct sg_names *variants)
{
    SG_FORMATTED(folder, "+sg_%s_code.dir+", family);
    const char *found = strstr(object, folder.data), *source = found ? found + folder.length : "";
    const size_t length = strcspn(source, ".");
    for (size_t i = 0; i < variants->count; i++)
        if (strlen(variants->items[i]) == length &&
            strncmp(variants->items[i], source, length) == 0 && !strchr(source, '+'))
            return variants->items[i];
    return NULL;
}

static enum sg_code add_names(const char *path, struct object *object, struct sg_err *err)
{
    SG_SCOPED(object_file) file = {0};
    struct symbols symbols = {.table = {.name = NULL}};
    Elf64_Sym symbol;
    const char *name;
    if (read_object_file(path, &file, err) == SG_SUCCESS && is_object_file(&file, ET_REL) &&
        find_symbols(&file, &symbols, err) == SG_SUCCESS)
        for (size_t at = 0; next_symbol(&symbols, &at, &symbol, &name);)
            if (*name)
                sg_names_add(symbol.st_shndx == SHN_UNDEF ? &object->used : &object->defined, name);
    return err->code;
}

static enum sg_code compare(const struct sg_built *const built[2], struct object *object,
                            struct sg_err *err)
{
    struct sg_digest digest[2] = {SG_DIGEST_EMPTY, SG_DIGEST_EMPTY};
    unsigned count = 0;
    for (size_t i = 0; i < 2 && err->code == SG_SUCCESS; i++) {
        SG_FORMATTED(path, "%s/%s", built[i]->objects, object->name);
        if (access(path.data, F_OK) == 0) {
            count++;
            if (sg_built_digest(path.data, built[i]->commit, &digest[i], err) == SG_SUCCESS)
                add_names(path.data, object, err);
        }
    }
    object->is_different = count < 2 || digest[0].state != digest[1].state;
    return err->code;
}

static bool uses(const struct object *a, const struct object *b)
{
    for (size_t i = 0; i < a->used.count; i++)
        if (sg_names_have(&b->defined, a->used.items[i]))
            return true;
    return false;
}

/* An object that uses a symbol of a different object differs, too. */
static void spread(struct object *objects, size_t count)
{
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < count && !objects[i].is_different; k++)
                if (objects[k].is_different && uses(&objects[i], &objects[k]))
                    again = objects[i].is_different = true;
    }
}

static enum sg_code list_objects(const struct sg_built *const built[2], struct sg_names *names,
                                 struct sg_err *err)
{
    for (size_t i = 0; i < 2 && err->code == SG_SUCCESS; i++) {
        SG_SCOPED(sg_names) here = {0};
        if (sg_is_folder(built[i]->objects))
            sg_list_files(built[i]->objects, "", &here, err);
        for (size_t k = 0; k < here.count; k++)
            if (!sg_names_have(names, here.items[k]))
                sg_names_add(names, here.items[k]);
    }
    return err->code;
}

/* All variants differ if a shared object differs, or if no object explains the difference. */
static void add_different(const struct object *objects, size_t count,
                          const struct sg_names *variants, struct sg_names *different)
{
    bool is_explained = false, is_shared = false;
    for (size_t i = 0; i < count; i++) {
        is_explained |= objects[i].is_different;
        is_shared |= objects[i].is_different && !objects[i].variant;
    }
    for (size_t v = 0; v < variants->count; v++) {
        bool is_different = is_shared || !is_explained;
        for (size_t i = 0; i < count; i++)
            is_different |= objects[i].is_different && objects[i].variant == variants->items[v];
        if (is_different && !sg_names_have(different, variants->items[v]))
            sg_names_add(different, variants->items[v]);
    }
}

enum sg_code sg_built_difference(const struct sg_built *a, const struct sg_built *b,
                                 const char *family, const struct sg_names *variants,
                                 struct sg_names *different, struct sg_err *err)
{
    const struct sg_built *const built[2] = {a, b};
    SG_SCOPED(sg_names) names = {0};
    list_objects(built, &names, err);
    SG_FREED struct object *objects = sg_alloc(names.count, sizeof(*objects));
    for (size_t i = 0; i < names.count && err->code == SG_SUCCESS; i++) {
        objects[i].name = names.items[i];
        objects[i].variant = variant_of(names.items[i], family, variants);
        compare(built, &objects[i], err);
    }
    if (err->code == SG_SUCCESS) {
        spread(objects, names.count);
        add_different(objects, names.count, variants, different);
    }
    for (size_t i = 0; i < names.count; i++) {
        sg_names_release(&objects[i].defined);
        sg_names_release(&objects[i].used);
    }
    return err->code;
}
