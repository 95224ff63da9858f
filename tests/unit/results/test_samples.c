/* results/samples.h: samples of a run, from a file and back, damaged ones included. */
#include "check.h"
#include "scratch.h"

#include <math.h>

#include "results/samples.h"

#define HEADER "family,case,pair,process,block,position,variant,ns,sm_clock,spikes\n"
#define SAMPLE "matvec,c,cand,0,3,2,base,45650.125,1.98e+09,1\n"

TEST(samples_come_back_as_they_were_written)
{
    struct sg_err err = {0};
    SG_SCOPED(sg_samples) samples = {0};
    SG_SCOPED(sg_text) text = {0};
    SCRATCH(s);
    scratch_write(&s, "samples.csv", BYTES(HEADER SAMPLE "matvec,c,cand,0,3,3,cand,4.5,0,0\n"));
    assert_int_equal(sg_samples_read(s.path, &samples, &err), SG_SUCCESS);
    assert_int_equal(samples.count, 2);
    const struct sg_sample *first = &samples.items[0], *second = &samples.items[1];
    assert_true(first->ns == 45650.125 && first->sm_clock == 1.98e9 && first->block == 3 &&
                first->position == 2 && first->spikes == 1);
    assert_int_equal(second->pair, second->variant);
    assert_string_equal(sg_samples_string(&samples, first->variant), "base");
    sg_samples_format(&text, &samples);
    assert_string_equal(text.data, HEADER SAMPLE "matvec,c,cand,0,3,3,cand,4.5,0,0\n");
}

TEST(energies_are_a_last_column)
{
    static const char with[] = "family,case,pair,process,block,position,variant,ns,sm_clock,spikes,"
                               "energy\nf,c,p,0,0,0,b,4.5,0,0,0.25\nf,c,p,0,1,0,b,4.5,0,0,0\n";
    struct sg_err err = {0};
    SG_SCOPED(sg_samples) samples = {0};
    SG_SCOPED(sg_text) text = {0};
    SCRATCH(s);
    scratch_write(&s, "samples.csv", BYTES(with));
    assert_int_equal(sg_samples_read(s.path, &samples, &err), SG_SUCCESS);
    assert_true(samples.items[0].energy == 0.25 && samples.items[1].energy == 0);
    sg_samples_format(&text, &samples);
    assert_string_equal(text.data, with);
}

static void read_samples(const char *path, struct sg_err *err)
{
    SG_SCOPED(sg_samples) samples = {0};
    sg_samples_read(path, &samples, err);
}

TEST(damaged_samples_are_refused)
{
    static const struct damage table[] = {
        {"a fifth position", BYTES(HEADER SAMPLE "f,c,p,0,0,4,v,1,0,0\n"), ":3",
         "position: expected a whole number from 0 to 3, found '4'"},
        {"too many processes", BYTES(HEADER SAMPLE "f,c,p,65536,0,0,v,1,0,0\n"), ":3",
         "process: expected a whole number from 0 to 63"},
        {"too many blocks", BYTES(HEADER SAMPLE "f,c,p,0,512,0,v,1,0,0\n"), ":3",
         "block: expected a whole number from 0 to 511, found '512'"},
        {"a time that no launch has", BYTES(HEADER SAMPLE "f,c,p,0,0,0,v,1e300,0,0\n"), ":3",
         "ns: expected a time above 0 and below eleven days"},
        {"a block that is none", BYTES(HEADER SAMPLE "f,c,p,0,-1,0,v,1,0,0\n"), ":3",
         "block: expected a whole number"},
        {"no time", BYTES(HEADER SAMPLE "f,c,p,0,0,0,v,,0,0\n"), ":3",
         "ns: expected a time above 0 and below eleven days, found ''"},
        {"a time of zero", BYTES(HEADER SAMPLE "f,c,p,0,0,0,v,0,0,0\n"), ":3",
         "ns: expected a time above 0"},
        {"a time that is not a number", BYTES(HEADER SAMPLE "f,c,p,0,0,0,v,nan,0,0\n"), ":3",
         "ns: expected a time above 0"},
        {"a negative clock", BYTES(HEADER SAMPLE "f,c,p,0,0,0,v,1,-1,0\n"), ":3",
         "sm_clock: expected a clock"},
        {"more spikes than a batch has launches", BYTES(HEADER SAMPLE "f,c,p,0,0,0,v,1,0,256\n"),
         ":3", "spikes: expected a whole number from 0 to 255"},
        {"a pair with a malformed name", BYTES(HEADER SAMPLE "f,c,P,0,0,0,v,1,0,0\n"), ":3",
         "pair: expected a name"},
        {"an empty variant", BYTES(HEADER SAMPLE "f,c,p,0,0,0,,1,0,0\n"), ":3",
         "variant: expected a name"},
    };
    assert_refused(table, COUNT(table), "samples.csv", read_samples);
}
