#!/bin/sh
# A report from files alone: what is written, that it is well-formed and holds what it should,
# and what happens without gnuplot.
set -eu

solgate=$(cd "$1" && pwd)/solgate
here=$(cd "$(dirname "$0")" && pwd)
data=$here/../data/hand_report
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
cd / # pages leave the working folder out of paths

fail() { echo "$*" && failures=$((failures + 1)); }

# holds WHAT FILE WORDS
holds() {
  grep -qF -e "$3" "$2" || fail "$1: no '$3' in ${2##*/}"
}

# expect CODE COMMAND...: its output in $work/out and $work/err
expect() {
  wanted=$1
  shift
  code=0
  "$@" >"$work/out" 2>"$work/err" || code=$?
  [ "$code" = "$wanted" ] || fail "$*: exit $code, expected $wanted: $(cat "$work/err")"
}

# seal WHAT [OPTION]: accepted numbers that were made here by hand
seal() {
  expect 0 "$solgate" accepted seal --reason="made by a test" "$@"
}

# Python reads XML strictly; without it that part is not tested, and says so.
well_formed() {
  command -v python3 >/dev/null || { echo "no python3: $1 is not checked for well-formed XML"; return 0; }
  python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$1" 2>"$work/err" || fail "$1: $(tail -n 1 "$work/err")"
}

# Everything that a page refers to is there: files beside it, and parts of itself.
links_lead_somewhere() {
  command -v python3 >/dev/null || return 0
  python3 - "$1" 2>"$work/err" <<'EOP' || fail "$1: $(tail -n 1 "$work/err")"
import html.parser, os, sys
class Page(html.parser.HTMLParser):
    ids, links = set(), set()
    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id" and value in self.ids: sys.exit(f"two parts are called {value}")
            if name == "id": self.ids.add(value)
            if name in ("href", "src", "srcset"): self.links.add(value)
page = Page()
page.feed(open(sys.argv[1], encoding="utf-8").read())
lost = [l for l in page.links if (l[1:] not in page.ids if l[0] == "#" else not os.path.exists(os.path.join(os.path.dirname(sys.argv[1]), l)))]
if lost or not page.links: sys.exit(f"lead nowhere: {lost}")
EOP
}

tables="comparison.csv gap.csv counters.csv report.md index.html"
charts="vs_accepted time_ratio time_ratio_near gap roofline stalls moved_since_accepted moved_vs_baseline"

check_tables() {
  for file in $tables; do
    [ -s "$1/$file" ] || fail "$2: $file is missing or empty"
  done
  [ "$(grep -c '<table' "$1/index.html")" = "$(grep -c '<div class="scroll"><table' "$1/index.html")" ] ||
    fail "$2: a table without a box of its own makes the page as wide as it is"
  well_formed "$1/index.html" # HTML, and XML too: every element is closed
  links_lead_somewhere "$1/index.html"
}

# Every number: the tables have a line for each row, and the subject's
# regression with its numbers and its cause.
expect 5 "$solgate" report "$data/run" "$data/before" --baseline="$data/baseline.csv" --out="$work/tables" --tables-only --note='recorded <here>'
check_tables "$work/tables" "tables only"
[ ! -e "$work/tables/charts" ] || fail "tables only: there are charts"
holds "what is compared" "$work/tables/report.md" "2 regressed, 2 broken, 6 within"
holds "the change" "$work/tables/index.html" "+8.1 % [+7.7, +8.5]"
holds "the cause" "$work/tables/index.html" "stall_barrier"
holds "the note" "$work/tables/index.html" "recorded &lt;here&gt;"
holds "the other run" "$work/tables/index.html" "hand_report/before"
holds "where it was measured" "$work/tables/index.html" "<td>580.159</td>"
holds "the regressed row" "$work/tables/comparison.csv" "matvec,r4096_c4096_f32,warp_per_row,time_ratio,1,1.012,1.093972,"
holds "the wide table" "$work/tables/counters.csv" "family,case,variant,status,count_passes,"
holds "a broken variant keeps its row" "$work/tables/counters.csv" "matvec,r4096_c4096_f32,smem,nan,"
[ "$(wc -l <"$work/tables/counters.csv")" = 13 ] || fail "counters.csv: a line for each of 12 variants and the header expected"
[ "$(wc -l <"$work/tables/gap.csv")" = 13 ] || fail "gap.csv: a line for each of 12 variants and the header expected"
grep -q '<script>' "$work/tables/index.html" "$work/tables/report.md" && fail "a message became an element"

