#!/bin/sh
# solgate ab --commits: of two commits, or of a commit and the working tree, that is gated which was
# not built the same, in a user's project and in this tree; nothing is written to either.
# Not under sanitizers: gates are run by the same code as in test_ab.sh, behind builds.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"
needs_compiler
command -v git >"$work/git" || {
    echo "skipped: git is not installed"
    exit 77
}
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
repo="$work/a project"
git init --quiet --initial-branch=trunk "$repo"

# variant NAME ROLE EXPECT [TIME [MORE]]: its file; its simulated time is its own
variant() {
    cat >"$repo/$1.c" <<SOURCE
#include "made.h"
${5:-}
__attribute__((constructor)) static void set(void) { made_set("$1", ${4:-50000}); }
const struct sg_variant sg_variant_made_$1 = {.summary = "v", .role = $2, .expect = $3, .launch = doubling_launch};
SOURCE
}
cat >"$repo/made.h" <<'SOURCE'
#include <string.h>

#include "doubling.h"
void made_set(const char *variant, double time);
double made_half(double time);
SOURCE
cat >"$repo/family.c" <<'SOURCE'
#include "made.h"
static struct { const char *name; double time; } times[9];
const char *const made_built = __DATE__ " " __TIME__ " " __TIMESTAMP__ " " __FILE__;
static const struct sg_case cases[] = {DOUBLING_CASE("c")};
void made_set(const char *variant, double time)
{
    int i = 0;
    while (times[i].name)
        i++;
    times[i].name = variant;
    times[i].time = time;
}
static struct sg_simulation simulate(const struct sg_case *c, const char *variant, const int64_t *knob)
{
    int i = 0;
    (void)c, (void)knob;
    while (strcmp(times[i].name, variant) != 0)
        i++;
    return (struct sg_simulation){.time_ns = times[i].time, .clock_exponent = 1};
}
const struct sg_family sg_family_made = {DOUBLING_FIELDS(cases), .simulate = simulate};
SOURCE
# As solgate_add_family() lays it out, in a second of its own and with an identifier of its own.
cat >"$repo/build.sh" <<'SOURCE'
set -e
flags="-O1"
objects=b/sg_made_code.dir
mkdir -p $objects b/sg_made.dir
for file in *.c; do
    $CC $flags -std=gnu17 -g -fPIC -I"$KERNELS" -I"$LIB" -I. -c -o "$objects/$file.o" "$file"
done
{
    echo '#include "solgate_kernel.h"'
    echo 'extern const struct sg_family sg_family_made;'
    for file in *.c; do
        [ $file = family.c ] || echo "extern const struct sg_variant sg_variant_made_${file%.c};"
    done
    echo 'static const struct sg_named_variant variants[] = {'
    for file in *.c; do
        [ $file = family.c ] || echo "{\"${file%.c}\", &sg_variant_made_${file%.c}},"
    done
    echo '}; const struct sg_module *solgate_module(void);'
    echo 'const struct sg_module *solgate_module(void) { static const struct sg_module module = {.abi_version = SG_ABI_VERSION,'
    echo ".name = \"made\", .commit = \"$(git rev-parse --short=12 HEAD)\", .family = &sg_family_made, .variants = variants,"
    echo '.variant_count = sizeof(variants) / sizeof(variants[0])}; return &module; }'
} >b/table.c
$CC -std=gnu17 -g -fPIC -I"$KERNELS" -c -o b/sg_made.dir/table.c.o b/table.c
$CC -shared -Wl,--build-id=uuid -o b/libsg_made.so $objects/*.o b/sg_made.dir/table.c.o
SOURCE
export CC="$cc" KERNELS="$tree/kernels" LIB="$tree/scripts/lib"
variant base SG_BASELINE SG_OK
variant fast SG_CANDIDATE SG_OK 49000 'double made_half(double time) { return time / 2; }'
variant slow SG_CANDIDATE SG_OK 'made_half(104000) + SHIFT' '#include "fast.h"'
variant broken SG_CANDIDATE SG_WRONG
echo '#define SHIFT 0' >"$repo/fast.h"

save() {
    git -C "$repo" add -A
    git -C "$repo" -c user.name=t -c user.email=t@example.org commit --quiet --allow-empty -m "$1"
}
state() {
    git -C "$repo" status --porcelain=v2 --branch
    find "$repo/.git" -type f | sort | xargs -d '\n' cksum
}

number=0
# gate EXIT_STATUS ARGUMENTS...: solgate ab of the project, its run in $out
gate() {
    wanted=$1
    shift
    number=$((number + 1))
    out=$work/out.$number
    code=0
    state >"$work/before"
    timeout 300 "$solgate" ab "$@" --repo="$repo" --module=b/libsg_made.so --build="${build:-sh build.sh}" --out="$out" \
        >"$work/stdout" 2>"$work/stderr" || code=$?
    [ "$code" = "$wanted" ] || fail "exit status $code instead of $wanted: solgate ab $*"
    state | cmp -s "$work/before" - || fail "the repository is written to: solgate ab $*"
}
# runs NAME...: of these variants there is a run, and of no others
runs() {
    found=$(find "$out" -mindepth 1 -maxdepth 1 -type d ! -name built-commits -exec basename {} \; | sort | tr '\n' ' ')
    [ "$found" = "${*:+$* }" ] || fail "gated: $found, instead of: $*"
}

save "the first"
echo 'What was tried.' >"$repo/notes.md"
sed -i '1i /* A comment. */' "$repo/slow.c"
save "notes and a comment"
build="sleep 1; sh build.sh" # another second, so that a build by the clock would differ
gate 0 --commits=HEAD~1..HEAD made
build=
runs
prints "nothing of made differs, in device code or in host code"

