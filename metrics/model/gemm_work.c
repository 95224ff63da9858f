#include "model/gemm_work.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define SIZE_MOST (UINT64_C(1) << 48)

enum { M, N, K, SCALE_BLOCK, SCALE_BYTES, SCALE_ROWS, SIZES };

static const struct {
    const char *name, *meaning; /* meaning NULL: the size is optional */
} sizes[SIZES] = {
    [M] = {"m", "rows of A and D"},     [N] = {"n", "rows of B, columns of D"},
    [K] = {"k", "columns of A and B"},  [SCALE_BLOCK] = {"scale_block", 0},
    [SCALE_BYTES] = {"scale_bytes", 0}, [SCALE_ROWS] = {"scale_rows", 0},
};

/* Each size is a list: one number per group, or one for all groups. */
struct given {
    double *each[SIZES]; /* owned; NULL: not given */
    size_t count[SIZES];
    size_t groups;
};

/* Index of the size whose name is `word` up to its `=`; SIZES: unknown. */
static int find_size(const char *word)
{
    const size_t length = strcspn(word, "=");
    int i = 0;
    while (i < SIZES &&
           (strlen(sizes[i].name) != length || strncmp(sizes[i].name, word, length) != 0))
        i++;
    return i;
}

static enum sg_code take_number(int which, const char *word, double *out, struct sg_err *err)
{
    uint64_t number = 0;
    if (!sg_parse_u64(word, &number) || number < 1 || number > SIZE_MOST)
        return sg_fail(err, SG_BAD_USAGE, "gemm",
                       "%s: expected a whole number from 1 to %" PRIu64 ", found '%s'",
                       sizes[which].name, SIZE_MOST, sg_show_string(word).text);
    *out = (double)number;
    return SG_SUCCESS;
}

/* One NAME=NUMBER,... */
static enum sg_code take_size(const char *word, struct given *given, struct sg_err *err)
{
    const int which = find_size(word);
    size_t capacity = 0;
    if (which == SIZES || !strchr(word, '='))
        return sg_fail(err, SG_BAD_USAGE, "gemm",
                       "expected NAME=N of the sizes " SG_GEMM_SIZES ", found '%s'",
                       sg_show_string(word).text);
    if (given->count[which] > 0)
        return sg_fail(err, SG_BAD_USAGE, "gemm", "expected %s once, found it twice",
                       sizes[which].name);
    char *copy = sg_copy_string(strchr(word, '=') + 1), *rest = copy;
    for (const char *number; err->code == SG_SUCCESS && (number = strsep(&rest, ",")) != NULL;)
        take_number(which, number, SG_APPEND(given->each[which], given->count[which], capacity),
                    err);
    given->groups = given->count[which] > given->groups ? given->count[which] : given->groups;
    return err->code;
}

static enum sg_code check_given(const struct given *given, struct sg_err *err)
{
    for (int i = 0; i < SIZES; i++) {
        if (given->count[i] == 0 && sizes[i].meaning)
            return sg_fail(err, SG_BAD_USAGE, "gemm", "%s=N is missing: %s", sizes[i].name,
                           sizes[i].meaning);
        if (given->count[i] > 1 && given->count[i] != given->groups)
            return sg_fail(err, SG_BAD_USAGE, "gemm",
                           "%s: expected %zu numbers, one per group, or one for all, found %zu",
                           sizes[i].name, given->groups, given->count[i]);
    }
    return SG_SUCCESS;
}

/* A partial block of k has a scale too, for each row of A and each SCALE_ROWS rows of B. */
static void add_group(const double *s, const struct sg_dtype_name *in, enum sg_dtype out,
                      struct sg_work *work)
{
    work->flop[in->dtype] += 2 * s[M] * s[N] * s[K];
    work->read_bytes += (double)sg_dtype_bits(in->dtype) / 8 * (s[M] + s[N]) * s[K];
    work->write_bytes += (double)sg_dtype_bits(out) / 8 * s[M] * s[N];
    if (s[SCALE_BLOCK] > 0)
        work->read_bytes +=
            (s[M] + ceil(s[N] / s[SCALE_ROWS])) * ceil(s[K] / s[SCALE_BLOCK]) * s[SCALE_BYTES];
}

static void add_groups(const struct given *given, const struct sg_dtype_name *in, enum sg_dtype out,
                       struct sg_work *work)
{
    for (size_t group = 0; group < given->groups; group++) {
        double size[SIZES] = {
            [SCALE_BLOCK] = (double)in->block, [SCALE_BYTES] = 1, [SCALE_ROWS] = 1};
        for (int i = 0; i < SIZES; i++)
            if (given->count[i] > 0)
                size[i] = given->each[i][given->count[i] == 1 ? 0 : group];
        add_group(size, in, out, work);
    }
}

enum sg_code sg_gemm_work(const char *const *words, size_t count, const struct sg_dtype_name *in,
                          enum sg_dtype out, struct sg_work *work, struct sg_text *shape,
                          struct sg_err *err)
{
    struct given given = {.groups = 1};
    *work = (struct sg_work){0};
    for (size_t i = 0; i < count && err->code == SG_SUCCESS; i++)
        take_size(words[i], &given, err);
    if (err->code == SG_SUCCESS && check_given(&given, err) == SG_SUCCESS) {
        add_groups(&given, in, out, work);
        for (size_t i = 0; i < count; i++)
            sg_text_addf(shape, "%s%s", i > 0 ? " " : "", words[i]);
    }
    return err->code;
}
