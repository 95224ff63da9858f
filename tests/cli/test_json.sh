#!/bin/sh
# What each command prints by --format=json is as docs/output.schema.json describes it, with no
# column more or less, and what compare prints by --format=openmetrics can be scraped.
set -eu
bin=$(cd "$1" && pwd)
tree=$(cd "$(dirname "$0")/../.." && pwd)
# The packages are those of the system's Python.
python=
for candidate in python3 /usr/bin/python3; do
  [ -n "$python" ] || ! "$candidate" -c 'import jsonschema, prometheus_client' 2>/dev/null || python=$candidate
done
[ -n "$python" ] || {
  echo "skipped: no Python with jsonschema and prometheus_client (scripts/setup installs them)"
  exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
data=$tree/tests/data
export SOLGATE_BUILDS="$work/store" SOLGATE_BASELINES="$tree/baselines"
mkdir json
count=0

# prints ARGUMENTS...: solgate ARGUMENTS --format=json, kept for the check
prints() {
  count=$((count + 1))
  "$bin/solgate" "$@" --format=json >"json/$count" 2>err || true
  [ -s "json/$count" ] || { echo "FAILED: solgate $*: prints nothing: $(cat err)" && exit 1; }
}

for what in families cases variants knobs kernels metrics groups gpus suites; do prints list $what; done
prints sol gemm m=192,320 n=3072 k=4096 --dtype=nvfp4 --gpu-spec=b200 --time=127us
prints doctor
prints doctor --ceilings --model --suite=smoke --from="$data/h200/clean" --baselines=ceilings
for run in clean slow group_gemm; do
  prints compare "$data/h200/$run"
  prints gap "$data/h200/$run"
done
prints gap "$data/h200/clean" "$data/h200/slow"
prints compare "$data/h200/slow" "$data/h200/clean" --info
prints explain "$data/h200/slow" matvec/r64_c64_f32 vec16_rows warp_per_row
prints explain "$data/h200/slow" matvec/r64_c64_f32/warp_per_row
prints explain "$data/h200/slow" matvec/r64_c64_f32/warp_per_row --limits
prints accepted show
prints accepted show h200/grouped
prints accepted verify
prints history show --history="$data/h200/nights"
prints history show matvec/r18432_c7168_bf16/vec16_rows --history="$data/h200/nights"
prints history check --history="$data/h200/nights"

"$bin/solgate" run demo --case=n4k --out=R >out 2>&1
"$bin/solgate" accept R --baselines=accepted >out 2>&1
prints fleet R
prints builds list --baselines=accepted
prints builds show null/demo --baselines=accepted
prints builds prune --keep=0 --baselines=none
prints ab demo/one_each demo/two_passes --case=n4k --out=AB
sed 's/accepted/acceptED/' "$bin/libsg_demo.so" >other.so
"$bin/solgate" ab "$bin/libsg_demo.so:demo/two_passes" other.so:demo/two_passes --case=n4k --out=builds >out 2>&1 || true
prints history confirm builds --history="$data/h200/nights"
"$python" "$tree/tests/cli/json_schema.py" "$tree/docs/output.schema.json" json/*

"$bin/solgate" compare "$data/h200/slow" --format=openmetrics >slow.prom 2>err && exit 1
"$bin/solgate" compare R "$data/h200/slow" --format=openmetrics >refused.prom 2>err && exit 1
"$python" - slow.prom refused.prom <<'EOF'
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families

def gauges(path):
    families = list(text_string_to_metric_families(open(path).read()))
    assert all(f.type == 'gauge' and f.documentation for f in families), families
    return {f.name: f.samples for f in families}

slow, refused = map(gauges, sys.argv[1:])
assert [s.value for s in slow['solgate_exit_code']] == [1], slow['solgate_exit_code']
assert {s.labels['verdict']: s.value for s in slow['solgate_rows']}['regressed'] == 3
changes = [s for s in slow['solgate_change_ratio'] if s.labels['variant'] == 'warp_per_row' and s.labels['case'] == 'r64_c64_f32']
assert [round(s.value, 3) for s in changes if s.labels['metric'] == 'time_ratio'] == [0.233], changes
assert [s.value for s in refused['solgate_exit_code']] == [3], refused
EOF
