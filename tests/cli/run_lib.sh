# shellcheck shell=sh
# shellcheck disable=SC2034,SC2119,SC2120 # tests that source it use what is set and call the rest
# What the tests of `solgate run` share; sourced with $1, the folder of the programs. Sets: solgate,
# tree, work (a folder of this test), suite (a small one of the null family), seed (this test's own,
# so that its processes can be told from all others).
solgate=$1/solgate
tree=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
seed=$(($$ + 1000000000))
suite=$work/small.suite

# A worker that dies of a signal must die of it under the sanitizers too.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_segv=0:handle_abort=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0"

fail() {
    echo "FAIL: $*"
    sed 's/^/    /' "$work/stdout" "$work/stderr" 2>/dev/null | tail -15
    failures=$((failures + 1))
}

# needs_compiler: skips the test where there is none; for build_module
needs_compiler() {
    cc=$(command -v cc || command -v gcc || command -v clang) && return
    echo "skipped: no C compiler to build a module with"
    exit 77
}

# defaults NAME=VALUE...: macros of $work/module.c that no option of build_module sets
defaults() {
    for word in "$@"; do
        printf '#ifndef %s\n#define %s %s\n#endif\n' "${word%%=*}" "${word%%=*}" "${word#*=}"
    done >"$work/defaults.h"
}

# build_module FILE [OPTION...]: a module of $work/module.c; what many of them
# compute is in scripts/lib/doubling.h
build_module() {
    built=$1
    shift
    [ -e "$work/defaults.h" ] || : >"$work/defaults.h"
    "$cc" -std=gnu17 -shared -fPIC -I"$tree/kernels" -I"$tree/scripts/lib" -include "$work/defaults.h" "$@" -o "$built" "$work/module.c"
}

# run EXIT_STATUS ARGUMENTS...: solgate run, with its output in $work/stdout and $work/stderr
run() {
    wanted=$1
    shift
    code=0
    timeout 300 "$solgate" run "$@" >"$work/stdout" 2>"$work/stderr" || code=$?
    [ "$code" = "$wanted" ] || fail "exit status $code instead of $wanted: solgate run $*"
}

# says TEXT: the last run said so on stderr
says() {
    grep -qF -e "$1" "$work/stderr" || fail "stderr does not say: $1"
}

# prints TEXT: the last run said so on stdout, line ends and blanks aside
prints() {
    tr -s ' \n' ' ' <"$work/stdout" | grep -qF -e "$1" || fail "${trouble:+$trouble: }stdout does not say: $1"
}

# rows FILE: its rows, those of a process that was measured again in their place
rows() {
    sed 1d "$1" | sort -t, -k4,4n -k3,3 -k5,5n -k6,6n
}

# told EXIT_STATUS TEXT ARGUMENTS...: ends so, and stderr says so
told() {
    wanted=$1 text=$2
    shift 2
    code=0
    "$solgate" "$@" >"$work/stdout" 2>"$work/stderr" || code=$?
    [ "$code" = "$wanted" ] || fail "exit status $code instead of $wanted: solgate $*"
    says "$text"
}

# same DIR OTHER WHAT: two runs that ended in the same rows and batches
same() {
    cmp -s "$1/run.csv" "$2/run.csv" || fail "$3: run.csv differs: $(diff "$1/run.csv" "$2/run.csv" | head -4)"
    cmp -s "$1/samples.csv" "$2/samples.csv" || fail "$3: samples.csv differs"
    grep -q '^state,finished$' "$2/env.csv" || fail "$3: not finished"
}

# processes WORD...: numbers of this test's processes (solgate itself, its guards and workers)
# whose arguments hold all the words
processes() {
    # The brackets keep grep from finding itself. A process that has just ended is an error of grep.
    found=$(grep -lazsx -e "--see[d]=$seed" /proc/[0-9]*/cmdline) || [ "$found" ] || return 1
    for word in "$@"; do
        # shellcheck disable=SC2086 # files
        found=$(grep -las -e "$word" $found) || [ "$found" ] || return 1
    done
    printf '%s\n' "$found" | cut -d / -f 3
}

# process WORD...: the same, if it is one
process() {
    processes "$@" >"$work/pid" && [ "$(wc -l <"$work/pid")" = 1 ]
}

# gone WHAT: none of them is there, at once or, on a loaded machine, half a minute later
gone() {
    tries=0
    while processes >"$work/alive"; do
        tries=$((tries + 1))
        [ "$tries" -lt 100 ] || break
        sleep 0.3
    done
    [ "$tries" -lt 100 ] || fail "$1: still alive: $(tr '\n' ' ' <"$work/alive")"
}

# await COMMAND...: until it is true, at most 60 s
await() {
    tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ "$tries" -lt 1200 ] || {
            fail "waited in vain for: $*"
            return 0
        }
        sleep 0.05
    done
}

# logs KIND NUMBER DIR: the run's log has at least so many messages of this kind: value (a row, so
# also of an item's status), sample or process
logs() {
    [ -r "$3/run.log" ] && [ "$(grep -c "^$1," "$3/run.log")" -ge "$2" ]
}

# forget DIR PATTERN: takes the messages that match out of the run's log
forget() {
    grep -v -e "$2" "$1/run.log" >"$work/rest"
    cmp -s "$work/rest" "$1/run.log" && fail "no message matches $2"
    cp "$work/rest" "$1/run.log"
}

cat >"$suite" <<'SUITE'
[suite]
title     = a small one
tolerance = 0.5%
metrics   = quick
processes = 5
blocks    = 4
launches  = 2
deadline  = 1s

[null]
case      = tiny
case      = small
variant   = slower
variant   = faster
variant   = wrong
variant   = crash
variant   = crashes_when_timed
SUITE
