/* Units, numbers and names as tools write them. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "import/gather.h"
#include "results/row_kind.h"

/* ---- units ---- */

/* Tools count in thousands, not in 1024. */
static const struct {
    const char *word;
    double scale;
} prefixes[] = {{"n", 1e-9}, {"u", 1e-6}, {"m", 1e-3}, {"", 1},    {"K", 1e3},
                {"k", 1e3},  {"M", 1e6},  {"G", 1e9},  {"T", 1e12}};
static const struct {
    const char *word, *unit;
    double scale;
} stems[] = {
    {"s", "ns", 1e9},
    {"sec", "ns", 1e9},
    {"second", "ns", 1e9},
    {"byte", "B", 1},
    {"byte/block", "B", 1},
    {"byte/thread", "B", 1},
    {"byte/s", "B/s", 1},
    {"byte/second", "B/s", 1},
    {"hz", "Hz", 1},
    {"cycle/second", "Hz", 1},
    {"cycle/usecond", "Hz", 1e6},
    {"cycle/nsecond", "Hz", 1e9},
    {"register/thread", "register", 1},
    {"op", "flop", 1},
    {"math_op", "flop", 1},
};

struct sg_scaled sg_unit_of_tool(const char *unit)
{
    struct sg_scaled found = {"1", 1};
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
        for (size_t k = 0; k < sizeof(stems) / sizeof(stems[0]); k++) {
            const size_t length = strlen(prefixes[i].word);
            if (strncmp(unit, prefixes[i].word, length) == 0 &&
                strcmp(unit + length, stems[k].word) == 0) {
                snprintf(found.unit, sizeof(found.unit), "%s", stems[k].unit);
                found.scale = prefixes[i].scale * stems[k].scale;
                return found;
            }
        }
    if (*unit)
        snprintf(found.unit, sizeof(found.unit), "%s", unit);
    for (char *at = found.unit; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("/%^._-", *at))
            *at = '_';
    return found;
}

/* ---- numbers ---- */

/* Characters in numbers: thousands separators may also be blanks, and U+00A0, U+202F and U+2019 in
 * UTF-8. */
#define GROUPED "0123456789.,'- \xc2\xa0\xe2\x80\xaf\x99"

/* Copies the number without its commas. False: a comma is not followed by groups of three
 * digits. */
static bool drop_commas(const char *text, struct sg_text *plain)
{
    for (bool is_grouped = false;; is_grouped = true) {
        const size_t digits = strspn(text, is_grouped ? "0123456789" : "-0123456789");
        const bool goes_on = text[digits] == ',';
        sg_text_add_bytes(plain, text, digits);
        text += digits;
        if ((is_grouped && digits != 3) ||
            (goes_on && (digits == 0 || digits > 3u + (plain->data[0] == '-'))))
            return false;
        if (!goes_on)
            break;
        text++;
    }
    sg_text_add(plain, text);
    return !strchr(text, ',');
}

enum sg_code sg_number_of_tool(const char *text, struct sg_tool_number *figure, struct sg_err *err)
{
    static const struct {
        const char *word;
        enum sg_status status;
    } lacking[] = {{"", SG_UNAVAILABLE},    {"n/a", SG_UNAVAILABLE},  {"(!) n/a", SG_UNAVAILABLE},
                   {"inf", SG_UNAVAILABLE}, {"-inf", SG_UNAVAILABLE}, {"nan", SG_NAN},
                   {"-nan", SG_NAN},        {"(!) nan", SG_NAN}};
    SG_SCOPED(sg_text) number = {0}, plain = {0};
    const char *instances = strstr(text, " (");
    *figure = (struct sg_tool_number){SG_OK, NAN};
    for (size_t i = 0; i < sizeof(lacking) / sizeof(lacking[0]); i++)
        figure->status =
            strcasecmp(text, lacking[i].word) == 0 ? lacking[i].status : figure->status;
    sg_text_add_bytes(&number, text, instances ? (size_t)(instances - text) : strlen(text));
    if (figure->status == SG_OK && isdigit((unsigned char)text[*text == '-']) &&
        !(drop_commas(number.data, &plain) && sg_parse_double(plain.data, false, &figure->value)) &&
        number.data[strspn(number.data, GROUPED)] == '\0')
        sg_fail(err, SG_BAD_INPUT, NULL,
                "expected a number with a point before its fraction, found '%s': run the tool with "
                "LC_ALL=C",
                sg_show_string(text).text);
    return err->code;
}

/* ---- names ---- */

void sg_add_kernel_case(struct sg_text *out, const char *range, double device)
{
    if (device > 0)
        sg_text_addf(out, "%s%sdevice_%.0f", range, *range ? "_" : "", device);
    else
        sg_text_add(out, *range ? range : "all");
}

#define NAME_MOST   63
#define DIGITS      SG_GEOMETRY_DIGITS
#define KERNEL_MOST 4096

static void add_letters(struct sg_text *out, const char *name, size_t most)
{
    for (size_t i = 0; i < most && name[i]; i++) {
        const unsigned char c = (unsigned char)name[i];
        sg_text_addf(out, "%c", c < 128 && isalnum(c) ? tolower(c) : '_');
    }
}

