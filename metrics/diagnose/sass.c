#include "diagnose/sass.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define WRITE_BARRIER(control) ((unsigned)((control) >> 46) & 7) /* 7: none */
#define READ_BARRIER(control)  ((unsigned)((control) >> 49) & 7)
#define WAITS(control)         ((unsigned)((control) >> 52) & 0x3f) /* one bit each */

/* back to a producer without scoreboard; beyond this, another instruction is as likely */
#define STEPS_MAX 64

const char *sg_sass_text(const struct sg_sass *sass, sg_id id)
{
    return sg_intern_pool_string(sass->pool, id);
}

void sg_sass_add(struct sg_text *out, const struct sg_sass *sass, size_t at)
{
    const struct sg_instruction *item = &sass->items[at];
    if (item->source)
        sg_text_addf(out, "%s %s", sg_sass_text(sass, item->source),
                     sg_sass_text(sass, item->text));
    else
        sg_text_addf(out, "0x%x %s", item->pc, sg_sass_text(sass, item->text));
}

/* ---- reading ---- */

struct reader {
    struct sg_sass *sass;
    struct sg_instruction next;
    bool is_placed; /* `next` has its source, from a line outside of the toolkit's headers */
};

/* Several remarks in a row belong to one instruction, from the innermost inlined function
 * outwards. Takes the first one outside of the toolkit's headers and of Python's packages, with the
 * file name without folders. */
static void read_source(struct reader *r, const char *line)
{
    const char *path = strchr(line, '"'), *end = path ? strchr(path + 1, '"') : NULL,
               *number = end ? strstr(end, "line ") : NULL;
    SG_SCOPED(sg_text) text = {0};
    if (!number || r->is_placed)
        return;
    sg_text_add_bytes(&text, path + 1, (size_t)(end - path - 1));
    r->is_placed = !strstr(text.data, "/include/") && !strstr(text.data, "-packages/");
    const char *slash = strrchr(text.data, '/');
    const size_t name = slash ? (size_t)(slash + 1 - text.data) : 0;
    sg_text_addf(&text, ":%lu", strtoul(number + strlen("line "), NULL, 10));
    r->next.source = sg_intern(&r->sass->pool, text.data + name);
}

/* The instruction of "LDG.E R6, desc[UR4][R6.64] ;   0x...", up to the semicolon. */
static sg_id read_words(struct sg_sass *sass, char *words)
{
    char *end = words + strcspn(words, ";");
    words += strspn(words, " \t");
    while (end > words && isspace((unsigned char)end[-1]))
        end--;
    *end = '\0';
    return sg_intern(&sass->pool, words);
}

/* A line has an address, an instruction and the lower half of the bits, or the upper half alone. */
static void read_code_line(struct reader *r, char *line)
{
    struct sg_sass *sass = r->sass;
    char *end = NULL;
    const unsigned long pc = strtoul(line + 2, &end, 16);
    if (strncmp(line, "/* 0x", 5) == 0 && sass->count > 0)
        sass->items[sass->count - 1].control = strtoull(line + 3, NULL, 16);
    if (strncmp(end, "*/", 2) != 0)
        return;
    r->next.pc = (uint32_t)pc;
    r->next.text = read_words(sass, end + 2);
    *SG_APPEND(sass->items, sass->count, sass->capacity) = r->next;
    r->next.label = 0;
    r->is_placed = false;
}

static void read_line(struct reader *r, char *line)
{
    line += strspn(line, " \t");
    if (strncmp(line, "//## File", 9) == 0)
        read_source(r, line);
    else if (strncmp(line, "/*", 2) == 0)
        read_code_line(r, line);
    else if (*line == '.' && strchr(line, ':')) {
        *strchr(line, ':') = '\0';
        r->next.label = sg_intern(&r->sass->pool, line);
    }
}

/* Returns true for the head of a section, ".section .text.KERNEL,...". *is_wanted: of this
 * kernel. */
static bool is_section(const char *line, const char *kernel, bool *is_wanted)
{
    const char *name = strstr(line, ".section");
    if (!name)
        return false;
    name += strcspn(name, " \t");
    name += strspn(name, " \t");
    const size_t length = strlen(kernel);
    *is_wanted = strncmp(name, ".text.", 6) == 0 && strncmp(name + 6, kernel, length) == 0 &&
                 name[6 + length] == ',';
    return true;
}

static bool is_branch(const struct sg_sass *sass, size_t i)
{
    size_t length = 0;
    const char *opcode = sg_sass_opcode(sg_sass_text(sass, sass->items[i].text), &length);
    return strncmp(opcode, "BRA", 3) == 0 || strncmp(opcode, "JMP", 3) == 0;
}

