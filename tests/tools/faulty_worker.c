/*
 * A worker with faults: runs the real one (SOLGATE_REAL_WORKER) and hands its lines on, now and
 * then changed, dropped, doubled, swapped or torn, or ends with a signal. What it does goes by
 * SOLGATE_FAULTS (a seed) and its own arguments, so it does the same to the same worker; a list
 * pass is left alone in three of four. It shares no code with solgate.
 *
 *     SOLGATE_REAL_WORKER=bin/solgate-worker SOLGATE_FAULTS=7
 *     faulty_worker --pass=verify ... 3>lines
 */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LINE_MAX_BYTES 65536
#define PROTOCOL_FD    3

static uint64_t state;

static uint64_t next_random(void)
{
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static unsigned below(unsigned n)
{
    return (unsigned)(next_random() % n);
}

/* FNV-1a of the seed and the arguments. */
static void seed_by(int argc, char **argv)
{
    const char *seed = getenv("SOLGATE_FAULTS");
    state = 0xcbf29ce484222325u;
    for (const char *c = seed ? seed : ""; *c; c++)
        state = (state ^ (unsigned char)*c) * 0x100000001b3u;
    for (int i = 1; i < argc; i++) {
        /* Where modules lie differs from test to test. */
        const char *word = strncmp(argv[i], "--module=", 9) == 0 || strncmp(argv[i], "--drift=", 8) == 0 ? "" : argv[i];
        for (const char *c = word; *c; c++)
            state = (state ^ (unsigned char)*c) * 0x100000001b3u;
    }
}

static const char *const hostile[] = {
    "",         "inf",        "-inf",    "nan",       "-1",     "1e308", "1e-320", "4294967295", "99999999999999999999", "0x10",
    "1",        "0",          "511",     "512",       "65536",  "ok",    "crash",  "skipped",    "unsupported",          "status",
    "time",     "time_ratio", "kernels", "registers", "null",   "tiny",  "slower", "wrong",      "no such thing",        "\x1b[31mred",
    "\xff\xfe", "a,b\"c",     "=1+1",    "../../x",   "verify",
};
#define HOSTILE_COUNT (sizeof(hostile) / sizeof(hostile[0]))

/* Puts something else into one field of a line. */
static void change_field(char *line)
{
    char copy[LINE_MAX_BYTES];
    unsigned fields = 1, chosen, at = 0;
    for (const char *c = line; *c; c++)
        fields += *c == '\t';
    chosen = below(fields);
    size_t length = 0;
    for (const char *c = line;; c++) {
        if (at != chosen && *c)
            copy[length++] = *c;
        if (*c == '\t' || !*c) {
            if (at == chosen) {
                const char *word = hostile[below(HOSTILE_COUNT)];
                memcpy(copy + length, word, strlen(word));
                length += strlen(word);
                if (*c)
                    copy[length++] = '\t';
            }
            at++;
        }
        if (!*c || length + 64 > sizeof(copy))
            break;
    }
    copy[length] = '\0';
    memcpy(line, copy, length + 1);
}

static void send_text(const char *line)
{
    size_t length = strlen(line);
    while (length > 0) {
        const ssize_t n = write(PROTOCOL_FD, line, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            exit(9);
        line += n;
        length -= (size_t)n;
    }
}

static void say_line(const char *line)
{
    char whole[LINE_MAX_BYTES + 2];
    snprintf(whole, sizeof(whole), "%s\n", line);
    send_text(whole);
}

/* Hands a line on, or what a fault makes of it. */
static void hand_on(char *line)
{
    static char kept[LINE_MAX_BYTES];
    static const char *const strange[] = {"bye",
                                          "begin\tnull\ttiny\tok",
                                          "at\tnull\ttiny\tok",
                                          "note\t\x1b]0;title\a",
                                          "hello\t2\ttime",
                                          "hello\t1\tverify",
                                          "fail\t4\tit is over",
                                          "env\tdriver\t1",
                                          "events\tstart\tnone",
                                          "figure\tend\tothers\tinf",
                                          "nonsense",
                                          "value\tnull\ttiny\tok\ttime\tns\t1\t1\t1\t5\tok\t",
                                          "status\tnull\ttiny\tok\tskipped\tfor no reason"};
    switch (below(12)) {
    case 0:
        return; /* dropped */
    case 1:
        say_line(line);
        break; /* doubled */
    case 2:
        snprintf(kept, sizeof(kept), "%s", line);
        return; /* said again later, in another's place */
    case 3:
        say_line(strange[below(sizeof(strange) / sizeof(strange[0]))]);
        break;
    case 4:
        line[strlen(line) / 2] = '\0';
        send_text(line);
        raise(below(2) ? SIGKILL : SIGSEGV);
        return;
    case 5:
        raise(below(2) ? SIGKILL : SIGABRT);
        return;
    case 6:
        if (kept[0])
            say_line(kept);
        break;
    default:
        change_field(line);
        break;
    }
    say_line(line);
}

/* The real worker, its lines to be read from the descriptor that is returned. */
static int start(char **argv, pid_t *worker)
{
    int ends[2];
    char *path = getenv("SOLGATE_REAL_WORKER");
    if (!path || pipe(ends) != 0)
        exit(8);
    *worker = fork();
    if (*worker == 0) {
        close(ends[0]);
        if (ends[1] != PROTOCOL_FD) {
            dup2(ends[1], PROTOCOL_FD);
            close(ends[1]);
        }
        argv[0] = path;
        execv(path, argv);
        _exit(7);
    }
    close(ends[1]);
    return ends[0];
}

int main(int argc, char **argv)
{
    static char line[LINE_MAX_BYTES];
    pid_t worker;
    seed_by(argc, argv);
    const int lists = argc > 1 && strcmp(argv[1], "--pass=list") == 0;
    /* So many lines in a thousand: most workers have a fault or two, some none. */
    const unsigned faults = getenv("SOLGATE_FAULTS") && !(lists && below(4) > 0) ? (unsigned[]){0, 2, 10, 60}[below(4)] : 0;
    FILE *lines = fdopen(start(argv, &worker), "r");
    while (fgets(line, sizeof(line) / 2, lines)) {
        line[strcspn(line, "\n")] = '\0';
        if (below(1000) < faults)
            hand_on(line);
        else
            say_line(line);
    }
    int how = 0;
    waitpid(worker, &how, 0);
    if (WIFSIGNALED(how))
        raise(WTERMSIG(how));
    return WIFEXITED(how) ? WEXITSTATUS(how) : 1;
}