# What to do next, in commands for the worst row of its kind; numbers are not to be accepted while
# something fails, but with a reason.
for page in index.html report.md; do
  holds "why is it slower" "$work/tables/$page" "solgate explain $data/run matvec/r28672_c8192_bf16/warp_per_row --against="
  holds "one by itself" "$work/tables/$page" "solgate run hand --family=matvec --case=r28672_c8192_bf16 --variant=smem --out=one"
  holds "does it stay" "$work/tables/$page" "solgate run hand --out=again"
  grep -q 'solgate accept ' "$work/tables/$page" && fail "$page: a run without samples.csv is to be accepted, which accept refuses"
done
cp -R "$data/run" "$work/sampled"
: >"$work/sampled/samples.csv"
expect 5 "$solgate" report "$work/sampled" --baseline="$data/baseline.csv" --out="$work/sampled/tables" --tables-only
for page in index.html report.md; do
  holds "if it is meant" "$work/sampled/tables/$page" "solgate accept $work/sampled --out=$data/baseline.csv --reason=TEXT"
  [ "$(grep -c 'solgate accept ' "$work/sampled/tables/$page")" = 1 ] || fail "$page: accept what fails, without a reason?"
done
grep -qe --commits "$work/tables/index.html" && fail "two commits of which only one is known are to be compared"
grep -o '<h2 id="[a-z]*"' "$work/tables/index.html" | cut -d '"' -f 2 >"$work/titles"
grep -o '<a href="#[a-z]*"' "$work/tables/index.html" | tr -d '#' | cut -d '"' -f 2 >"$work/links"
cmp -s "$work/titles" "$work/links" || fail "the contents are not the sections: $(cat "$work/links")"
[ "$(head -n 1 "$work/titles")" = next ] || fail "what to do next is not what stands first"

# Of two commits both are named, unless one had changes that are in no commit.
mkdir "$work/commits"
cp "$data/run/run.csv" "$work/commits"
sed 's/^\([^,]*,,,,commit,,,,,,,\)[^,]*/\189abcde/' "$data/baseline.csv" >"$work/accepted.csv"
seal "$work/accepted.csv"
for stamp in 0123456 0123456-dirty; do
  sed "s/^commit,.*/commit,$stamp/" "$data/run/env.csv" >"$work/commits/env.csv"
  expect 5 "$solgate" report "$work/commits" --baseline="$work/accepted.csv" --out="$work/commits/$stamp" --tables-only
done
holds "was it the code" "$work/commits/0123456/index.html" "solgate ab --commits=89abcde..0123456 matvec"
grep -qe --commits "$work/commits/0123456-dirty/index.html" && fail "changes that are in no commit are compared"

# Each reason that the catalogue knows has a colour of its own.
table=$here/../../reports/charts/stalls.c
sed -n 's/^\[stall_\(.*\)\]$/\1/p' "$here/../../metrics/metrics.ini" >"$work/reasons"
while read -r reason; do
  grep -q "{\"$reason\", \".*\", 0x[0-9a-f]\{6\}}" "$table" || fail "stalls.c has no colour for $reason"
done <"$work/reasons"
[ "$(grep -o '0x[0-9a-f]\{6\}' "$table" | sort | uniq -d)" = "" ] || fail "stalls.c has one colour twice"
[ "$(grep -c . "$work/reasons")" -gt 9 ] || fail "metrics.ini has no stall reasons any more"

