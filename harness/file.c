#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"

static const char *kind_of(mode_t mode)
{
    return S_ISDIR(mode) ? "a folder" : S_ISFIFO(mode) ? "a pipe" : S_ISSOCK(mode) ? "a socket" : "a device";
}

enum sg_code sg_open_to_read(const char *path, int *descriptor, struct sg_err *err)
{
    struct stat facts;
    /* A pipe that nobody writes to would not even open, let alone end. */
    *descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*descriptor < 0)
        return sg_fail(err, sg_code_of_errno(errno, SG_BAD_INPUT), path, "cannot be opened: %s", strerror(errno));
    if (fstat(*descriptor, &facts) == 0 && !S_ISREG(facts.st_mode)) {
        close(*descriptor);
        *descriptor = -1;
        return sg_fail(err, SG_BAD_INPUT, path, "expected a file, found %s", kind_of(facts.st_mode));
    }
    return SG_DONE;
}

enum sg_code sg_read_bytes(const char *path, int descriptor, char *bytes, size_t size, size_t *got, struct sg_err *err)
{
    *got = 0;
    while (*got < size) {
        ssize_t part = read(descriptor, bytes + *got, size - *got);
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0)
            return sg_fail(err, SG_SYSTEM, path, "cannot be read: %s", strerror(errno));
        if (part == 0)
            break;
        *got += (size_t)part;
    }
    return SG_DONE;
}

enum sg_code sg_write_bytes(const char *path, int descriptor, const char *bytes, size_t count, struct sg_err *err)
{
    size_t done = 0;
    while (done < count) {
        ssize_t part = write(descriptor, bytes + done, count - done);
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0)
            return sg_fail(err, SG_SYSTEM, path, "cannot be written: %s, after %zu of %zu bytes", strerror(errno), done, count);
        done += (size_t)part;
    }
    return SG_DONE;
}

/* The name is on the disk only when the folder is; a file system that cannot sync a folder is no reason to fail. */
static void sync_folder_of(const char *path)
{
    struct sg_text folder = {0};
    const char *slash = strrchr(path, '/');
    if (slash)
        sg_text_add_bytes(&folder, path, (size_t)(slash - path) + 1);
    else
        sg_text_add(&folder, ".");
    int descriptor = open(folder.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0) {
        fsync(descriptor);
        close(descriptor);
    }
    sg_text_release(&folder);
}

enum sg_code sg_write_file(const char *path, const char *bytes, size_t count, struct sg_err *err)
{
    struct sg_text temporary = {0};
    sg_text_addf(&temporary, "%s.%ld.tmp", path, (long)getpid());
    int descriptor = open(temporary.data, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0) {
        sg_fail(err, SG_SYSTEM, path, "cannot be created: %s", strerror(errno));
        goto out;
    }
    if (sg_write_bytes(path, descriptor, bytes, count, err) == SG_DONE && fsync(descriptor) != 0)
        sg_fail(err, SG_SYSTEM, path, "cannot be written: %s", strerror(errno));
    if (close(descriptor) != 0)
        sg_fail(err, SG_SYSTEM, path, "cannot be written: %s", strerror(errno));
    if (err->code == SG_DONE && rename(temporary.data, path) != 0)
        sg_fail(err, SG_SYSTEM, path, "cannot be replaced: %s", strerror(errno));
    if (err->code == SG_DONE)
        sync_folder_of(path);
    else
        unlink(temporary.data);
out:
    sg_text_release(&temporary);
    return err->code;
}

/* There already is as good as made. */
static enum sg_code make_folder(const char *path, struct sg_err *err)
{
    struct stat facts;
    if (mkdir(path, 0777) == 0)
        return SG_DONE;
    const int why = errno; /* of mkdir: that of stat would say something else */
    if (stat(path, &facts) != 0)
        return sg_fail(err, SG_SYSTEM, path, "cannot make this folder: %s", strerror(why));
    if (!S_ISDIR(facts.st_mode))
        return sg_fail(err, SG_SYSTEM, path, "expected a folder, or nothing, found a file");
    return SG_DONE;
}

enum sg_code sg_make_folders(const char *path, struct sg_err *err)
{
    char *part = sg_copy_string(path);
    /* One part after the other, cut off at its slash; an absolute path's first slash is no part's end. */
    for (char *end = part; end && err->code == SG_DONE;) {
        end = end[0] ? strchr(end + 1, '/') : NULL;
        if (end)
            *end = '\0';
        make_folder(part, err);
        if (end)
            *end = '/';
    }
    free(part);
    return err->code;
}
