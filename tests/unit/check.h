/*
 * check.h - a program of tests: cmocka, and TEST(name) { ... }, which is run by the main of
 * check.c, in the order of the file. `PROGRAM FILE` runs the tests of FILE.c. A main of its own
 * ends with check_run.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A row of a table and a list in it. clang-format sets braces within braces an element a line. */
#define ROW(...)    \
    {               \
        __VA_ARGS__ \
    }
#define LIST(...)   \
    {               \
        __VA_ARGS__ \
    }

/* Declares a struct, which its block ends by `end`. */
#define OWNED(type, name, end) __attribute__((cleanup(end))) struct type name

#define TEST(name)                                                  \
    static void name(void **state);                                 \
    __attribute__((constructor)) static void check_add_##name(void) \
    {                                                               \
        check_add(__FILE__, #name, name);                           \
    }                                                               \
    static void name(__attribute__((unused)) void **state)

void check_add(const char *file, const char *name, CMUnitTestFunction function);
/* All tests of the program as a group; how many failed. */
int check_run(const char *group, CMFixtureFunction set_up, CMFixtureFunction tear_down);
