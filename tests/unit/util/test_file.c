/* util/file.h and util/paths.h: what is written where somebody else has put something, whose fault
 * a failure is, and which program is run. */
#include "check.h"
#include "scratch.h"

#include <errno.h>
#include <sys/resource.h>

TEST(a_file_is_written_where_a_link_leads)
{
    struct sg_err err = {0};
    SCRATCH(s);
    scratch_write(&s, "target", BYTES("old"));
    assert_int_equal(symlink("target", scratch_path(&s, "link")), 0);
    sg_write_file(s.path, BYTES("new"), &err);
    assert_error("a link of the user's", &err, SG_SUCCESS, "", "");
    assert_int_equal(unlink(s.path), 0);
    struct sg_text now = scratch_read(&s, "target");
    assert_string_equal(now.data, "new");
    sg_text_release(&now);
}

TEST(a_new_file_has_the_rights_of_the_user)
{
    struct stat facts;
    SCRATCH(s);
    const mode_t before = umask(027);
    scratch_write(&s, "f", BYTES("x"));
    umask(before);
    assert_int_equal(stat(s.path, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0640);
}

TEST(what_the_machine_lacks_is_not_the_input)
{
    static const int of_the_machine[] = {EMFILE, ENFILE, ENOMEM, EIO, ENOSPC};
    static const int of_the_user[] = {ENOENT, EACCES, EISDIR, ENOTDIR, ELOOP, ENAMETOOLONG, EPERM};
    for (size_t i = 0; i < COUNT(of_the_machine); i++)
        assert_int_equal(sg_code_of_errno(of_the_machine[i], SG_BAD_INPUT), SG_SYSTEM);
    for (size_t i = 0; i < COUNT(of_the_user); i++)
        assert_int_equal(sg_code_of_errno(of_the_user[i], SG_BAD_INPUT), SG_BAD_INPUT);

    struct sg_err err = {0};
    struct rlimit before, none;
    int descriptor;
    SCRATCH(s);
    scratch_write(&s, "f", BYTES("x"));
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    sg_open_to_read(s.path, &descriptor, &err);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_error("no descriptor is left", &err, SG_SYSTEM, "f", "Too many open files");
}

TEST(a_program_is_one_that_can_be_run)
{
    SG_SCOPED(sg_text) path = {0};
    char *before = sg_copy_string(getenv("PATH") ? getenv("PATH") : "");
    SCRATCH(s);
    scratch_write(&s, "plain", BYTES("#!/bin/sh\n"));
    scratch_write(&s, "gnuplot", BYTES("#!/bin/sh\n"));
    assert_int_equal(chmod(s.path, 0755), 0);
    setenv("PATH", s.folder, 1);
    assert_true(sg_program_path(&path, "gnuplot"));
    assert_string_equal(path.data, s.path);
    assert_false(sg_program_path(&path, "plain"));
    unsetenv("PATH");
    assert_false(sg_program_path(&path, "gnuplot"));
    setenv("PATH", before, 1);
    free(before);
}
