/*
 * ab/ab_internal.h: compares two commands, or one command whose NVTX ranges alternate, kernel by
 * kernel, and each range as a whole.
 *
 * Commands are started in pairs, A B or B A as drawn (ab/program_starts.h). Each such pair is one
 * value (stats/abba.h); pairs are added until a verdict is reached (stats/sequential.h). The
 * sides share only the machine, so the interval covers all differences between starts of one
 * program.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "ab/ab_internal.h"
#include "ab/kernel_pairs.h"
#include "ab/program_starts.h"
#include "exec/traced_items.h"
#include "import/imported_run.h"
#include "results/row_kind.h"
#include "run/execution.h"
#include "stats/tails.h"
#include "util/hypot.h"
#include "util/version.h"

#define FAMILY      "exec"
#define NAMED_MOST  3 /* kernels of one side named in the note; rows name all */
#define TURNS_LEAST 4 /* minimum number of turns of NVTX ranges in each case of one program */

enum { BASELINE, CANDIDATE, SIDES };
static const char *const side_word[SIDES] = {"baseline", "candidate"};
static const char *const side_range[SIDES] = {"solgate:baseline", "solgate:candidate"};

/* One pair of the gate. */
struct row {
    size_t item[SIDES];
    const char *case_;     /* names in run.csv; borrowed, of both sides */
    char *variant, *other; /* owned: of the candidate, of the baseline */
};

/* Ranges of both sides in one case of one program, and turns among them. */
struct turns {
    uint64_t begun, turns;
};

struct programs {
    const struct sg_ab_options *options;
    struct sg_gate gate;
    struct sg_program_starts starts;
    struct sg_traced_filter filter;
    struct sg_names argv[SIDES]; /* owned; the second is empty if one program has both sides */
    struct sg_traced_items side[SIDES];
    struct sg_gathering names[SIDES]; /* owned; names of the items */
    size_t now;                       /* the side that is being started */
    struct sg_intern_pool *cases;     /* owned */
    struct turns *turns;              /* owned; indexed by case number */
    size_t turns_capacity;
    struct sg_text complaint; /* owned */
    struct row *rows;         /* owned; parallel to gate.pairs */
    size_t small;             /* kernels judged only with their range */
    struct sg_progress progress;
};

static bool is_one_program(const struct programs *p)
{
    return p->argv[CANDIDATE].count == 0;
}

/* ---- starts ---- */

/* Parses "solgate:baseline/CASE" into side and case. False: the range belongs to neither side. */
static bool find_side(const char *range, size_t *side, const char **case_)
{
    for (*side = 0; *side < SIDES; ++*side) {
        const size_t length = strlen(side_range[*side]);
        if (strncmp(range, side_range[*side], length) == 0 &&
            (range[length] == '/' || range[length] == '\0')) {
            *case_ = range[length] ? range + length + 1 : "";
            return true;
        }
    }
    return false;
}

static void take_turns(struct programs *p, const struct sg_trace_name *name)
{
    const char *case_;
    size_t side;
    if (name->begun == 0 || !find_side(name->text, &side, &case_))
        return;
    const size_t number = sg_intern(&p->cases, case_), before = p->turns_capacity;
    p->turns = sg_grow(p->turns, &p->turns_capacity, number + 1, sizeof(*p->turns));
    memset(p->turns + before, 0, (p->turns_capacity - before) * sizeof(*p->turns));
    p->turns[number].begun += name->begun;
    p->turns[number].turns += name->turns;
}

static enum sg_code take(void *given, const struct sg_trace *trace, struct sg_err *err)
{
    struct programs *p = given;
    sg_exec_complaint(trace, &p->complaint);
    for (size_t i = 0; i < trace->name_count && is_one_program(p); i++)
        take_turns(p, trace->names[i]);
    for (size_t i = 0; i < trace->series_count; i++) {
        const struct sg_trace_series *series = trace->series[i];
        const char *range = trace->names[series->key.range]->text;
        size_t side = p->now;
        if ((!is_one_program(p) || find_side(range, &side, &range)) &&
            sg_traced_is_wanted(&p->filter, range, trace->names[series->key.symbol]->text))
            sg_traced_items_add_series(&p->side[side], range, trace, series);
    }
    return err->code;
}

