/*
 * faults.c - what a variant of null_adversary is told to do wrong, in which pass, and how it does
 * so.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "null_adversary.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <unistd.h>

#include "process_words.h"

/* So that a time pass has begun, and its first batches are there, when something goes wrong. */
#define WARM_UP_LAUNCHES 4

#define LEAK_BYTES (4u << 20)
#define LEAK_MOST  256u /* launches: enough to be found, and others on the machine want memory too */

#define FOUND_BYTES 40 /* of what is found in place of a specification, in the message */

static const char *const fault_words[] = {
#define X(constant, word, meaning) word,
    ADVERSARY_FAULT_TABLE(X)
#undef X
};

static const char *const pass_words[] = {
#define X(constant, word) word,
    ADVERSARY_PASS_TABLE(X)
#undef X
};

/* The same for a message. */
#define X(constant, word, meaning) word " "
static const char all_faults[] = ADVERSARY_FAULT_TABLE(X);
#undef X
#define X(constant, word) word " "
static const char all_passes[] = ADVERSARY_PASS_TABLE(X);
#undef X

/* Index of the word of `length` bytes in a table; `count`: it is none of them. */
static size_t index_of(const char *const *words, size_t count, const char *word, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(words[i]) == length && strncmp(words[i], word, length) == 0)
            return i;
    return count;
}

/* ---- which pass is this ---- */

static enum adversary_pass find_pass(void)
{
    for (size_t pass = 0; pass < ADVERSARY_PASSES; pass++) {
        char argument[32];
        snprintf(argument, sizeof(argument), "--pass=%s", pass_words[pass]);
        if (process_has_word(argument))
            return (enum adversary_pass)pass;
    }
    return ADVERSARY_PASSES;
}

static enum adversary_pass pass_of_process(void)
{
    static enum adversary_pass pass;
    static bool known;
    if (!known)
        pass = find_pass();
    known = true;
    return pass;
}

/* ---- errors of a runtime ---- */

static int calls_until_error; /* of last_error; 0: no error */

int adversary_last_error(struct sg_reason *why)
{
    if (calls_until_error == 0 || --calls_until_error > 0)
        return 0;
    snprintf(why->text, sizeof(why->text), "simulated: an illegal memory access was encountered");
    return 1;
}

/* Whoever asks next is told. */
static void leave_error(const struct adversary *adversary, enum adversary_fault fault)
{
    if (adversary->fault[pass_of_process()] == fault)
        calls_until_error = 1;
}

/* What the simulated GPU takes for a part of its L2 (harness/device/null/device_null.c). */
static void set_l2_aside(void)
{
    prctl(PR_SET_TIMERSLACK, 33554432);
}

/* ---- what it is told ---- */

/* One "FAULT@PASS" of `length` bytes. False: it is none. */
static bool take_fault(struct adversary *adversary, const char *text, size_t length)
{
    const char *at = memchr(text, '@', length);
    if (!at)
        return false;
    const size_t fault = index_of(fault_words, ADVERSARY_FAULTS, text, (size_t)(at - text));
    const size_t pass = index_of(pass_words, ADVERSARY_PASSES, at + 1, length - (size_t)(at + 1 - text));
    if (fault == ADVERSARY_FAULTS || pass == ADVERSARY_PASSES)
        return false;
    adversary->fault[pass] = (enum adversary_fault)fault;
    return true;
}

/* Of this family, by its name, or "baseline" by its role. NULL: there is none. */
static const struct sg_named_variant *find_variant(const char *name, size_t length)
{
    static const char baseline[] = "baseline";
    const struct sg_module *module = solgate_module();
    const bool by_role = length == sizeof(baseline) - 1 && strncmp(name, baseline, length) == 0;
    for (size_t i = 0; i < module->variant_count; i++) {
        const struct sg_named_variant *variant = &module->variants[i];
        if (by_role ? variant->variant->role == SG_BASELINE : strlen(variant->name) == length && strncmp(variant->name, name, length) == 0)
            return variant;
    }
    return NULL;
}

/* One "VARIANT=FAULT@PASS". Another variant's is read too, so that nobody's can be wrong. */
static bool take_setting(struct adversary *adversary, const char *mine, const char *text, size_t length)
{
    struct adversary other;
    const char *equals = memchr(text, '=', length);
    if (!equals)
        return false;
    const size_t name = (size_t)(equals - text);
    const struct sg_named_variant *variant = find_variant(text, name);
    return variant && take_fault(strcmp(variant->name, mine) == 0 ? adversary : &other, equals + 1, length - name - 1);
}

static bool take_environment(struct adversary *adversary, const char *variant, struct sg_reason *why)
{
    const char *setting = getenv(ADVERSARY_VARIABLE);
    for (const char *text = setting; text && *text != '\0';) {
        const size_t length = strcspn(text, ",");
        if (!take_setting(adversary, variant, text, length)) {
            snprintf(why->text, sizeof(why->text), ADVERSARY_VARIABLE ": expected VARIANT=FAULT@PASS (FAULT: %s; PASS: %s), found '%.*s'",
                     all_faults, all_passes, length < FOUND_BYTES ? (int)length : FOUND_BYTES, text);
            return false;
        }
        text += length + (text[length] == ',');
    }
    return true;
}

