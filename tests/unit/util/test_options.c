/* util/options.h: what a command line comes to, and what is said of one that cannot be read. */
#include "check.h"
#include "scratch.h"

#include <inttypes.h>
#include <string.h>

#include "util/options.h"

struct input {
    bool flag, second, told;
    unsigned which, small;
    uint64_t large;
    double ratio;
    const char *text, *bare, *own, *first;
    struct sg_names many, rest;
};

static enum sg_code read_own(void *place, const char *found, struct sg_err *err)
{
    if (strcmp(found, "mine") != 0)
        return sg_fail(err, SG_BAD_INPUT, "nowhere", "expected mine, found '%s'", found);
    *(const char **)place = found;
    return SG_SUCCESS;
}

static const struct sg_option options[] = {
    ROW(.name = "flag", SG_INTO(struct input, flag), .help = "a flag"),
    ROW(.name = "pick", .arg = "a|b", SG_INTO(struct input, second),
        .given = offsetof(struct input, told), .help = "one of two"),
    ROW(.name = "which", .arg = "red|green|blue", SG_INTO(struct input, which),
        .help = "one of three"),
    ROW(.name = "small", .arg = "N", SG_INTO(struct input, small), .least = 2, .most = 9,
        .help = "a number"),
    ROW(.name = "large", .arg = "N", SG_INTO(struct input, large), .help = "a large number"),
    ROW(.name = "ratio", .arg = "PERCENT", SG_INTO(struct input, ratio), .help = "a ratio"),
    ROW(.name = "text", .arg = "TEXT", SG_INTO(struct input, text), .help = "a text"),
    ROW(.name = "many", .arg = "TEXT", SG_INTO(struct input, many), .repeats = true,
        .help = "texts"),
    ROW(.name = "bare", .arg = "TEXT", SG_INTO(struct input, bare), .bare = true,
        .help = "a text, or none"),
    ROW(.name = "own", .arg = "MINE", SG_INTO(struct input, own), .read = read_own,
        .help = "a type of its own"),
    ROW(.name = "needy", SG_INTO(struct input, flag), .needs = "text", .help = "needs another"),
    ROW(.name = "lonely", SG_INTO(struct input, flag), .without = "text",
        .help = "goes without another"),
};
static const struct sg_options table = {
    .summary = "s",
    .options = SG_OPTIONS(options),
    .arguments = {SG_ARGUMENT("FIRST", struct input, first, .help = "the first one"),
                  SG_ARGUMENT("REST", struct input, rest, .optional = true, .repeats = true,
                              .help = "more of them")}};

/* Parses "one --text=x", words with blanks between; *in then borrows from `copy`. */
static bool parse(const struct sg_options *of, const char *line, char copy[256], struct input *in,
                  struct sg_err *err)
{
    char *argv[16] = {"solgate try"}, *rest = copy;
    int argc = 1;
    snprintf(copy, 256, "%s", line);
    for (char *word; (word = strsep(&rest, " ")) != NULL;)
        if (*word)
            argv[argc++] = word;
    return sg_options_parse(of, in, argc, argv, err);
}

TEST(values_go_to_their_places)
{
    char copy[256];
    struct input in = {.small = 5, .text = "before"};
    struct sg_err err = {0};
    assert_true(parse(&table,
                      "one --flag --pick=b --which=blue --small=9 --large=18446744073709551615 "
                      "--ratio=0.5% --many=x two --many=y --bare "
                      "--own=mine three",
                      copy, &in, &err));
    assert_true(in.flag && in.second && in.told);
    assert_int_equal(in.which, 2);
    assert_int_equal(in.small, 9);
    assert_true(in.large == UINT64_MAX && in.ratio == 0.005);
    assert_string_equal(in.text, "before");
    assert_string_equal(in.bare, "");
    assert_string_equal(in.own, "mine");
    assert_string_equal(in.first, "one");
    assert_int_equal(in.many.count, 2);
    assert_string_equal(in.many.items[1], "y");
    assert_int_equal(in.rest.count, 2);
    assert_string_equal(in.rest.items[1], "three");
    assert_null(in.rest.items[2]);
    sg_names_release(&in.many);
    sg_names_release(&in.rest);
}

TEST(what_is_not_given_stays)
{
    char copy[256];
    struct input in = {.small = 5, .text = "before", .second = true};
    struct sg_err err = {0};
    assert_true(parse(&table, "one", copy, &in, &err));
    assert_true(!in.flag && in.second && !in.told && !in.bare);
    assert_int_equal(in.small, 5);
    assert_string_equal(in.text, "before");
    assert_true(parse(&table, "one --pick=a", copy, &in, &err));
    assert_true(!in.second && in.told);
}

