/* inject/codes.h: the machine code of kernels, out of images as the driver loads them. */
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "inject/codes.h"
#include "inject/map.h"

static uint64_t key(const char *name)
{
    return sg_map_digest(name, strlen(name));
}

/* An image of one kernel: head, names, code, three section heads. */
struct image {
    Elf64_Ehdr head;
    char names[64];
    char code[32];
    Elf64_Shdr section[3];
};

static struct image image_of(const char *kernel, const char *code)
{
    struct image image = {.head = {.e_ident = ELFMAG,
                                   .e_shoff = offsetof(struct image, section),
                                   .e_shentsize = sizeof(Elf64_Shdr),
                                   .e_shnum = 3,
                                   .e_shstrndx = 1}};
    image.head.e_ident[EI_CLASS] = ELFCLASS64;
    snprintf(image.names + 1, sizeof(image.names) - 1, ".text.%s", kernel);
    snprintf(image.code, sizeof(image.code), "%s", code);
    image.section[1] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
                                    .sh_offset = offsetof(struct image, names),
                                    .sh_size = sizeof(image.names)};
    image.section[2] = (Elf64_Shdr){.sh_name = 1,
                                    .sh_type = SHT_PROGBITS,
                                    .sh_offset = offsetof(struct image, code),
                                    .sh_size = sizeof(image.code)};
    return image;
}

TEST(code_is_found_by_the_name_of_its_kernel)
{
    const struct image one = image_of("one", "abc"), other = image_of("one", "abd"),
                       two = image_of("two", "abc");
    assert_int_equal(sg_codes_of(key("one")).count, 0);
    sg_codes_add(&one, sizeof(one));
    const struct sg_codes first = sg_codes_of(key("one"));
    assert_int_equal(first.count, 1);
    sg_codes_add(&one, sizeof(one)); /* into another context */
    assert_true(sg_codes_of(key("one")).sum == first.sum && sg_codes_of(key("one")).count == 1);
    sg_codes_add(&other, sizeof(other));
    assert_true(sg_codes_of(key("one")).sum != first.sum && sg_codes_of(key("one")).count == 2);
    sg_codes_add(&two, sizeof(two));
    assert_true(sg_codes_of(key("two")).sum == first.sum && sg_codes_of(key("two")).count == 1);
}

TEST(images_that_are_none_are_left_alone)
{
    struct image image = image_of("bad", "abc");
    for (size_t length = 0; length < sizeof(image); length++)
        sg_codes_add(&image, length);
    for (size_t i = 0; i < sizeof(image.head) + sizeof(image.names); i++) {
        struct image changed = image_of("bad2", "abc");
        ((unsigned char *)&changed)[i] = 0xff;
        sg_codes_add(&changed, sizeof(changed));
    }
    for (size_t i = 0; i < sizeof(image.section); i++) {
        struct image changed = image_of("bad3", "abc");
        ((unsigned char *)changed.section)[i] = 0xff;
        sg_codes_add(&changed, sizeof(changed));
    }
    sg_codes_add(NULL, 1000);
    assert_int_equal(sg_codes_of(key("bad")).count, 0);
}
