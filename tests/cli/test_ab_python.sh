#!/bin/sh
# Not under sanitizers: libsolgate_gate.so is loaded by Python, which is not sanitized.
# solgate ab --exec: pairs of a Python program are listed, judged and refused; cheats are found.
# Without a GPU: arrays are NumPy's and times are simulated.
set -eu
bin=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cheats_lib.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
unset SOLGATE_HOME PYTHONPATH
export SOLGATE_BUILDS="$work/store" PYTHONDONTWRITEBYTECODE=1
for python in python3 /usr/bin/python3 none; do
  ! $python -c 'import numpy' 2>/dev/null || break
done
[ "$python" != none ] || {
  echo "no Python here has numpy: scripts/setup installs it"
  exit 1
}
# Compiled once: no start of Python below writes into the tree.
$python -m compileall -q "$here/../../python/solgate"
cd "$work"

fail() { echo "FAILED: $*" && failures=$((failures + 1)); }
# expect CODE WORDS COMMAND...
expect() {
  wanted=$1 words=$2 code=0
  shift 2
  "$@" >"$work/out" 2>&1 </dev/null || code=$?
  [ "$code" = "$wanted" ] && grep -qF -e "$words" "$work/out" && return
  fail "$*: exit $code instead of $wanted, with '$words'"
  sed 's/^/    /' "$work/out"
}

mkdir comma
! localedef -i de_DE -f UTF-8 comma/de_DE.UTF-8 >/dev/null 2>&1 || export LOCPATH="$work/comma"
cat >gate.py <<'PY'
import collections, locale, os, sys
import numpy as np
import solgate
if "LOCPATH" in os.environ:
    locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")  # a decimal comma
if "CALLED" in os.environ:
    print("imported", file=open(os.environ["CALLED"], "a"))

def inputs(seed, rows, cols):
    return np.random.default_rng(seed).standard_normal((rows, cols)).astype("float32"), solgate.out(np.empty(rows, "float32"))

calls = []
def note(name):  # which side is called first, in each process that times
    calls.append(name)
    if len(calls) == 100 and "ORDER" in os.environ:
        print(calls[0], file=open(os.environ["ORDER"], "a"))

def launches(side, grid):  # as a tuner chooses for this process
    side.simulated_launched = b"fill, grid (1, 1, 1), block (32, 1, 1), 0 B dynamic shared, 16 registers; tiled, grid (%d, 1, 1)" % grid

def total(x, out):
    launches(total, 8)
    note("total")
    out[:] = x.sum(axis=1)
    return out * 2, x[0].argmax() + np.zeros(1, "int64")

def product(x, out):
    note("product")
    launches(product, 8 + 8 * (calls[0] == "product"))
    out[:] = x @ np.ones(x.shape[1], "float32")
    return 2 * out, np.array([np.argmax(x[0])])

def slower(x, out):
    return product(x, out)
slower.simulated_ns = 10300

def compiled(x, out):  # loads code in its first three calls, and waits for the device
    compiled.calls[sys._getframe(1).f_code.co_name] += 1
    assert compiled.calls["prepare"] == 5 or not compiled.calls["launch"], "it is timed before two calls load nothing"
    compiled.simulated_loads = min(3, compiled.calls["prepare"])
    return product(x, out)
compiled.calls = collections.Counter()
compiled.simulated_waits = 1

solgate.pair(total, product, inputs, cases=[dict(rows=8, cols=100), dict(rows=16, cols=30)], tolerance="0.5%")
solgate.pair(total, compiled, inputs, cases=[dict(rows=8, cols=100)])
solgate.pair(total, slower, inputs, cases=[dict(rows=8, cols=100)])
solgate.pair(total, total, inputs, name="same", cases=[dict(rows=8, cols=100)])
solgate.bench(total, inputs, name="alone", cases=[dict(rows=8, cols=100)])
PY

# As it is, without a GPU: plainly, and refused with the reason.
PYTHONPATH=$here/../../python expect 0 'solgate: product: 2 cases right; nothing was timed' $python gate.py
if ! nvidia-smi -L >/dev/null 2>&1; then
  expect 77 "Without a GPU run \`$python gate.py\`" "$bin/solgate" ab --exec --out=none -- $python gate.py
