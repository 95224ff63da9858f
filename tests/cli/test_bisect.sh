#!/bin/sh
# The recipe of docs/gate.md, `git bisect run solgate ab --bisect`: it finds the commit that made a
# variant slower, skips commits that cannot be judged, continues after a kill without building or
# measuring twice, and stops where a commit is not to blame.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"
needs_compiler
command -v git >"$work/git" || { echo "skipped: git is not installed" && exit 77; }
repo="$work/a project"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
git init --quiet --initial-branch=trunk "$repo"

# module NS [LAUNCH]: the source of a family whose launch takes so long
module() {
    cat >"$repo/made.c" <<SOURCE
#include "doubling.h"
static const struct sg_case cases[] = {DOUBLING_CASE("c")};
static void wrong(const struct sg_launch *l) { ((float *)l->buffer[1])[0] = 7; }
static struct sg_simulation simulate(const struct sg_case *c, const char *variant, const int64_t *knob)
{
    (void)c, (void)variant, (void)knob, (void)wrong;
    return (struct sg_simulation){.time_ns = $1, .clock_exponent = 1};
}
static const struct sg_family family = {DOUBLING_FIELDS(cases), .simulate = simulate};
static const struct sg_variant v = {.summary = "v", .role = SG_BASELINE, .launch = ${2:-doubling_launch}};
static const struct sg_named_variant variants[] = {{"v", &v}};
DOUBLING_MODULE("made", family, variants)
SOURCE
}

# commit SUBJECT: what is there; its hash is in $hash
commit() {
    git -C "$repo" add -A
    git -C "$repo" -c user.name=t -c user.email=t@example.org commit --quiet --allow-empty -m "$1"
    hash=$(git -C "$repo" rev-parse HEAD)
}

# bisect WITH GOOD BAD [OPTION...]: git bisect run by way of that command; its exit status is in
# $code
bisect() {
    with=$1 good_one=$2 bad_one=$3 code=0
    shift 3
    git -C "$repo" bisect reset >"$work/reset" 2>&1
    git -C "$repo" bisect start --no-checkout "$bad_one" "$good_one" >"$work/start" 2>&1
    (
        cd "$repo"
        $with git bisect run "$solgate" ab --bisect --commits="$good_one..BISECT_HEAD" made --variant=v --tolerance=2% \
            --out="$work/kept" --module=made.so --build="echo built >>'$work/builds'
$cc -std=gnu17 -shared -fPIC -I'$tree/kernels' -I'$tree/scripts/lib' -o made.so made.c" "$@"
    ) >"$work/stdout" 2>"$work/stderr" || code=$?
}

module 50000
commit "the first"
good=$hash
module 50100
commit "a little slower"
module 52000
commit "slower by 4 %"
bad=$hash
commit "nothing"
commit "nothing again"
last=$hash
# Uncommitted work stays, and the commits are not checked out here.
echo "changed" >>"$repo/made.c"
git -C "$repo" status --porcelain=v2 >"$work/state"

# It is killed ever later, and then comes to its end.
kills=0
for pause in 0.1 0.2 0.4; do
    bisect "timeout -s KILL $pause" "$good" "$last"
    [ "$code" = 0 ] || kills=$((kills + 1))
done
[ "$kills" -gt 0 ] || fail "it ended before it was killed: no test"
bisect "timeout 300" "$good" "$last"
[ "$code" = 0 ] || fail "exit status $code"
prints "$bad is the first bad commit"
git -C "$repo" status --porcelain=v2 | cmp -s - "$work/state" || fail "the working tree is changed"
built=$(wc -l <"$work/builds")
bisect "timeout 300" "$good" "$last"
prints "$bad is the first bad commit"
[ "$(wc -l <"$work/builds")" = "$built" ] || fail "what is built is built again"
! grep -q '^time: ' "$work/stderr" || fail "what is measured is measured again"

# Commits that cannot be judged are skipped; where none can be, git names all.
git -C "$repo" checkout --quiet --force -b other "$good"
echo 'no C' >>"$repo/made.c"
commit "does not compile"
module 50000 wrong
commit "is wrong"
module 52000
commit "slower by 4 %"
bisect "timeout 300" "$good" other
[ "$code" = 2 ] || fail "exit status $code with skipped commits"
prints "only 'skip'ped commits left to test"
says "does not build, or leaves no made.so"
prints "unwritten: y[1]"

# A wrong command line blames no commit.
bisect "timeout 300" "$good" "$last" --tolerence=3%
[ "$code" != 0 ] || fail "a wrong option is taken for a bad commit"
! grep -q 'is the first bad commit' "$work/stdout" || fail "a wrong option is taken for a bad commit"
code=0
"$solgate" ab --nothing --bisect >"$work/stdout" 2>&1 || code=$?
[ "$code" = 255 ] || fail "exit status $code of a wrong command line"
for row in ok=0 slower=1 wrong=125 unsupported=125; do
    code=0
    "$solgate" ab --bisect null/ok "null/${row%=*}" --case=tiny --tolerance=0.1% --out="$work/$row" >"$work/stdout" 2>"$work/stderr" || code=$?
    [ "$code" = "${row#*=}" ] || fail "exit status $code of null/${row%=*}"
done
[ "$failures" = 0 ]