TEST(what_cannot_be_read_is_said)
{
    static const struct {
        const char *line, *message;
    } rows[] = {
        {"one --pick=c", "--pick: expected a or b, found 'c'"},
        {"one --which=gree", "--which: expected red, green or blue, found 'gree'"},
        {"one --which=", "--which: expected red, green or blue, found ''"},
        {"one --small=1", "--small: expected a whole number from 2 to 9, found '1'"},
        {"one --small=10", "--small: expected a whole number from 2 to 9, found '10'"},
        {"one --large=-1", "--large: expected a whole number from 0 on, found '-1'"},
        {"one --ratio=100%",
         "--ratio: expected more than 0% and less than 100%, with the % sign, found '100%'"},
        {"one --ratio=50%", "--ratio: expected at most 10%, or 'wide:50%' for a tolerance as wide "
                            "as that, found '50%'"},
        {"one --ratio=0.5",
         "--ratio: expected more than 0% and less than 100%, with the % sign, found '0.5'"},
        {"one --text=", "--text: expected TEXT, found ''"},
        {"one --many=", "--many: expected TEXT, found ''"},
        {"one --own=yours", "--own: expected mine, found 'yours'"},
        {"one --text=a --text=b", "expected --text=TEXT once, found 'a' and 'b'"},
        {"one --bare --bare=b", "expected --bare=TEXT once, found '' and 'b'"},
        {"one --needy", "--needy needs --text=TEXT"},
        {"one --lonely --text=a", "--lonely cannot go with --text"},
        {"--flag", "FIRST is missing: the first one"},
        {"one --none", "unknown option '--none'; solgate try -h lists the options"},
        {"one --text", "'--text' needs a value: --text=TEXT"},
        {"one --txet=a",
         "unknown option '--txet=a': is it --text; solgate try -h lists the options"},
        {"one --tex=a", "unknown option '--tex=a': is it --text; options cannot be abbreviated"},
        {"one --fla", "unknown option '--fla': is it --flag; options cannot be abbreviated"},
        {"one --flag=a", "expected --flag without a value, found '--flag=a'"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char copy[256];
        struct input in = {.flag = false};
        struct sg_err err = {0};
        assert_false(parse(&table, rows[i].line, copy, &in, &err));
        assert_int_equal(err.code, SG_BAD_USAGE);
        assert_string_equal(err.where, "try");
        assert_string_equal(err.message, rows[i].message);
        sg_names_release(&in.many);
        sg_names_release(&in.rest);
    }
}

/* --flag makes the second usage, which takes one argument and no --small. */
static unsigned usage_of(const void *input)
{
    return ((const struct input *)input)->flag;
}

TEST(usages_have_their_own_options)
{
    static const struct sg_option rows[] = {
        SG_FLAG("flag", struct input, flag, .usages = 2, .kept = true),
        SG_VALUE("small", "N", struct input, small, .usages = 1, .kept = true),
        SG_VALUE("ratio", "PERCENT", struct input, ratio, .kept = true),
        SG_VALUE("many", "TEXT", struct input, many, .repeats = true, .kept = true),
        SG_VALUE("text", "TEXT", struct input, text)};
    static const struct sg_options two = {
        .options = SG_OPTIONS(rows),
        .arguments = {SG_ARGUMENT("REST", struct input, rest, .optional = true, .repeats = true)},
        .usages = {{"A B", 2, 2}, {"--flag A", 1, 1}},
        .usage_of = usage_of};
    static const struct {
        const char *line, *message, *kept;
    } lines[] = {
        {"a b --small=3 --text=t", "", " --small=3 --ratio=1%"},
        {"a --flag --many=x --many=*", "", " --flag --ratio=1% --many=x --many='*'"},
        {"a b --ratio=wide:50%", "", " --ratio=wide:50%"},
        {"a", "expected A B, found 1 argument", ""},
        {"a b --flag", "expected --flag A, found 2 arguments", ""},
        {"a --flag --small=3", "--small goes with: A B", ""},
    };
    for (size_t i = 0; i < COUNT(lines); i++) {
        char copy[256];
        struct input in = {.ratio = 0.01};
        const struct input defaults = in;
        struct sg_err err = {0};
        SG_SCOPED(sg_text) kept = {0};
        const bool is_taken = parse(&two, lines[i].line, copy, &in, &err);
        assert_string_equal(err.message, lines[i].message);
        assert_int_equal(is_taken, !*lines[i].message);
        if (is_taken)
            sg_options_add_kept(&kept, rows, COUNT(rows), &in, &defaults);
        assert_string_equal(sg_text_string(&kept), lines[i].kept);
        sg_names_release(&in.many);
        sg_names_release(&in.rest);
    }
}

TEST(arguments_are_as_many_as_there_are)
{
    static const struct sg_option must[] = {
        {.name = "m", .arg = "M", SG_INTO(struct input, text), .required = true, .help = "this"}};
    static const struct sg_options with_one = {.summary = "s",
                                               .arguments = {SG_ARGUMENT("FIRST", struct input,
                                                                         first,
                                                                         .help = "the first one")}},
                                   with_none = {.summary = "s", .options = SG_OPTIONS(must)},
                                   with_choice = {
                                       .summary = "s",
                                       .arguments = {SG_ARGUMENT("red|green", struct input, which,
                                                                 .optional = true)}};
    static const struct {
        const struct sg_options *of;
        const char *line, *message;
    } rows[] = {
        {&with_one, "a b", "expected FIRST, found 'b' after 'a'"},
        {&with_none, "a --m=x", "expected options only, found 'a'"},
        {&with_none, "", "--m=M is missing: this"},
        {&with_choice, "blue", "expected red or green, found 'blue'"},
        {&with_choice, "red green", "expected [red|green], found 'green' after 'red'"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char copy[256];
        struct input in = {.flag = false};
        struct sg_err err = {0};
        assert_false(parse(rows[i].of, rows[i].line, copy, &in, &err));
        assert_string_equal(err.message, rows[i].message);
    }
}