static void find_target(struct sg_sass *sass, size_t i)
{
    const char *text = sg_sass_text(sass, sass->items[i].text), *label = strstr(text, "`(");
    sass->items[i].target = SG_SASS_NONE;
    if (!label || !is_branch(sass, i))
        return;
    char name[64] = "";
    const size_t length = strcspn(label + 2, ")");
    memcpy(name, label + 2, length < sizeof(name) ? length : 0);
    const sg_id id = sg_intern_pool_find(sass->pool, name);
    for (size_t k = 0; k < sass->count && id != 0; k++)
        if (sass->items[k].label == id)
            sass->items[i].target = k;
}

void sg_sass_read(struct sg_sass *sass, char *text, const char *kernel)
{
    struct reader reader = {.sass = sass};
    bool is_wanted = false;
    for (char *line = text, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end)
            *end++ = '\0';
        if (!is_section(line, kernel, &is_wanted) && is_wanted)
            read_line(&reader, line);
    }
    for (size_t i = 0; i < sass->count; i++)
        find_target(sass, i);
}

size_t sg_sass_find(const struct sg_sass *sass, uint32_t pc)
{
    const size_t i = pc / SG_SASS_STEP;
    return i < sass->count && sass->items[i].pc == pc ? i : SG_SASS_NONE;
}

/* ---- operands ---- */

const char *sg_sass_opcode(const char *text, size_t *length)
{
    if (*text == '@')
        text += strcspn(text, " ");
    text += strspn(text, " ");
    *length = strcspn(text, " ");
    return text;
}

static const char *operands(const char *text)
{
    size_t length = 0;
    const char *at = sg_sass_opcode(text, &length);
    at += length + strspn(at + length, " ");
    return strncmp(at, "PT, ", 4) == 0 ? at + 4 : at; /* of SHFL: an unused predicate */
}

/* Parses a register such as "UR4": file (R, UR, P, UP) and number. */
static bool read_register(const char *at, char file[3], unsigned long *number)
{
    size_t length = *at == 'U' ? 1 : 0;
    if ((at[length] != 'R' && at[length] != 'P') || !isdigit((unsigned char)at[length + 1]))
        return false;
    memcpy(file, at, ++length);
    file[length] = '\0';
    *number = strtoul(at + length, NULL, 10);
    return true;
}

/* Number of registers of the result, from the width in the opcode. */
static unsigned result_width(const char *text)
{
    size_t length = 0;
    const char *opcode = sg_sass_opcode(text, &length);
    char word[64] = "";
    memcpy(word, opcode, length < sizeof(word) ? length : 0);
    if (strstr(word, ".128") || strstr(word, "MMA") || strstr(word, "LDSM"))
        return 4;
    return strstr(word, ".64") || strstr(word, ".WIDE") || strncmp(word, "D", 1) == 0 ? 2 : 1;
}

/* Returns true if the producer writes a register that the reader reads. The result is the first
 * operand. */
static bool feeds(const char *producer, const char *reader)
{
    char file[3] = "", of_reader[3] = "";
    unsigned long first = 0, number = 0;
    const char *result = operands(producer);
    if (!read_register(result, file, &first))
        return false;
    const char *at = operands(reader);
    const bool has_result = read_register(at, of_reader, &number);
    /* The guard is read, and every operand after the result; a store has no result. */
    if (*reader == '@' && read_register(reader + 1 + (reader[1] == '!'), of_reader, &number) &&
        strcmp(file, of_reader) == 0 && number == first)
        return true;
    for (at += has_result ? strcspn(at, ",") : 0; *at; at++)
        if ((at == reader || !isalnum((unsigned char)at[-1])) &&
            read_register(at, of_reader, &number) && strcmp(file, of_reader) == 0 &&
            number >= first && number < first + result_width(producer))
            return true;
    return false;
}