fi

export SOLGATE_GATE_SIMULATED=1
CALLED=$work/called ORDER=$work/order expect 1 'product/rows8_cols100   candidate' "$bin/solgate" ab --exec --out=all -- $python gate.py
grep -q '^product/rows16_cols30 .* within$' out || fail "the pair of two cases is not within: $(cat out)"
[ "$(sort order | uniq -c | tr -s ' \n' ' ')" = ' 10 product 20 total ' ] ||
  fail "candidates are not called first in five of ten processes: $(sort order | uniq -c)"
tr -s ' \n' ' ' <out | grep -q 'baseline always the same; candidate tiled, grid (8, 1, 1) in 5 of 10 starts; tiled, grid (16, 1, 1) in 5 of 10 starts; with the most frequent choice of each side (5 and 5 starts): within, ' ||
  fail "what each start chose is not said: $(cat out)"
grep -q '^product,rows8_cols100,candidate,choice_09_base,.*; tiled, grid (8, 1, 1)"' all/product/run.csv || fail "run.csv does not have what the last start chose"
grep -q '^compiled/rows8_cols100 .* within$' out || fail "what compiles is not within: $(cat out)"
grep -q '^    host_bound: candidate: its host waits' out || fail "nothing is said of a host that waits: $(cat out)"
grep -q '^compiled,.*,host_bound,.*candidate' all/compiled/run.csv || fail "run.csv has no row host_bound"
grep -q '"host_bound: candidate: ' all/compiled/verdict.csv || fail "verdict.csv does not have host_bound"
grep -q '^slower/rows8_cols100 .* regressed$' out || fail "the slower one has not regressed: $(cat out)"
grep -q '^same/rows8_cols100 .* identical$' out || fail "the same function is not identical: $(cat out)"
[ -s all/product/run.csv ] && [ -s all/slower/samples.csv ] || fail "no runs are kept: $(ls all)"
[ ! -e all/alone ] || fail "a single function was judged"
expect 1 '| slower/rows8_cols100 | candidate | ' "$bin/solgate" ab --exec --out=all --resume --format=markdown -- $python gate.py
grep -m 1 '^\*\*' out | grep -q '^..FAIL (exit 1): .*slower' || fail "the worst of four gates does not come first: $(cat out)"
for format in json junit csv; do # one document of all gates
  "$bin/solgate" ab --exec --out=all --resume --format=$format -- $python gate.py >all.$format 2>err || :
done
$python - <<'PY' || fail "not one document: $(cat all.json all.junit all.csv)"
import csv, json, xml.etree.ElementTree as tree
rows = json.load(open("all.json"))["findings"]["rows"]
suites = tree.parse("all.junit").getroot()
table = list(csv.DictReader(open("all.csv")))
for names in ({r["family"] for r in rows}, {s.get("name") for s in suites}, {r["family"] for r in table}):
    assert {"product", "slower", "same", "compiled"} <= names, names
assert suites.get("failures") == "1" and suites.get("name").startswith("FAIL (exit 1): slower/rows8_cols100/candidate +3.0 % slower than slower/baseline"), suites.attrib
PY
[ "$(wc -l <called)" = 1 ] || fail "the program was started $(wc -l <called) times, not once"
expect 0 'PASS' "$bin/solgate" ab --exec --out=wide --tolerance=10% -- $python gate.py
expect 4 'OPEN (exit 4): no case of ' "$bin/solgate" ab --exec --out=one_lacks --case=rows16_cols30 -- $python gate.py

# Work that is only guessed from the size of arrays refuses no time: a cache of which a part is
# written, by itself and as a view of it that is returned. What solgate.out() promises does refuse.
cat >cache.py <<'PY'
import numpy as np, solgate
def inputs(mark):
    def made(seed):
        random = np.random.default_rng(seed).standard_normal
        return mark(random((256, 512)).astype("float32")), random((10, 512)).astype("float32")
    return made
def append(cache, new):
    cache[7:17] = new
def put(cache, new):
    np.copyto(cache[7:17], new)
def view(cache, new):
    cache[7:17] = new
    return cache[:17]
