#!/bin/sh
# nightly.sh [SUITE...] [--out=DIR] [OPTION...] [--require-gpu | --recorded] - sets
# up, builds, and runs the main job.
#
# Where there is a GPU: `solgate nightly SUITE...` of the build (smoke if none is given); nights go
# to out/nights. --history=DIR, --budget=TIME, --module=FILE, --baselines=DIR, --builds=DIR and
# --allow-shared-gpu are its options. Exit 4 for a suite that does not exist.
# Where there is none: exit 77 if one must be there: a SUITE or one of those options, --require-gpu,
# SOLGATE_REQUIRE_GPU=1 in the environment, a GPU that was here before (a file in
# $XDG_STATE_HOME/solgate, or a run in out/), or a driver or its tool nvidia-smi that is here now.
# Else, and with --recorded, it compares and reports the recorded H200 runs of tests/data/h200, and
# prints so in the first line, in the last one and on every chart; nothing is measured.
# Exit 0 if the clean one compares as clean and the slow one as regressed, 1 if not.
set -eu

root= # where devices, driver and the machine's number are looked up; a test has them in a folder of its own

refuse() {
  echo "nightly.sh: $1" >&2
  exit 4
}
tree=$(cd "$(dirname "$0")/.." && pwd) || refuse "its folder cannot be entered"

# What solgate is handed, suites and options, stays in "$@": its paths
# are the caller's, not the tree's.
out=
require=
recorded=
asked= # an argument that only a measurement can answer
suites=
left=$#
while [ "$left" -gt 0 ]; do
  argument=$1
  shift
  left=$((left - 1))
  case $argument in
    --out=?*) out=${argument#--out=} ;;
    --require-gpu) require=$argument ;;
    --recorded) recorded=$argument ;;
    -h | --help)
      sed -n '2,/^set /s/^# *//p' "$0"
      exit 0
      ;;
    --history=/?* | --module=/?* | --baselines=/?* | --builds=/?* | --budget=?* | --allow-shared-gpu)
      asked=$argument
      set -- "$@" "$argument"
      ;;
    --history=?* | --module=?* | --baselines=?* | --builds=?*)
      asked=$argument
      set -- "$@" "${argument%%=*}=$PWD/${argument#*=}"
      ;;
    -* | '') refuse "unknown argument '$argument' (known: SUITE..., --out=DIR, --history=DIR, --budget=TIME, --module=FILE, \
--baselines=DIR, --builds=DIR, --allow-shared-gpu, --require-gpu, --recorded)" ;;
    *)
      asked=$argument
      case $argument in
        /*) file=$argument ;;
        *.suite) file=$PWD/$argument argument=$PWD/$argument ;;
        *) file=$tree/kernels/suites/$argument.suite ;;
      esac
      [ -f "$file" ] || refuse "there is no suite $asked ($file)"
      suites=yes
      set -- "$@" "$argument"
      ;;
  esac
done
[ -n "$suites" ] || set -- "$@" smoke
case ${SOLGATE_REQUIRE_GPU:-0} in
  0) ;;
  *) require=${require:-SOLGATE_REQUIRE_GPU=$SOLGATE_REQUIRE_GPU} ;;
esac
require=${require:-${asked:+the argument $asked}}
if [ -n "$require" ] && [ -n "$recorded" ]; then
  refuse "expected one of $require and --recorded, found both"
fi
case $out in
  '' | /*) ;;
  *) out=$PWD/$out ;;
esac
cd "$tree"

# The GPUs that answer, a line each. A driver that hangs must not hang the night.
list_gpus() {
  if command -v nvidia-smi >/dev/null 2>&1; then
    timeout 60 nvidia-smi -L 2>/dev/null | grep '^GPU '
  else
    [ -e "$root/dev/nvidia0" ] && echo "/dev/nvidia0, there is no nvidia-smi"
  fi
}

# Home folders are shared between machines, and host names given anew: the file is named
# after what this machine alone has.
name_stamp() {
  state=${XDG_STATE_HOME:-${HOME:+$HOME/.local/state}}
  machine=$(cat "$root/etc/machine-id" 2>/dev/null || uname -n)
  [ -z "$state" ] || echo "$state/solgate/had-gpu.$machine"
}

leave_stamp() {
  stamp=$(name_stamp)
  if [ -z "$stamp" ] || ! { mkdir -p "${stamp%/*}" && printf '%s %s\n' "$(date -u +%Y-%m-%d)" "$1" >"$stamp"; } 2>/dev/null; then
    echo "nightly.sh: ${stamp:-a file in \$HOME/.local/state} cannot be written: set SOLGATE_REQUIRE_GPU=1, or a night without GPU may pass" >&2
  fi
}

# Why a GPU must be here, in words; empty if nothing says so.
why_required() {
  if [ -n "$require" ]; then
    echo "$require"
    return
  fi
  stamp=$(name_stamp)
  if [ -n "$stamp" ] && [ -e "$stamp" ]; then
    echo "$stamp: there was one, $(head -n 1 "$stamp")"
    return
  fi
  for env in out/*/*/*/env.csv out/*/*/env.csv out/*/env.csv "${out:-out}"/*/*/env.csv; do
    if [ -e "$env" ] && grep -q '^gpu_name,' "$env" && ! grep -q '^gpu,null$' "$env"; then
      echo "$env: there was one, $(sed -n 's/^gpu_name,//p' "$env")"
      return
    fi
  done
  for trace in "$root"/dev/nvidia[0-9]* "$root"/dev/nvidiactl "$root"/proc/driver/nvidia; do
    if [ -e "$trace" ]; then
      echo "$trace: there is a driver"
      return
    fi
  done
  # Of a driver that did not load there is no more than this: a night that
  # goes on without a GPU would hide it.
  if command -v nvidia-smi >/dev/null 2>&1; then
    echo "$(command -v nvidia-smi): there is the tool of a driver"
  fi
}