echo '#define SHIFT 2000' >"$repo/fast.h"
save "a header that is called as another variant is"
gate 1 --commits=HEAD~1..HEAD made
runs slow
prints "+3.9 %"

sed -i 's|time / 2|time / 2 + 0|; s|49000|48000|' "$repo/fast.c"
save "what another variant takes"
gate 0 --commits=HEAD~1..HEAD made
runs fast slow

# The working tree: what is changed, and what is new.
echo '#define SHIFT 4000' >"$repo/fast.h"
variant late SG_CANDIDATE SG_OK 60000
echo ignored.c >"$repo/.git/info/exclude"
echo "no C" >"$repo/ignored.c"
gate 0 --commits=HEAD..HEAD made
says "uncommitted changes are not part of HEAD and are not gated; --commits=HEAD has them"
gate 1 --commits=HEAD made
runs late slow
prints "made/late of HEAD against made/base of BASE"
save "changes"

git -C "$repo" rm --quiet late.c
save "a variant is gone"
gate 3 --commits=HEAD~1..HEAD made
runs
prints "not_measured: no longer in HEAD, or no longer declared to be right there: late"
# What fails is no verdict.
build="exit 2"
gate 3 --commits=HEAD~1..HEAD made
says "does not build, or leaves no b/libsg_made.so"
build='kill -KILL $PPID'
gate 3 --commits=HEAD~1..HEAD made
says "cannot be run, or was killed"
build="mkdir b; echo text >b/libsg_made.so"
gate 4 --commits=HEAD~1..HEAD made
build=
gate 4 --commits=nowhere..HEAD made
says "expected a commit of this git repository, found 'nowhere'"
gate 4 --commits=origin/main made
says "found 'origin/main'; the repository has no remote: name a local branch, such as main"
told 4 "found no repository; --repo=DIR names one" ab --commits=HEAD made --repo="$work"
gate 4 --commits=HEAD~1..HEAD other
says "expected the family other, found made"
gate 4 --commits=HEAD~1..HEAD made --variant=nobody
says "has no variant nobody of made"
gate 4 made/base made/fast
says "goes with: --commits=BASE"
told 4 "expected --build=COMMAND with the one --module=FILE" ab --commits=HEAD made --repo="$repo" --module=a.so

# A family of this tree, as it stands.
git -C "$tree" rev-parse --verify --quiet HEAD >"$work/head" 2>/dev/null && command -v cmake ninja >"$work/tools" || {
    [ "$failures" = 0 ]
    exit
}
mkdir "$work/tree"
(cd "$tree" && tar -cf - CMakeLists.txt cmake kernels harness metrics python reports scripts) | tar -xf - -C "$work/tree"
repo=$work/tree
git init --quiet "$repo"
save "as it stands"
sed -i 's/= 1.02}/= 1.06}/' "$repo/kernels/null/family.c"
told 1 "building null at" ab --commits=HEAD null --variant=slower --case=tiny --repo="$repo" --out="$work/kept"
prints "1 regressed, null of "
grep -q '^null,tiny,slower,time_ratio,1,1.0[34].*,slower_base,' "$work/kept/slower/run.csv" || fail "--out keeps no run"

[ "$failures" = 0 ]
