/*
 * util/object_file.h - sections of an ELF file (64 bits, little-endian), read and not loaded.
 *
 * Invariant: nothing outside of the file is touched, however it is damaged.
 */
#pragma once

#include <elf.h>
#include <stddef.h>

#include "util/err.h"

/* A file in memory. */
struct sg_object_file {
    const char *path; /* borrowed */
    char *bytes;      /* owned */
    size_t size;
};

struct sg_section {
    Elf64_Shdr header;
    const char *name;
    const char *bytes; /* header.sh_size of them; NULL: none in the file */
};

/* All of a file, whatever it is. SG_BAD_INPUT, SG_SYSTEM. */
enum sg_code sg_object_file_read(const char *path, struct sg_object_file *file, struct sg_err *err);
void sg_object_file_release(struct sg_object_file *file);
/* Is it an ELF file of this type (ET_REL, ET_DYN)? */
bool sg_object_file_is(const struct sg_object_file *file, unsigned type);
/* How many sections there are. SG_BAD_INPUT: it is no such file, or is damaged. */
enum sg_code sg_object_file_sections(const struct sg_object_file *file, size_t *count, struct sg_err *err);
/* One of them. SG_BAD_INPUT: the file ends inside of it. */
enum sg_code sg_object_file_section(const struct sg_object_file *file, size_t index, struct sg_section *section, struct sg_err *err);
