#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "faults.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <unistd.h>

/* A time pass has begun, and its first batches are there, when something goes wrong. */
#define WARM_UP_LAUNCHES 4

#define LEAK_BYTES (4u << 20)
#define LEAK_MOST  256 /* times: enough to be found, and the machine keeps some memory */

struct faulty {
    const char *variant;
    const struct fault *fault; /* of this variant in the pass of this process */
    uint64_t warm_up;          /* launches that are still without it */
    float *first;              /* its first result, for stale */
};

/* ---- the faults ---- */

static void get_wrong(const struct sg_launch *l)
{
    ((float *)l->buffer[OUT_Y])[null_count(l->c) / 2] += 0.5f;
}

static void lose_number(const struct sg_launch *l)
{
    ((float *)l->buffer[OUT_Y])[null_count(l->c) - 1] = NAN;
}

static void use_input(const struct sg_launch *l)
{
    *(float *)l->buffer[IN_X] += 1;
}

static void overrun(const struct sg_launch *l)
{
    ((float *)l->buffer[OUT_Y])[null_count(l->c)] = 1;
}

static void give_first(const struct sg_launch *l)
{
    struct faulty *faulty = l->state;
    const size_t bytes = (size_t)null_count(l->c) * sizeof(float);
    if (faulty->first)
        memcpy(l->buffer[OUT_Y], faulty->first, bytes);
    else if ((faulty->first = malloc(bytes)))
        memcpy(faulty->first, l->buffer[OUT_Y], bytes);
}

/* Poison and 0 look undone; what an earlier launch left does not. */
static void compute_undone(const struct sg_launch *l)
{
    const float *x = l->buffer[IN_X], *z = l->buffer[IN_Z];
    float *y = l->buffer[OUT_Y];
    for (uint64_t i = 0; i < null_count(l->c); i++)
        if (!isfinite(y[i]) || y[i] == 0)
            y[i] = 2 * x[i] + z[i];
}

static const char *spoiler; /* the variant that makes other candidates wrong */

static void spoil(const struct sg_launch *l)
{
    spoiler = ((const struct faulty *)l->state)->variant;
}

static void leak(void)
{
    static int times;
    if (times++ >= LEAK_MOST)
        return;
    void *memory =
        mmap(NULL, LEAK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED)
        memset(memory, 1, LEAK_BYTES); /* resident, as memory of a device is */
}

static void leave(void)
{
    exit(0);
}

static void ignore_end(void)
{
    signal(SIGTERM, SIG_IGN);
    null_wait_forever();
}

static void write_outside(void)
{
    volatile uintptr_t unmapped = sizeof(int); /* volatile, or the compiler sees through it */
    *(volatile int *)unmapped = 1;
}

static void crash_at_exit(void)
{
    static bool registered;
    if (!registered)
        registered = atexit(abort) == 0;
}

static void be_killed(void)
{
    raise(SIGKILL);
}

static void close_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        close(fd);
}

static void print_much(void)
{
    for (int line = 0; line < 1024; line++)
        printf("%-62d:\n", line);
}

static void change_folder(void)
{
    if (chdir("/") != 0)
        abort();
}

/* The simulated GPU takes it for bytes of its L2 that are set aside
 * (harness/device/null/device_null.c). */
static void set_l2_aside(void)
{
    prctl(PR_SET_TIMERSLACK, 32ul << 20);
}

static const struct fault {
    const char *word;
    void (*instead)(const struct sg_launch *l); /* of the right work */
    void (*spoils)(const struct sg_launch *l);  /* after the right work */
    void (*process)(void);                      /* the same */
    void (*prepare)(void), (*finish)(void);
} faults[] = {
    {.word = "none"},
    {.word = "fault", .process = null_fault},
    {.word = "refused", .process = null_refuse_launch},
    {.word = "hang", .process = null_wait_forever},
    {.word = "stubborn", .process = ignore_end},
    {.word = "leak", .process = leak},
    {.word = "wrong", .spoils = get_wrong},
    {.word = "nan", .spoils = lose_number},
    {.word = "scratch", .spoils = use_input},
    {.word = "stale", .spoils = give_first},
    {.word = "undone", .instead = compute_undone},
    {.word = "spoils", .spoils = spoil},
    {.word = "overrun", .spoils = overrun},
    {.word = "exit", .process = leave},
    {.word = "crash", .process = abort},
    {.word = "sigsegv", .process = write_outside},
    {.word = "atexit", .process = crash_at_exit},
    {.word = "sigkill", .process = be_killed},
    {.word = "closes", .process = close_streams},
    {.word = "prints", .process = print_much},
    {.word = "chdir", .process = change_folder},
    {.word = "prepare_error", .prepare = null_refuse_launch},
    {.word = "finish_error", .finish = null_refuse_launch},
    {.word = "settings", .prepare = set_l2_aside},
    {.word = "sets_late", .process = set_l2_aside},
};

/* ---- which of them a variant has in this process ---- */

/* Is this process a pass of that name? */
static bool is_pass(const char *pass)
{
    bool found = false;
    char *word = NULL;
    size_t capacity = 0;
    FILE *file = fopen("/proc/self/cmdline", "r");
    while (file && !found && getdelim(&word, &capacity, '\0', file) > 0)
        found = strncmp(word, "--pass=", 7) == 0 && strcmp(word + 7, pass) == 0;
    free(word);
    if (file)
        fclose(file);
    return found;
}

