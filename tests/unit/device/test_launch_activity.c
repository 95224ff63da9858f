/* device/launch_activity.h: work in its launch's time, and every way of being elsewhere. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "device/launch_activity.h"

/*
 * One batch: a warm-up launch and two timed ones, a period of 100 us each. In a period: the
 * harness's memory set and copy from 1 us on, the start stamp at 10 us, the end stamp at 50 us. It
 * is opened at 1 us, before the first period, and closed behind the last.
 */
#define LAUNCHES     3
#define PERIOD       UINT64_C(100000)
#define START_STAMP  10000u
#define END_STAMP    50000u
#define STAMP_TAKES  1000u
#define STREAM       13
#define CONTEXT      1
#define MOST_RECORDS 64
#define MOST_EXTRA   3

enum where {
    EVERY, /* in each launch */
    FIRST, /* in the warm-up one */
    SECOND,
    THIRD,
};

/* One more record; times from the beginning of its period. */
struct extra {
    enum where where;
    uint32_t start_ns, end_ns;
    const char *name;                /* NULL: none; of a copy and a memory set "copy" and "set" */
    uint32_t stream, graph, context; /* 0: the launch's, none, the launch's */
};

#define WORK(in, from, to, called, ...)                                          \
    {                                                                            \
        .where = in, .start_ns = from, .end_ns = to, .name = called, __VA_ARGS__ \
    }

struct batch {
    struct sg_activity records[MOST_RECORDS];
    size_t count;
};

static void add(struct batch *batch, uint64_t start_ns, uint64_t end_ns, enum sg_activity_kind kind,
                const char *name)
{
    assert_true(batch->count < MOST_RECORDS);
    batch->records[batch->count++] =
        (struct sg_activity){.start_ns = start_ns,
                             .end_ns = end_ns,
                             .kind = kind,
                             .stream = STREAM,
                             .context = CONTEXT,
                             .name = kind == SG_ACTIVITY_KERNEL ? name : NULL,
                             .launched = kind == SG_ACTIVITY_KERNEL ? name : NULL};
}

static void add_stamp(struct batch *batch, uint64_t at)
{
    add(batch, at, at + STAMP_TAKES, SG_ACTIVITY_KERNEL, SG_STAMP_KERNEL);
}

/* What the harness leaves of a batch whose launches do nothing. */
static void add_harness(struct batch *batch)
{
    add_stamp(batch, 1000);
    for (uint64_t launch = 1; launch <= LAUNCHES; launch++) {
        add(batch, launch * PERIOD + 1000, launch * PERIOD + 2000, SG_ACTIVITY_COPY, NULL);
        add(batch, launch * PERIOD + 3000, launch * PERIOD + 9000, SG_ACTIVITY_SET, NULL);
        add_stamp(batch, launch * PERIOD + START_STAMP);
        add_stamp(batch, launch * PERIOD + END_STAMP);
    }
    add_stamp(batch, (LAUNCHES + 1) * PERIOD);
}

static enum sg_activity_kind kind_of(const char *name)
{
    return strcmp(name, "copy") == 0  ? SG_ACTIVITY_COPY
           : strcmp(name, "set") == 0 ? SG_ACTIVITY_SET
                                      : SG_ACTIVITY_KERNEL;
}

static void add_extra(struct batch *batch, const struct extra *extra)
{
    for (uint64_t launch = 1; launch <= LAUNCHES; launch++) {
        if (extra->where != EVERY && extra->where != launch)
            continue;
        const uint64_t base = launch * PERIOD;
        add(batch, base + extra->start_ns, base + extra->end_ns, kind_of(extra->name), extra->name);
        struct sg_activity *record = &batch->records[batch->count - 1];
        record->stream = extra->stream ? extra->stream : STREAM;
        record->context = extra->context ? extra->context : CONTEXT;
        record->graph = extra->graph;
    }
}