static bool begins_with_one_of(const char *text, const char *const *beginnings)
{
    size_t length = 0;
    const char *opcode = sg_sass_opcode(text, &length);
    for (size_t i = 0; beginnings[i]; i++)
        if (strncmp(opcode, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

/* ---- back to the producer ---- */

/* Instructions that go through L1 and memory: their waits belong to the long scoreboard. */
static const char *const long_ones[] = {"LDG", "LD.", "LDL",  "ATOM.",  "ATOMG",
                                        "TEX", "TLD", "SULD", "SUATOM", NULL};

/* Waits without a scoreboard, and the instructions that cause them. */
static const struct {
    const char *reason;
    const char *const *producers; /* NULL: the writer of a register that is read */
} others[] = {
    {"barrier", (const char *const[]){"BAR", "UCGABAR", NULL}},
    {"membar", (const char *const[]){"MEMBAR", "FENCE", "ERRBAR", "CCTL", NULL}},
    {"gmma", (const char *const[]){"HGMMA", "QGMMA", "IGMMA", "BGMMA", "WARPGROUP", NULL}},
    {"branch_resolving",
     (const char *const[]){"BRA", "BRX", "JMP", "CALL", "RET", "BSYNC", "WARPSYNC", NULL}},
    {"sleeping", (const char *const[]){"NANOSLEEP", NULL}},
    {"wait", NULL},
};

struct walk {
    const struct sg_sass *sass;
    size_t at;
    const char *const *opcodes; /* end a path; NULL: barriers or registers end it */
    bool by_barrier;
    unsigned char *seen; /* owned: the barriers already searched for, by instruction */
    size_t *found;       /* owned */
    size_t found_count, found_capacity;
};

static bool signals(uint64_t control, unsigned barriers)
{
    const unsigned write = WRITE_BARRIER(control), read = READ_BARRIER(control);
    return (write < 6 && barriers >> write & 1) || (read < 6 && barriers >> read & 1);
}

/* Examines one instruction on the way back. Returns the barriers still to search for before it. */
static unsigned look(struct walk *walk, size_t i, unsigned barriers)
{
    const struct sg_instruction *item = &walk->sass->items[i];
    const char *text = sg_sass_text(walk->sass, item->text);
    bool is_found = false;
    if (walk->by_barrier)
        is_found = signals(item->control, barriers);
    else if (walk->opcodes)
        is_found = begins_with_one_of(text, walk->opcodes);
    else
        is_found = feeds(text, sg_sass_text(walk->sass, walk->sass->items[walk->at].text));
    if (is_found)
        *SG_APPEND(walk->found, walk->found_count, walk->found_capacity) = i;
    /* If the instruction waited for a barrier, earlier signals of that barrier are complete. */
    if (walk->by_barrier)
        return barriers & ~WAITS(item->control);
    return is_found ? 0 : barriers;
}

/* Returns true if execution may continue after the instruction. */
static bool falls_through(const struct sg_sass *sass, size_t i)
{
    static const char *const ends[] = {"EXIT", "BRA", "JMP", "RET", "BRX", NULL};
    const char *text = sg_sass_text(sass, sass->items[i].text);
    return *text == '@' || !begins_with_one_of(text, ends);
}

/* Follows all paths that end at `i` backwards, until all searched barriers are found. */
static void walk_back(struct walk *walk, size_t i, unsigned barriers, unsigned steps)
{
    while (barriers && steps-- > 0) {
        for (size_t k = 0; walk->sass->items[i].label && k < walk->sass->count; k++)
            if (walk->sass->items[k].target == i && (barriers & ~walk->seen[k])) {
                walk->seen[k] |= (unsigned char)barriers;
                walk_back(walk, k, look(walk, k, barriers), steps);
            }
        if (i == 0 || !falls_through(walk->sass, i - 1))
            return;
        barriers &= ~(unsigned)walk->seen[--i];
        walk->seen[i] |= (unsigned char)barriers;
        barriers = barriers ? look(walk, i, barriers) : 0;
    }
}

/* How well the instruction explains the wait: by its kind, then by the register. */
static int rank(const struct walk *walk, size_t i, bool is_long)
{
    const char *text = sg_sass_text(walk->sass, walk->sass->items[i].text);
    const bool is_kind = begins_with_one_of(text, long_ones) == is_long;
    return 2 * is_kind + feeds(text, sg_sass_text(walk->sass, walk->sass->items[walk->at].text));
}

/* Keeps the producers of the best rank; without a scoreboard, all. */
static size_t choose(const struct walk *walk, bool is_long, size_t producers[SG_SASS_PRODUCERS_MAX])
{
    size_t count = 0;
    int best = 0;
    for (size_t i = 0; i < walk->found_count; i++) {
        const int now = walk->by_barrier ? rank(walk, walk->found[i], is_long) : 0;
        count = now > best ? 0 : count;
        best = now > best ? now : best;
        if (now == best && count < SG_SASS_PRODUCERS_MAX)
            producers[count++] = walk->found[i];
    }
    return count;
}

size_t sg_sass_producers(const struct sg_sass *sass, size_t at, const char *reason,
                         size_t producers[SG_SASS_PRODUCERS_MAX])
{
    struct walk walk = {
        .sass = sass, .at = at, .by_barrier = strstr(reason, "_scoreboard") != NULL};
    size_t other = 0;
    while (other < sizeof(others) / sizeof(others[0]) && strcmp(reason, others[other].reason) != 0)
        other++;
    if (!walk.by_barrier && other == sizeof(others) / sizeof(others[0]))
        return 0;
    if (!walk.by_barrier)
        walk.opcodes = others[other].producers;
    if (walk.opcodes && begins_with_one_of(sg_sass_text(sass, sass->items[at].text), walk.opcodes))
        return 0;
    walk.seen = sg_alloc(sass->count, 1);
    walk_back(&walk, at, walk.by_barrier ? WAITS(sass->items[at].control) : 1,
              walk.by_barrier ? UINT32_MAX : STEPS_MAX);
    const size_t count = choose(&walk, strncmp(reason, "long", 4) == 0, producers);
    free(walk.found);
    free(walk.seen);
    return count;
}