/* In the order A B B A the number of turns is half the number of ranges, plus one. */
static enum sg_code check_turns(const struct programs *p, struct sg_err *err)
{
    struct turns none = {0};
    const struct turns *bad = NULL;
    size_t seen = 0, number = 0;
    for (size_t i = 0; i < p->turns_capacity && !bad; i++) {
        const struct turns *of = &p->turns[i];
        seen += of->begun > 0;
        if (of->begun > 0 && (of->turns < TURNS_LEAST || 2 * of->turns < of->begun))
            bad = &p->turns[number = i];
    }
    if (!is_one_program(p) || (seen > 0 && !bad))
        return SG_SUCCESS;
    bad = bad ? bad : &none;
    const char *case_ = number > 0 ? sg_intern_pool_string(p->cases, (sg_id)number) : "";
    return sg_fail(err, SG_INVALID, p->argv[BASELINE].items[0],
                   "expected NVTX ranges %s and %s that alternate, A B B A or A B, at least %d, "
                   "found %llu ranges with %llu turns%s%s",
                   side_range[BASELINE], side_range[CANDIDATE], TURNS_LEAST,
                   (unsigned long long)bad->begun, (unsigned long long)bad->turns,
                   *case_ ? " in case " : "", case_);
}

static enum sg_code start(struct programs *p, size_t side, unsigned number, struct sg_err *err)
{
    const struct sg_program_side program = {.word = side_word[side],
                                            .name = is_one_program(p) ? p->argv[side].items[0]
                                                                      : side_word[side],
                                            .argv = p->argv[side].items};
    p->now = side;
    if (sg_program_starts_take(&p->starts, &program, number, take, p, err) != SG_SUCCESS)
        return err->code;
    sg_progress_step(&p->progress);
    if (p->complaint.length > 0)
        return sg_fail(err, SG_INVALID, side_word[side], "%s", p->complaint.data);
    return check_turns(p, err);
}

static enum sg_code start_both(struct programs *p, unsigned number, struct sg_err *err)
{
    const size_t first = p->gate.pairs.orders >> number & 1;
    for (size_t side = 0; side < SIDES; side++) {
        p->side[side].gathering = &p->names[side];
        sg_traced_items_clear(&p->side[side]);
    }
    if (is_one_program(p))
        start(p, BASELINE, number, err);
    else if (start(p, first, number, err) == SG_SUCCESS)
        start(p, SIDES - 1 - first, number, err);
    for (size_t side = 0; side < SIDES; side++)
        sg_kernels_end_start(&p->side[side], number, (unsigned)p->options->percentile);
    return err->code;
}

/* ---- pairs ---- */

static const struct sg_traced_item *item_of(const struct programs *p, const struct row *row,
                                            size_t side)
{
    return &p->side[side].items[row->item[side]];
}

static void take_value(struct programs *p, size_t pair, unsigned number)
{
    const struct sg_traced_item *base = item_of(p, &p->rows[pair], BASELINE),
                                *cand = item_of(p, &p->rows[pair], CANDIDATE);
    if (base->starts != number + 1 || cand->starts != number + 1) {
        p->gate.pairs.pairs[pair].dead = true;
        return;
    }
    const struct sg_process_value then = base->start[number], now = cand->start[number];
    sg_sequential_take(
        &p->gate.pairs, pair,
        (struct sg_process_value){.y = now.y - then.y,
                                  .blocks_se = sg_hypot(now.blocks_se, then.blocks_se)});
}

static enum sg_code measure_start(void *context, unsigned number, const size_t *pairs, size_t count,
                                  struct sg_sequential *engine, struct sg_err *err)
{
    struct programs *p = context;
    (void)engine;
    if (start_both(p, number, err) == SG_SUCCESS)
        for (size_t i = 0; i < count; i++)
            take_value(p, pairs[i], number);
    return err->code;
}

/* The name in run.csv, freed by the caller. */
static char *variant_of(const struct programs *p, size_t side, const struct sg_traced_item *item)
{
    struct sg_text name = {0};
    sg_gathered_variant(&p->names[side], item->row, &name);
    return name.data;
}