def put_view(cache, new):
    np.copyto(cache[7:17], new)
    return cache[:17]
def fill(cache, new):
    cache[:] = new[0]
def fill_all(cache, new):
    cache[:] = new[:1]
for function in append, put, view, put_view, fill, fill_all:
    function.simulated_ns = 125
solgate.pair(append, put, inputs(solgate.inout))
solgate.pair(view, put_view, inputs(solgate.inout))
solgate.pair(fill, fill_all, inputs(solgate.out), work=lambda: dict(bytes=1e6, flop={None: 1000, "f16": 8}))

# As on a GPU where the candidate captures a graph: from then on the eager one takes longer.
def eager(cache, new):
    cache[:] = 1
def replayed(cache, new):
    eager.simulated_ns = 10600
    cache[:] = 1
replayed.simulated_ns = 8000
solgate.pair(eager, replayed, inputs(solgate.out))
PY
expect 3 'candidate is impossible: ' "$bin/solgate" ab --exec --out=cache --tolerance=5% -- $python cache.py
for name in put put_view; do
  grep -q "^$name/only  *candidate .* within$" out || fail "$name: an append in place is not judged: $(cat out)"
done
grep -q '^fill_all/only .* invalid$' out || fail "a fill that takes no time is not refused: $(cat out)"
grep -q '^replayed/only .* improved$' out || fail "a graph is not judged against the eager baseline by itself: $(cat out)"
expect 0 'guessed memory' "$bin/solgate" gap cache/put
# put may write a part of the cache only, replayed writes all of it, and fill_all declares its work.
work_of() { sed -n "s/^$1,only,baseline,\(work_[a-z0-9_]*\),[^,]*,\([^,]*\),.*/\1=\2/p; s/^$1,only,baseline,\(guessed_work\),.*,ok,\(.*\),*$/\1=\2/p" "cache/$1/run.csv" | tr '\n' ' '; }
[ "$(work_of put)" = 'guessed_work=whole outputs,, work_read_bytes=544768 work_write_bytes=524288 ' ] || fail "guessed work: $(work_of put)"
[ "$(work_of replayed)" = 'guessed_work=whole inputs,, work_read_bytes=20480 work_write_bytes=524288 ' ] || fail "guessed work: $(work_of replayed)"
[ "$(work_of fill_all)" = 'work_flop_f16=8 work_flop_f32=1000 work_read_bytes=475712 work_write_bytes=524288 ' ] || fail "declared work: $(work_of fill_all)"

# Each output is judged by its type, in any order of keys. The verdict counts NaN and outliers.
cat >outputs.py <<'PY'
import numpy as np, solgate
def inputs(seed):
    return (np.random.default_rng(seed).standard_normal(1000).astype("float32"),)
def all_of(x, **wrong):
    count = (abs(x) * 10).astype("int64") + 10000
    return dict(y=2 * x, half=x.astype("float16"), count=count, loss=float(x.sum()), mean=x.mean(), name="sum", big=2**70, last=int(count.argmax()), given=x) | wrong
def shuffled(x):
    return dict(reversed(all_of(x).items())) | dict(given=x.copy())
def masked(x, more=0):
    return np.where(np.arange(1000) < 12, 1e12, np.where(np.arange(1000) > 990, np.nan, x * (1 + more))).astype("float32")
solgate.pair(all_of, shuffled, inputs, name="shuffled", tolerance="10%")
solgate.pair(masked, lambda x: masked(x, 3e-5), inputs, name="masked", tolerance="10%")
WRONG = dict(y=lambda x: x * np.float32(2.002), half=lambda x: (x * 1.01).astype("float16"), loss=lambda x: 1.01 * x.sum().item(),
             count=lambda x: (abs(x) * 10).astype("int64") + 10000 + (x == x[5]), last=lambda x: int(abs(x).argmin()),
             name=lambda x: "mean", big=lambda x: 2**70 + 1)  # fmt: skip
solgate.pair(lambda x, what: all_of(x), lambda x, what: all_of(x, **{what: WRONG[what](x)}), lambda seed, what: (*inputs(seed), what),
             name="wrong", cases=[dict(what=what) for what in WRONG], rtol=0.0004)  # fmt: skip