static int by_start(const void *left, const void *right)
{
    const struct sg_activity *a = left, *b = right;
    return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

static struct sg_seen_batch seen_of(struct batch *batch)
{
    qsort(batch->records, batch->count, sizeof(batch->records[0]), by_start);
    return (struct sg_seen_batch){
        .records = batch->records,
        .count = batch->count,
        .launches = LAUNCHES,
        .harness = {[SG_ACTIVITY_COPY] = LAUNCHES, [SG_ACTIVITY_SET] = LAUNCHES}};
}

TEST(honest_work_is_in_its_time)
{
    static const struct {
        const char *sentence;
        struct extra extra[MOST_EXTRA];
        double ns; /* of each timed launch */
        unsigned kernels;
        const char *names;
    } rows[] = {
        ROW("one kernel", LIST(WORK(EVERY, 12000, 20000, "_Z6matvecPf")), 8000, 1, "matvec"),
        ROW("a split product and its sum",
            LIST(WORK(EVERY, 12000, 20000, "splitk"), WORK(EVERY, 21000, 24000, "reduce")), 12000,
            2, "splitk; reduce"),
        ROW("the same kernel twice",
            LIST(WORK(EVERY, 12000, 20000, "_Z3addi"), WORK(EVERY, 21000, 24000, "_Z3addi")), 12000,
            2, "add x2"),
        ROW("a kernel that begins while the one before it still runs",
            LIST(WORK(EVERY, 12000, 20000, "a"), WORK(EVERY, 15000, 24000, "b")), 12000, 2, "a; b"),
        ROW("and one that ends before that one",
            LIST(WORK(EVERY, 12000, 30000, "a"), WORK(EVERY, 15000, 24000, "b")), 18000, 2, "a; b"),
        ROW("a first kernel that begins while the stamp still runs",
            LIST(WORK(EVERY, 10500, 20000, "early")), 9500, 1, "early"),
        ROW("as early as the stamp itself", LIST(WORK(EVERY, 10000, 20000, "early")), 10000, 1,
            "early"),
        ROW("a last one that ends a tick behind the beginning of the end stamp",
            LIST(WORK(EVERY, 12000, 50900, "late")), 38900, 1, "late"),
        ROW("a copy in, whose record ends wrongly when the launch is over, and a graph behind it",
            LIST(WORK(EVERY, 12000, 90000, "copy"), WORK(EVERY, 14000, 20000, "node", .graph = 7)),
            8000, 1, "node"),
        ROW("branches of a graph, each on a stream of its own",
            LIST(WORK(EVERY, 12000, 20000, "left", .stream = 20, .graph = 7),
                 WORK(EVERY, 12500, 22000, "right", .stream = 21, .graph = 7),
                 WORK(EVERY, 23000, 24000, "join", .stream = 13, .graph = 7)),
            12000, 3, "left; right; join"),
        ROW("a counter that is cleared first",
            LIST(WORK(EVERY, 12000, 13000, "set"), WORK(EVERY, 14000, 20000, "stream_k")), 8000, 1,
            "stream_k"),
        ROW("a copy alone", LIST(WORK(EVERY, 12000, 20000, "copy")), 8000, 0, ""),
        ROW("a kernel that is called like the harness's, but within the launch",
            LIST(WORK(EVERY, 12000, 20000, SG_READER_KERNEL)), 8000, 1, SG_READER_KERNEL),
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct batch batch = {.count = 0};
        struct sg_judged_batch judged;
        add_harness(&batch);
        for (size_t k = 0; k < MOST_EXTRA && rows[i].extra[k].name; k++)
            add_extra(&batch, &rows[i].extra[k]);
        SG_SCOPED(sg_text) launched = {0}, different = {0};
        for (size_t k = 0; k < MOST_EXTRA && rows[i].extra[k].name; k++)
            if (kind_of(rows[i].extra[k].name) == SG_ACTIVITY_KERNEL &&
                !strstr(sg_text_string(&different), rows[i].extra[k].name))
                sg_text_add(&different, rows[i].extra[k].name);
        struct sg_seen_batch seen = seen_of(&batch);
        seen.launched = &launched;
        sg_judge_batch(&seen, &judged);
        assert_string_equal(sg_text_string(&launched), sg_text_string(&different));
        if (judged.finding != SG_IN_PLACE)
            fail_msg("%s: finding %d: %s", rows[i].sentence, (int)judged.finding, judged.why.text);
        for (unsigned launch = 1; launch < LAUNCHES; launch++)
            if ((double)(judged.end_ns[launch] - judged.start_ns[launch]) != rows[i].ns)
                fail_msg("%s: launch %u takes %g ns", rows[i].sentence, launch,
                         (double)(judged.end_ns[launch] - judged.start_ns[launch]));
        assert_int_equal(judged.kernels, rows[i].kernels);
        assert_string_equal(judged.kernel_names, rows[i].names);
        assert_string_equal(judged.why.text, "");
    }
}

/* Beside a kernel `own` from 12 to 20 us in every launch. */
static const struct {
    const char *sentence;
    struct extra extra[MOST_EXTRA];
    enum sg_misplacement finding;
    const char *why;
} elsewhere[] = {
    ROW("on another stream, within the stamps",
        LIST(WORK(THIRD, 12000, 20000, "_Z3foov", .stream = 17)), SG_WORK_ASIDE,
        "kernel foo on stream 17, not the launch's (13), in launch 2 of 2"),
    ROW("a copy there", LIST(WORK(THIRD, 12000, 20000, "copy", .stream = 17)), SG_WORK_ASIDE,
        "a copy on stream 17, not the launch's (13), in launch 2 of 2"),
    ROW("a memory set there", LIST(WORK(SECOND, 12000, 20000, "set", .stream = 7)), SG_WORK_ASIDE,
        "a memory set on stream 7"),
    ROW("in another context, on a stream of the same number",
        LIST(WORK(SECOND, 12000, 20000, "foo", .stream = STREAM, .graph = 0, .context = 2)),
        SG_WORK_ASIDE, "kernel foo in context 2, not the launch's (1), in launch 1 of 2"),
    ROW("a graph in another context",
        LIST(WORK(SECOND, 12000, 20000, "foo", .stream = 20, .graph = 7, .context = 2)),
        SG_WORK_ASIDE, "kernel foo in context 2"),
    ROW("behind the end stamp", LIST(WORK(SECOND, 62300, 63000, "foo")), SG_WORK_BEHIND,
        "kernel foo began 12.3 us after the end stamp of launch 1 of 2"),
    ROW("and on another stream", LIST(WORK(SECOND, 62300, 63000, "foo", .stream = 17)),
        SG_WORK_BEHIND,
        "kernel foo began 12.3 us after the end stamp of launch 1 of 2 on stream 17, not the "
        "launch's (13)"),
    ROW("a graph there", LIST(WORK(FIRST, 62300, 63000, "foo", .stream = 17, .graph = 7)),
        SG_WORK_BEHIND, "after the end stamp of the warm-up launch"),
    ROW("behind the last of all", LIST(WORK(THIRD, 62300, 63000, "foo")), SG_WORK_BEHIND,
        "after the end stamp of launch 2 of 2"),
    ROW("even behind the stamp that closes the batch",
        LIST(WORK(THIRD, PERIOD + 5000, PERIOD + 6000, "foo")), SG_WORK_BEHIND,
        "began 55.0 us after"),
    ROW("beside the harness's work for the next launch", LIST(WORK(THIRD, 4000, 5000, "foo")),
        SG_WORK_BEHIND, "began 54.0 us after the end stamp of launch 1"),
    ROW("a branch of a graph that outlasts the end stamp",
        LIST(WORK(EVERY, 13000, 14000, "left", .stream = 20, .graph = 7),
             WORK(SECOND, 13000, 61000, "right", .stream = 21, .graph = 7)),
        SG_WORK_BEHIND, "kernel right ended 11.0 us after the end stamp of launch 1 of 2"),
    ROW("a tick is forgiven, two microseconds are not", LIST(WORK(SECOND, 13000, 52000, "foo")),
        SG_WORK_BEHIND, "ended 2.0 us after"),
    ROW("before the first stamp", LIST(WORK(FIRST, 5000, 6000, "foo")), SG_WORK_BEFORE,
        "kernel foo began 5.0 us before the first stamp: work of this variant or of an earlier "
        "one"),
    ROW("there on another stream", LIST(WORK(FIRST, 5000, 60000, "foo", .stream = 17)),
        SG_WORK_BEFORE, "before the first stamp on stream 17"),
    ROW("called like the harness's, on another stream",
        LIST(WORK(SECOND, 62000, 63000, SG_READER_KERNEL, .stream = 17)), SG_WORK_BEHIND,
        "kernel sg_read_flush began"),
    ROW("called like the harness's, which enqueued none",
        LIST(WORK(SECOND, 62000, 63000, SG_CHECK_KERNELS "rms")), SG_WORK_BEHIND,
        "kernel sg_check_rms began"),
    ROW("one copy more than the harness made", LIST(WORK(THIRD, 62000, 63000, "copy")),
        SG_WORK_BEHIND, "a copy began 12.0 us after"),
    ROW("one memory set more", LIST(WORK(THIRD, 62000, 63000, "set")), SG_WORK_BEHIND,
        "a memory set began"),
    ROW("the work of all launches in one", LIST(WORK(SECOND, 21000, 22000, "own")), SG_WORK_UNEVEN,
        "kernel own: x2 in launch 1 of 2, x1 in launch 2 of 2"),
    ROW("in the warm-up one", LIST(WORK(FIRST, 21000, 22000, "foo")), SG_WORK_UNEVEN,
        "kernel foo: x1 in the warm-up launch, x0 in launch 2 of 2"),
    ROW("in the last one", LIST(WORK(THIRD, 21000, 22000, "foo")), SG_WORK_UNEVEN,
        "kernel foo: x0 in the warm-up launch, x1 in launch 2 of 2"),
    ROW("as many kernels, but others",
        LIST(WORK(FIRST, 21000, 22000, "work"), WORK(SECOND, 21000, 22000, "skip"),
             WORK(THIRD, 21000, 22000, "skip")),
        SG_WORK_UNEVEN, "kernel work: x1 in the warm-up launch, x0 in launch 2 of 2"),
    ROW("a kernel called like the stamp", LIST(WORK(SECOND, 21000, 22000, SG_STAMP_KERNEL)),
        SG_STAMPS_FORGED, "9 kernels called sg_stamp ran; the harness launched 8"),
    ROW("of several things the first is told",
        LIST(WORK(SECOND, 62000, 63000, "foo"), WORK(THIRD, 62000, 63000, "bar")), SG_WORK_BEHIND,
        "launch 1 of 2; and 1 more such findings"),
};

TEST(work_elsewhere_is_named)
{
    for (size_t i = 0; i < COUNT(elsewhere); i++) {
        static const struct extra own = WORK(EVERY, 12000, 20000, "own");
        struct batch batch = {.count = 0};
        struct sg_judged_batch judged;
        add_harness(&batch);
        add_extra(&batch, &own);
        for (size_t k = 0; k < MOST_EXTRA && elsewhere[i].extra[k].name; k++)
            add_extra(&batch, &elsewhere[i].extra[k]);
        const struct sg_seen_batch seen = seen_of(&batch);
        sg_judge_batch(&seen, &judged);
        if (judged.finding != elsewhere[i].finding || !strstr(judged.why.text, elsewhere[i].why))
            fail_msg("%s: finding %d: %s", elsewhere[i].sentence, (int)judged.finding,
                     judged.why.text);
    }
}

/* A batch of one kernel a launch, to be changed. */
static void make_batch(struct batch *batch)
{
    static const struct extra own = WORK(EVERY, 12000, 20000, "own");
    *batch = (struct batch){.count = 0};
    add_harness(batch);
    add_extra(batch, &own);
}

static void expect(const char *sentence, const struct sg_seen_batch *seen,
                   enum sg_misplacement finding, const char *why)
{
    struct sg_judged_batch judged;
    sg_judge_batch(seen, &judged);
    if (judged.finding != finding || !strstr(judged.why.text, why))
        fail_msg("%s: finding %d: %s", sentence, (int)judged.finding, judged.why.text);
}

TEST(the_harness_has_what_it_enqueued)
{
    static const struct extra reader = WORK(EVERY, 3000, 9000, SG_READER_KERNEL),
                              check = WORK(EVERY, 60000, 61000, SG_CHECK_KERNELS "keep");
    struct batch batch;
    make_batch(&batch);
    add_extra(&batch, &reader);
    add_extra(&batch, &check);
    struct sg_seen_batch seen = seen_of(&batch);
    seen.harness[SG_ACTIVITY_KERNEL] = 2 * LAUNCHES;
    expect("its kernels between the launches", &seen, SG_IN_PLACE, "");
    seen.harness[SG_ACTIVITY_KERNEL] = 2 * LAUNCHES - 1;
    expect("one more than it enqueued", &seen, SG_WORK_BEHIND,
           "kernel sg_check_keep began 10.0 us after the end stamp of launch 2 of 2");
    seen.harness[SG_ACTIVITY_KERNEL] = 2 * LAUNCHES;
    seen.harness[SG_ACTIVITY_SET] = LAUNCHES - 1;
    expect("a memory set that it did not enqueue", &seen, SG_WORK_BEHIND, "a memory set began");
}

TEST(calls_to_the_host_are_refused)
{
    struct batch batch;
    make_batch(&batch);
    struct sg_seen_batch seen = seen_of(&batch);
    seen.host_call = "cuLaunchHostFunc";
    expect("a host function", &seen, SG_WORK_ON_HOST, "called cuLaunchHostFunc");
}

TEST(kernels_that_can_launch_are_refused)
{
    struct batch batch;
    make_batch(&batch);
    for (size_t i = 0; i < batch.count; i++)
        batch.records[i].may_launch =
            batch.records[i].name && strcmp(batch.records[i].name, "own") == 0;
    struct sg_seen_batch seen = seen_of(&batch);
    expect("from the device", &seen, SG_WORK_OF_DEVICE,
           "kernel own can launch work from the device in the warm-up launch, and no time includes "
           "that work");
}

TEST(a_first_batch_may_set_up)
{
    static const struct extra once = WORK(FIRST, 21000, 22000, "set_up"),
                              later = WORK(SECOND, 21000, 22000, "set_up");
    static const struct extra aside = WORK(FIRST, 21000, 22000, "set_up", .stream = 17);
    static const struct extra behind = WORK(FIRST, 61000, 62000, "set_up", .stream = 17);
    struct batch batch;
    make_batch(&batch);
    add_extra(&batch, &once);
    struct sg_seen_batch seen = seen_of(&batch);
    expect("in any batch but the first", &seen, SG_WORK_UNEVEN, "set_up");
    seen.first = true;
    expect("in the warm-up launch of the first", &seen, SG_IN_PLACE, "");
    make_batch(&batch);
    add_extra(&batch, &aside);
    seen = seen_of(&batch);
    expect("on another stream in any batch but the first", &seen, SG_WORK_ASIDE,
           "set_up on stream 17");
    seen.first = true;
    expect("there in the first", &seen, SG_IN_PLACE, "");
    make_batch(&batch);
    add_extra(&batch, &behind);
    seen = seen_of(&batch);
    seen.first = true;
    expect("but not for longer than the launch", &seen, SG_WORK_BEHIND, "set_up began");
    make_batch(&batch);
    add_extra(&batch, &later);
    seen = seen_of(&batch);
    seen.first = true;
    expect("but not in a timed one", &seen, SG_WORK_UNEVEN, "set_up");
}

TEST(stamps_tell_the_launches)
{
    struct batch batch;
    make_batch(&batch);
    struct sg_seen_batch seen = seen_of(&batch);
    batch.records[0].stream = 17;
    expect("a stamp on another stream than the rest", &seen, SG_STAMPS_FORGED,
           "a kernel called sg_stamp ran on stream 13, not the launch's (17)");
    batch.records[0].stream = STREAM;
    seen.count--;
    expect("one too few", &seen, SG_STAMPS_FORGED,
           "7 kernels called sg_stamp ran; the harness launched 8");
}

TEST(work_that_is_still_under_way)
{
    struct batch batch;
    make_batch(&batch);
    /* It began before the batch was opened, at 1 us, and the first start stamp is at 110 us. */
    add(&batch, 500, 1500, SG_ACTIVITY_KERNEL, "leftover");
    struct sg_seen_batch seen = seen_of(&batch);
    expect("when the batch is opened", &seen, SG_WORK_BEFORE,
           "kernel leftover began 109.5 us before the first stamp");
    make_batch(&batch);
    add(&batch, 500, 2 * PERIOD, SG_ACTIVITY_COPY,
        NULL); /* the opening stamp follows on its stream */
    seen = seen_of(&batch);
    expect("a copy with a wrong end", &seen, SG_IN_PLACE, "");
}

/* Each launch's copy has a second part behind the first one, by this call or by another. */
TEST(a_copy_may_be_done_in_parts)
{
    for (uint32_t another = 0; another < 2; another++) {
        struct batch batch;
        make_batch(&batch);
        for (size_t i = 0; i < batch.count; i++)
            batch.records[i].correlation = (uint32_t)i + 1;
        for (size_t i = 0, count = batch.count; i < count; i++) {
            const struct sg_activity copy = batch.records[i];
            if (copy.kind != SG_ACTIVITY_COPY)
                continue;
            add(&batch, copy.end_ns, copy.end_ns + 500, SG_ACTIVITY_COPY, NULL);
            batch.records[batch.count - 1].correlation = copy.correlation + another * 100;
        }
        const struct sg_seen_batch seen = seen_of(&batch);
        if (another)
            expect("of another call", &seen, SG_WORK_BEHIND, "a copy began");
        else
            expect("of one call", &seen, SG_IN_PLACE, "");
    }
}
