/*
 * util/object_file.h - reads sections of an ELF file (64 bits, little-endian) without loading it.
 *
 * Invariant: no access outside of the file, however damaged the file is.
 */
#pragma once

#include <elf.h>
#include <stddef.h>

#include "util/err.h"

struct sg_object_file {
    const char *path; /* borrowed */
    char *bytes;      /* owned */
    size_t size;
};

struct sg_section {
    Elf64_Shdr header;
    const char *name;
    const char *bytes; /* header.sh_size bytes; NULL: not stored in the file */
};

/* Any kind of file. SG_BAD_INPUT, SG_SYSTEM. */
enum sg_code sg_object_file_read(const char *path, struct sg_object_file *file, struct sg_err *err);
void sg_object_file_release(struct sg_object_file *file);
/* Returns true for an ELF file of this type (ET_REL, ET_DYN). */
bool sg_object_file_is(const struct sg_object_file *file, unsigned type);
/* Number of sections. SG_BAD_INPUT: not such an ELF file, or damaged. */
enum sg_code sg_object_file_sections(const struct sg_object_file *file, size_t *count,
                                     struct sg_err *err);
/* Reads one section. SG_BAD_INPUT: the section reaches beyond the end of the file. */
enum sg_code sg_object_file_section(const struct sg_object_file *file, size_t index,
                                    struct sg_section *section, struct sg_err *err);
