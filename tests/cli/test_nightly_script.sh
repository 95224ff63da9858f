#!/bin/sh
# scripts/nightly.sh hands a night to solgate where there is a GPU, and measures nothing where there
# is none: in a small tree, with stand-ins for the build, the GPU and solgate.
# Not under sanitizers: it runs stand-ins for the programs.
set -eu

tree=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/scripts" "$work/path" "$work/build-release/bin" "$work/tests/data/h200/clean" "$work/tests/data/h200/slow"
cp "$tree/scripts/nightly.sh" "$work/scripts"
for run in clean slow; do
  printf 'key,value\ndate,2026-11-20T10:00:00Z\n' >"$work/tests/data/h200/$run/env.csv"
done
printf '#!/bin/sh\nexit ${BUILD:-0}\n' >"$work/path/cmake"
printf '#!/bin/sh\n' >"$work/scripts/setup"
cat >"$work/build-release/bin/solgate" <<'SCRIPT'
#!/bin/sh
echo "$*" | tee -a "$ASKED"
case $1:$2 in
  compare:*/clean) exit "${CLEAN:-0}" ;;
  compare:*/slow) exit "${SLOW:-1}" ;;
  report:*) exit "${REPORT:-0}" ;;
  nightly:*) exit "${NIGHT:-0}" ;;
esac
SCRIPT
: >"$work/path/nvidia-smi"
chmod +x "$work/scripts/setup" "$work/path/cmake" "$work/path/nvidia-smi" "$work/build-release/bin/solgate"
failures=0

# night EXIT WORDS ASKED [NAME=VALUE...] -- ARGUMENT...: it ends so, prints these words, and asks
# solgate this; an empty one is not looked at.
night() {
  expected=$1 words=$2 asked=$3
  shift 3
  : >"$work/asked"
  code=0 settings=
  while [ "$1" != -- ]; do
    settings="$settings $1"
    shift
  done
  shift
  # shellcheck disable=SC2086 # settings are words
  env ASKED="$work/asked" PATH="$work/path:$PATH" $settings sh "$work/scripts/nightly.sh" "$@" >"$work/output" 2>&1 || code=$?
  [ "$code" = "$expected" ] && grep -q -e "$words" "$work/output" && { [ -z "$asked" ] || grep -q -e "$asked" "$work/asked"; } && return
  echo "nightly.sh $* ($settings): exit $code, expected $expected, '$words' and '$asked':"
  cat "$work/output" "$work/asked"
  failures=$((failures + 1))
}

printf '#!/bin/sh\necho "GPU 0: NVIDIA H200"\n' >"$work/path/nvidia-smi"
for code in 0 1 77 139; do
  night "$code" '' "^nightly smoke --out=$work/out/nights\$" NIGHT=$code --
done
night 0 '' "^nightly --out=$work/out/nights matvec --gpu=1\$" -- matvec --gpu=1
night 0 '' '^nightly smoke --out=o --history=h$' -- --out=o --history=h
night 3 'not built, so nothing was measured or judged' '' BUILD=1 --

printf '#!/bin/sh\necho "No devices were found"\n' >"$work/path/nvidia-smi"
night 77 'no GPU answers' '' --
night 77 'no GPU answers' '' -- smoke
[ ! -s "$work/asked" ] || failures=$((failures + 1))

night 0 'nothing was measured: exit 0' 'report .*slow .*--note=recorded H200 run of 2026-11-20T10:00:00Z, nothing was measured' -- --recorded
night 0 "to use solgate: export PATH=\"$work/build-release/bin:[$]PATH\"" '' -- --recorded
night 0 'o/slow/index.html' '' -- --recorded --out=o
night 1 'nothing was measured: exit 1' '' CLEAN=1 -- --recorded
night 1 'the recorded slow run: compare ended with 0' '' SLOW=0 -- --recorded
night 1 'report with 3' '' REPORT=3 -- --recorded
night 4 'expected --recorded' '' -- --recorded smoke
[ "$failures" = 0 ]
