#include "plan/built_difference.h"

#include <string.h>
#include <unistd.h>

#include "util/object_file.h"
#include "util/paths.h"

#define SHORT_HASH 7 /* minimum number of hash digits that git prints */

/* ---- the digest of a file ---- */

/* Overwrites each occurrence of at least that many leading digits of `commit` with `x`, and -dirty
 * after them with the zeros that a clean commit has there (cmake/SolgateCommit.cmake). */
static void mask_commit(struct sg_object_file *file, const char *commit)
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
    struct sg_section table, names;
};

static enum sg_code find_symbols(const struct sg_object_file *file, struct symbols *symbols,
                                 struct sg_err *err)
{
    struct sg_section section;
    size_t count;
    if (sg_object_file_sections(file, &count, err) != SG_SUCCESS)
        return err->code;
    for (size_t i = 0; i < count && sg_object_file_section(file, i, &section, err) == SG_SUCCESS;
         i++)
        if (section.header.sh_type == SHT_SYMTAB && section.header.sh_link < count) {
            symbols->table = section;
            sg_object_file_section(file, section.header.sh_link, &symbols->names, err);
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
static bool is_loaded(const struct sg_object_file *file, size_t count,
                      const struct sg_section *section, struct sg_err *err)
{
    struct sg_section target = *section;
    const Elf64_Shdr *header = &section->header;
    if (header->sh_type == SHT_RELA && !(header->sh_flags & SHF_ALLOC) && header->sh_info < count)
        sg_object_file_section(file, header->sh_info, &target, err);
    return (target.header.sh_flags & SHF_ALLOC) && strcmp(target.name, ".note.gnu.build-id") != 0;
}

static enum sg_code add_loaded(const struct sg_object_file *file, struct sg_digest *digest,
                               struct sg_err *err)
{
    struct sg_section section;
    size_t count;
    if (sg_object_file_sections(file, &count, err) != SG_SUCCESS)
        return err->code;
    for (size_t i = 0; i < count && sg_object_file_section(file, i, &section, err) == SG_SUCCESS;
         i++) {
        if (!is_loaded(file, count, &section, err))
            continue;
        sg_digest_add_string(digest, section.name);
        sg_digest_add(digest, &section.header.sh_size, sizeof(section.header.sh_size));
        sg_digest_add(digest, section.bytes, section.bytes ? section.header.sh_size : 0);
    }
    return err->code;
}

/* Digests the symbols that relocations refer to by index only. */
static enum sg_code add_symbols(const struct sg_object_file *file, struct sg_digest *digest,
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
    SG_SCOPED(sg_object_file) file = {0};
    if (sg_object_file_read(path, &file, err) == SG_SUCCESS) {
        mask_commit(&file, commit);
        if (sg_object_file_is(&file, ET_DYN))
            add_loaded(&file, digest, err);
        else if (!sg_object_file_is(&file, ET_REL))
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
    SG_SCOPED(sg_text) folder = sg_text_of("+sg_%s_code.dir+", family);
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
    SG_SCOPED(sg_object_file) file = {0};
    struct symbols symbols = {.table = {.name = NULL}};
    Elf64_Sym symbol;
    const char *name;
    if (sg_object_file_read(path, &file, err) == SG_SUCCESS && sg_object_file_is(&file, ET_REL) &&
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
        SG_SCOPED(sg_text) path = sg_text_of("%s/%s", built[i]->objects, object->name);
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