static void make_row(struct programs *p, size_t candidate)
{
    const struct sg_traced_item *item = &p->side[CANDIDATE].items[candidate];
    struct row *row = &p->rows[p->gate.pairs.count];
    *row = (struct row){.item = {item->partner, candidate},
                        .case_ = sg_gathered_case(&p->names[CANDIDATE], item->row),
                        .variant = variant_of(p, CANDIDATE, item)};
    p->gate.pairs.pairs[p->gate.pairs.count++] =
        (struct sg_sequential_pair){.tolerance = p->options->settings.tolerance};
}

static bool is_variant(const struct programs *p, const char *case_, const char *name)
{
    for (size_t i = 0; i < p->gate.pairs.count; i++)
        if (strcmp(p->rows[i].case_, case_) == 0 && strcmp(p->rows[i].variant, name) == 0)
            return true;
    return false;
}

/* Names the row's baseline; the name differs from all kernels of the case. */
static void name_other(const struct programs *p, struct row *row)
{
    struct sg_text other = {0};
    SG_FORMATTED(name, "%s" SG_OTHER_SUFFIX, row->variant);
    sg_add_imported_name(&other, name.data,
                         is_variant(p, row->case_, name.data) ? side_word[BASELINE] : NULL);
    row->other = other.data;
}

/* Makes rows of kernels that both sides launched and that take a notable share on either side. */
static void make_rows(struct programs *p)
{
    const struct sg_traced_items *base = &p->side[BASELINE], *cand = &p->side[CANDIDATE];
    p->rows = sg_alloc(cand->count + 1, sizeof(*p->rows));
    p->gate.pairs.pairs = sg_alloc(cand->count + 1, sizeof(*p->gate.pairs.pairs));
    p->gate.pairs.lambda = 1;
    for (size_t i = 0; i < cand->count; i++) {
        const struct sg_traced_item *item = &cand->items[i];
        if (item->partner == SG_NO_PARTNER)
            continue;
        if (fmax(sg_kernel_share(cand, item), sg_kernel_share(base, &base->items[item->partner])) >=
            SG_SHARE_LEAST)
            make_row(p, i);
        else
            p->small++;
    }
    for (size_t i = 0; i < p->gate.pairs.count; i++) {
        p->gate.pairs.pairs[i].rows = (unsigned)p->gate.pairs.count;
        name_other(p, &p->rows[i]);
    }
}

static enum sg_code measure(struct sg_gate *gate, struct sg_err *err)
{
    struct programs *p = gate->context;
    const unsigned of_pair = is_one_program(p) ? 1 : 2;
    SG_FORMATTED(what, "time: %u to %u starts", 5 * of_pair, SG_SEQUENTIAL_PROCESSES_MAX * of_pair);
    sg_progress_init(&p->progress);
    sg_progress_phase(&p->progress, "time", (size_t)of_pair * SG_SEQUENTIAL_PROCESSES_MAX,
                      what.data);
    if (start_both(p, 0, err) == SG_SUCCESS) {
        sg_kernels_match(&p->side[BASELINE], &p->side[CANDIDATE]);
        make_rows(p);
        for (size_t i = 0; i < p->gate.pairs.count; i++)
            take_value(p, i, 0);
        sg_sequential_run(&p->gate.pairs,
                          &(struct sg_measurer){.context = p, .measure = measure_start}, err);
        sg_kernels_match(&p->side[BASELINE], &p->side[CANDIDATE]);
    }
    sg_progress_end(&p->progress);
    if (err->code == SG_SUCCESS && gate->pairs.count == 0)
        sg_fail(err, SG_INVALID, gate->folder.data,
                "expected kernels that both sides launch%s, found none",
                is_one_program(p) ? ", in ranges solgate:baseline and solgate:candidate" : "");
    return err->code;
}

/* ---- rows ---- */

