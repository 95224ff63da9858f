#!/bin/sh
# scripts/nightly.sh hands a night to solgate where there is a GPU, and says in its first line
# where nothing is measured: in a small tree, with stand-ins for the build, the GPU and solgate
# that write down what they were asked.
# Not under sanitizers: it runs stand-ins for the programs.
set -eu

tree=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/scripts" "$work/path" "$work/driver" "$work/tools" "$work/build-release/bin" "$work/tests/data/h200/clean" "$work/tests/data/h200/slow" "$work/kernels/suites"
touch "$work/kernels/suites/smoke.suite" "$work/kernels/suites/matvec.suite"
# Its machine is a folder: what this one has of a GPU must not matter.
machine=$work/machine
mkdir -p "$machine/dev" "$machine/proc/driver" "$machine/etc"
echo 0123456789abcdef >"$machine/etc/machine-id"
sed "s|^root=.*|root=$machine|" "$tree/scripts/nightly.sh" >"$work/scripts/nightly.sh"
grep -q "^root=$machine\$" "$work/scripts/nightly.sh" || {
  echo "nightly.sh has no line root= any more"
  exit 1
}
for run in clean slow; do
  printf 'key,value\ndate,2026-11-20T10:00:00Z\n' >"$work/tests/data/h200/$run/env.csv"
done
printf '#!/bin/sh\n' >"$work/scripts/setup"
cp "$work/scripts/setup" "$work/path/cmake"
# Where there is no GPU there is no nvidia-smi either, whatever this machine has: the tools that the
# night uses lie in a folder of their own.
for tool in cat date dirname env grep head mkdir sed sh timeout tr uname; do
  ln -s "$(command -v "$tool")" "$work/tools/$tool"
done
cat >"$work/driver/nvidia-smi" <<'SCRIPT'
#!/bin/sh
case $GPU in
  yes) echo "GPU 0: NVIDIA H200" ;;
  lost) echo "No devices were found" ;;
  silent) ;;
  *)
    echo "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."
    exit 9
    ;;
esac
SCRIPT
cat >"$work/build-release/bin/solgate" <<'SCRIPT'
#!/bin/sh
echo "$*" >>"$ASKED"
case $1:$2 in
  compare:tests/data/h200/clean) exit "$CLEAN" ;;
  compare:tests/data/h200/slow) exit "$SLOW" ;;
  nightly:*) exit "$NIGHT" ;;
  report:*) exit "$REPORT" ;;
esac
SCRIPT
chmod +x "$work/scripts/setup" "$work/path/cmake" "$work/driver/nvidia-smi" "$work/build-release/bin/solgate"

failures=0
keep=
# nightly SENTENCE EXIT [--OPTION...] NAME=VALUE...: runs it so, with these variables; output and
# what was asked are kept for `holds`, the output's first and last line too. On a machine that
# nothing is known of, but for what a test put there itself; nvidia-smi with GPU=... only.
nightly() {
  sentence=$1
  expected=$2
  shift 2
  : >"$work/asked"
  [ "$sentence" = "$keep" ] || rm -rf "$work/state" "$work/out"
  code=0
  option=
  case ${1:-} in
    --*)
      option=$1
      shift
      ;;
  esac
  path=$work/path:$work/tools
  case " $*" in
    *' GPU='*) path=$work/driver:$path ;;
  esac
  # shellcheck disable=SC2086 # one option, or none
  env -u SOLGATE_REQUIRE_GPU CLEAN=0 SLOW=1 REPORT=0 NIGHT=0 XDG_STATE_HOME="$work/state" "$@" \
    OUT="$work/out" ASKED="$work/asked" PATH="$path" \
    sh "$work/scripts/nightly.sh" --out="$work/out" $option >"$work/output" 2>&1 || code=$?
  sed 1q "$work/output" >"$work/first"
  sed -n '$p' "$work/output" >"$work/last"
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

lacks() {
  if grep -q -e "$2" "$1"; then
    echo "$sentence: expected no '$2' in:"
    cat "$1"
    failures=$((failures + 1))
  fi
}

# goes_on SENTENCE EXIT ...: the same on the machine as the call before left it.
goes_on() {
  keep=$1
  nightly "$@"
  keep=
}

nightly "without a GPU the recorded runs are as they must be" 0
holds "$work/first" '^no GPU here: .*recorded H200 runs'
holds "$work/last" '^nightly.sh: recorded H200 runs only, nothing was measured: exit 0'
holds "$work/asked" '^report tests/data/h200/slow .*--note=recorded H200 run of 2026-11-20T10:00:00Z, nothing was measured here'
nightly "a clean run that does not compare as clean fails" 1 CLEAN=1
holds "$work/last" 'nothing was measured: exit 1'
nightly "a slow run that is not found slow fails" 1 SLOW=0
nightly "a report of a recorded run that cannot be written fails" 1 REPORT=3
nightly "recorded runs that are asked for need no reason" 0 --recorded GPU=yes
holds "$work/first" '^--recorded: .*nothing is measured'
holds "$work/last" 'recorded H200 runs only, nothing was measured'
lacks "$work/asked" '^run '

