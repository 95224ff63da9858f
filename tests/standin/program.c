/*
 * A program that does what its arguments say, word for word: `program LAUNCH...`, on the stand-in
 * of the driver (standin.h) that the loader finds. Tests start it by `solgate exec`.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "standin.h"

static void *driver, *cupti, *executable;
static struct standin_kernel next = {"square", 64, 256, 1000, 0, 0, 0};

static void *find(void *library, const char *name)
{
    void *function = library ? dlsym(library, name) : NULL;
    if (!function) {
        fprintf(stderr, "program: no %s\n", name);
        exit(98);
    }
    return function;
}

/* Calls a function without arguments of the driver. */
static int call(const char *name)
{
    int (*function)(void) = NULL;
    *(void **)&function = find(driver, name);
    return function();
}

static void launch(unsigned times)
{
    void (*function)(const struct standin_kernel *) = NULL;
    *(void **)&function = find(driver, "standin_launch");
    for (unsigned i = 0; i < times; i++) {
        struct standin_kernel kernel = next;
        kernel.ns += i;
        function(&kernel);
    }
}

static void launch_graph(unsigned times)
{
    void (*function)(void *) = NULL;
    *(void **)&function = find(driver, "standin_launch_graph");
    for (unsigned i = 0; i < times; i++)
        function(executable);
}

static void instantiate(unsigned unused)
{
    void *(*function)(void) = NULL;
    (void)unused;
    *(void **)&function = find(driver, "standin_instantiate");
    executable = function();
}

static void initialise(unsigned unused)
{
    int (*function)(unsigned) = NULL;
    (void)unused;
    driver = driver ? driver : dlopen("libcuda.so.1", RTLD_NOW);
    *(void **)&function = find(driver, "cuInit");
    if (function(0) != 0)
        exit(99);
    cupti = dlopen("libcupti.so.13", RTLD_NOW);
}

static void capture(unsigned unused)
{
    (void)unused;
    call("standin_begin_capture");
}

static void wait_for_device(unsigned unused)
{
    (void)unused;
    call("cuCtxSynchronize");
}

static void drop(unsigned count)
{
    void (*function)(unsigned) = NULL;
    *(void **)&function = find(cupti, "standin_drop");
    function(count);
}

static void finalize(unsigned unused)
{
    int (*function)(void) = NULL;
    (void)unused;
    *(void **)&function = find(cupti, "cuptiFinalize");
    function();
}

static void other_requested(uint8_t **buffer, size_t *size, size_t *most)
{
    static uint8_t all[1 << 16];
    *buffer = all;
    *size = sizeof(all);
    *most = 0;
}

static void other_completed(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                            size_t valid)
{
    (void)context;
    (void)stream;
    (void)buffer;
    (void)size;
    (void)valid;
}

static void take_records(unsigned unused)
{
    int (*function)(sg_cupti_requested, sg_cupti_completed) = NULL;
    (void)unused;
    *(void **)&function = find(cupti, "cuptiActivityRegisterCallbacks");
    function(other_requested, other_completed);
}

static void other_callback(void *user, uint32_t domain, uint32_t id, const void *data)
{
    (void)user;
    (void)domain;
    (void)id;
    (void)data;
}

static void subscribe(unsigned unused)
{
    int (*function)(void **, sg_cupti_callback, void *) = NULL;
    void *subscriber = NULL;
    (void)unused;
    *(void **)&function = find(dlopen("libcupti.so.13", RTLD_NOW | RTLD_GLOBAL), "cuptiSubscribe");
    function(&subscriber, other_callback, NULL);
}

/* What a program of several processes does, and then goes on itself. */
static void in_child(unsigned exits)
{
    const pid_t child = fork();
    if (child == 0) {
        launch(3);
        call("cuCtxSynchronize");
        if (exits)
            exit(0);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void set_context(unsigned number)
{
    void (*function)(unsigned) = NULL;
    *(void **)&function = find(cupti, "standin_context");
    function(number);
}

static void set_grid(unsigned grid)
{
    next.grid = grid;
}

static void set_ns(unsigned ns)
{
    next.ns = ns;
}

static void set_early(unsigned ns)
{
    next.shift_ns = -(int64_t)ns;
}

static void set_late(unsigned ns)
{
    next.shift_ns = (int64_t)ns;
}

static void set_idle(unsigned ns)
{
    next.idle_ns = ns;
}

static void set_fails(unsigned error)
{
    next.fails = (int)error;
}

static void *launch_there(void *times)
{
    launch(*(unsigned *)times);
    return NULL;
}

static void in_thread(unsigned times)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, launch_there, &times) == 0)
        pthread_join(thread, NULL);
}

static void send(unsigned number)
{
    kill(getpid(), (int)number);
}

static void leave(unsigned code)
{
    exit((int)code);
}

static void leave_at_once(unsigned code)
{
    fflush(NULL);
    _exit((int)code);
}

static void nap(unsigned ms)
{
    usleep(ms * 1000);
}

