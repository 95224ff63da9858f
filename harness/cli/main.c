#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "util/escape.h"
#include "util/version.h"

static void print_help(void)
{
    static const struct sg_option_exit exits[] = {
#define X(constant, number, meaning) {constant, NULL},
        SG_EXIT_TABLE(X)
#undef X
    };
    puts("Usage: solgate COMMAND [OPTION...] [ARGUMENT...]\n"
         "Speed-of-light gate: checks, times and profiles kernel variants, and reports what "
         "regressed, by how much, and why.\n");
    size_t count;
    const struct sg_command *commands = sg_commands(&count);
    for (size_t i = 0; i < count; i++)
        printf("  %-10s %s\n", commands[i].name, commands[i].summary);
    SG_SCOPED(sg_text) codes = sg_text_of("Exit codes:"), lines = {0};
    sg_options_add_exits(&codes, exits, sizeof(exits) / sizeof(exits[0]));
    sg_add_wrapped(&lines, codes.data, 0, 0);
    printf("\n`solgate COMMAND -h` or `solgate help COMMAND` prints more; `solgate --version` "
           "prints version and commit.\n%s\n"
           "Example: solgate run smoke --out=R && solgate compare R\n",
           lines.data);
}

static const struct sg_command *find_command(const char *name, struct sg_err *err)
{
    size_t count;
    const struct sg_command *commands = sg_commands(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    SG_SCOPED(sg_names) names = {0};
    for (size_t i = 0; i < count; i++)
        sg_names_add(&names, commands[i].name);
    sg_fail(err, SG_BAD_USAGE, name, "no such command%s; `solgate -h` lists them",
            sg_names_hint(&names, name).text);
    return NULL;
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

static int dispatch(int argc, char **argv, struct sg_err *err)
{
    if (argc < 2) {
        sg_fail(err, SG_BAD_USAGE, NULL, "expected a command; `solgate -h` lists them");
        return 0;
    }
    if (argc > 2 &&
        strcmp(argv[1], "help") == 0) { /* `solgate help COMMAND` is `solgate COMMAND -h` */
        char *of_command[] = {argv[0], argv[2], "-h", NULL};
        return dispatch(3, of_command, err);
    }
    if (is_one_of(argv[1], "-h", "--help", "help")) {
        print_help();
        return 0;
    }
    if (is_one_of(argv[1], "-V", "--version", "version")) {
        printf("solgate %s%s%s\n", sg_version(), *sg_commit() ? " " : "", sg_commit());
        return 0;
    }
    const struct sg_command *command = find_command(argv[1], err);
    if (!command)
        return 0;
    char name[64];
    snprintf(name, sizeof(name), "solgate %s", command->name);
    argv[1] = name;
    return command->run(argc - 1, argv + 1, err);
}

/* Opens closed standard descriptors: otherwise a file opened as descriptor 0, 1 or 2 would get the
 * output. Writing to an output that the caller closed becomes an error. */
static void open_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY) != fd)
            _exit(sg_exit_code(SG_SYSTEM));
}

/* File names and file contents may have terminal control characters. */
static void print_error(const struct sg_err *err)
{
    SG_SCOPED(sg_text) line = {0};
    sg_add_terminal_failure(&line, err);
    fprintf(stderr, "solgate: %s\n", line.data);
}

static void survive(int number)
{
    (void)number;
}

int main(int argc, char **argv)
{
    open_standard_descriptors();
    // A closed pipe and a full disk must become write errors with a message, not kill the process.
    // A program that solgate starts ignores SIGXFSZ only if solgate's caller does.
    signal(SIGPIPE, SIG_IGN);
    if (signal(SIGXFSZ, survive) == SIG_IGN)
        signal(SIGXFSZ, SIG_IGN);

    // If SIGCHLD is ignored, the kernel reaps children and their exit status is lost.
    signal(SIGCHLD, SIG_DFL);

    struct sg_err err = {0};
    int exit_code = dispatch(argc, argv, &err);
    // A reader that closes the pipe early (`| head`) is not an error.
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && errno != EPIPE)
        sg_fail(&err, SG_SYSTEM, "standard output", "cannot be written: %s",
                errno ? strerror(errno) : "the output is incomplete");
    if (err.code == SG_SUCCESS)
        return exit_code;
    print_error(&err);
    return exit_code >= SG_BISECT_SKIP ? exit_code : sg_exit_code(err.code);
}
