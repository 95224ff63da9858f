/* util/file.h and util/paths.h: what is written where somebody else has put something, whose fault
 * a failure is, and which program is run. */
#include "check.h"
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>

#include "results/journal.h"

static const char precious[] = "precious";

/* A file of somebody else in a scratch folder, and what leads to it. */
struct prey {
    struct scratch s;
    char target[128];
};

static void prey_init(struct prey *prey)
{
    scratch_init(&prey->s);
    snprintf(prey->target, sizeof(prey->target), "%s", scratch_write(&prey->s, "target", BYTES(precious)));
}

static void assert_untouched(struct prey *prey)
{
    struct sg_text now = scratch_read(&prey->s, "target");
    assert_string_equal(now.data, precious);
    sg_text_release(&now);
}

TEST(a_link_is_neither_followed_nor_replaced)
{
    struct prey prey;
    struct sg_err written = {0}, begun = {0}, twin = {0};
    struct sg_journal journal;
    struct stat facts;
    prey_init(&prey);
    assert_int_equal(symlink(prey.target, scratch_path(&prey.s, "link.csv")), 0);
    sg_write_file(prey.s.path, BYTES("new"), &written);
    assert_error("a file", &written, SG_SYSTEM, "link.csv", "expected a file, or nothing, found a symbolic link");
    sg_journal_open(prey.s.path, "a,b", 0, &journal, &begun);
    assert_error("a journal", &begun, SG_SYSTEM, "link.csv", "expected a file, or nothing, found a symbolic link");
    assert_int_equal(lstat(prey.s.path, &facts), 0);
    assert_true(S_ISLNK(facts.st_mode));
    assert_int_equal(link(prey.target, scratch_path(&prey.s, "twin.csv")), 0);
    sg_journal_open(prey.s.path, "a,b", 0, &journal, &twin);
    assert_error("a second name of a file", &twin, SG_SYSTEM, "twin.csv", "expected a file with this name alone");
    assert_untouched(&prey);
    scratch_release(&prey.s);
}

/* The name was the process's number once: whoever can write to the folder could be there first. */
TEST(a_temporary_name_cannot_be_foreseen)
{
    struct prey prey;
    struct sg_err err = {0};
    char planted[64];
    prey_init(&prey);
    snprintf(planted, sizeof(planted), "f.%ld.tmp", (long)getpid());
    assert_int_equal(symlink(prey.target, scratch_path(&prey.s, planted)), 0);
    sg_write_file(scratch_path(&prey.s, "f"), BYTES("new"), &err);
    assert_error("the file is written", &err, SG_SUCCESS, "", "");
    assert_untouched(&prey);
    scratch_release(&prey.s);
}

TEST(a_folder_is_held_by_one_and_its_process_is_known)
{
    struct scratch s;
    scratch_init(&s);
    const int first = open(s.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), second = open(s.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(sg_folder_holder(second), 0);
    assert_true(sg_hold_folder(first, 0));
    assert_false(sg_hold_folder(second, 0));
    assert_int_equal(sg_folder_holder(second), getpid());
    close(first);
    assert_true(sg_hold_folder(second, 0));
    close(second);
    scratch_release(&s);
}

TEST(a_new_file_has_the_rights_of_the_user)
{
    struct scratch s;
    struct stat facts;
    scratch_init(&s);
    const mode_t before = umask(027);
    scratch_write(&s, "f", BYTES("x"));
    umask(before);
    assert_int_equal(stat(s.path, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0640);
    scratch_release(&s);
}

TEST(a_link_to_a_folder_is_none_of_ours)
{
    struct scratch s, other;
    struct sg_err own = {0}, linked = {0}, above = {0};
    struct stat facts;
    scratch_init(&s);
    scratch_init(&other);
    assert_int_equal(symlink(other.folder, scratch_path(&s, "charts")), 0);
    sg_make_own_folder(s.path, &linked);
    assert_error("a link to a folder", &linked, SG_SYSTEM, "charts", "expected a folder, or nothing, found a symbolic link");
    sg_make_folders(scratch_path(&s, "charts/x"), &above);
    assert_error("the user's own path may have links", &above, SG_SUCCESS, "", "");
    assert_int_equal(rmdir(scratch_path(&other, "x")), 0);
    sg_make_own_folder(scratch_path(&s, "own"), &own);
    sg_make_own_folder(s.path, &own);
    assert_error("once made, or there already", &own, SG_SUCCESS, "", "");
    assert_int_equal(stat(s.path, &facts), 0);
    assert_int_equal(rmdir(s.path), 0);
    scratch_release(&other);
    scratch_release(&s);
}

TEST(what_the_machine_lacks_is_not_the_input)
{
    static const int of_the_machine[] = {EMFILE, ENFILE, ENOMEM, EIO, ENOSPC};
    static const int of_the_user[] = {ENOENT, EACCES, EISDIR, ENOTDIR, ELOOP, ENAMETOOLONG, EPERM};
    for (size_t i = 0; i < COUNT(of_the_machine); i++)
        assert_int_equal(sg_code_of_errno(of_the_machine[i], SG_BAD_INPUT), SG_SYSTEM);
    for (size_t i = 0; i < COUNT(of_the_user); i++)
        assert_int_equal(sg_code_of_errno(of_the_user[i], SG_BAD_INPUT), SG_BAD_INPUT);

    struct scratch s;
    struct sg_err err = {0};
    struct rlimit before, none;
    int descriptor;
    scratch_init(&s);
    scratch_write(&s, "f", BYTES("x"));
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    sg_open_to_read(s.path, &descriptor, &err);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_error("no descriptor is left", &err, SG_SYSTEM, "f", "Too many open files");
    scratch_release(&s);
}

/* `path` as PATH finds gnuplot in a folder that holds one; wanted: that one, or none. */
TEST(a_program_is_looked_up_in_absolute_folders)
{
    struct scratch s;
    char here[1024], *before = sg_copy_string(getenv("PATH") ? getenv("PATH") : "");
    scratch_init(&s);
    scratch_write(&s, "gnuplot", BYTES("#!/bin/sh\n"));
    assert_int_equal(chmod(s.path, 0755), 0);
    scratch_write(&s, "plain", BYTES("#!/bin/sh\n"));
    assert_non_null(getcwd(here, sizeof(here)));
    assert_int_equal(chdir(s.folder), 0);
    const struct {
        const char *proves, *folders, *name;
        bool found;
    } rows[] = {
        {"an empty element is no folder", "", "gnuplot", false},        {"nor is one at the end", "/nowhere:", "gnuplot", false},
        {"nor at the beginning", ":/nowhere", "gnuplot", false},        {"where one stands is no place of programs", ".", "gnuplot", false},
        {"nor is what is below it", "./x:x", "gnuplot", false},         {"an absolute one is", s.folder, "gnuplot", true},
        {"what cannot be run is no program", s.folder, "plain", false}, {"nor is a folder", "/tmp", s.folder + sizeof("/tmp"), false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_text path = {0};
        setenv("PATH", rows[i].folders, 1);
        const bool found = sg_program_path(&path, rows[i].name);
        if (found != rows[i].found || (found && strcmp(path.data, scratch_path(&s, "gnuplot")) != 0))
            fail_msg("%s: found '%s'", rows[i].proves, sg_text_string(&path));
        sg_text_release(&path);
    }
    unsetenv("PATH");
    assert_false(sg_program_path(&(struct sg_text){0}, "gnuplot"));
    setenv("PATH", before, 1);
    free(before);
    assert_int_equal(chdir(here), 0);
    scratch_release(&s);
}
