#!/bin/sh
# solgate bisect of programs, on the stand-in of the driver and of CUPTI: in a C program of 32
# commits, each planted fault is found at its commit, and commits that cannot be judged are skipped.
# A search that was killed goes on when it is started again. Versions of a package are searched.
# shellcheck source=tests/cli/standin_lib.sh
. "$(dirname "$0")/standin_lib.sh"
for tool in git cc python3; do
  command -v $tool >tool || { echo "skipped: $tool is not installed" && exit 77; }
done
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 PROGRAM="$program"

# source_of COMMIT: the build of 6 and the program of 7 never end, 9, 24 and 25 are wrong, 27 to 29
# crash, 8 and 30 on do not build, 17 is now faster and now slower, 21 on are 3 % slower
source_of() {
  ns=1000 ends=''
  [ "$1" -lt 21 ] || ns=1030
  [ "$1" != 17 ] || ns='%d'
  case $1 in 9 | 24 | 25) ends='return 3;' ;; 7) ends='sleep(99);' ;; 27 | 28 | 29) ends='abort();' ;; 8 | 3?) ends='no C' ;; esac
  cat <<C
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(void) /* $1 */
{
    char ns[32];
    FILE *starts = fopen("starts", "a");
    fputc('.', starts);
    snprintf(ns, sizeof(ns), "ns=$ns", 965 + (int)(ftell(starts) % 2) * 100);
    fclose(starts);
    $ends
    return execl(getenv("PROGRAM"), "app", "init", ns, "launch=9", NULL);
}
C
}
for i in $(seq 32); do
  printf 'commit refs/heads/main\ncommitter t <t@example.org> %s +0000\ndata <<.\nc%s\n.\nM 100644 inline app.c\ndata <<.\n' "$i" "$i"
  source_of "$i"
  printf '.\nreset refs/tags/v%s\nfrom refs/heads/main\n' "$i"
done >commits
git init --quiet --initial-branch=main "a project"
root='committer t <t@example.org> 40 +0000\ndata 1\nr\n' file='M 100644 inline app.c\ndata 4\nno C\n' # without a parent
printf %b "commit refs/heads/root\n$root${file}commit refs/heads/merged\n${root}from refs/tags/v2\nmerge refs/heads/root\n$file" >>commits
git -C "a project" fast-import --quiet <commits
cd "a project"
git reset --quiet --hard v32
echo "changed" >>app.c
git status --porcelain=v2 --branch >"$work/before"

# search CODE WORDS COMMAND...: what a search prints
search() {
  wanted=$1 words=$2 code=0
  shift 2
  "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?
  [ "$code" = "$wanted" ] && tr -s ' \n' ' ' <"$work/out" | cat - "$work/err" | grep -qF -e "$words" && return
  fail "$*: exit code $code, expected $wanted with '$words': $(cat "$work/out" "$work/err")"
}
said() { grep -q -e "$1" "$work/err" || fail "expected '$1', found $(cat "$work/err")"; }

# slower WITH...: the search from v1 to v23, by way of that command
slower() {
  "$@" "$bin/solgate" bisect v1 v23 --out="$work/slower" --build="echo >>'$work/builds'; cc -o app app.c" --exec -- ./app
}
for pause in 0.2 0.5; do
  slower timeout -s KILL $pause >"$work/out" 2>&1 </dev/null || :
  ! grep -q 'first bad' "$work/out" || fail "it ended before it was killed: no test"
