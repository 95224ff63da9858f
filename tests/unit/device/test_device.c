/* device/device.h: comparing on the device finds the first byte that differs. On the null device,
 * and on a GPU where there is one. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "device/device.h"
#include "util/text.h"

#define BYTES 3000001u

/* Of two arrays that differ at `low` and `high`, from byte `from` on; a place of
 * `from` + `bytes` or more is outside. */
static const struct {
    const char *sentence;
    uint64_t from, bytes, low, high, first;
} rows[] = {
    {"no byte at all", 0, 0, 0, 0, 0},
    {"equal", 0, BYTES - 1, BYTES - 1, BYTES - 1, BYTES - 1},
    {"the first byte", 0, BYTES, 0, BYTES - 1, 0},
    {"the last byte", 0, BYTES, BYTES - 1, BYTES - 1, BYTES - 1},
    {"the first of two, a step of the whole grid apart", 0, BYTES, 5, 5 + 1024 * 256, 5},
    {"the first of two neighbours", 0, BYTES, 777776, 777777, 777776},
    {"an array that begins at an odd byte", 3, BYTES - 3, 4, 2000000, 1},
    {"a byte before the array", 3, BYTES - 3, 2, 2, BYTES - 3},
    {"one byte", 0, 1, 0, 0, 0},
};

#define CUTS 3

/* The same memory in pieces of different sizes; a last one of all the rest. */
static void cut(const struct sg_stretch *whole, struct sg_stretch pieces[CUTS])
{
    uint64_t done = 0;
    for (size_t i = 0; i < CUTS; i++) {
        const uint64_t bytes = i == CUTS - 1 ? whole->bytes - done : whole->bytes / (3 * i + 2);
        pieces[i] =
            (struct sg_stretch){(char *)whole->to + done, (const char *)whole->from + done, bytes};
        done += bytes;
    }
}

static void check_device(struct sg_device *device)
{
    const struct sg_device_ops *ops = device->ops;
    unsigned char *host = test_calloc(BYTES, 1);
    enum sg_status status = SG_OK;
    struct sg_err err = {0};
    unsigned char *a = ops->alloc(device, BYTES, &status), *b = ops->alloc(device, BYTES, &status);
    assert_non_null(a);
    assert_non_null(b);
    for (uint64_t i = 0; i < BYTES; i++)
        host[i] = (unsigned char)(i * 7 ^ i >> 8);
    assert_int_equal(ops->upload(device, a, host, BYTES, &err), SG_SUCCESS);
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t first = UINT64_MAX, in_pieces = UINT64_MAX;
        struct sg_stretch pieces[CUTS];
        const struct sg_stretch both = {b + rows[i].from, a + rows[i].from, rows[i].bytes};
        unsigned char low = host[rows[i].low] ^ 0x80, high = host[rows[i].high] ^ 1;
        cut(&(struct sg_stretch){b, a, BYTES}, pieces);
        assert_int_equal(ops->copy(device, pieces, CUTS, &err), SG_SUCCESS);
        cut(&both, pieces);
        assert_int_equal(ops->upload(device, b + rows[i].high, &high, 1, &err), SG_SUCCESS);
        assert_int_equal(ops->upload(device, b + rows[i].low, &low, 1, &err), SG_SUCCESS);
        ops->compare(device, &both, 1, &first, &err);
        ops->compare(device, pieces, CUTS, &in_pieces, &err);
        if (err.code != SG_SUCCESS || first != rows[i].first || in_pieces != rows[i].first)
            fail_msg("%s: %s: byte %llu, in pieces %llu, expected %llu %s", device->name,
                     rows[i].sentence, (unsigned long long)first, (unsigned long long)in_pieces,
                     (unsigned long long)rows[i].first, err.message);
    }
    ops->release(device, a);
    ops->release(device, b);
    test_free(host);
    ops->close(device);
}

TEST(the_null_device_compares)
{
    struct sg_device *device = NULL;
    struct sg_err err = {0};
    assert_int_equal(sg_device_open_null(0, &device, &err), SG_SUCCESS);
    check_device(device);
}

TEST(a_gpu_compares)
{
#ifdef SOLGATE_HAVE_CUDA
    struct sg_device *device = NULL;
    struct sg_err err = {0};
    if (sg_device_open_cuda(0, &device, &err) == SG_NO_GPU) {
        print_message("no GPU: %s\n", err.message);
        skip();
    }
    assert_int_equal(err.code, SG_SUCCESS);
    check_device(device);
#else
    print_message("built without the CUDA toolkit\n");
    skip();
#endif
}
