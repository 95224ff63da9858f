#!/bin/sh
# nightly.sh [SUITE] [--out=DIR] [--allow-shared-gpu] [--require-gpu | --recorded] - sets up, builds, and runs the main job.
#
# Where there is a GPU: runs SUITE (smoke if not given), compares with its accepted numbers, reports. The worst exit code of run, compare and
# report is that of the night: 5 before 1, 1 before 3, 3 before 2; one that is no verdict (4, a signal) stands between 1 and 3. What run ends
# with does not count where compare is green because it is waived, and that doctor finds something blocked (3) where nothing gates on it.
# Where there is none: exit 77 if one must be there: --require-gpu, SOLGATE_REQUIRE_GPU=1 in the environment, a GPU that was here before
# (a file in $XDG_STATE_HOME/solgate, or a run in out/), or a driver or its tool nvidia-smi that is here now. Else, and with --recorded, it
# compares and reports the recorded H200 runs of tests/data/h200, and prints so in the first line, in the last one and on every chart;
# nothing is measured.
# Exit 0 if the clean one compares as clean and the slow one as regressed, 1 if not.
# Beside others on the GPU, and under MIG or MPS, times are invalid (exit 3) unless they are allowed with --allow-shared-gpu.
set -eu

root= # where devices, driver and the machine's number are looked up; a test has them in a folder of its own

suite=
out=
allow=
require=
recorded=
for argument in "$@"; do
  case $argument in
    --out=?*) out=${argument#--out=} ;;
    --allow-shared-gpu) allow=$argument ;;
    --require-gpu) require=$argument ;;
    --recorded) recorded=$argument ;;
    -h | --help)
      sed -n '2,13s/^# *//p' "$0"
      exit 0
      ;;
    -*)
      echo "nightly.sh: unknown argument $argument (known: SUITE, --out=DIR, --allow-shared-gpu, --require-gpu, --recorded)" >&2
      exit 4
      ;;
    *)
      if [ -z "$argument" ] || [ -n "$suite" ]; then
        echo "nightly.sh: expected one SUITE, found '$argument'${suite:+ after $suite}" >&2
        exit 4
      fi
      suite=$argument
      ;;
  esac
done
suite=${suite:-smoke}
case ${SOLGATE_REQUIRE_GPU:-0} in
  0) ;;
  *) require=${require:-SOLGATE_REQUIRE_GPU=$SOLGATE_REQUIRE_GPU} ;;
esac
if [ -n "$require" ] && [ -n "$recorded" ]; then
  echo "nightly.sh: expected one of $require and --recorded, found both" >&2
  exit 4
fi
# A folder given on the command line is the caller's, not the tree's.
case $out in
  '' | /*) ;;
  *) out=$PWD/$out ;;
esac
cd "$(dirname "$0")/.."
[ -n "$out" ] || out=$PWD/out/nightly-$suite-$(date -u +%Y%m%dT%H%M%SZ)

# The GPUs that answer, a line each. A driver that hangs must not hang the night.
list_gpus() {
  if command -v nvidia-smi >/dev/null 2>&1; then
    timeout 60 nvidia-smi -L 2>/dev/null | grep '^GPU '
  else
    [ -e "$root/dev/nvidia0" ] && echo "/dev/nvidia0, there is no nvidia-smi"
  fi
}

# Home folders are shared between machines, and host names given anew: the file is named after what this machine alone has.
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
  for env in out/*/run/env.csv out/*/env.csv "$out"/run/env.csv; do
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
  # Of a driver that did not load there is no more than this: a night that goes on without a GPU would hide it.
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

# Which place an exit code has among those of a night, the worst one last.
rank() {
  case $1 in
    0) echo 0 ;;
    2) echo 1 ;;
    3) echo 2 ;;
    1) echo 4 ;;
    5) echo 5 ;;
    *) echo 3 ;;
  esac
}

worst=0
codes=
# step NAME COMMAND...: runs it; its exit code is $code, and one of those of the last line.
step() {
  name=$1
  shift
  code=0
  "$@" || code=$?
  codes="$codes${codes:+, }$name $code"
}

# count CODE: it counts for the night.
count() {
  [ "$(rank "$1")" -le "$(rank "$worst")" ] || worst=$1
}

# What would be a bare exit code 3 further on: who else was on the GPU, and what lets the job judge all the same.
report_shared_gpu() {
  neighbours=$(sed -n 's/^neighbours,//p' "$1/env.csv" | tr -d '"')
  [ -n "$neighbours" ] || return 0
  echo "nightly.sh: its times are invalid: $neighbours" >&2
  echo "nightly.sh: this job allows it with: scripts/nightly.sh $suite --allow-shared-gpu" >&2
}

# Ends a night that had a GPU.
finish() {
  echo "nightly.sh: suite $suite on $gpus: exit $worst ($codes)"
  exit "$worst"
}

live() {
  leave_stamp "$gpus"
  if [ -e "$out/run" ]; then
    echo "nightly.sh: $out/run: expected no run of another night here, found one" >&2
    exit 4
  fi
  build
  solgate=build-release/bin/solgate
  step doctor $solgate doctor
  # 3: counters are forbidden, or something else is; what the run lacks for it has its reason, row by row, and compare ends with 3 if it gates.
  case $code in
    0) ;;
    3) echo "nightly.sh: going on without what is blocked" >&2 ;;
    *)
      count "$code"
      finish
      ;;
  esac
  step run $solgate run "$suite" --out="$out/run" ${allow:+"$allow"}
  # Verdicts and what was not measured are findings, which compare and report show; after anything else there is no run to compare.
  run_code=$code
  case $code in
    0 | 1 | 2 | 3 | 5) ;;
    *)
      count "$code"
      finish
      ;;
  esac
  if [ "$code" != 0 ] && [ ! -e "$out/run/run.csv" ]; then
    count "$code"
    finish
  fi
  step compare $solgate compare "$out/run" >"$out/compare.txt"
  cat "$out/compare.txt"
  count "$code"
  # A run knows nothing of waivers, which its comparison names in its first line.
  if [ "$code" != 0 ] || ! head -n 1 "$out/compare.txt" | grep -q '[0-9] waived'; then
    count "$run_code"
  fi
  step report $solgate report "$out/run" --out="$out/report" >/dev/null
  count "$code"
  echo "charts and tables: $out/report/index.html"
  report_shared_gpu "$out/run"
  finish
}

recorded() {
  # No kernel runs here: the programs, and the simulated kernels that the README shows.
  build --target solgate solgate-worker sg_null sg_null_reference
  solgate=build-release/bin/solgate
  result=0
  for run in clean:0 slow:1; do
    name=${run%:*}
    must=${run#*:}
    folder=tests/data/h200/$name
    date=$(sed -n 's/^date,//p' "$folder/env.csv")
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
  [ -z "$gpus" ] || live
  why=$(why_required)
  if [ -n "$why" ]; then
    echo "nightly.sh: no GPU answers (nvidia-smi -L), but one must be here: $why" >&2
    echo "nightly.sh: nothing was measured or judged; --recorded compares recorded runs instead: exit 77" >&2
    exit 77
  fi
fi
echo "${recorded:-no GPU here}: comparing and reporting the recorded H200 runs of tests/data/h200 (suite smoke), nothing is measured"
[ "$suite" = smoke ] || echo "(the suite $suite was asked for; only smoke is recorded)"
recorded
