#include "util/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/bits.h"
#include "util/escape.h"

#define SHORT 64 /* bytes that most formatted texts fit in */

static _Noreturn void out_of_memory(void)
{
    static const char last_words[] = "solgate: out of host memory\n";
    /* write and _exit, because stdio and atexit handlers may allocate memory. */
    ssize_t written = write(STDERR_FILENO, last_words, sizeof(last_words) - 1);
    (void)written;
    _exit(SG_EXIT_INVALID);
}

void *sg_alloc(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size ? size : 1);
    if (!memory)
        out_of_memory();
    return memory;
}

void *sg_grow(void *items, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity)
        return items;
    size_t bigger = *capacity ? *capacity : 8;
    while (bigger < needed) {
        if (bigger > SIZE_MAX / 2)
            out_of_memory();
        bigger *= 2;
    }
    if (bigger > SIZE_MAX / size)
        out_of_memory();
    void *moved = realloc(items, bigger * size);
    if (!moved)
        out_of_memory();
    *capacity = bigger;
    return moved;
}

void sg_free_at(void *pointer)
{
    void *memory;
    memcpy(&memory, pointer, sizeof(memory)); /* for any pointer type */
    free(memory);
}

char *sg_copy_string(const char *string)
{
    size_t bytes = strlen(string) + 1;
    return memcpy(sg_alloc(bytes, 1), string, bytes);
}

void sg_text_release(struct sg_text *text)
{
    free(text->data);
    *text = (struct sg_text){0};
}

void sg_text_add_bytes(struct sg_text *text, const char *bytes, size_t count)
{
    if (count > SIZE_MAX - text->length - 1)
        out_of_memory();
    text->data = sg_grow(text->data, &text->capacity, text->length + count + 1, 1);
    if (count)
        memcpy(text->data + text->length, bytes, count);
    text->length += count;
    text->data[text->length] = '\0';
}

void sg_text_add(struct sg_text *text, const char *more)
{
    sg_text_add_bytes(text, more, strlen(more));
}

struct sg_text *sg_text_next(struct sg_text *text)
{
    sg_text_add(text, text->length > 0 ? "; " : "");
    return text;
}

void sg_text_add_word(struct sg_text *text, const char *word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=:,+-";
    if (word[0] && word[strspn(word, plain)] == '\0') {
        sg_text_add(text, word);
        return;
    }
    sg_text_add(text, "'");
    sg_add_escaped(text, SG_SHELL, word);
    sg_text_add(text, "'");
}

void sg_text_add_option(struct sg_text *text, const char *name, const char *value)
{
    sg_text_addf(text, " --%s=", name);
    sg_text_add_word(text, value);
}

void sg_text_add_command(struct sg_text *text, char *const *argv)
{
    for (char *const *word = argv; *word; word++) {
        sg_text_add(text, word == argv ? "" : " ");
        sg_text_add_word(text, *word);
    }
}

void sg_text_addv(struct sg_text *text, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    text->data = sg_grow(text->data, &text->capacity, text->length + SHORT, 1);
    const size_t room = text->capacity - text->length,
                 length = (size_t)vsnprintf(text->data + text->length, room, format, args);
    if (length >= room) {
        text->data = sg_grow(text->data, &text->capacity, text->length + length + 1, 1);
        vsnprintf(text->data + text->length, length + 1, format, again);
    }
    text->length += length;
    va_end(again);
}

struct sg_text sg_text_of(const char *format, ...)
{
    struct sg_text text = {0};
    va_list args;
    va_start(args, format);
    sg_text_addv(&text, format, args);
    va_end(args);
    return text;
}

void sg_text_addf(struct sg_text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    sg_text_addv(text, format, args);
    va_end(args);
}

const char *sg_text_string(const struct sg_text *text)
{
    return text->data ? text->data : "";
}

