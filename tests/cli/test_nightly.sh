#!/bin/sh
# scripts/nightly.sh says in its first line whether it measures, and its exit code is the verdict: in a small tree, with stand-ins for the
# build, the GPU and solgate that write down what they were asked.
set -eu

tree=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/scripts" "$work/path" "$work/build-release/bin" "$work/tests/data/h200/clean" "$work/tests/data/h200/slow"
cp "$tree/scripts/nightly.sh" "$work/scripts/"
for run in clean slow; do
  printf 'key,value\ndate,2026-11-20T10:00:00Z\n' >"$work/tests/data/h200/$run/env.csv"
done
printf '#!/bin/sh\n' >"$work/scripts/setup"
cp "$work/scripts/setup" "$work/path/cmake"
# shellcheck disable=SC2016 # the stand-ins expand these
printf '#!/bin/sh\n[ "$GPU" = yes ] && echo "GPU 0: NVIDIA H200"\n' >"$work/path/nvidia-smi"
cat >"$work/build-release/bin/solgate" <<'SCRIPT'
#!/bin/sh
echo "$*" >>"$ASKED"
case $1:$2 in
  compare:tests/data/h200/clean) exit "$CLEAN" ;;
  compare:tests/data/h200/slow) exit "$SLOW" ;;
  compare:*) exit "$COMPARE" ;;
  run:*)
    mkdir -p "$OUT/run"
    printf 'key,value\nsuite,smoke\n%s' "$ENV" >"$OUT/run/env.csv"
    exit "$RUN"
    ;;
  doctor:*) exit "$DOCTOR" ;;
esac
SCRIPT
chmod +x "$work/scripts/setup" "$work/path/cmake" "$work/path/nvidia-smi" "$work/build-release/bin/solgate"

failures=0
# nightly SENTENCE EXIT [--OPTION...] NAME=VALUE...: runs it so, with these variables; output and what was asked are kept for `holds`.
nightly() {
  sentence=$1
  expected=$2
  shift 2
  : >"$work/asked"
  code=0
  option=
  case ${1:-} in
    --*)
      option=$1
      shift
      ;;
  esac
  # shellcheck disable=SC2086 # one option, or none
  env GPU=no CLEAN=0 SLOW=1 RUN=0 COMPARE=0 DOCTOR=0 ENV= "$@" OUT="$work/out" ASKED="$work/asked" PATH="$work/path:$PATH" \
    sh "$work/scripts/nightly.sh" --out="$work/out" $option >"$work/output" 2>&1 || code=$?
  if [ "$code" != "$expected" ]; then
    echo "$sentence: exit $code, expected $expected"
    cat "$work/output"
    failures=$((failures + 1))
  fi
}

holds() {
  if ! grep -q -e "$2" "$1"; then
    echo "$sentence: expected '$2' in:"
    cat "$1"
    failures=$((failures + 1))
  fi
}

nightly "without a GPU the recorded runs are as they must be" 0
sed 1q "$work/output" >"$work/first"
holds "$work/first" '^no GPU here: .*recorded H200 runs'
holds "$work/asked" '^report tests/data/h200/slow .*--note=recorded H200 run of 2026-11-20T10:00:00Z, no GPU here'
nightly "a clean run that does not compare as clean fails" 1 CLEAN=1
nightly "a slow run that is not found slow fails" 1 SLOW=0
nightly "with a GPU the run is live, and its verdict is the exit code" 1 GPU=yes COMPARE=1
holds "$work/asked" "^run smoke --out=$work/out/run"
holds "$work/asked" "^report $work/out/run --out=$work/out/report"
nightly "a variant that came out wrong is compared and reported" 5 GPU=yes RUN=5 COMPARE=5
holds "$work/asked" '^report '
nightly "a run that could not be made is not compared" 77 GPU=yes RUN=77
if grep -q '^compare' "$work/asked"; then
  echo "$sentence: compare was called"
  failures=$((failures + 1))
fi
nightly "a machine without what doctor needs is not measured on" 77 GPU=yes DOCTOR=77
if grep -q '^run' "$work/asked"; then
  echo "$sentence: run was called"
  failures=$((failures + 1))
fi
nightly "what is blocked costs what needs it, and no more" 0 GPU=yes DOCTOR=3
holds "$work/asked" '^compare '
holds "$work/output" 'going on without what is blocked'
nightly "beside a neighbour it is said what stands in the way" 3 GPU=yes COMPARE=3 ENV='neighbours,"MIG is on, so other instances share memory"
'
holds "$work/output" 'nightly.sh: its times are invalid: MIG is on, so other instances share memory'
holds "$work/output" 'scripts/nightly.sh smoke --allow-neighbours'
nightly "neighbours that are allowed are allowed to the run" 0 --allow-neighbours GPU=yes
holds "$work/asked" '^run smoke .*--allow-neighbours'
if grep -q 'nightly.sh:' "$work/output"; then
  echo "$sentence: something stands in the way of it"
  failures=$((failures + 1))
fi
nightly "an argument that it does not know is refused" 4 --allow-everybody
holds "$work/output" 'known: SUITE, --out=DIR, --allow-neighbours'

[ "$failures" = 0 ]