static const struct {
    const char *word;
    void (*act)(unsigned number);
} words[] = {{"init", initialise},     {"launch", launch},
             {"capture", capture},     {"instantiate", instantiate},
             {"graph", launch_graph},  {"wait", wait_for_device},
             {"drop", drop},           {"finalize", finalize},
             {"take", take_records},   {"subscribe", subscribe},
             {"fork", in_child},       {"grid", set_grid},
             {"ns", set_ns},           {"early", set_early},
             {"fails", set_fails},     {"thread", in_thread},
             {"signal", send},         {"exit", leave},
             {"_exit", leave_at_once}, {"nap", nap},
             {"context", set_context}, {"late", set_late},
             {"idle", set_idle}};

/* ---- NVTX, as its header does it: the library is found at the first call ---- */

typedef void (*any_function)(void);
static any_function core[16], core2[16], *core_table[17], *core2_table[17];

static int module_table(uint32_t module, any_function ***table, uint32_t *count)
{
    if (module != 1 && module != 5)
        return 0;
    *table = module == 1 ? core_table : core2_table;
    *count = 16;
    return 1;
}

static const struct {
    size_t size;
    int (*module_table)(uint32_t module, any_function ***table, uint32_t *count);
} callbacks = {sizeof(callbacks), module_table};

static const void *export_table(uint32_t id)
{
    return id == 1 ? &callbacks : NULL;
}

static void find_nvtx(void)
{
    static int is_done;
    const char *path = getenv("NVTX_INJECTION64_PATH");
    int (*attach)(const void *(*)(uint32_t)) = NULL;
    for (size_t i = 0; !is_done && i < 16; i++) {
        core_table[i] = &core[i];
        core2_table[i] = &core2[i];
    }
    void *library = !is_done && path ? dlopen(path, RTLD_NOW) : NULL;
    is_done = 1;
    if (library) {
        *(void **)&attach = find(library, "InitializeInjectionNvtx2");
        attach(export_table);
    }
}

static void push(const char *name)
{
    find_nvtx();
    if (core[9])
        ((int (*)(const char *))core[9])(name);
}

static void push_in(const char *domain_name, const char *name)
{
    struct {
        uint16_t version, size;
        uint32_t category, color[2];
        int32_t payload_type, reserved;
        uint64_t payload;
        int32_t message_type;
        const char *message;
    } event = {.message_type = 1, .message = name};
    find_nvtx();
    if (!core2[12])
        return;
    const void *domain = ((const void *(*)(const char *))core2[12])(domain_name);
    ((int (*)(const void *, const void *))core2[4])(domain, &event);
}

static void pop(void)
{
    find_nvtx();
    if (core[11])
        ((int (*)(void))core[11])();
}

static uint64_t start_range(const char *name)
{
    find_nvtx();
    return core[5] ? ((uint64_t(*)(const char *))core[5])(name) : 0;
}

static void end_range(uint64_t id)
{
    if (core[7])
        ((void (*)(uint64_t))core[7])(id);
}

/* A module with one kernel, that of the next launches, of this machine code. */
static void load_module(const char *code)
{
    struct {
        Elf64_Ehdr head;
        Elf64_Shdr section[3];
        char names[256], code[64];
    } image = {.head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64},
                        .e_shentsize = sizeof(Elf64_Shdr),
                        .e_shnum = 3}};
    void (*function)(const void *, size_t) = NULL;
    const char *at = (const char *)&image;
    image.head.e_shoff = (Elf64_Off)((const char *)image.section - at);
    image.head.e_shstrndx = 1;
    image.section[1].sh_offset = (Elf64_Off)(image.names - at);
    image.section[1].sh_size = sizeof(image.names);
    image.section[2] = (Elf64_Shdr){.sh_name = 1,
                                    .sh_type = SHT_PROGBITS,
                                    .sh_offset = (Elf64_Off)(image.code - at),
                                    .sh_size = strlen(code)};
    snprintf(image.names + 1, sizeof(image.names) - 1, ".text.%s", next.symbol);
    snprintf(image.code, sizeof(image.code), "%s", code);
    *(void **)&function = find(driver, "standin_load_module");
    function(&image, sizeof(image));
}

/* WORD or WORD=NUMBER or WORD=TEXT. */
static void act(const char *argument)
{
    static uint64_t range;
    const size_t length = strcspn(argument, "=");
    const char *value = argument[length] ? argument + length + 1 : "1";
    char word[32] = "";
    snprintf(word, sizeof(word), "%.*s", (int)length, argument);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(words[i].word, word) == 0) {
            words[i].act((unsigned)strtoul(value, NULL, 10));
            return;
        }
    if (strcmp(word, "symbol") == 0)
        next.symbol = value;
    else if (strcmp(word, "code") == 0)
        load_module(value);
    else if (strcmp(word, "push") == 0)
        push(value);
    else if (strcmp(word, "library") == 0)
        push_in("library", value);
    else if (strcmp(word, "worker") == 0)
        push_in("solgate", value);
    else if (strcmp(word, "pop") == 0)
        pop();
    else if (strcmp(word, "start") == 0)
        range = start_range(value);
    else if (strcmp(word, "end") == 0)
        end_range(range);
    else if (strcmp(word, "say") == 0)
        puts(value);
    else if (strcmp(word, "complain") == 0)
        fprintf(stderr, "%s\n", value);
    else {
        fprintf(stderr, "program: no word %s\n", word);
        exit(97);
    }
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        act(argv[i]);
    return 0;
}
