/* plan/module_code.h: which two files hold the same code, and that a damaged file is
 * refused and never read beyond its end. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/module_code.h"
#include "scratch.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Header, bytes of code, names of sections, table of three sections. */
#define CODE_AT  sizeof(Elf64_Ehdr)
#define CODE_MAX 16
#define NAMES_AT (CODE_AT + CODE_MAX)
#define NAMES    "\0.shstrtab\0.nv_fatbin\0.text\0"
#define NAME_ALL 1
#define NAME_GPU 11
#define NAME_CPU 22
#define TABLE_AT 112
#define SECTIONS 4
#define SIZE     (TABLE_AT + SECTIONS * sizeof(Elf64_Shdr))

struct module {
    unsigned char bytes[SIZE];
    size_t size;
};

static void put_section(struct module *m, size_t index, const Elf64_Shdr *section)
{
    memcpy(m->bytes + TABLE_AT + index * sizeof(*section), section, sizeof(*section));
}

/* `device` NULL: without a section of device code. */
static struct module make_module(const char *device, const char *host)
{
    struct module m = {.size = SIZE};
    const Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_shoff = TABLE_AT,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = SECTIONS,
        .e_shstrndx = 1,
    };
    memcpy(m.bytes, &header, sizeof(header));
    memcpy(m.bytes + CODE_AT, device ? device : "", device ? strlen(device) : 0);
    memcpy(m.bytes + CODE_AT + 8, host, strlen(host));
    memcpy(m.bytes + NAMES_AT, NAMES, sizeof(NAMES));
    put_section(&m, 1, &(Elf64_Shdr){.sh_name = NAME_ALL, .sh_type = SHT_STRTAB, .sh_offset = NAMES_AT, .sh_size = sizeof(NAMES)});
    if (device)
        put_section(&m, 2, &(Elf64_Shdr){.sh_name = NAME_GPU, .sh_type = SHT_PROGBITS, .sh_offset = CODE_AT, .sh_size = strlen(device)});
    put_section(&m, 3, &(Elf64_Shdr){.sh_name = NAME_CPU, .sh_type = SHT_PROGBITS, .sh_offset = CODE_AT + 8, .sh_size = strlen(host)});
    return m;
}

/* Path of the written file. */
static const char *write_module(struct scratch *s, const char *name, const struct module *m)
{
    return scratch_write(s, name, (const char *)m->bytes, m->size);
}

static void same_or_not(void **state)
{
    (void)state;
    static const struct {
        const char *sentence, *device, *host, *other_device, *other_host;
        bool same;
    } rows[] = {
        {"the same kernels, whatever the host code", "kernels", "abc", "kernels", "xyz", true},
        {"one byte of a kernel differs", "kernels", "abc", "kernelz", "abc", false},
        {"one kernel more", "kernels", "abc", "kernel", "abc", false},
        {"kernels against none", "kernels", "abc", NULL, "abc", false},
        {"none against kernels", NULL, "abc", "kernels", "abc", false},
        {"without kernels the whole file counts", NULL, "abc", NULL, "abc", true},
        {"and then one byte is enough", NULL, "abc", NULL, "abd", false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct module a = make_module(rows[i].device, rows[i].host), b = make_module(rows[i].other_device, rows[i].other_host);
        struct sg_err err = {0};
        bool same = !rows[i].same;
        struct scratch at_a, at_b;
        scratch_init(&at_a);
        scratch_init(&at_b);
        const char *path_a = write_module(&at_a, "a.so", &a), *path_b = write_module(&at_b, "b.so", &b);
        sg_same_code(path_a, path_b, &same, &err);
        if (err.code != SG_SUCCESS || same != rows[i].same)
            fail_msg("%s: %d, %s", rows[i].sentence, same, err.message);
        scratch_release(&at_a);
        scratch_release(&at_b);
    }
}

static void damage(void **state)
{
    (void)state;
    const struct {
        const char *sentence;
        size_t at, size;
        uint64_t value;
        const char *found;
    } rows[] = {
        {"no ELF file", 0, 1, 'X', "something else"},
        {"32 bits", EI_CLASS, 1, ELFCLASS32, "another kind"},
        {"sections behind the end of the file", offsetof(Elf64_Ehdr, e_shoff), 8, UINT64_MAX - 8, "table of sections"},
        {"more sections than there are", offsetof(Elf64_Ehdr, e_shnum), 2, 60000, "table of sections"},
        {"sections of another size", offsetof(Elf64_Ehdr, e_shentsize), 2, 1, "table of sections"},
        {"names in no section", offsetof(Elf64_Ehdr, e_shstrndx), 2, SECTIONS, "table of sections"},
        {"names behind the end", TABLE_AT + sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_offset), 8, SIZE + 1, "names of sections"},
        {"code behind the end", TABLE_AT + 2 * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_size), 8, UINT64_MAX, "inside of a section"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct module m = make_module("kernels", "abc");
        struct sg_err err = {0};
        bool same = false;
        memcpy(m.bytes + rows[i].at, &rows[i].value, rows[i].size);
        struct scratch scratch;
        scratch_init(&scratch);
        const char *path = write_module(&scratch, "damaged.so", &m);
        if (sg_same_code(path, path, &same, &err) != SG_BAD_INPUT || same || !strstr(err.message, rows[i].found) ||
            !strstr(err.where, "damaged.so"))
            fail_msg("%s: %d %s: %s", rows[i].sentence, err.code, err.where, err.message);
        scratch_release(&scratch);
    }
}

/* A file cut anywhere is refused or read as what it still is; the sanitizers watch that
 * nothing behind its end is touched. */
static void cuts(void **state)
{
    (void)state;
    struct module m = make_module("kernels", "abc");
    for (m.size = 0; m.size < SIZE; m.size += 7) {
        struct sg_err err = {0};
        bool same = false;
        struct scratch scratch;
        scratch_init(&scratch);
        const char *path = write_module(&scratch, "cut.so", &m);
        if (sg_same_code(path, path, &same, &err) != SG_BAD_INPUT || same)
            fail_msg("a file of %zu of %zu bytes is taken for whole", m.size, (size_t)SIZE);
        scratch_release(&scratch);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_or_not), cmocka_unit_test(damage), cmocka_unit_test(cuts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
