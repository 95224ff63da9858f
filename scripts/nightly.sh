#!/bin/sh
# nightly.sh [SUITE] [--out=DIR] [--allow-neighbours] - sets up, builds, and runs the main job.
#
# Where there is a GPU: runs SUITE (smoke if not given), compares with its accepted numbers, reports; exit code of `solgate compare`.
# Where there is none: compares and reports the recorded H200 runs of tests/data/h200, and says so in the first line and on every chart;
# exit 0 if the clean one compares as clean and the slow one as regressed, 1 if not.
# Beside others on the GPU, and under MIG or MPS, times are invalid (exit 3) unless they are allowed with --allow-neighbours.
set -eu

suite=smoke
out=
allow=
for argument in "$@"; do
  case $argument in
    --out=?*) out=${argument#--out=} ;;
    --allow-neighbours) allow=$argument ;;
    -h | --help)
      sed -n '2,7s/^# *//p' "$0"
      exit 0
      ;;
    -*)
      echo "nightly.sh: unknown argument $argument (known: SUITE, --out=DIR, --allow-neighbours)" >&2
      exit 4
      ;;
    *) suite=$argument ;;
  esac
done
# A folder given on the command line is the caller's, not the tree's.
case $out in
  '' | /*) ;;
  *) out=$PWD/$out ;;
esac
cd "$(dirname "$0")/.."
[ -n "$out" ] || out=$PWD/out/nightly-$suite-$(date -u +%Y%m%dT%H%M%SZ)

has_gpu() {
  if command -v nvidia-smi >/dev/null 2>&1; then
    nvidia-smi -L 2>/dev/null | grep -q '^GPU '
  else
    [ -e /dev/nvidia0 ]
  fi
}

build() {
  scripts/setup --run-only
  cmake --preset release
  cmake --build --preset release
}

# What would be a bare exit code 3 further on: who else was on the GPU, and what lets the job judge all the same.
tell_neighbours() {
  neighbours=$(sed -n 's/^neighbours,//p' "$1/env.csv" | tr -d '"')
  [ -n "$neighbours" ] || return 0
  echo "nightly.sh: its times are invalid: $neighbours" >&2
  echo "nightly.sh: this job allows it with: scripts/nightly.sh $suite --allow-neighbours" >&2
}

live() {
  build
  solgate=build-release/bin/solgate
  doctor_code=0
  $solgate doctor || doctor_code=$?
  # 3: counters are forbidden, or something else is; what the run lacks for it is told with its reason, row by row.
  case $doctor_code in
    0) ;;
    3) echo "nightly.sh: going on without what is blocked" >&2 ;;
    *) return $doctor_code ;;
  esac
  run_code=0
  $solgate run "$suite" --out="$out/run" $allow || run_code=$?
  # 5 says that a variant came out wrong: a finding like others, which compare and report show.
  case $run_code in
    0 | 5) ;;
    *) return $run_code ;;
  esac
  compare_code=0
  $solgate compare "$out/run" || compare_code=$?
  $solgate report "$out/run" --out="$out/report" >/dev/null
  echo "charts and tables: $out/report/index.html"
  tell_neighbours "$out/run"
  return $compare_code
}

recorded() {
  build
  solgate=build-release/bin/solgate
  result=0
  for run in clean:0 slow:1; do
    name=${run%:*}
    must=${run#*:}
    folder=tests/data/h200/$name
    date=$(sed -n 's/^date,//p' "$folder/env.csv")
    code=0
    echo
    echo "== recorded H200 run '$name' of $date"
    $solgate compare "$folder" || code=$?
    $solgate report "$folder" --note="recorded H200 run of $date, no GPU here" --out="$out/$name" >/dev/null
    if [ "$code" != "$must" ]; then
      echo "nightly.sh: compare of the recorded $name run: exit $code, expected $must" >&2
      result=1
    fi
    echo "charts and tables: $out/$name/index.html"
  done
  return $result
}

if has_gpu; then
  live
else
  echo "no GPU here: comparing and reporting the recorded H200 runs of tests/data/h200 (suite smoke), nothing is measured"
  [ "$suite" = smoke ] || echo "(the suite $suite was asked for; only smoke is recorded)"
  recorded
fi