static const char *note_of(struct sg_gate *gate, size_t pair)
{
    const struct programs *p = gate->context;
    const struct sg_traced_item *base = item_of(p, &p->rows[pair], BASELINE),
                                *cand = item_of(p, &p->rows[pair], CANDIDATE);
    SG_SCOPED(sg_choices) then = {.starts = 0}, now = {.starts = 0};
    SG_SCOPED(sg_text) note = {0};
    if (base->code != 0 && base->code == cand->code)
        sg_text_add(&note, SG_SAME_CODE);
    if (strcmp(base->symbol, cand->symbol) != 0)
        sg_text_addf(sg_text_next(&note), "%s, and was %s", cand->symbol, base->symbol);
    if (strcmp(base->geometry, cand->geometry) != 0)
        sg_text_addf(sg_text_next(&note), "%s, and was %s", cand->geometry, base->geometry);
    else if (base->launches != cand->launches)
        sg_text_addf(sg_text_next(&note), "%llu launches, the baseline %llu",
                     (unsigned long long)cand->launches, (unsigned long long)base->launches);
    sg_kernels_choices(&p->side[BASELINE], p->rows[pair].item[BASELINE], &then);
    sg_kernels_choices(&p->side[CANDIDATE], p->rows[pair].item[CANDIDATE], &now);
    sg_choices_add_pinned(&then, &now, is_one_program(p), p->options->settings.tolerance, &note);
    return note.length > 0 ? sg_reason(&gate->comparison, "%s", note.data) : NULL;
}

/* A row that is not judged. A kernel is judged with its range; a range that one side lacks, or that
 * is missing in some starts, is invalid. */
static struct sg_gate_row unjudged(struct sg_gate *gate, const char *case_, const char *variant,
                                   bool is_whole, const char *why)
{
    return (struct sg_gate_row){.family = FAMILY,
                                .case_ = sg_reason(&gate->comparison, "%s", case_),
                                .variant = sg_reason(&gate->comparison, "%s", variant),
                                .pair = SG_NO_PAIR,
                                .refused = is_whole ? SG_INVALID_VALUE : SG_REFUSES,
                                .is_informational = !is_whole,
                                .one_sided = !is_whole,
                                .why = sg_reason(&gate->comparison, "%s", why)};
}

/* The option that runs the row alone. */
static const char *option_of_row(struct sg_gate *gate, const struct sg_traced_item *item)
{
    if (!sg_traced_is_whole(item))
        return "--kernel=REGEX";
    return *item->range ? sg_reason(&gate->comparison, "--range=%s", item->range) : "";
}

static void add_row(struct sg_gate *gate, size_t pair)
{
    const struct programs *p = gate->context;
    const struct row *row = &p->rows[pair];
    const struct sg_traced_item *cand = item_of(p, row, CANDIDATE);
    const unsigned percentile = sg_traced_is_whole(cand) ? 0 : (unsigned)p->options->percentile;
    SG_FORMATTED(why, "not launched in each start");
    if (percentile > 0)
        sg_text_addf(&why, " at least %zu times, as percentile %u needs",
                     sg_percentile_least(percentile), percentile);
    struct sg_gate_row made = unjudged(gate, row->case_, row->variant,
                                       sg_traced_is_whole(cand) || percentile > 0, why.data);
    made.one_sided = false;
    if (!gate->pairs.pairs[pair].dead)
        made = (struct sg_gate_row){.family = FAMILY,
                                    .case_ = made.case_,
                                    .variant = made.variant,
                                    .pair = pair,
                                    .alone = option_of_row(gate, cand),
                                    .note = note_of(gate, pair)};
    sg_gate_add(gate, &made);
}

static bool is_unshared(const struct sg_traced_item *item)
{
    return item->partner == SG_NO_PARTNER && item->in != 0;
}

static void add_unshared(struct sg_gate *gate, size_t side)
{
    const struct programs *p = gate->context;
    for (size_t i = 0; i < p->side[side].count; i++) {
        const struct sg_traced_item *item = &p->side[side].items[i];
        const bool is_whole = sg_traced_is_whole(item),
                   is_late = side == CANDIDATE && sg_range_is_late(&p->side[BASELINE], item),
                   lacks_percentile = p->options->percentile > 0 && item->share >= SG_SHARE_LEAST;
        SG_SCOPED(sg_text) why = {0};
        SG_FREED char *variant = variant_of(p, side, item);
        if (!is_unshared(item) && !is_late)
            continue;
        if (is_late)
            sg_text_add(&why, "not launched in the first start of each side");
        else if (is_whole)
            sg_text_addf(&why,
                         "only the %s has this range: give both sides the same ranges, or name one "
                         "by --range",
                         side_word[side]);
        else
            sg_text_addf(&why, "only the %s launches it: %.3g %% of the time of its range%s",
                         side_word[side], 100 * item->share,
                         lacks_percentile ? ", and the range has no percentile" : "");
        const struct sg_gate_row row =
            unjudged(gate, sg_gathered_case(&p->names[side], item->row),
                     is_whole ? SG_WHOLE_RANGE : variant, is_whole || lacks_percentile, why.data);
        sg_gate_add(gate, &row);
    }
}