static const struct fault *find_fault(const char *word)
{
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        if (strcmp(faults[i].word, word) == 0)
            return &faults[i];
    return NULL;
}

/* Takes one FAULT@PASS, for the variant itself or for another one. False: it is none. */
static bool take_fault(struct faulty *faulty, const char *text, bool is_mine)
{
    char word[32], pass[8];
    if (sscanf(text, "%31[^@,]@%7[^,]", word, pass) != 2)
        return false;
    const struct fault *fault = find_fault(word);
    const bool is_any = strcmp(pass, "any") == 0;
    if (!fault || !(is_any || strcmp(pass, "verify") == 0 || strcmp(pass, "time") == 0 ||
                    strcmp(pass, "count") == 0))
        return false;
    if (is_mine && (is_any || is_pass(pass)))
        faulty->fault = fault;
    return true;
}

/* Takes one VARIANT=FAULT@PASS. */
static bool take_setting(struct faulty *faulty, const char *setting)
{
    const size_t length = strcspn(setting, "=,");
    const bool is_mine =
        strlen(faulty->variant) == length && strncmp(setting, faulty->variant, length) == 0;
    return setting[length] == '=' && take_fault(faulty, setting + length + 1, is_mine);
}

static bool take_environment(struct faulty *faulty, struct sg_reason *why)
{
    const char *setting = getenv("SG_NULL_FAULT");
    while (setting && *setting != '\0') {
        if (!take_setting(faulty, setting)) {
            snprintf(why->text, sizeof(why->text),
                     "SG_NULL_FAULT: expected VARIANT=FAULT@PASS (see kernels/null/faults.h), "
                     "found '%.40s'",
                     setting);
            return false;
        }
        setting += strcspn(setting, ",");
        setting += *setting == ',';
    }
    return true;
}

static unsigned long number_of(const char *variable, unsigned long otherwise)
{
    const char *value = getenv(variable);
    return value ? strtoul(value, NULL, 10) : otherwise;
}

/* Its lines. A file that is not there has none. */
static unsigned long times_so_far(const char *log_path)
{
    FILE *log = log_path ? fopen(log_path, "r") : NULL;
    unsigned long lines = 0;
    for (int c; log && (c = fgetc(log)) != EOF;)
        lines += c == '\n';
    if (log)
        fclose(log);
    return lines;
}

/* Is it this launch that has the fault? Chance is another one in each process. */
static bool is_struck(const char *log_path)
{
    const unsigned long one_in = number_of("SG_NULL_FAULT_ONE_IN", 1),
                        times = number_of("SG_NULL_FAULT_TIMES", 0);
    uint32_t drawn = 0;
    if (one_in > 1 &&
        (getrandom(&drawn, sizeof(drawn), 0) != (ssize_t)sizeof(drawn) || drawn % one_in != 0))
        return false;
    return times == 0 || times_so_far(log_path) < times;
}

static void strike(const struct sg_launch *l, const struct faulty *faulty)
{
    const char *log_path = getenv("SG_NULL_FAULT_LOG");
    if (!is_struck(log_path))
        return;
    FILE *log = log_path ? fopen(log_path, "a") : NULL;
    if (log) {
        fprintf(log, "%s=%s\n", faulty->variant, faulty->fault->word);
        fclose(log);
    }
    if (faulty->fault->spoils)
        faulty->fault->spoils(l);
    if (faulty->fault->process)
        faulty->fault->process();
}

/* ---- the three functions of a variant ---- */

enum sg_status null_prepare_faults(const char *variant, const char *does, void **state,
                                   struct sg_reason *why)
{
    struct faulty *faulty = calloc(1, sizeof(*faulty));
    if (!faulty) {
        snprintf(why->text, sizeof(why->text), "no memory for the state of a variant");
        return SG_OOM;
    }
    *faulty = (struct faulty){
        .variant = variant, .fault = &faults[0], .warm_up = is_pass("time") ? WARM_UP_LAUNCHES : 0};
    if (!take_fault(faulty, does, true))
        abort(); /* a source of this family is wrong */
    if (!take_environment(faulty, why)) {
        free(faulty);
        return SG_LAUNCH_FAILED;
    }
    if (faulty->fault->prepare)
        faulty->fault->prepare();
    *state = faulty;
    return SG_OK;
}

void null_launch_or_fault(const struct sg_launch *l)
{
    struct faulty *faulty = l->state;
    const bool is_warm = faulty->warm_up == 0;
    faulty->warm_up -= !is_warm;
    if (is_warm && faulty->fault->instead)
        faulty->fault->instead(l);
    else
        null_launch(l);
    if (is_warm && spoiler && spoiler != faulty->variant && strcmp(faulty->variant, "ok") != 0)
        get_wrong(l);
    if (is_warm && (faulty->fault->spoils || faulty->fault->process))
        strike(l, faulty);
}

void null_finish_faults(void *state)
{
    struct faulty *faulty = state;
    if (faulty->fault->finish)
        faulty->fault->finish();
    free(faulty->first);
    free(faulty);
}
