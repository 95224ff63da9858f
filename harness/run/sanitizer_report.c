#include "run/sanitizer_report.h"

#include <stdio.h>
#include <string.h>

#define MARK    "========="
#define SUMMARY "SUMMARY"

const char *sg_sanitizer_word(enum sg_sanitizer_tool tool)
{
    static const char *const word[SG_SANITIZER_TOOL_COUNT] = {
#define X(constant, text) [constant] = text,
        SG_SANITIZER_TOOLS(X)
#undef X
    };
    return word[tool];
}

/* What the first line of a record makes of it. */
enum record { NOTHING, OF_KERNEL, OF_CALL, OF_TOOL, RECORDS };

/* A part of a line; the first row that is in it decides. */
static const struct {
    const char *part;
    enum record record;
} records[] = {
    {SUMMARY, NOTHING},
    {"Race reported between", OF_KERNEL},
    {"hazard detected", OF_KERNEL},
    {"Invalid ", OF_KERNEL}, /* reads, writes, atomics, addresses, instructions */
    {"Uninitialized ", OF_KERNEL},
    {"Barrier error detected", OF_KERNEL},
    {"Stack overflow", OF_KERNEL},
    {"Out-of-range", OF_KERNEL},
    {"misaligned", OF_KERNEL},
    {"Misaligned", OF_KERNEL},
    {"Unused memory", OF_CALL},
    {"Program hit", OF_CALL},
    {"Free error", OF_CALL},
    {"Leaked ", OF_CALL},
    {"Internal", OF_TOOL},
    {"Target application", OF_TOOL},
    {"No attachable process", OF_TOOL},
    {"Unable to", OF_TOOL},
    {"not supported", OF_TOOL},
    {"unsupported", OF_TOOL},
    {"Error:", OF_TOOL},
};

/* A line of the log behind the mark, without its end; a longer one is cut. */
struct line {
    char text[1024];
    bool is_head; /* it begins a record */
};

/* False: it is none of the tool's. */
static bool take_line(const char *begin, size_t length, struct line *line)
{
    const size_t mark = strlen(MARK);
    if (length <= mark || memcmp(begin, MARK " ", mark + 1) != 0)
        return false;
    size_t blanks = mark;
    while (blanks < length && begin[blanks] == ' ')
        blanks++;
    while (length > blanks && (begin[length - 1] == '\r' || begin[length - 1] == ' '))
        length--;
    snprintf(line->text, sizeof(line->text), "%.*s", (int)(length - blanks), begin + blanks);
    line->is_head = blanks == mark + 1;
    return line->text[0] != '\0';
}

/* The next line of the tool's; false: there are no more. What the program
 * printed in between is passed over. */
static bool next_line(const char **rest, const char *end, struct line *line)
{
    bool found = false;
    while (*rest < end && !found) {
        const char *begin = *rest, *stop = memchr(begin, '\n', (size_t)(end - begin));
        *rest = stop ? stop + 1 : end;
        found = take_line(begin, (size_t)((stop ? stop : end) - begin), line);
    }
    return found;
}

static enum record record_of(const struct line *line)
{
    for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++)
        if (strstr(line->text, records[i].part))
            return records[i].record;
    return NOTHING;
}

/* What stands behind `prefix`; NULL: it does not begin so. */
static const char *behind(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0 ? text + strlen(prefix) : NULL;
}

static void append(char *to, size_t room, const char *separator, const char *text, size_t length)
{
    const size_t used = strlen(to);
    snprintf(to + used, room - used, "%s%.*s", used > 0 ? separator : "", (int)(length < room ? length : room - 1), text);
}

#define KEEP(field, text, length) append((field), sizeof(field), "", (text), (length))

/* "0x160 in FILE:34:NAME(TYPES)", as older tools have it. */
static void take_old_place(const char *text, struct sg_sanitizer_finding *f)
{
    const char *file = strstr(text, " in "), *number = file ? strchr(file, ':') : NULL, *name = number ? strchr(number + 1, ':') : NULL;
    if (!name && file)
        name = file + strlen(" in ") - 1;
    KEEP(f->place, text, name && number ? (size_t)(name - text) : file ? (size_t)(file - text) : strlen(text));
    if (name)
        KEEP(f->kernel, name + 1, strlen(name + 1));
}