enum sg_status adversary_prepare(const char *variant, const char *does, size_t bytes, void **state, struct sg_reason *why)
{
    struct adversary *adversary = calloc(1, bytes);
    if (!adversary) {
        snprintf(why->text, sizeof(why->text), "no memory for what a variant remembers");
        return SG_OOM;
    }
    adversary->variant = variant;
    if (does[0] != '\0' && !take_fault(adversary, does, strlen(does)))
        abort(); /* a source of this family is wrong */
    if (!take_environment(adversary, variant, why)) {
        free(adversary);
        return SG_LAUNCH_FAILED;
    }
    for (size_t pass = 0; pass < ADVERSARY_PASSES; pass++)
        if (adversary->fault[pass] == ADVERSARY_STREAM)
            snprintf(why->text, sizeof(why->text), "stream@%s is not simulated: the host has no streams", pass_words[pass]);
    leave_error(adversary, ADVERSARY_PREPARE_ERROR);
    if (adversary->fault[pass_of_process()] == ADVERSARY_SETTINGS)
        set_l2_aside();
    *state = adversary;
    return SG_OK;
}

void adversary_finish(void *state)
{
    leave_error(state, ADVERSARY_FINISH_ERROR);
    free(state);
}

/* ---- how it does so ---- */

static void leak(uint64_t launch)
{
    if (launch >= LEAK_MOST)
        return;
    void *memory = mmap(NULL, LEAK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED)
        memset(memory, 1, LEAK_BYTES); /* resident, as memory of a device is */
}

static void write_to_nobody(void)
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

/* Of a memory that variants of a process share. */
static const char *spoiler;

static void get_wrong(const struct sg_launch *l)
{
    ((float *)l->buffer[OUT_Y])[adversary_count(l->c) / 2] += 0.5f;
}

static unsigned long number_of(const char *variable, unsigned long without)
{
    const char *value = getenv(variable);
    return value ? strtoul(value, NULL, 10) : without;
}

static unsigned long lines_of_log(void)
{
    const char *path = getenv(ADVERSARY_LOG_VARIABLE);
    FILE *log = path ? fopen(path, "r") : NULL;
    unsigned long lines = 0;
    for (int c; log && (c = fgetc(log)) != EOF;)
        lines += c == '\n';
    if (log)
        fclose(log);
    return lines;
}

/* By chance: other launches in each process and in each run. */
static bool is_struck(void)
{
    const unsigned long one_in = number_of(ADVERSARY_ONE_IN_VARIABLE, 1), times = number_of(ADVERSARY_TIMES_VARIABLE, 0);
    uint32_t drawn = 0;
    if (one_in > 1 && (getrandom(&drawn, sizeof(drawn), 0) != (ssize_t)sizeof(drawn) || drawn % one_in != 0))
        return false;
    return times == 0 || lines_of_log() < times;
}

static void log_strike(const struct adversary *adversary, enum adversary_pass pass)
{
    const char *path = getenv(ADVERSARY_LOG_VARIABLE);
    FILE *log = path ? fopen(path, "a") : NULL;
    if (!log)
        return;
    fprintf(log, "%s=%s, launch %llu\n", adversary->variant, fault_words[adversary->fault[pass]], (unsigned long long)adversary->launches);
    fclose(log);
}

void adversary_strike(const struct sg_launch *l)
{
    const enum adversary_pass pass = pass_of_process();
    const struct adversary *adversary = l->state;
    const uint64_t launch = adversary->launches - 1; /* this one's number */
    if (pass == ADVERSARY_IN_TIME && launch < WARM_UP_LAUNCHES)
        return;
    if (spoiler && spoiler != adversary->variant && strcmp(adversary->variant, "ok") != 0)
        get_wrong(l);
    if (adversary->fault[pass] == ADVERSARY_NO_FAULT || !is_struck())
        return;
    log_strike(adversary, pass);
    switch (adversary->fault[pass]) {
    case ADVERSARY_SPOILS:
        spoiler = adversary->variant;
        break;
    case ADVERSARY_FAULT:
        calls_until_error = 2;
        break;
    case ADVERSARY_HANG:
        for (;;)
            pause();
    case ADVERSARY_LEAK:
        leak(launch);
        break;
    case ADVERSARY_WRONG:
        get_wrong(l);
        break;
    case ADVERSARY_OVERRUN:
        ((float *)l->buffer[OUT_Y])[adversary_count(l->c)] = 1;
        break;
    case ADVERSARY_EXIT:
        exit(0);
    case ADVERSARY_CRASH:
        abort();
    case ADVERSARY_EXIT_CRASH:
        crash_at_exit();
        break;
    case ADVERSARY_SIGSEGV:
        write_to_nobody();
        break;
    case ADVERSARY_SIGKILL:
        raise(SIGKILL);
        break;
    case ADVERSARY_ENDS_PARENT:
        kill(getppid(), SIGTERM);
        for (;;)
            pause();
    case ADVERSARY_SETS_LATE:
        set_l2_aside();
        break;
    case ADVERSARY_NO_FAULT:
    case ADVERSARY_SETTINGS:
    case ADVERSARY_STREAM:
    case ADVERSARY_PREPARE_ERROR:
    case ADVERSARY_FINISH_ERROR:
    case ADVERSARY_FAULTS:
        break;
    }
}