# Charts, as PNG and as SVG. A caption cannot end the CDATA section that gnuplot puts it into.
if command -v gnuplot >/dev/null; then
  # shellcheck disable=SC2016 # nothing may expand these
  expect 5 "$solgate" report "$data/run" "$data/before" --baseline="$data/baseline.csv" --out="$work/full" --note='a "note" with `id`, $(id), %s and \n ]]> <g>'
  holds "where it is" "$work/out" "$work/full/index.html"
  check_tables "$work/full" "with charts"
  for chart in $charts; do
    [ "$(head -c 8 "$work/full/charts/$chart.png" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] || fail "$chart.png is no PNG"
    well_formed "$work/full/charts/$chart.svg"
    holds "a page with charts" "$work/full/index.html" "charts/$chart.svg"
    holds "no name is read as markup by gnuplot" "$work/full/charts/$chart.svg" "$([ $chart = time_ratio ] && echo naive_thread || echo warp_per_row)"
    holds "the note is on the chart, and nothing in it is evaluated" "$work/full/charts/$chart.svg" "with 'id', \$(id), %s and /n"
  done
  holds "a baseline that is not called so" "$work/full/charts/gap.tsv" "vec16_rows (baseline)"
  holds "a roof" "$work/full/charts/roofline.svg" "DRAM 4.80 TB/s"

  # More rows than a page has: of each case the baseline is there, first, then the fastest.
  expect 0 "$solgate" report "$here/../data/h200/group_gemm" --out="$work/many_gaps"
  holds "a page that is full" "$work/many_gaps/charts/gap_group_gemm.svg" "rows, the baseline and the fastest of each case; all in gap.csv"
  awk -F '\t' '
    $2 == 0 { cases++; wrong += $4 !~ /^limit [0-9.]+ [un]s, bound by (memory|launch|bf16|e4m3)$/; baseline = 1; last = 0; next }
    baseline { wrong += $3 !~ /^baseline$/; baseline = 0; next }
    { wrong += $4 < last; last = $4 }
    END { exit !(cases > 1 && wrong == 0) }' "$work/many_gaps/charts/gap_group_gemm.tsv" || fail "a case without its limit or baseline, or not by gap"

  holds "regressed is red" "$work/full/charts/vs_accepted.svg" "rgb(198,  40,  40)"

  # A gnuplot that fails: its own words, and the tables.
  mkdir "$work/bad"
  printf '#!/bin/sh\necho "no such terminal" >&2\nexit 1\n' >"$work/bad/gnuplot"
  chmod +x "$work/bad/gnuplot"
  expect 3 env PATH="$work/bad:$PATH" "$solgate" report "$data/run" --baseline="$data/baseline.csv" --out="$work/failed"
  holds "gnuplot's words" "$work/err" "no such terminal"
  check_tables "$work/failed" "a gnuplot that fails"
  holds "the page says why there are no charts" "$work/failed/index.html" "no such terminal"

else
  echo "no gnuplot: charts are not tested"
fi

# A gnuplot without fonts: its words, and no chart without a letter.
if command -v gnuplot >/dev/null; then
  echo '<fontconfig></fontconfig>' >"$work/no_fonts"
  expect 3 env FONTCONFIG_FILE="$work/no_fonts" "$solgate" report "$data/run" --baseline="$data/baseline.csv" --out="$work/letters"
  holds "what is missing" "$work/err" "gnuplot: finds no font, so charts would have no text: install fonts-dejavu-core"
  [ -z "$(ls "$work/letters/charts")" ] || fail "charts without letters"
fi

# No gnuplot at all.
expect 3 env PATH="$work/nothing" "$solgate" report "$data/run" --baseline="$data/baseline.csv" --out="$work/none"
holds "what to do" "$work/err" "gnuplot-nox"
check_tables "$work/none" "no gnuplot"

# Nothing accepted: still a report, judged against the baseline variants, that says so.
cp -r "$data/run" "$work/new"
sed 's/^suite,.*/suite,never_accepted/' "$data/run/env.csv" >"$work/new/env.csv"
expect 5 "$solgate" report "$work/new" --out="$work/alone" --tables-only
holds "nothing accepted" "$work/alone/index.html" "nothing accepted to compare with, against the baseline variants 2 faster, 4 slower"
grep -qE '>(accepted|change)</th>' "$work/alone/index.html" && fail "a column with nothing in any row is shown"
grep -q '>change</th>' "$work/tables/index.html" || fail "a column with something in a row is not shown"
holds "against the baseline variant" "$work/alone/comparison.csv" ",new,slower,"
[ "$(grep -c 'solgate accept ' "$work/alone/report.md")" = 1 ] || fail "what the top says is said again under each row"
[ "$(grep -c 'solgate accept ' "$work/alone/index.html")" = 1 ] || fail "what the top says is to be done is said again"

# What is new beside accepted numbers: keep it, where they are. Better than
# another run: there is nothing to keep.
mkdir "$work/with space"
grep -v ',warp_per_row,\|^h[12]00' "$here/../../baselines/smoke.csv" >"$work/with space/fewer.csv"
seal "$work/with space/fewer.csv" --whole
cp -R "$here/../data/h200/clean" "$work/recorded"
: >"$work/recorded/samples.csv"
expect 0 "$solgate" report "$work/recorded" --baseline="$work/with space/fewer.csv" --out="$work/kept" --tables-only
holds "keep it" "$work/kept/report.md" "solgate accept $work/recorded --out='$work/with space/fewer.csv' --unit\`"
expect 0 "$solgate" report "$here/../data/h200/clean" --baseline="$here/../data/h200/slow" --out="$work/better" --tables-only
grep -q '<code>solgate accept' "$work/better/index.html" && fail "the numbers of a run are to be replaced"

# What was not measured and has nothing accepted says what came of it.
mkdir "$work/not_run"
cp "$work/new/env.csv" "$work/not_run"
{
  cat "$data/run/run.csv"
  echo "zeta,only,elsewhere,status,,,,,,unsupported,needs <more>"
} >"$work/not_run/run.csv"
expect 5 "$solgate" report "$work/not_run" --out="$work/not_run/report" --tables-only
holds "what came of it" "$work/not_run/report/index.html" "no accepted outcome, and unsupported in this run: needs &lt;more&gt;"

# What is new beside something that fails: not to be accepted without a reason.
cp "$data/run/env.csv" "$work/not_run/env.csv"
: >"$work/not_run/samples.csv"
expect 5 "$solgate" report "$work/not_run" --baseline="$data/baseline.csv" --out="$work/not_run/beside" --tables-only
holds "there is something new" "$work/not_run/beside/index.html" '<tr class="news"'
grep 'solgate accept ' "$work/not_run/beside/index.html" | grep -qv -e '--reason=TEXT' && fail "accept what is new, and with it what fails?"

# Simulated times are called so.
sed 's/^gpu,.*/gpu,null/' "$data/run/env.csv" >"$work/new/env.csv"
expect 5 "$solgate" report "$work/new" --out="$work/null" --tables-only
holds "simulated" "$work/null/index.html" "simulated times, no GPU"

# Accepted on another GPU: the report is there, and the exit code says that it was not judged.
cp -r "$data/before" "$work/right"
for subject in right new; do
  sed 's/^gpu,.*/gpu,a100/' "$data/run/env.csv" >"$work/$subject/env.csv"
  [ $subject = new ] && code=5 || code=3 # a broken variant is one, whatever it is compared with
  expect $code "$solgate" report "$work/$subject" --baseline="$data/baseline.csv" --out="$work/other" --tables-only
  holds "not comparable" "$work/err" "not comparable"
done
check_tables "$work/other" "another GPU"

# Wrong command lines.
cp -R "$data/run" "$work/by_default"
expect 5 "$solgate" report "$work/by_default" --baseline="$data/baseline.csv" --tables-only
[ -s "$work/by_default/report/index.html" ] || fail "without --out a report is not in the folder of its run"
expect 5 "$solgate" report "$data/run" --baseline="$data/baseline.csv" --out="$work/made/on/the/way" --tables-only
[ -s "$work/made/on/the/way/index.html" ] || fail "a report's folder is not made with those above it"
expect 3 "$solgate" report "$data/run" --baseline="$data/baseline.csv" --out="$work/made/on/the/way/index.html/x" --tables-only
expect 4 "$solgate" report "$data/run" --baseline="$data/baseline.csv" --gpu-spec=no_such_gpu --out="$work/x"

# A report over an earlier one that stops half-way: no page stands beside tables that it does not
# describe. The next one is whole again.
half=$work/half
for table in comparison.csv counters.csv; do
  expect 5 "$solgate" report "$data/run" --baseline="$data/baseline.csv" --out="$half" --tables-only
  rm "$half/$table"
  mkdir "$half/$table"
  expect 3 "$solgate" report "$data/before" --baseline="$data/baseline.csv" --out="$half" --tables-only
  for page in index.html report.md; do
    [ ! -e "$half/$page" ] || fail "no $table, and $page is of another report"
  done
  rmdir "$half/$table"
done
expect 5 "$solgate" report "$data/run" --baseline="$data/baseline.csv" --out="$half" --tables-only
[ -s "$half/index.html" ] || fail "a report over half of one has no page"
rm "$half/index.html"
[ "$failures" = 0 ]
