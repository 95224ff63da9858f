#!/bin/sh
# solgate bisect in a user's project: the commit that made a variant slower is found by its own
# build command, past commits that do not build or are wrong; killed at any moment it goes on; what
# cannot be searched is refused with figures.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"
needs_compiler
command -v git >"$work/git" || {
    echo "skipped: git is not installed"
    exit 77
}
repo="$work/a project"
export XDG_CACHE_HOME="$work/cache" GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
git init --quiet --initial-branch=trunk "$repo"

# module NS [LAUNCH]: the source of a family whose launch takes so long
module()
{
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
commit()
{
    git -C "$repo" add -A
    git -C "$repo" -c user.name=t -c user.email=t@example.org commit --quiet --allow-empty -m "$1"
    hash=$(git -C "$repo" rev-parse HEAD)
}

# run_bisect COMMAND ARGUMENTS...: solgate bisect by way of that command
run_bisect()
{
    with=$1
    shift
    $with "$solgate" bisect "$@" --repo="$repo" --module=made.so --build="echo built >>'$work/builds'
$cc -std=gnu17 -shared -fPIC -I'$tree/kernels' -I'$tree/scripts/lib' -o made.so made.c" >"$work/stdout" 2>"$work/stderr"
}

# bisect EXIT_STATUS ARGUMENTS...
bisect()
{
    wanted=$1
    shift
    code=0
    run_bisect "timeout 300" "$@" || code=$?
    [ "$code" = "$wanted" ] || fail "exit status $code instead of $wanted: solgate bisect $*"
}

state()
{
    git -C "$repo" status --porcelain=v2 --branch
    git -C "$repo" for-each-ref
    git -C "$repo" worktree list
    find "$repo/.git" -type f ! -path '*/index' | sort | xargs -d '\n' cksum
}

# untouched WHAT
untouched()
{
    state >"$work/now"
    cmp -s "$work/state" "$work/now" || fail "$1: the repository is changed: $(diff "$work/state" "$work/now")"
}

module 50000
commit "the first"
good=$hash
module 50100
commit "a little slower"
before=$hash
module 52000
commit "slower by 4 %"
bad=$hash
commit "nothing"
commit "nothing again"
last=$hash
# Uncommitted work stays, and hooks of the repository are not run.
echo "changed" >>"$repo/made.c"
echo "new" >"$repo/new"
printf '#!/bin/sh\ntouch "%s"\n' "$work/hooked" >"$repo/.git/hooks/post-checkout"
chmod +x "$repo/.git/hooks/post-checkout"
state >"$work/state"

bisect 0 "$good" HEAD made/c/v --out="$work/kept"
untouched "found"
[ ! -e "$work/hooked" ] || fail "a hook of the repository was run"
prints "first bad commit: $(printf '%.12s' "$bad") slower by 4 % against its parent: +3.7"
prints "how sure: slower than its parent by more than 1.9"
prints "good $(printf '%.12s' "$before") a little slower +0.1"
grep -q "^# first bad commit: .$bad" "$work/kept"/*/bisect.log || fail "no log of git bisect"
cp "$work/stdout" "$work/whole"
built=$(wc -l <"$work/builds")
bisect 0 "$good" HEAD made/c/v --out="$work/kept"
cmp -s "$work/stdout" "$work/whole" || fail "another report of the same runs"
[ "$(wc -l <"$work/builds")" = "$built" ] || fail "what is built is built again"
! grep -q '^time: ' "$work/stderr" || fail "what is measured is measured again"

# Killed ever later, until it comes to its end: what comes of it is the same.
kills=0
for pause in 0.05 0.3; do
    code=0
    run_bisect "timeout -s KILL $pause" "$good" HEAD made/c/v --out="$work/killed" || code=$?
    [ "$code" != 137 ] || kills=$((kills + 1))
done
[ "$kills" -ge 1 ] || fail "it was killed $kills times: no test"
bisect 0 "$good" HEAD made/c/v --out="$work/killed"
sed -i 's|/kept/\([0-9a-f]*\)$|/killed/\1|' "$work/whole"
cmp -s "$work/stdout" "$work/whole" || fail "another report after it was killed: $(diff "$work/whole" "$work/stdout")"
untouched "killed"

# What cannot be searched, with its figures.
bisect 3 "$good" "$before" made/c/v
says "to be slower than $(printf '%.12s' "$good") by more than 0.5 %, found +0.1"
bisect 3 "$bad" "$good" made/c/v
says "by more than 0.5 %, found -3."
bisect 4 "$good" nowhere made/c/v
says "expected a commit of this git repository, found 'nowhere'"
bisect 3 "$good" "$last" made/c/nobody
says "no variant of the family is called nobody"
untouched "refused"

# Commits that cannot be measured, in the way.
git -C "$repo" checkout --quiet --force -b other "$good"
echo 'no C' >>"$repo/made.c"
commit "does not compile"
broken=$hash
module 50000 wrong
commit "is wrong"
module 52000
commit "slower by 4 %"
bisect 2 "$good" other made/c/v
prints "first bad commit: one of 3, as those between are skipped"
prints "skip $(printf '%.12s' "$broken") does not compile does not build: $work/cache/solgate/bisect/"
prints "is wrong v: unwritten: y[1]"
prints "3 commits, of which 2 skipped"
bisect 3 "$broken" other made/c/v
says "$broken: does not build: $work/cache/solgate/bisect/"
says "error: "
# GOOD mends what BAD has.
git -C "$repo" checkout --quiet --force -b mended "$last"
module 50000
commit "mended"
bisect 3 mended trunk made/c/v
says "Some good revs are not ancestors of the bad rev."

[ "$failures" = 0 ]
