/* Numbers for people: digits that carry meaning, the unit of what
 * is printed, and no sign on a zero. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "reports/report.h"
#include "reports/tables/ranking.h"
#include "util/random.h"

static void assert_text(const char *sentence, struct sg_text *text, const char *should)
{
    if (strcmp(sg_text_string(text), should) != 0)
        fail_msg("%s: '%s', should be '%s'", sentence, sg_text_string(text), should);
    sg_text_release(text);
}

struct number_row {
    const char *sentence;
    double value;
    const char *should;
};

static void check(const struct number_row *rows, size_t count,
                  void (*add)(struct sg_text *out, double value))
{
    for (size_t i = 0; i < count; i++) {
        struct sg_text text = {0};
        add(&text, rows[i].value);
        assert_text(rows[i].sentence, &text, rows[i].should);
    }
}

TEST(times)
{
    static const struct number_row rows[] = {
        {"four digits, in microseconds", 45650, "45.65 us"},
        {"less than a microsecond stays in nanoseconds", 845.25, "845.2 ns"},
        {"what rounds up to a microsecond is one", 999.96, "1.000 us"},
        {"milliseconds", 1234567, "1.235 ms"},
        {"seconds", 2.5e9, "2.500 s"},
        {"thousands of seconds have no decimals", 12345e9, "12340 s"},
        {"a fraction of a nanosecond", 0.5, "0.500 ns"},
        {"nothing", 0, "0 ns"},
        {"picoseconds keep their digits", 0.00125, "0.00125 ns"},
        {"what no clock sees is a power of ten", 1e-300, "1e-300 ns"},
        {"and so is what nobody waits for", 1.2345e300, "1.234e+291 s"},
        {"not a number is a dash", NAN, "-"},
    };
    check(rows, COUNT(rows), sg_add_time);
}

TEST(gaps)
{
    static const struct number_row rows[] = {
        {"two decimals", 1.2789, "1.28x"},
        {"none from a hundred on", 233.4, "233x"},
        {"below the limit", 0.875, "0.88x"},
        {"far below it", 0.00125, "0.00125x"},
        {"a launch over picoseconds", 4.1e7, "4.1e+07x"},
        {"not a number is a dash", NAN, "-"},
    };
    check(rows, COUNT(rows), sg_add_gap);
}

TEST(changes)
{
    static const struct number_row rows[] = {
        {"one decimal from one percent on", 0.081, "+8.1 %"},
        {"two decimals below one percent", -0.0005, "-0.05 %"},
        {"what rounds to nothing has no sign", -0.00001, "0.00 %"},
        {"nothing has no sign", 0, "0.00 %"},
        {"minus nothing has no sign", -0.0, "0.00 %"},
        {"just below one percent", 0.0099, "+0.99 %"},
        {"what rounds up to one percent has one decimal", 0.00996, "+1.0 %"},
        {"what rounds up to a hundred has none", 0.9996, "+100 %"},
        {"fifty times as slow", 49, "+4900 %"},
        {"half as long", -0.5, "-50.0 %"},
        {"not a number is a dash", NAN, "-"},
    };
    check(rows, COUNT(rows), sg_add_change);
}

TEST(values)
{
    static const struct {
        const char *sentence;
        double value;
        const char *unit, *should;
    } rows[] = {
        {"a time is scaled", 45650, "ns", "45.65 us"},
        {"a rate is scaled", 1.234e12, "B/s", "1.23 TB/s"},
        {"a clock is scaled", 1.83e9, "Hz", "1.83 GHz"},
        {"what rounds up to the next prefix takes it", 999.9e9, "B/s", "1.00 TB/s"},
        {"bytes that are few are all shown", 49152, "B", "49,152 B"},
        {"many bytes are scaled", 470e6, "B", "470 MB"},
        {"an exact counter shows every digit", 29712449, "inst", "29,712,449 inst"},
        {"a large number that is not whole", 66077.4, "sector", "66,077 sectors"},
        {"a unit that is a word has a plural", 48, "register", "48 registers"},
        {"one of it has none", 1, "register", "1 register"},
        {"a plural behind an s", 2, "access", "2 accesses"},
        {"a quotient has none", 16, "sector/request", "16 sector/request"},
        {"a negative whole number", -1234, "inst", "-1,234 inst"},
        {"a percentage has four digits", 45.123, "%", "45.12 %"},
        {"a ratio has no unit", 1.0937, "1", "1.094"},
        {"a small ratio keeps its digits", 0.00123456, "1", "0.00123"},
        {"zero is zero", 0, "sector", "0 sectors"},
        {"more than can be counted is a power of ten", 1.25e300, "sector", "1.25e+300 sectors"},
        {"so is a rate beyond every prefix", 2e300, "B/s", "2e+285 PB/s"},
        {"not a number is a dash", NAN, "%", "-"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_text text = {0};
        sg_add_value(&text, rows[i].value, rows[i].unit);
        assert_text(rows[i].sentence, &text, rows[i].should);
    }
}

TEST(intervals)
{
    static const struct {
        const char *sentence;
        double change, low, high;
        const char *should;
    } rows[] = {
        {"one percent sign for all three", 0.081, 0.079, 0.083, "+8.1 % [+7.9, +8.3]"},
        {"an interval around nothing", 0, -0.0024, 0.0024, "0.00 % [-0.24, +0.24]"},
        {"no interval, no brackets", 0.05, NAN, NAN, "+5.0 %"},
        {"an interval without width is none", 0.05, 0.05, 0.05, "+5.0 %"},
        {"no change, nothing", NAN, -1, 1, "-"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_text text = {0};
        sg_add_interval(&text, rows[i].change, rows[i].low, rows[i].high);
        assert_text(rows[i].sentence, &text, rows[i].should);
    }
}

TEST(differences)
{
    static char percent[] = "%", sector[] = "sector", nothing[] = "1", byte[] = "B", ns[] = "ns";
    static const struct {
        const char *sentence;
        char *unit;
        enum sg_metric_class klass;
        double difference, spread;
        const char *should;
    } rows[] = {
        {"three digits, and two of the spread", percent, SG_NOISY, 35.5432, 3.2765,
         "+35.5 +- 3.3 points"},
        {"less", percent, SG_NOISY, -35.5432, 3.2765, "-35.5 +- 3.3 points"},
        {"no powers of ten in a difference", percent, SG_NOISY, 999.7, 12, "+1,000 +- 12 points"},
        {"nor in a spread", percent, SG_NOISY, 170.53, 141.53, "+171 +- 142 points"},
        {"nor where it is rounded up", percent, SG_NOISY, 170.53, 99.7, "+171 +- 100 points"},
        {"whole things", sector, SG_NOISY, 56829.4, 5711.8, "+56,829 sectors +- 5,712 sectors"},
        {"without a unit", nothing, SG_NOISY, 0.12345, 0.01234, "+0.123 +- 0.012"},
        {"bytes", byte, SG_NOISY, 241000, 190000, "+241 kB +- 190 kB"},
        {"times", ns, SG_NOISY, 8276, 1200, "+8.276 us +- 1.200 us"},
        {"a noisy counter that is the same each time", percent, SG_NOISY, 20.4, 0,
         "+20.4 +- 0 points"},
        {"counted once", percent, SG_NOISY, 20.4, NAN, "+20.4 points"},
        {"an exact counter changes by percent", sector, SG_EXACT, 1, 0, "+100 %"},
        {"but where it does not repeat", sector, SG_EXACT, 10, 41,
         "+10 sectors +- 41 sectors, does not repeat"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sg_metric metric = {
            .name = (char[]){"l1_hit_rate"}, .unit = rows[i].unit, .klass = rows[i].klass};
        const struct sg_counter_change moved = {.metric = &metric,
                                                .was = 1,
                                                .is = 1 + rows[i].difference,
                                                .difference = rows[i].difference,
                                                .spread = rows[i].spread,
                                                .non_repeatable = rows[i].klass == SG_EXACT &&
                                                                  rows[i].spread > 0};
        struct sg_text text = {0};
        sg_add_difference(&text, &moved);
        assert_text(rows[i].sentence, &text, rows[i].should);
    }
}