done
search 0 'c21 is the first bad one: slower against' slower timeout 300
grep -q 'c20: slower by 2.99 % \[2.99, 2.99\], exec/all/' "$work/out" || fail "no interval: $(cat "$work/out")"
grep -q '^ app.c | ' "$work/out" && grep -q '(tolerance 1.5 %)' "$work/out" || fail "no commit, or no cause: $(cat "$work/out")"
said 'c17: undecided: OPEN (exit 2)'
[ "$(ls "$work/slower/gates-3")" = "$(git rev-parse v17 | cut -c 1-12)" ] || fail "not just c17 is gated three times"
built=$(wc -l <"$work/builds")
touch "$work/ended"
[ "$built" -le 12 ] || fail "built $built times, with 2 kills: $(cat "$work/err")"
search 0 'c21 is the first bad one: slower' "$bin/solgate" bisect v1 v23 --build="echo >>'$work/builds'; cc -o app app.c" --exec --out "$work/slower" -- ./app
[ "$(wc -l <"$work/builds")" = "$built" ] || fail "a commit is built twice"
[ -z "$(find "$work/slower" -name candidate.out -newer "$work/ended")" ] || fail "a commit is measured twice"
search 4 'expected a search with this command and these commits, found another search' "$bin/solgate" bisect v1 v22 --out="$work/slower" --exec -- ./app

of_c() {
  rm -rf "$work/search"
  search "$1" "$2" "$bin/solgate" bisect "$3" "$4" --out="$work/search" --build='cc -o app app.c' --exec -- ./app
}
of_c 0 'c24 is the first bad one: wrong' v10 v25
of_c 0 'c27 is the first bad one: wrong' v26 v29
of_c 0 'c30 is the first bad one: does not build' v9 v32
! grep -q '^time: ' "$work/err" || fail "a search for what does not build measures"
rm -rf "$work/search" # neither build nor gate of a commit ends
search 2 'The first bad commit could be any of' "$bin/solgate" bisect v4 v9 --out="$work/search" --deadline=4s --build='! grep -q "[*] 6 [*]" app.c || sleep 99; cc -o app app.c' --exec -- ./app
said 'c6: not comparable: the build of .* c6 did not end within --deadline=4s' && said 'c7: not comparable: the gate did not end within --deadline=4s'
search 3 'found: not comparable; the reason is above' "$bin/solgate" bisect v4 v5 --out="$work/late" --deadline=1s --build='sleep 9' --exec -- ./app
of_c 3 'expected BAD to be slower, wrong or not built, found: not slower' v1 v2
of_c 3 'expected GOOD to be right, found: wrong' v9 v27
of_c 4 'expected the commits GOOD and BAD' v1 none
of_c 3 'has no parent here' v2 merged
git status --porcelain=v2 --branch | cmp -s - "$work/before" && [ -z "$(git for-each-ref refs/bisect)" ] || fail "the repository is changed"

# ---- versions of a package

cd "$work"
python=$(python3 -c 'import sys; print(sys.executable)') # not a script that starts it
"$python" - <<'PY'
import os, zipfile
os.mkdir("wheels")
for version, ns in (("1.9", 1000), ("1.10rc1", 1000), ("1.10", 1030)):
    info = f"my_kernels-{version}.dist-info/"
    with zipfile.ZipFile(f"wheels/my_kernels-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr("my_kernels.py", f"NS = {ns}")
        wheel.writestr(info + "METADATA", f"Metadata-Version: 2.1\nName: my-kernels\nVersion: {version}\n")
        wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(info + "RECORD", "")
PY
cat >bench.py <<'PY'
import os, my_kernels
os.execv(os.environ["PROGRAM"], ["app", "init", f"ns={my_kernels.NS}", "launch=9"])
PY
of_package() {
  search "$1" "$2" "$bin/solgate" bisect --of="$3" --wheels=wheels --out=versions -- "$python" -S bench.py
}
of_package 4 'expected wheels of my.kernels 1.8 and of a later 1.10, found 1.9, 1.10rc1, 1.10' my.kernels=1.8..1.10
touch wheels/broken.whl
of_package 4 'expected PACKAGE=A..B, found my-kernels' my-kernels
of_package 0 'my.kernels==1.10 is the first bad one: slower against my.kernels==1.10rc1: slower by 2.99 %' my.kernels=1.9..1.10
[ "$failures" = 0 ]
