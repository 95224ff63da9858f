#include "check.h"

#include <stdlib.h>

#define TESTS_MAX 64

static struct CMUnitTest tests[TESTS_MAX];
static size_t count;

void check_add(const char *name, CMUnitTestFunction function)
{
    if (count == TESTS_MAX)
        abort();
    tests[count++] = (struct CMUnitTest){.name = name, .test_func = function};
}

int check_run(const char *group, CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    return _cmocka_run_group_tests(group, tests, count, set_up, tear_down);
}

__attribute__((weak)) int main(void)
{
    return check_run("tests", NULL, NULL);
}