static void add_rows(struct sg_gate *gate)
{
    for (size_t i = 0; i < gate->pairs.count; i++)
        add_row(gate, i);
    add_unshared(gate, BASELINE);
    add_unshared(gate, CANDIDATE);
}

/* Names up to three; the rows list all. */
static void note_unshared(const struct programs *p, struct sg_text *note)
{
    size_t count = 0;
    for (size_t side = 0; side < SIDES; side++)
        for (size_t i = 0; i < p->side[side].count; i++) {
            const struct sg_traced_item *item = &p->side[side].items[i];
            if (!is_unshared(item) || sg_traced_is_whole(item) || ++count > NAMED_MOST)
                continue;
            sg_text_addf(note, "%s%s/%s (%s, %.3g %%)",
                         count > 1 ? ", " : "; not judged, as only one side launches it: ",
                         *item->range ? item->range : SG_NO_RANGE,
                         sg_gathered_word(&p->names[side], item->row), side_word[side],
                         100 * item->share);
        }
    if (count > NAMED_MOST)
        sg_text_addf(note, " and %zu more", count - NAMED_MOST);
}

static void add_note(const struct programs *p, struct sg_text *note)
{
    sg_text_addf(note,
                 is_one_program(p) ? "ranges of one program, alternating: %u starts"
                                   : "fresh processes, alternating: %u starts of each side",
                 p->side[BASELINE].items[0].starts);
    if (p->options->percentile > 0)
        sg_text_addf(note, "; times of kernels: percentile %u of the launches of each start",
                     (unsigned)p->options->percentile);
    if (p->small > 0)
        sg_text_addf(note, "; %zu kernel%s below %g %% of %s range: judged only as a part of it",
                     p->small, SG_PLURAL(p->small), 100 * SG_SHARE_LEAST,
                     p->small == 1 ? "its" : "their");
    note_unshared(p, note);
}

/* ---- the run ---- */

static void add_item(const struct programs *p, size_t pair, size_t side, struct sg_table *table)
{
    const struct row *row = &p->rows[pair];
    const struct sg_traced_item *item = item_of(p, row, side);
    const struct sg_value names = {.family = FAMILY,
                                   .case_ = row->case_,
                                   .variant = side == CANDIDATE ? row->variant : row->other,
                                   .status = SG_OK};
    double ln_ns[SG_SEQUENTIAL_PROCESSES_MAX];
    SG_SCOPED(sg_choices) choices = {.starts = 0};
    SG_FORMATTED(note, "%s%s%s", item->symbol, *item->symbol ? ", " : "all kernels of the range",
                 item->geometry);
    if (!p->gate.pairs.pairs[pair].dead)
        sg_kernels_choices(&p->side[side], row->item[side], &choices);
    sg_choices_name(&choices, &note);
    SG_FORMATTED(code, "%016llx", (unsigned long long)item->code);
    sg_table_add_words(table, names, "status", SG_OK, "");
    sg_table_add_words(table, names, "role", SG_OK,
                       sg_role_word(side == CANDIDATE ? SG_CANDIDATE : SG_BASELINE));
    sg_table_add_words(table, names, "note", SG_OK, note.data);
    if (item->code != 0)
        sg_table_add_words(table, names, SG_CODE_METRIC, SG_OK, code.data);
    for (unsigned i = 0; i < item->starts; i++)
        ln_ns[i] = item->start[i].y;
    if (item->starts > 0)
        sg_rows_add_time(table, &names, ln_ns, item->starts);
    sg_table_add_number(table, names, SG_LAUNCHES_METRIC, "1", (double)item->launches);
}

static void add_pair(const struct programs *p, size_t pair, struct sg_table *table)
{
    const struct sg_sequential_pair *of = &p->gate.pairs.pairs[pair];
    const struct row *row = &p->rows[pair];
    const struct sg_value item = {.family = FAMILY, .case_ = row->case_, .variant = row->variant};
    add_item(p, pair, BASELINE, table);
    add_item(p, pair, CANDIDATE, table);
    if (!of->dead && of->estimate.n >= SG_PROCESSES_MIN)
        sg_rows_add_ratio(table, &item, "time_ratio", &of->estimate, row->other);
}