/* "NAME(TYPES)+0x160 in FILE:34": types may hold a plus, too, so the last one counts. */
static void take_place(const char *text, struct sg_sanitizer_finding *f)
{
    const char *offset = NULL;
    for (const char *at = strstr(text, "+0x"); at; at = strstr(at + 1, "+0x"))
        offset = at;
    if (offset) {
        KEEP(f->kernel, text, (size_t)(offset - text));
        KEEP(f->place, offset, strlen(offset));
    } else {
        take_old_place(text, f);
    }
}

/* "Error: Race reported between Write access at NAME(TYPES)+0x80 in FILE:12": the
 * kind ends where the place begins. */
static void take_head(const struct line *line, struct sg_sanitizer_finding *f)
{
    static const char *const levels[] = {"Error: ", "Warning: ", "ERROR: ", "WARN: "};
    const char *head = line->text;
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]) && head == line->text; i++)
        head = behind(line->text, levels[i]) ? behind(line->text, levels[i]) : head;
    const char *place = strstr(head, " access at ");
    *f = (struct sg_sanitizer_finding){.kind = ""};
    KEEP(f->kind, head, place ? (size_t)(place - head) + strlen(" access") : strlen(head));
    if (place)
        take_place(place + strlen(" access at "), f);
}

/* "Device Frame: NAME(TYPES)+0x160 in FILE:34", or with "[0x160]": of functions that
 * were inlined the kernel comes last. */
static void take_frame(const char *text, struct sg_sanitizer_finding *f)
{
    struct sg_sanitizer_finding frame = {.kind = ""};
    while (*text == ' ')
        text++;
    const char *bracket = strstr(text, " [");
    if (bracket)
        KEEP(frame.kernel, text, (size_t)(bracket - text));
    else
        take_place(text, &frame);
    if (frame.kernel[0])
        memcpy(f->kernel, frame.kernel, sizeof(f->kernel));
}

/* A line below the first one. */
static void take_detail(const struct line *line, struct sg_sanitizer_finding *f)
{
    const char *at = behind(line->text, "at "), *by = behind(line->text, "by "), *access = strstr(line->text, " access at ");
    const char *thread = strstr(line->text, " Thread (") ? strstr(line->text, " at ") : NULL;
    const char *frame = behind(line->text, "Device Frame:");
    if (frame)
        take_frame(frame, f);
    else if (at && !f->kernel[0])
        take_place(at, f);
    else if (by)
        append(f->place, sizeof(f->place), ", ", by, strlen(by));
    else if (behind(line->text, "and ") && access)
        append(f->kind, sizeof(f->kind), " ", line->text, (size_t)(access - line->text) + strlen(" access"));
    else if (thread && !f->kernel[0])
        take_place(thread + strlen(" at "), f);
}

/* "ERROR SUMMARY: 3 errors", "RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)" */
static bool counts_nothing(const char *summary)
{
    const char *colon = strchr(summary, ':');
    return colon && strncmp(colon, ": 0 ", strlen(": 0 ")) == 0;
}

void sg_sanitizer_read(const char *log, size_t length, struct sg_sanitizer_finding *finding)
{
    struct sg_sanitizer_finding found[RECORDS] = {{.kind = ""}}, *current = &found[NOTHING];
    const char *rest = log;
    bool is_clean = false;
    struct line line;
    while (next_line(&rest, log + length, &line)) {
        if (!line.is_head) {
            take_detail(&line, current);
            continue;
        }
        const enum record record = record_of(&line);
        is_clean = strstr(line.text, SUMMARY) ? counts_nothing(line.text) : is_clean;
        /* Only the first of each kind counts; lines below others go nowhere. */
        current = &found[found[record].kind[0] ? NOTHING : record];
        take_head(&line, current);
    }
    *finding = found[OF_KERNEL].kind[0] ? found[OF_KERNEL] : found[OF_CALL];
    finding->is_clean = is_clean && !finding->kind[0];
    if (!finding->kind[0])
        KEEP(finding->trouble, found[OF_TOOL].kind, strlen(found[OF_TOOL].kind));
}

void sg_sanitizer_add(struct sg_text *out, enum sg_sanitizer_tool tool, const struct sg_sanitizer_finding *f)
{
    sg_text_addf(out, "%s: %s", sg_sanitizer_word(tool), f->kind[0] ? f->kind : f->trouble);
    if (f->kernel[0])
        sg_text_addf(out, "; %s", f->kernel);
    if (f->place[0])
        sg_text_addf(out, "; %s", f->place);
}