solgate.pair(masked, lambda x: masked(x, 1e-2), inputs, name="wrong_beside_outliers")
solgate.pair(lambda x: x * np.nan, lambda x: x * np.nan + 0, inputs, name="wrong_all_nan")
PY
expect 5 'shuffled/only  candidate' "$bin/solgate" ab --exec --out=outputs -- $python outputs.py
[ "$(grep -c '^\(shuffled\|masked\)/only .* within$' out)" = 2 ] || fail "honest outputs are not within: $(cat out)"
[ "$(grep -c '^wrong.*/.* broken ' out)" = 10 ] || fail "not all wrong outputs are broken: $(cat out)"
grep -q 'out0: 9 of 1000 elements are NaN on both sides, and were not compared; out0: 12 of 1000 elements are outliers' outputs/masked/verdict.csv ||
  fail "what was not compared is not said: $(cat outputs/masked/verdict.csv)"

# A mistake of the gate ends in the sentence of a plain run and 4, and blames no kernel.
cat >refused.py <<'PY'
import os, subprocess, sys
import numpy as np, solgate
class Jax:
    __dlpack__ = None
    def __init__(self, array):
        self.array, self.shape, self.dtype = array, array.shape, array.dtype
    def unsafe_buffer_pointer(self):
        return self.array.ctypes.data
    def devices(self):
        return [type("Device", (), {"platform": "cpu"})]
    def __mul__(self, number):
        return Jax(self.array * number)
def inputs(seed):
    return (np.random.default_rng(seed).standard_normal(1000).astype("float32"),)
def zero(seed):
    return 1 // (seed - 1)
if sys.argv[2:]:
    sys.exit(subprocess.run([sys.executable, *sys.argv[:2]], env={**os.environ, sys.argv[2]: "gw0"}).returncode)
two, same = (lambda x: x * 2), dict(inputs=inputs)
baseline, candidate, more = {
    "right": (two, lambda x: x + x, same),
    "jax": (two, lambda x: x * 2.0, dict(inputs=lambda seed: Jax(*inputs(seed)))),
    "returns_jax": (two, lambda x: Jax(x + x), same),
    "empty": (two, two, dict(inputs=lambda seed: np.zeros((3, 0)))),
    "gaps": (lambda x: x[::2], lambda x: x[::2] + 0, same),
    "backwards": (lambda x: (2 * x)[::-1], lambda x: (x + x)[::-1], same),
    "masked": (lambda x: np.ma.array(x), lambda x: np.ma.array(x), same),
    "inputs": (two, two, dict(inputs=zero)),
    "check": (two, two, dict(inputs=inputs, check=lambda x: zero(1))),
    "check_keys": (two, two, dict(inputs=inputs, check=lambda x: dict(z=2 * x))),
}[sys.argv[1]]
solgate.pair(baseline, lambda x: candidate(x), name="gate", **more)
PY
# refuses CODE WORDS ARGUMENTS...
refuses() {
  code=$1 words=$2
  shift 2
  expect "$code" "$words" "$bin/solgate" ab --exec --out="refused_$1$code${2:-}" -- $python refused.py "$@"
}
refuses 4 'cannot be made here: let inputs return arrays of torch or CuPy' jax
refuses 4 'functions of JAX are compared and not timed' returns_jax
refuses 4 'an array of 3x0 float64 has no elements' empty
refuses 4 'has gaps between its elements' gaps
refuses 4 'or negative strides: pass or return a contiguous array' backwards
refuses 4 'returned numpy.ma.core.MaskedArray, expected a plain array' masked
refuses 4 'refused.py:16: ZeroDivisionError' inputs
refuses 4 'refused.py:16: ZeroDivisionError' check
refuses 4 'check returned 1 outputs, a call has 1: without 0 and with z' check_keys
refuses 4 'refused.py:32: a worker of pytest-xdist, without descriptor 3 of solgate, cannot be measured' right PYTEST_XDIST_WORKER

# A gate file is a module of suites. What is accepted is the commit: a night pairs its functions
# with today's.
printf '[suite]\ntitle = pairs\nprocesses = 5\nblocks = 8\ndeadline = 1s\n[product]\n' >s.suite
mkdir repo && cd repo
cat >ops.py <<'PY'
def double(x):
    return x * 2