/* Sum of the machine-code digests of a side's kernels. */
static uint64_t code_of(const struct sg_traced_items *side)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < side->count; i++)
        sum += side->items[i].code;
    return sum;
}

/* Sets the facts that a run begins with, and that a resumed run must have. */
static void set_facts(const struct programs *p, struct sg_env *facts)
{
    const struct sg_ab_options *options = p->options;
    sg_env_set(facts, "tool_version", sg_version());
    sg_env_set(facts, "commit", sg_commit());
    sg_gate_set_facts(options, p->gate.names, facts);
    sg_env_set(facts, "command", options->command);
    if (options->percentile > 0)
        sg_env_setf(facts, "percentile", "%u", (unsigned)options->percentile);
    if (options->seed_given || !options->resume)
        sg_env_setf(facts, "seed", "%" PRIu64, options->seed);
}

static enum sg_code write_run(struct programs *p, struct sg_err *err)
{
    SG_SCOPED(sg_table) table = {0};
    struct sg_env *facts = &p->starts.facts;
    sg_env_setf(facts, "baseline_code", "%016llx", (unsigned long long)code_of(&p->side[BASELINE]));
    sg_env_setf(facts, "candidate_code", "%016llx",
                (unsigned long long)code_of(&p->side[CANDIDATE]));
    sg_env_set(facts, "state", "finished");
    for (size_t i = 0; i < p->gate.pairs.count; i++)
        add_pair(p, i, &table);
    const struct sg_imported_run run = {.tool = "exec",
                                        .source = p->options->command,
                                        .gpu_name = sg_env_get(facts, "gpu_name"),
                                        .facts = facts};
    return sg_imported_run_write(&run, p->gate.folder.data, p->gate.folder.data, &table, err);
}

static enum sg_code finish(struct sg_gate *gate, struct sg_err *err)
{
    add_note(gate->context, &gate->note);
    return write_run(gate->context, err);
}

static enum sg_code split_commands(struct programs *p, struct sg_err *err)
{
    const char *const commands[SIDES] = {p->options->baseline, p->options->candidate};
    for (size_t side = 0; side < SIDES && err->code == SG_SUCCESS; side++) {
        p->gate.names[side] = commands[CANDIDATE] ? commands[side] : side_range[side];
        if (commands[side])
            sg_names_add_command(&p->argv[side], commands[side], err);
    }
    return err->code;
}

/* A run that is resumed keeps its seed. */
static enum sg_code draw_orders(struct programs *p, struct sg_err *err)
{
    uint64_t seed = p->options->seed;
    const char *begun = sg_env_get(&p->starts.facts, "seed");
    if (begun && !sg_parse_u64(begun, &seed))
        return sg_env_fail(err, &p->starts.facts, "seed", "expected a whole number, found '%s'",
                           sg_show_string(begun).text);
    p->gate.pairs.orders = sg_sequential_orders(seed);
    return SG_SUCCESS;
}

static void run(struct programs *p, int *exit_code, struct sg_err *err)
{
    const struct sg_ab_options *options = p->options;
    p->starts = (struct sg_program_starts){
        .folder = p->gate.folder.data,
        .deadline_s = options->given.deadline ? options->settings.deadline : SG_DEADLINE_PROGRAM_S};
    set_facts(p, &p->starts.facts);
    if (sg_program_starts_open(&p->starts, options->resume, err) == SG_SUCCESS &&
        draw_orders(p, err) == SG_SUCCESS)
        sg_gate_run(&p->gate, exit_code, err);
    sg_program_starts_close(&p->starts, err);
}

enum sg_code sg_ab_programs_run(const struct sg_ab_options *options, int *exit_code,
                                struct sg_err *err)
{
    static const struct sg_gate_engine engine = {
        .measure = measure, .add_rows = add_rows, .finish = finish};
    struct programs p = {.options = options,
                         .gate = {.options = options, .engine = &engine, .base = "baseline"}};
    p.gate.context = &p;
    sg_text_add(&p.gate.folder, options->out);
    if (split_commands(&p, err) == SG_SUCCESS &&
        sg_traced_filter_make(options->range, options->kernel, &p.filter, err) == SG_SUCCESS)
        run(&p, exit_code, err);
    return err->code;
}
