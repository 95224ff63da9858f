/*
 * temp_home.h - a home of util/paths.h in a temporary folder, for tests that hand
 * wrong text files to the loaders.
 *
 * temp_home_begin makes it and points SOLGATE_HOME at it; temp_home_write puts a file there;
 * temp_home_end removes everything and gives the environment back, so that what the tree
 * ships is found again. One at a time.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

#define TEMP_HOME_FILES 8

struct temp_home {
    char path[64];
    char file[TEMP_HOME_FILES][160];
    size_t files;
};

static const char *const temp_home_folders[] = {"",
                                                "/metrics",
                                                "/metrics/groups",
                                                "/metrics/gpus",
                                                "/baselines",
                                                "/baselines/a100",
                                                "/baselines/b200",
                                                "/baselines/h200",
                                                "/baselines/h200/abc",
                                                "/baselines/h200/moved"};

static inline void temp_home_begin(struct temp_home *home)
{
    *home = (struct temp_home){.path = "/tmp/solgate-test-XXXXXX"};
    assert_non_null(mkdtemp(home->path));
    for (size_t i = 1; i < sizeof(temp_home_folders) / sizeof(temp_home_folders[0]); i++) {
        char folder[128];
        snprintf(folder, sizeof(folder), "%s%s", home->path, temp_home_folders[i]);
        assert_int_equal(mkdir(folder, 0700), 0);
    }
    assert_int_equal(setenv("SOLGATE_HOME", home->path, 1), 0);
}

/* `relative` is below the home: "metrics/metrics.ini". */
static inline void temp_home_write(struct temp_home *home, const char *relative, const char *text)
{
    assert_true(home->files < TEMP_HOME_FILES);
    char path[sizeof(home->file[0])];
    snprintf(path, sizeof(path), "%s/%s", home->path, relative);
    memcpy(home->file[home->files++], path, sizeof(path));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static inline void temp_home_end(struct temp_home *home)
{
    for (size_t i = 0; i < home->files; i++)
        unlink(home->file[i]);
    for (size_t i = sizeof(temp_home_folders) / sizeof(temp_home_folders[0]); i-- > 0;) {
        char folder[128];
        snprintf(folder, sizeof(folder), "%s%s", home->path, temp_home_folders[i]);
        assert_int_equal(rmdir(folder), 0);
    }
    unsetenv("SOLGATE_HOME");
}

/* Does the place of an error end in `ending`, and its message hold
 * `part`? Says which row it was when not. */
static inline void assert_complaint(const char *row, const char *where, const char *message,
                                    const char *ending, const char *part)
{
    const size_t have = strlen(where), want = strlen(ending);
    if (have < want || strcmp(where + have - want, ending) != 0)
        fail_msg("%s: complains at '%s', should at '...%s' (%s)", row, where, ending, message);
    if (!strstr(message, part))
        fail_msg("%s: says '%s', should speak of '%s'", row, message, part);
}