# A GPU that must be here and does not answer.
nightly "a GPU that is required must answer" 77 --require-gpu
holds "$work/output" 'no GPU answers (nvidia-smi -L), but one must be here: --require-gpu'
lacks "$work/asked" .
nightly "the environment can require it" 77 SOLGATE_REQUIRE_GPU=1
holds "$work/output" 'must be here: SOLGATE_REQUIRE_GPU=1'
nightly "0 in the environment requires nothing" 0 SOLGATE_REQUIRE_GPU=0
nightly "what is required is not what is recorded" 4 --recorded SOLGATE_REQUIRE_GPU=1
holds "$work/output" 'expected one of SOLGATE_REQUIRE_GPU=1 and --recorded, found both'
lacks "$work/asked" .
nightly "a GPU was here yesterday" 0 GPU=yes
rm -rf "$work/out"
goes_on "and does not answer today" 77
holds "$work/output" 'state/solgate/had-gpu.0123456789abcdef: there was one, .*GPU 0: NVIDIA H200'
lacks "$work/asked" .
goes_on "recorded runs are compared all the same if that is asked for" 0 --recorded
echo fedcba9876543210 >"$machine/etc/machine-id"
goes_on "what another machine had in this home is not this one's" 0
nightly "a place for that file is needed" 0 GPU=yes XDG_STATE_HOME=/dev/null
holds "$work/output" 'cannot be written: set SOLGATE_REQUIRE_GPU=1'
for folder in out/night out/night/run; do
  mkdir -p "$work/$folder"
  printf 'key,value\ngpu_name,NVIDIA H200\ngpu,h200\n' >"$work/$folder/env.csv"
  goes_on "a run of an earlier night is a trace: $folder" 77
  holds "$work/output" "$folder/env.csv: there was one, NVIDIA H200"
  printf 'key,value\ngpu_name,null\ngpu,null\n' >"$work/$folder/env.csv"
  goes_on "a simulated run is none: $folder" 0
done
for trace in dev/nvidia3 dev/nvidiactl proc/driver/nvidia; do
  : >"$machine/$trace"
  nightly "a driver is a trace of one: $trace" 77
  holds "$work/output" "$trace: there is a driver"
  rm "$machine/$trace"
done
while read -r gpu sentence; do
  nightly "the tool of a driver is a trace of one: $sentence" 77 GPU="$gpu"
  holds "$work/output" "must be here: $work/driver/nvidia-smi: there is the tool of a driver"
  holds "$work/output" '--recorded compares recorded runs instead: exit 77'
  lacks "$work/asked" .
  nightly "the recorded runs are the way out: $sentence" 0 --recorded GPU="$gpu"
done <<'TOOLS'
failing it fails
lost it finds none
silent it prints nothing
TOOLS

# Where there is one.
while read -r code; do
  nightly "with a GPU the exit code is that of the night: $code" "$code" GPU=yes NIGHT="$code"
  holds "$work/asked" "^nightly smoke --out=$work/out\$"
done <<'CODES'
0
1
77
139
CODES
nightly "an argument that it does not know is refused" 4 --allow-everybody
holds "$work/output" 'known: SUITE..., --out=DIR, --history=DIR'

# handed EXIT ASKED WORD...: as command line, in a folder of the caller's
mkdir "$work/caller"
touch "$work/caller/own.suite"
handed() {
  sentence="command line of:$*"
  expected=$1
  wanted=$2
  shift 2
  : >"$work/asked"
  code=0
  (
    export GPU="${GPU:-yes}" PATH="$work/path:$work/tools"
    cd "$work/caller"
    [ "$GPU" = none ] || PATH=$work/driver:$PATH
    XDG_STATE_HOME=$work/state ASKED=$work/asked CLEAN=0 SLOW=1 REPORT=0 NIGHT=0 sh "$work/scripts/nightly.sh" "$@"
  ) >"$work/output" 2>&1 || code=$?
  if [ "$code" != "$expected" ]; then
    echo "$sentence: exit $code, expected $expected"
    failures=$((failures + 1))
  fi
  [ -z "$wanted" ] || holds "$work/asked" "$wanted"
}
handed 0 "^nightly smoke matvec --allow-shared-gpu --out=$work/out/nights\$" smoke matvec --allow-shared-gpu
handed 0 "^nightly $work/caller/own.suite --history=$work/caller/h --module=/m.so --budget=9m --out=$work/caller/o\$" \
  own.suite --history=h --module=/m.so --budget=9m --out=o
handed 4 '' ''
lacks "$work/asked" .
# Without a GPU nothing that was asked for is answered by the recorded runs, with one or without a
# suite that is not there is an error.
rm -rf "$work/state" "$work/out"
for argument in smoke own.suite --history=h --module=/m.so --budget=9m --baselines=b --builds=b --allow-shared-gpu; do
  GPU=none handed 77 '' "$argument"
  holds "$work/output" "one must be here: the argument $argument"
  lacks "$work/asked" .
done
handed 4 '' smoke --recorded
holds "$work/output" 'expected one of the argument smoke and --recorded, found both'
for gpu in none yes; do
  GPU=$gpu handed 4 '' nosuch --history=h
  holds "$work/output" 'there is no suite nosuch'
  lacks "$work/asked" .
  GPU=$gpu handed 4 '' nosuch.suite
done
printf '#!/bin/sh\nexit 1\n' >"$work/path/cmake"
nightly "what cannot be built is no verdict" 3 GPU=yes
holds "$work/last" 'not built, so nothing was measured or judged'

[ "$failures" = 0 ]