double.simulated_ns = 10000
PY
cat >gate.py <<'PY'
import os, time
import numpy as np, solgate
from ops import double
waits = []
if "STARTS" in os.environ:
    with open(os.environ["STARTS"], "a") as starts:  # which lists, which verify, and one that times
        waits = [1.1, 1.1] if starts.tell() < 4 else []
        starts.write("x")
    time.sleep(waits.pop() if waits else 0)
def inputs(seed):
    return (np.random.default_rng(seed).standard_normal(100).astype("float32"),)
def fresh(x):
    if waits:
        time.sleep(waits.pop())
    return x + x
solgate.pair(fresh, double, inputs, name="product")
PY
git init -q . && git add . && git -c user.name=t -c user.email=t@t commit -qm one
expect 0 PASS "$bin/solgate" ab --exec --out=../own --tolerance=5% -- $python gate.py
# beside RUN: a run of it, paired with what is accepted.
beside() { expect 0 '2 items' "$bin/solgate" run ../s.suite --module=../own/gates/product --against-accepted --baselines=../base2 --out="$1"; }
# The deadline of an item covers neither the import nor the first call.
STARTS=$work/starts expect 0 '2 items' "$bin/solgate" run ../s.suite --module=../own/gates/product --out=../R2
sed -i 's/= 1s/= 60s/' ../s.suite
expect 0 '' "$bin/solgate" accept ../R2 --module=../own/gates/product --baselines=../base2
sed 's/= 5$/= 10/' ../s.suite >s.suite # so that the night does not measure its rows again
expect 0 '2 of 2 rows paired with the accepted build' "$bin/solgate" nightly ./s.suite --module=../own/gates/product --out=../nights --baselines=../base2
sed -i 's/10000/10300/' ops.py
beside ../R3
expect 1 'product/only  candidate  build_ratio  1.030x' "$bin/solgate" compare ../R3 --baselines=../base2
expect 0 '' "$bin/solgate" accept ../R3 --module=../own/gates/product --baselines=../base2 --reason=test
beside ../R4
grep -q -e '-dirty: commit your changes' "$work/out" || fail "numbers of uncommitted changes are paired: $(cat "$work/out")"
cat >reads.py <<'PY'
import functools, os
import numpy as np, solgate
def inputs(seed):
    return (np.random.default_rng(seed).standard_normal(100).astype("float32"),)
then = solgate.at("HEAD", "table:scaled")
def now(x):
    return x * 3
solgate.pair(then, now, inputs, name="reads")
PY
cat >table.py <<'PY'
import os
def scaled(x):
    with open(os.path.join(os.path.dirname(__file__), "factor.txt")) as file:
        return x * int(file.read())
PY
echo 3 >factor.txt
git add . && git -c user.name=t -c user.email=t@t commit -qm two

# A call of each side shows which files both read. A commit's code must not use files of the working
# tree.
cat >lazy.py <<'PY'
import os, sys
from ops2 import scaled
import numpy as np, solgate
def inputs(seed):
    return (np.random.default_rng(seed).standard_normal(100).astype("float32"),)
if "PATCH" in os.environ:
    sys.modules["ops2"].FACTOR = 4
solgate.pair(solgate.at("HEAD", "ops2:scaled"), scaled, inputs)
PY
cat >ops2.py <<'PY'
import os
FACTOR, USE = 3, os.environ.get("FOLDER") and "late.txt" or os.path.join(os.path.dirname(__file__), "late.txt")
def scaled(x):
    import late
    with open(USE) as file:
        scaled.simulated_ns = late.NS * float(file.read())
    return x * FACTOR