# build [OPTIONS]: with options of cmake --build
build() {
  scripts/setup --run-only && cmake --preset release && cmake --build --preset release "$@" && return
  echo "nightly.sh: not built, so nothing was measured or judged" >&2
  exit 3
}

live() {
  leave_stamp "$gpus"
  build
  build-release/bin/solgate nightly "$@" --out="${out:-$PWD/out/nights}"
}

recorded() {
  # No kernel runs here: the programs, and the simulated kernels that the README shows.
  build --target solgate solgate-worker sg_null sg_null_reference
  solgate=build-release/bin/solgate
  out=${out:-$PWD/out/recorded}
  result=0
  for run in clean:0 slow:1; do
    name=${run%:*}
    must=${run#*:}
    folder=tests/data/h200/$name
    date=$(sed -n 's/^date,//p' "$folder/env.csv") || refuse "the recorded run $folder cannot be read"
    code=0
    report_code=0
    echo
    echo "== recorded H200 run '$name' of $date"
    $solgate compare "$folder" || code=$?
    $solgate report "$folder" --note="recorded H200 run of $date, nothing was measured here" --out="$out/$name" >/dev/null || report_code=$?
    if [ "$code" != "$must" ]; then
      echo "nightly.sh: compare of the recorded $name run: exit $code, expected $must" >&2
      result=1
    fi
    if [ "$report_code" != 0 ] && [ "$report_code" != "$must" ]; then
      echo "nightly.sh: report of the recorded $name run: exit $report_code, expected 0" >&2
      result=1
    fi
    echo "charts and tables: $out/$name/index.html"
  done
  echo
  echo "nightly.sh: recorded H200 runs only, nothing was measured: exit $result"
  exit $result
}

gpus=
if [ -z "$recorded" ]; then
  gpus=$(list_gpus | tr '\n' ' ') || true
  gpus=${gpus% }
  if [ -n "$gpus" ]; then
    live "$@"
    exit 0
  fi
  why=$(why_required)
  if [ -n "$why" ]; then
    echo "nightly.sh: no GPU answers (nvidia-smi -L), but one must be here: $why" >&2
    echo "nightly.sh: nothing was measured or judged; --recorded compares recorded runs instead: exit 77" >&2
    exit 77
  fi
fi
echo "${recorded:-no GPU here}: comparing and reporting the recorded H200 runs of tests/data/h200 (suite smoke), nothing is measured"
recorded
