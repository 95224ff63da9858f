#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TESTS_MAX 256

static struct CMUnitTest tests[TESTS_MAX];
static const char *files[TESTS_MAX];
static size_t count;

void check_add(const char *file, const char *name, CMUnitTestFunction function)
{
    if (count == TESTS_MAX)
        abort();
    files[count] = file;
    tests[count++] = (struct CMUnitTest){.name = name, .test_func = function};
}

int check_run(const char *group, CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    return _cmocka_run_group_tests(group, tests, count, set_up, tear_down);
}

static bool is_of(const char *path, const char *file)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    return strncmp(base, file, strlen(file)) == 0 && strcmp(base + strlen(file), ".c") == 0;
}

__attribute__((weak)) int main(int argc, char **argv)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (argc < 2 || is_of(files[i], argv[1]))
            tests[kept++] = tests[i];
    count = kept;
    if (count == 0) {
        fprintf(stderr, "no test is in %s.c\n", argv[1]);
        return 1;
    }
    return check_run(argc < 2 ? "tests" : argv[1], NULL, NULL);
}
