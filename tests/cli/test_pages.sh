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

code=0
"$solgate" report "$tree/tests/data/h200/slow" --out=slow >out || code=$?
"$solgate" report hostile --note="$hostile" --out=hostile/report >>out || [ $? = 5 ] || code=$?
SOLGATE_BASELINES=none "$solgate" ab demo/vec4 demo/unrolled --out=gate >/dev/null 2>>out || [ $? = 1 ] || code=$?
"$solgate" report gate --out=gate/report >>out || code=$?
"$solgate" history report --history="$tree/tests/data/h200/nights" --out=nights >>out || code=$?
[ "$code" = 0 ] || { cat out; exit 1; }
for words in 'y&lt;script&gt;hurt=1' '&lt;img src=x onerror=hurt=1&gt;'; do
  grep -qF "$words" hostile/report/index.html || { echo "FAILED: not on the page: $words"; exit 1; }
done
grep -qF "$work" slow/index.html && { echo "FAILED: the page has a path of this machine"; exit 1; }

python3 "$tree/tests/pages/browse.py" ${SOLGATE_SHOTS:+"--shots=$SOLGATE_SHOTS"} "$chromium" slow/index.html hostile/report/index.html \
  gate/report/index.html nights/index.html

# What is looked for is found.
printf '%s' '<!DOCTYPE html><html><body><a href="none.html">x</a><a href="#gone">y</a><script>console.log(1);no.such</script>
<div style="width:1500px">wide</div><img src="no.png"/></body></html>' >bad.html
python3 "$tree/tests/pages/browse.py" "$chromium" bad.html >bad && { echo "FAILED: a bad page passes"; exit 1; }
for complaint in 'no such file: none.html' 'no such part: #gone' 'console:' 'exception: ReferenceError' 'pixels wide' 'not drawn'; do
  grep -qF "$complaint" bad || { echo "FAILED: not found in a bad page: $complaint"; cat bad; exit 1; }
done
