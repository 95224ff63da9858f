#include "inject/ranges.h"

#include <dlfcn.h>
#include <string.h>
#include <wchar.h>

#include "inject/collect.h"
#include "inject/inject.h"
#include "inject/map.h"
#include "inject/output.h"

/* The used part of NVTX version 3, by its documented binary interface. */
enum { EXPORT_CALLBACKS = 1 };
enum { MODULE_CORE = 1, MODULE_CORE2 = 5 };
enum { MESSAGE_ASCII = 1, MESSAGE_WIDE, MESSAGE_REGISTERED };
typedef void (*any_function)(void);
struct nvtx_callbacks {
    size_t size;
    int (*module_table)(uint32_t module, any_function ***table, uint32_t *count);
};
struct nvtx_event {
    uint16_t version, size;
    uint32_t category, color_type, color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    const void *message;
};

#define DEPTH_MOST   64
#define PROCESS_MOST 64
#define NAME_MOST    256

static _Thread_local struct {
    uint32_t name[DEPTH_MOST];
    bool is_side[DEPTH_MOST];
    unsigned depth; /* may exceed the stored names */
} pushed;

static struct {
    struct {
        uint64_t id;
        uint32_t name;
    } range[PROCESS_MOST];
    size_t count;
    uint64_t last_id;
} open_ranges;

static struct sg_map strings; /* handle -> text */
static struct sg_map domains; /* handle -> true if the domain is ours */

uint32_t sg_ranges_current(void)
{
    if (pushed.depth > 0)
        return pushed.name[(pushed.depth < DEPTH_MOST ? pushed.depth : DEPTH_MOST) - 1];
    SG_INJECT_LOCKED;
    return open_ranges.count > 0 ? open_ranges.range[open_ranges.count - 1].name : 0;
}

/* ---- names ---- */

struct text {
    char data[NAME_MOST];
};

static struct text of_ascii(const char *message)
{
    struct text text = {""};
    if (message)
        strncpy(text.data, message, sizeof(text.data) - 1);
    return text;
}

static struct text of_wide(const wchar_t *message)
{
    struct text text = {""};
    for (size_t i = 0; message && message[i] && i + 1 < sizeof(text.data); i++)
        text.data[i] = (char)(message[i] < 128 ? message[i] : '?');
    return text;
}

static struct text of_event(const struct nvtx_event *event)
{
    uint64_t found = 0;
    if (!event || event->message_type == 0)
        return of_ascii(NULL);
    if (event->message_type == MESSAGE_WIDE)
        return of_wide(event->message);
    if (event->message_type != MESSAGE_REGISTERED)
        return of_ascii(event->message);
    SG_INJECT_LOCKED;
    return of_ascii(sg_map_get(&strings, (uintptr_t)event->message, &found)
                        ? (const char *)(uintptr_t)found
                        : NULL);
}

static bool is_kept(const void *domain)
{
    uint64_t ours = 0;
    if (!domain)
        return true;
    SG_INJECT_LOCKED;
    return sg_map_get(&domains, (uintptr_t)domain, &ours) && ours;
}

/* ---- ranges ---- */

/* The caller holds sg_inject_lock. */
static uint32_t begin(const char *text, bool *is_side)
{
    const uint32_t name = sg_output_name(text);
    *is_side = strncmp(text, SG_TRACE_SIDE, strlen(SG_TRACE_SIDE)) == 0;
    if (*is_side)
        sg_output_turn(name);
    return name;
}

static void push(struct text text)
{
    const unsigned depth = pushed.depth++;
    const bool is_inside = depth > 0 && depth <= DEPTH_MOST && pushed.is_side[depth - 1];
    bool is_side = true;
    uint32_t name;
    {
        SG_INJECT_LOCKED;
        name = is_inside ? pushed.name[depth - 1] : begin(text.data, &is_side);
    }
    if (depth < DEPTH_MOST) {
        pushed.name[depth] = name;
        pushed.is_side[depth] = is_side;
    }
    sg_collect_begin_range(name, text.data);
}

static void pop(void)
{
    if (pushed.depth > 0)
        sg_collect_end_range();
    if (pushed.depth > 0)
        pushed.depth--;
}

static uint64_t start(struct text text, uint64_t id)
{
    SG_INJECT_LOCKED;
    bool is_side;
    if (open_ranges.count < PROCESS_MOST) {
        open_ranges.range[open_ranges.count].id = id ? id : ++open_ranges.last_id;
        open_ranges.range[open_ranges.count++].name = begin(text.data, &is_side);
    }
    return id ? id : open_ranges.last_id;
}

static void end(uint64_t id)
{
    SG_INJECT_LOCKED;
    for (size_t i = 0; i < open_ranges.count; i++)
        if (open_ranges.range[i].id == id) {
            open_ranges.count--;
            memmove(&open_ranges.range[i], &open_ranges.range[i + 1],
                    (open_ranges.count - i) * sizeof(open_ranges.range[0]));
            return;
        }
}

/* ---- replaced functions, which call the earlier injection ---- */

