#!/bin/sh
# Pages in headless Chromium, opened from their files at 400 and 1400 pixels, light and dark:
# nothing on the console, every link leads somewhere, nothing is cut, and a name that would be a
# script is none. Without Chromium it is skipped; then test_report.sh alone looks at pages.
set -eu

solgate=$(cd "$1" && pwd)/solgate
tree=$(cd "$(dirname "$0")/../.." && pwd)
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
  echo "no Chromium here (scripts/setup --all installs it): pages are not opened"
  exit 77
}
for program in python3 gnuplot; do
  command -v $program >/dev/null || { echo "no $program here: pages are not opened"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# A run whose reasons, GPU and note are hostile; names of kernels are checked when a run is read.
hostile='<img src=x onerror=hurt=1>"&'"'"'</script>'
mkdir hostile
cp "$tree/tests/data/hand_report/run/env.csv" hostile
sed "s|y\\[12,7\\]|y<script>hurt=1</script>|" "$tree/tests/data/hand_report/run/run.csv" >hostile/run.csv
sed -i "s|^gpu_name,.*|gpu_name,<img src=x onerror=hurt=1>|" hostile/env.csv

# makes EXIT COMMAND...: pages, or what they are of
makes() {
  code=0 wanted=$1
  shift
  "$solgate" "$@" >out 2>&1 || code=$?
  [ "$code" = "$wanted" ] || { echo "FAILED: solgate $*: exit $code instead of $wanted"; cat out; exit 1; }
}
makes 0 report "$tree/tests/data/h200/slow" --out=run
makes 5 report hostile --note="$hostile" --out=hostile/report
makes 0 history report --history="$tree/tests/data/h200/nights" --out=history
export SOLGATE_BASELINES="$work/accepted" SOLGATE_BUILDS="$work/builds" SOLGATE_HISTORY="$work/nights"
makes 1 ab demo/vec4 demo/unrolled --out=gate
makes 0 report gate --out=gate/report
# A night in which a row is red, after one in which none was.
mkdir nights
printf '[suite]\ntitle = two kernels\nprocesses = 10\nblocks = 8\n\n[demo]\ncase = n64k\nvariant = unrolled\n' >short.suite
export SG_DEMO=accepted
makes 0 run short.suite --out=first
makes 0 accept first --builds=other
# A build of changed sources cannot be made again.
sed -i 's/^\(null,,,,commit.demo,,,,,,,[^,-]*\)[^,]*/\1-dirty/' accepted/short.csv
makes 0 accepted seal accepted/short.csv --reason=test
PATH=/nowhere makes 0 nightly short.suite --all --out=n1
unset SG_DEMO
makes 1 nightly short.suite --all --seed=2 --out=n2
mv n2/*/short/report night

for words in 'y&lt;script&gt;hurt=1' '&lt;img src=x onerror=hurt=1&gt;'; do
  grep -qF "$words" hostile/report/index.html || { echo "FAILED: not on the page: $words"; exit 1; }
done
grep -qF "$work" run/index.html && { echo "FAILED: the page has a path of this machine"; exit 1; }

# What is looked for is found in a page that is bad.
printf '%s' '<!DOCTYPE html><html><body><a href="none.html">x</a><a href="#gone">y</a><script>console.log(1);no.such</script>
<div style="width:1500px">wide</div><img src="no.png"/><p>wide</p><figure>narrow</figure></body></html>' >bad.html
python3 "$tree/tests/pages/browse.py" ${SOLGATE_SHOTS:+"--shots=$SOLGATE_SHOTS"} "$chromium" run/index.html hostile/report/index.html \
  gate/report/index.html night/index.html history/index.html bad.html >said && { echo "FAILED: a bad page passes"; exit 1; }
grep -v '^bad.html: ' said && { echo "FAILED: pages"; exit 1; }
for complaint in 'no such file: none.html' 'no such part: #gone' 'console:' 'exception: ReferenceError' 'pixels wide' 'right edges' 'not drawn'; do
  grep -qF "$complaint" said || { echo "FAILED: not found in a bad page: $complaint"; cat said; exit 1; }
done