bool sg_is_name(const char *string)
{
    size_t length = 0;
    while ((string[length] >= 'a' && string[length] <= 'z') ||
           (string[length] >= '0' && string[length] <= '9') || string[length] == '_')
        length++; /* strspn takes ten times as long, and tables have many names */
    return length > 0 && length <= 63 && string[length] == '\0';
}

bool sg_ends_in(const char *string, const char *ending)
{
    const size_t length = strlen(string), tail = strlen(ending);
    return length >= tail && strcmp(string + length - tail, ending) == 0;
}

struct sg_shown sg_show(const char *bytes, size_t length)
{
    struct sg_shown shown = {0};
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)bytes[i];
        char piece[8];
        int width = snprintf(piece, sizeof(piece), c >= ' ' && c < 0x7f ? "%c" : "\\x%02x", c);
        /* Keeps room for the dots until the last byte. */
        size_t reserve = i + 1 < length ? sizeof("...") : 1;
        if (used + (size_t)width + reserve > sizeof(shown.text)) {
            memcpy(shown.text + used, "...", sizeof("..."));
            break;
        }
        memcpy(shown.text + used, piece, (size_t)width);
        used += (size_t)width;
    }
    return shown;
}

struct sg_shown sg_show_string(const char *string)
{
    return sg_show(string, strlen(string));
}

double sg_monotonic_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

const char *sg_later_date(const char *a, const char *b)
{
    return !b || (a && strcmp(a, b) >= 0) ? a : b;
}

bool sg_is_blank(const char *string)
{
    for (const char *at = string ? string : ""; *at; at++)
        if (isalnum((unsigned char)*at) || (unsigned char)*at >= 0x80)
            return false;
    return true;
}

struct sg_shown sg_utc_in(double seconds, const char *format)
{
    struct sg_shown shown = {0};
    const time_t at = time(NULL) + (time_t)seconds;
    struct tm utc;
    strftime(shown.text, sizeof(shown.text), format, gmtime_r(&at, &utc));
    return shown;
}

struct sg_shown sg_utc_now(const char *format)
{
    return sg_utc_in(0, format);
}

bool sg_status_is_spoiling(enum sg_status status)
{
    return status != SG_OK && status != SG_UNSUPPORTED && status != SG_SKIPPED &&
           status != SG_UNAVAILABLE;
}

const char *const sg_status_words[] = {SG_STATUS_TABLE(SG_WORD)[SG_STATUS_COUNT] = NULL};

const char *sg_status_word(enum sg_status status)
{
    return (unsigned)status < SG_STATUS_COUNT ? sg_status_words[status] : "?";
}

enum sg_status sg_status_from_word(const char *word)
{
    int status = 0;
    while (status < SG_STATUS_COUNT && strcmp(word, sg_status_word((enum sg_status)status)) != 0)
        status++;
    return (enum sg_status)status;
}

const char *const sg_role_words[] = {
    [SG_CANDIDATE] = "candidate", [SG_BASELINE] = "baseline", [SG_VENDOR] = "vendor", NULL};

const char *sg_role_word(enum sg_role role)
{
    return sg_role_words[role];
}

const char *sg_dtype_word(enum sg_dtype dtype)
{
    static const char *const words[] = {SG_DTYPE_TABLE(SG_WORD)};
    return (unsigned)dtype < SG_DTYPE_COUNT ? words[dtype] : "?";
}

enum sg_dtype sg_dtype_from_word(const char *word)
{
    int dtype = 0;
    while (dtype < SG_DTYPE_COUNT && strcmp(word, sg_dtype_word((enum sg_dtype)dtype)) != 0)
        dtype++;
    return (enum sg_dtype)dtype;
}

size_t sg_dtype_bits(enum sg_dtype dtype)
{
    return (size_t)sg_element_bits(dtype);
}

size_t sg_dtype_bytes(enum sg_dtype dtype)
{
    return (sg_dtype_bits(dtype) + 7) / 8;
}