/* module, index in its table, result, name, parameters, arguments, returned value */
#define FUNCTIONS(X)                                                                             \
    X(core, 4, uint64_t, start_ex, (const struct nvtx_event *event), (event),                    \
      start(of_event(event), before))                                                            \
    X(core, 5, uint64_t, start_a, (const char *message), (message),                              \
      start(of_ascii(message), before))                                                          \
    X(core, 6, uint64_t, start_w, (const wchar_t *message), (message),                           \
      start(of_wide(message), before))                                                           \
    X(core, 8, int, push_ex, (const struct nvtx_event *event), (event),                          \
      (push(of_event(event)), before))                                                           \
    X(core, 9, int, push_a, (const char *message), (message), (push(of_ascii(message)), before)) \
    X(core, 10, int, push_w, (const wchar_t *message), (message),                                \
      (push(of_wide(message)), before))                                                          \
    X(core, 11, int, pop_, (void), (), (pop(), before))                                          \
    X(core2, 2, uint64_t, domain_start, (const void *domain, const struct nvtx_event *event),    \
      (domain, event), is_kept(domain) ? start(of_event(event), before) : before)                \
    X(core2, 4, int, domain_push, (const void *domain, const struct nvtx_event *event),          \
      (domain, event), (is_kept(domain) ? push(of_event(event)) : (void)0, before))              \
    X(core2, 5, int, domain_pop, (const void *domain), (domain),                                 \
      (is_kept(domain) ? pop() : (void)0, before))                                               \
    X(core2, 10, const void *, register_a, (const void *domain, const char *message),            \
      (domain, message), keep_string(of_ascii(message), before))                                 \
    X(core2, 11, const void *, register_w, (const void *domain, const wchar_t *message),         \
      (domain, message), keep_string(of_wide(message), before))                                  \
    X(core2, 12, const void *, create_a, (const char *message), (message),                       \
      keep_domain(of_ascii(message), before))                                                    \
    X(core2, 13, const void *, create_w, (const wchar_t *message), (message),                    \
      keep_domain(of_wide(message), before))

/* Stores the string under the earlier injection's handle, or a new one. */
static const void *keep_string(struct text text, const void *handle)
{
    char *copy = strdup(text.data);
    SG_INJECT_LOCKED;
    if (!handle)
        handle = copy;
    if (copy)
        sg_map_put(&strings, (uintptr_t)handle, (uintptr_t)copy);
    return handle;
}

static const void *keep_domain(struct text text, const void *handle)
{
    /* The Python package nvtx names the default domain NVTX. */
    const bool ours = strcmp(text.data, "solgate") == 0 || strcmp(text.data, "NVTX") == 0;
    if (!handle)
        handle = strdup(text.data);
    SG_INJECT_LOCKED;
    sg_map_put(&domains, (uintptr_t)handle, ours);
    return handle;
}

#define X(module, number, result, name, parameters, arguments, ours) \
    static result(*before_##name) parameters;                        \
    static result name parameters                                    \
    {                                                                \
        result before = 0;                                           \
        if (before_##name)                                           \
            before = before_##name arguments;                        \
        return ours;                                                 \
    }
FUNCTIONS(X)
#undef X

/* Functions without a result. */
static void (*before_end)(uint64_t id);
static void (*before_domain_end)(const void *domain, uint64_t id);

static void end_range(uint64_t id)
{
    if (before_end)
        before_end(id);
    end(id);
}

static void end_domain_range(const void *domain, uint64_t id)
{
    if (before_domain_end)
        before_domain_end(domain, id);
    end(id);
}

/* `original` is a function of NVTX, present if no earlier injection replaced it. Calling it
 * would search for an injection again. */
static void replace(any_function *place, any_function ours, void *before, any_function original)
{
    if (*place == ours)
        return;
    if (*place != original)
        memcpy(before, place, sizeof(*place));
    *place = ours;
}

static void attach_earlier(sg_nvtx_export export_table)
{
    const char *path = sg_inject_option[SG_TRACE_NVTX];
    void *library = path && *path ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
    int (*attach)(sg_nvtx_export) = NULL;
    if (library)
        *(void **)&attach = dlsym(library, "InitializeInjectionNvtx2");
    if (attach)
        attach(export_table);
}

#define TABLE_LEAST 14 /* entries used of either table */

int sg_ranges_attach(sg_nvtx_export export_table)
{
    const struct nvtx_callbacks *callbacks = export_table(EXPORT_CALLBACKS);
    any_function **core = NULL, **core2 = NULL, core_original[TABLE_LEAST],
                 core2_original[TABLE_LEAST];
    uint32_t core_count = 0, core2_count = 0;
    if (!callbacks || !callbacks->module_table(MODULE_CORE, &core, &core_count) ||
        !callbacks->module_table(MODULE_CORE2, &core2, &core2_count) || core_count < TABLE_LEAST ||
        core2_count < TABLE_LEAST)
        return 0;
    for (size_t i = 1; i < TABLE_LEAST; i++) {
        core_original[i] = *core[i];
        core2_original[i] = *core2[i];
    }
    attach_earlier(export_table);
#define X(module, number, result, name, parameters, arguments, ours) \
    replace(module[number], (any_function)name, &before_##name, module##_original[number]);
    FUNCTIONS(X)
#undef X
    replace(core[7], (any_function)end_range, &before_end, core_original[7]);
    replace(core2[3], (any_function)end_domain_range, &before_domain_end, core2_original[3]);
    return 1;
}

void sg_ranges_forget(void)
{
    pushed.depth = 0;
    open_ranges.count = 0;
}
