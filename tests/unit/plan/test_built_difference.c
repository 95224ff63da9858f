/* plan/built_difference.h: which two modules are the same, and that a damaged file is refused and
 * never read beyond its end. */
#include <assert.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "scratch.h"
#include "plan/built_difference.h"

/* Header, eight bytes for each of the parts, names of sections, table of sections. */
enum part { DEVICE, HOST, COMMIT, ID, DEBUG, PARTS };
#define PART_BYTES sizeof(uint64_t)
#define NAMES_AT   (sizeof(Elf64_Ehdr) + PARTS * PART_BYTES)
#define NAMES      "\0.shstrtab\0.nv_fatbin\0.text\0.rodata\0.note.gnu.build-id\0.debug_info\0"
#define TABLE_AT   192
#define SECTIONS   (2 + PARTS)
#define SIZE       (TABLE_AT + SECTIONS * sizeof(Elf64_Shdr))

static_assert(NAMES_AT + sizeof(NAMES) <= TABLE_AT, "names end before the table");

static const struct {
    Elf64_Word name;
    Elf64_Xword flags;
} parts[PARTS] = {[DEVICE] = {11, SHF_ALLOC},
                  [HOST] = {22, SHF_ALLOC | SHF_EXECINSTR},
                  [COMMIT] = {28, SHF_ALLOC},
                  [ID] = {36, SHF_ALLOC},
                  [DEBUG] = {55, 0}};

struct module {
    unsigned char bytes[SIZE];
    size_t size;
};

static void put_section(struct module *m, size_t index, const Elf64_Shdr *section)
{
    memcpy(m->bytes + TABLE_AT + index * sizeof(*section), section, sizeof(*section));
}

/* NULL: the section is empty. */
static struct module make_module(const char *const content[PARTS])
{
    struct module m = {.size = SIZE};
    const Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_DYN,
        .e_shoff = TABLE_AT,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = SECTIONS,
        .e_shstrndx = 1,
    };
    memcpy(m.bytes, &header, sizeof(header));
    memcpy(m.bytes + NAMES_AT, NAMES, sizeof(NAMES));
    put_section(
        &m, 1,
        &(Elf64_Shdr){
            .sh_name = 1, .sh_type = SHT_STRTAB, .sh_offset = NAMES_AT, .sh_size = sizeof(NAMES)});
    for (size_t i = 0; i < PARTS; i++) {
        const size_t at = sizeof(header) + i * PART_BYTES,
                     size = content[i] ? strlen(content[i]) : 0;
        memcpy(m.bytes + at, content[i] ? content[i] : "", size);
        put_section(&m, 2 + i,
                    &(Elf64_Shdr){.sh_name = parts[i].name,
                                  .sh_type = SHT_PROGBITS,
                                  .sh_flags = parts[i].flags,
                                  .sh_offset = at,
                                  .sh_size = size});
    }
    return m;
}

/* Of a module that is written to a file. */
static enum sg_code digest_of(const struct module *m, const char *commit, struct sg_digest *digest,
                              struct sg_err *err)
{
    SCRATCH(scratch);
    *digest = SG_DIGEST_EMPTY;
    sg_built_digest(scratch_write(&scratch, "module.so", (const char *)m->bytes, m->size), commit,
                    digest, err);
    return err->code;
}

TEST(same_or_not)
{
    static const struct {
        const char *sentence;
        const char *content[PARTS];
        bool same;
    } rows[] = {
        {"the same", {"kernels", "abc", "1234567", "id", "debug"}, true},
        {"one byte of a kernel differs", {"kernelz", "abc", "1234567", "id", "debug"}, false},
        {"a kernel less", {"kernel", "abc", "1234567", "id", "debug"}, false},
        {"without kernels", {NULL, "abc", "1234567", "id", "debug"}, false},
        {"host code decides what is launched", {"kernels", "abd", "1234567", "id", "debug"}, false},
        {"another commit", {"kernels", "abc", "7654321", "id", "debug"}, true},
        {"another build id", {"kernels", "abc", "1234567", "di", "debug"}, true},
        {"what is not loaded", {"kernels", "abc", "1234567", "id", "DEBUG"}, true},
    };
    const struct module first = make_module(rows[0].content);
    struct sg_digest was, is;
    struct sg_err err = {0};
    assert_int_equal(digest_of(&first, rows[0].content[COMMIT], &was, &err), SG_SUCCESS);
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct module other = make_module(rows[i].content);
        if (digest_of(&other, rows[i].content[COMMIT], &is, &err) != SG_SUCCESS ||
            (was.state == is.state) != rows[i].same)
            fail_msg("%s: %s", rows[i].sentence, err.message);
    }
}

TEST(damage)
{
    const struct {
        const char *sentence;
        size_t at, size;
        uint64_t value;
        const char *found;
    } rows[] = {
        {"32 bits", EI_CLASS, 1, ELFCLASS32, "another kind"},
        {"sections behind the end of the file", offsetof(Elf64_Ehdr, e_shoff), 8, UINT64_MAX - 8,
         "section table"},
        {"more sections than there are", offsetof(Elf64_Ehdr, e_shnum), 2, 60000, "section table"},
        {"sections of another size", offsetof(Elf64_Ehdr, e_shentsize), 2, 1, "section table"},
        {"names in no section", offsetof(Elf64_Ehdr, e_shstrndx), 2, SECTIONS, "section table"},
        {"names behind the end", TABLE_AT + sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_offset), 8,
         SIZE + 1, "section names"},
        {"code behind the end", TABLE_AT + 2 * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_size),
         8, UINT64_MAX, "within a section"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct module m = make_module((const char *const[PARTS]){"kernels", "abc"});
        struct sg_err err = {0};
        struct sg_digest digest;
        memcpy(m.bytes + rows[i].at, &rows[i].value, rows[i].size);
        if (digest_of(&m, "", &digest, &err) != SG_BAD_INPUT ||
            !strstr(err.message, rows[i].found) || !strstr(err.where, "module.so"))
            fail_msg("%s: %d %s: %s", rows[i].sentence, err.code, err.where, err.message);
    }
}

/* A file cut anywhere is refused or read as what it still is; the sanitizers watch that
 * nothing behind its end is touched. */
TEST(cuts)
{
    struct module m = make_module((const char *const[PARTS]){"kernels", "abc"});
    for (m.size = sizeof(Elf64_Ehdr); m.size < SIZE; m.size += 7) {
        struct sg_err err = {0};
        struct sg_digest digest;
        if (digest_of(&m, "", &digest, &err) != SG_BAD_INPUT)
            fail_msg("a file of %zu of %zu bytes is taken for whole", m.size, (size_t)SIZE);
    }
}