static void add_digits(struct sg_text *out, const char *before, const char *of)
{
    struct sg_digest digest = SG_DIGEST_EMPTY;
    sg_digest_add_string(&digest, of);
    sg_text_addf(out, "%s%.*s", before, DIGITS, sg_digest_word(&digest).text);
}

void sg_add_imported_name(struct sg_text *out, const char *name, const char *apart)
{
    const bool has_digits = !*name || apart || strlen(name) > NAME_MOST;
    add_letters(out, name, has_digits ? NAME_MOST - DIGITS - 1 : NAME_MOST);
    if (has_digits)
        add_digits(out, "_", apart ? apart : name);
}

#define SYMBOL_MOST (NAME_MOST - DIGITS - sizeof(SG_GEOMETRY_MARK) + 1)

void sg_add_kernel_name(struct sg_text *out, const char *word, const char *symbol,
                        const char *geometry)
{
    const size_t plain = strspn(symbol, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (plain > 0 && plain <= SYMBOL_MOST && !symbol[plain] &&
        strncmp(symbol, word, strlen(word)) == 0) {
        sg_text_add(out, symbol);
    } else {
        add_letters(out, word, SYMBOL_MOST - DIGITS - 1);
        add_digits(out, "_", symbol);
    }
    if (geometry)
        add_digits(out, SG_GEOMETRY_MARK, geometry);
}

/* Length without <...>, up to the parameters: the first bracket that is not part of a name. */
static size_t drop_arguments(char *word, const char *kernel)
{
    static const char unnamed[] = "(anonymous namespace)";
    size_t depth = 0, length = 0;
    for (const char *at = kernel; *at && length + 1 < KERNEL_MOST &&
                                  (*at != '(' || depth > 0 || strncmp(at, unnamed, 21) == 0);
         at++) {
        if (strncmp(at, unnamed, sizeof(unnamed) - 1) == 0)
            at += sizeof(unnamed) - 2;
        else if (*at == '<')
            depth++;
        else if (*at == '>' && depth > 0)
            depth--;
        else if (depth == 0)
            word[length++] = *at;
    }
    while (length > 0 && word[length - 1] == ' ')
        length--;
    word[length] = '\0';
    return length;
}

void sg_add_kernel_word(struct sg_text *out, const char *kernel)
{
    char word[KERNEL_MOST];
    size_t from = drop_arguments(word, kernel);
    while (from > 0 && (isalnum((unsigned char)word[from - 1]) || word[from - 1] == '_' ||
                        word[from - 1] == '$'))
        from--;
    sg_text_add(out, word[from] ? word + from : kernel);
}

/* ---- names of metrics ---- */

/* ncu's names for launch facts, DRAM and instructions, in addition to the names of metrics.ini. */
static const struct {
    const char *tool, *metric;
} aliases[] = {
    {"dram__bytes_read.sum", "dram_read_bytes"},
    {"dram__bytes_write.sum", "dram_write_bytes"},
    {"dram__bytes.sum", "dram_bytes"},
    {"launch__registers_per_thread", "registers"},
    {"launch__grid_size", "grid"},
    {"launch__block_size", "block"},
    {"launch__shared_mem_per_block_static", "shared_static"},
    {"launch__shared_mem_per_block_dynamic", "shared_dynamic"},
    {"sm__maximum_warps_per_active_cycle_pct", "occupancy_theoretical"},
    {"sm__inst_executed.sum", "instructions"},
};

static bool is_key_of(const struct sg_metric *metric, const char *name)
{
    for (size_t i = 0; i < metric->key_count; i++)
        if (metric->keys[i].key && strcmp(metric->keys[i].key, name) == 0)
            return metric->source == &sg_source_cupti;
    return false;
}

static const struct sg_metric *metric_of(const struct sg_catalogue *catalogue, const char *name)
{
    for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
        if (strcmp(aliases[i].tool, name) == 0)
            return sg_catalogue_find(catalogue, aliases[i].metric);
    for (size_t i = 0; i < catalogue->count; i++)
        if (is_key_of(&catalogue->metrics[i], name))
            return &catalogue->metrics[i];
    return NULL;
}

/* A count may lack its unit; a time or a size may not. */
static bool is_unit_of(const struct sg_metric *metric, const char *unit)
{
    const struct sg_scaled scaled = sg_unit_of_tool(unit);
    return strcmp(metric->unit, scaled.unit) == 0 ||
           (strcmp(scaled.unit, "1") == 0 && !strstr("ns B Hz %", metric->unit));
}

#define RAW_MOST 110

const char *sg_gather_metric(struct sg_gathering *g, const char *name, const char *unit)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    const struct sg_metric *metric = metric_of(g->catalogue, name);
    SG_SCOPED(sg_text) raw = {0};
    if (metric && (!unit || is_unit_of(metric, unit)))
        return metric->name;
    sg_text_add(&raw, strstr(name, "__") && strchr(name, '.') ? SG_RAW_PREFIX : SG_TOOL_PREFIX);
    sg_text_add(&raw, *name ? "" : "_");
    for (size_t i = 0; i < RAW_MOST && name[i]; i++)
        sg_text_addf(&raw, "%c", strchr(allowed, name[i]) ? name[i] : '_');
    return sg_intern_string(&g->strings, raw.data);
}