PY
echo 'NS = 10000' >late.py
echo 1.0 >late.txt
git add . && git -c user.name=t -c user.email=t@t commit -qm lazy
judged() { expect "$1" "$2" "$bin/solgate" ab --exec --out="../lazy$((n = ${n:-0} + 1))" --tolerance=0.5% -- $python lazy.py; }
judged 0 'the same code, and it reads the same files; not timed'
[ "$(wc -l <../lazy1/scaled/samples.csv)" = 1 ] || fail "an identical gate was timed: $(cat out)"
judged 0 '1 identical' # of a second start, beside what the first has left
echo 'NS = 10300' >late.py
judged 1 '1 regressed'
git checkout -q late.py
echo 1.03 >late.txt
judged 1 '1 regressed'
FOLDER=1 judged 3 'used late.txt of the working'
git checkout -q late.txt
FOLDER=1 judged 0 '1 identical'
PATCH=1 judged 5 'wrong'
cat >wrong.py <<'PY'
import os
import numpy as np, solgate
generator = np.random.default_rng(0)
def inputs(seed):
    g = generator if "UNSEEDED" in os.environ else np.random.default_rng(seed)
    return (g.standard_normal(100).astype("float32"),)
calls = []
def first(x):  # is wrong in the first call of a process
    calls.append(1)
    return x * (2 if len(calls) > 1 or "UNSEEDED" in os.environ else 3)
solgate.pair(first, first if "SAME" in os.environ else lambda x: first(x), inputs, name="first")
PY
for way in ONCE SAME UNSEEDED; do
  env $way=1 PYTHONPATH="$here/../../python" $python wrong.py >"$work/out" 2>&1 && fail "$way: a plain run is right"
  expect 5 'wrong: Wrong: first()' env $way=1 "$bin/solgate" ab --exec --out="../wrong$way" -- $python wrong.py
done

mkdir ../temporary
TMPDIR=$work/temporary expect 0 PASS "$bin/solgate" ab --exec --out=../reads --tolerance=5% -- $python reads.py
for _ in 1 2 3 4 5 6 7 8 9 10; do [ -z "$(ls ../temporary)" ] || sleep 0.1; done
[ -z "$(ls ../temporary)" ] || fail "files of the commit are left behind: $(ls ../temporary)"
cd ..

# A program that must not be forked is started anew each time, and told so.
cat >anew.py <<'PY'
import ctypes, os, sys, threading
import numpy as np
import solgate
cuda = ctypes.CDLL("libcuda.so.1")
print("imported", file=open(os.environ["CALLED"], "a"))
if sys.argv[1] == "threads":
    threading.Thread(target=threading.Event().wait, daemon=True).start()
if sys.argv[1] == "cuda":
    cuda.cuInit(0)
add = lambda x: x + 1
solgate.pair(add, add, lambda seed: np.ones(100, "float32"), name="add")
PY
# starts CASE TIMES WORDS: 5 processes measure, 1 verifies, 1 lists the gate, 1 all gates
starts() {
  rm -f called
  LD_LIBRARY_PATH=$bin/../tests/standin CALLED=$work/called expect 0 "$3" "$bin/solgate" ab --exec --out="$1" -- $python anew.py "$1"
  [ "$(wc -l <called)" = "$2" ] || fail "$1: the program was started $(wc -l <called) times, not $2"
}
starts nothing 1 'PASS'
starts threads 8 "$work/anew.py:11: threads run before solgate.pair: each process imports anew"
starts cuda 8 "$work/anew.py:9: CUDA is initialised before solgate.pair: each process imports anew"

# What is no gate is told.
echo 'print("nothing to do")' >empty.py
echo 'import missing_module' >broken.py
expect 4 'expected a program that calls solgate.pair' "$bin/solgate" ab --exec --out=a -- $python empty.py
expect 4 'missing_module' "$bin/solgate" ab --exec --out=b -- $python broken.py
expect 4 './no-such-program: cannot be run' "$bin/solgate" ab --exec --out=c -- ./no-such-program
expect 4 "expected --exec 'CMD A' ['CMD B'], found 0 arguments" "$bin/solgate" ab --exec --out=d
expect 4 'a program after -- needs --exec' "$bin/solgate" ab --out=d -- $python gate.py
expect 4 'expected --exec -- PROGRAM ARGUMENT..., found 1 argument' "$bin/solgate" ab x/y --exec --out=d -- $python gate.py
expect 4 'kernel goes with: --exec' "$bin/solgate" ab --exec --kernel=x --out=d -- $python gate.py

judge_functions "$bin/solgate" "$python" "$work" "${here%/*}/python/judged.py" || failures=$((failures + 1))
[ "$failures" = 0 ]
