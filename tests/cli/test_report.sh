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

fail() {
  echo "$*"
  failures=$((failures + 1))
}

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
  expect 0 "$solgate" baseline seal --reason="made by a test" "$@"
}

# Python reads XML strictly; without it that part is not tested, and says so.
well_formed() {
  command -v python3 >/dev/null || { echo "no python3: $1 is not checked for well-formed XML"; return 0; }
  python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$1" 2>"$work/err" || fail "$1: $(tail -n 1 "$work/err")"
}

tables="comparison.csv gap.csv counters.csv runs.csv report.md index.html"
charts="vs_accepted time_ratio gap roofline stalls moved_since_accepted moved_vs_baseline"

check_tables() {
  for file in $tables; do
    [ -s "$1/$file" ] || fail "$2: $file is missing or empty"
  done
  [ "$(grep -c '<table' "$1/index.html")" = "$(grep -c '<div class="scroll"><table' "$1/index.html")" ] ||
    fail "$2: a table without a box of its own makes the page as wide as it is"
  well_formed "$1/index.html" # HTML, and XML too: every element is closed
}

# Every number: the tables have a line for each row, and the subject's
# regression with its numbers and its cause.
expect 5 "$solgate" report "$data/run" "$data/before" --baseline="$data/baseline.csv" --out="$work/tables" --tables-only --note='recorded <here>'
check_tables "$work/tables" "tables only"
[ ! -e "$work/tables/charts" ] || fail "tables only: there are charts"
holds "what is compared" "$work/tables/report.md" "2 regressed, 2 broken, 6 within, 2 xfail"
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
  holds "why is it slower" "$work/tables/$page" "solgate explain $data/run matvec/r28672_c8192_bf16 vec16_rows warp_per_row"
  holds "one by itself" "$work/tables/$page" "solgate run hand --family=matvec --case=r28672_c8192_bf16 --variant=smem --out=one"
  holds "does it stay" "$work/tables/$page" "solgate run hand --out=again"
  grep -q 'baseline accept' "$work/tables/$page" && fail "$page: a run without samples.csv is to be accepted, which accept refuses"
done
cp -R "$data/run" "$work/sampled"
: >"$work/sampled/samples.csv"
expect 5 "$solgate" report "$work/sampled" --baseline="$data/baseline.csv" --out="$work/sampled/tables" --tables-only
for page in index.html report.md; do
  holds "if it is meant" "$work/sampled/tables/$page" "solgate baseline accept $work/sampled --out=$data/baseline.csv --reason=TEXT"
  [ "$(grep -c 'baseline accept' "$work/sampled/tables/$page")" = 1 ] || fail "$page: accept what fails, without a reason?"
done
grep -qe --commits "$work/tables/index.html" && fail "two commits of which only one is known are to be compared"
grep -o '<h2 id="[a-z]*"' "$work/tables/index.html" | cut -d '"' -f 2 >"$work/titles"
grep -o '<a href="#[a-z]*"' "$work/tables/index.html" | tr -d '#' | cut -d '"' -f 2 >"$work/links"
cmp -s "$work/titles" "$work/links" || fail "the contents are not the sections: $(cat "$work/links")"
[ "$(head -n 1 "$work/titles")" = next ] || fail "what to do next is not what stands first"

# Of two commits both are named, unless one had changes that are in no commit.
mkdir "$work/commits"
cp "$data/run/run.csv" "$work/commits"
cp "$data/baseline.csv" "$work/accepted.csv"
cp "$data/baseline.counters.csv" "$work/accepted.counters.csv"
{ grep -v '^commit,' "$data/baseline.env.csv"; echo commit,89abcde; } >"$work/accepted.env.csv"
seal "$work/accepted.csv"
for stamp in 0123456 0123456-dirty 89abcde; do
  sed "s/^commit,.*/commit,$stamp/" "$data/run/env.csv" >"$work/commits/env.csv"
  expect 5 "$solgate" report "$work/commits" --baseline="$work/accepted.csv" --out="$work/commits/$stamp" --tables-only
done
holds "was it the code" "$work/commits/0123456/index.html" "solgate ab --commits=89abcde..0123456 matvec"
{ sed "s/^commit,.*/commit,0123456/" "$data/run/env.csv"; echo commit.matvec,fedcba9; } >"$work/commits/env.csv"
expect 5 "$solgate" report "$work/commits" --baseline="$work/accepted.csv" --out="$work/commits/foreign" --tables-only
holds "kernels of another repository" "$work/commits/foreign/index.html" "solgate ab --commits=89abcde..fedcba9 matvec --repo=DIR"
for stamp in 0123456-dirty 89abcde; do
  grep -qe --commits "$work/commits/$stamp/index.html" && fail "$stamp cannot be compared with the accepted commit"
done

# Each reason that the catalogue knows has a colour of its own.
plot=$here/../../reports/plots/stalls.gp
sed -n 's/^\[stall_\(.*\)\]$/\1/p' "$here/../../metrics/metrics.ini" >"$work/reasons"
while read -r reason; do
  grep -q "[\" ]$reason 0x[0-9a-f]\{6\}[\" ]" "$plot" || fail "stalls.gp has no colour for $reason"
done <"$work/reasons"
[ "$(grep -o '[a-z] 0x[0-9a-f]\{6\}[" ]' "$plot" | cut -c3-10 | sort | uniq -d)" = "" ] || fail "stalls.gp has one colour twice"
[ "$(grep -c . "$work/reasons")" -gt 9 ] || fail "metrics.ini has no stall reasons any more"

# Charts, as PNG and as SVG.
if command -v gnuplot >/dev/null; then
  # shellcheck disable=SC2016 # nobody may expand these
  expect 5 "$solgate" report "$data/run" "$data/before" --baseline="$data/baseline.csv" --out="$work/full" --note='a "note" with `id`, $(id), %s and \n'
  holds "where it is" "$work/out" "$work/full/index.html"
  check_tables "$work/full" "with charts"
  for chart in $charts; do
    [ "$(head -c 8 "$work/full/charts/$chart.png" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] || fail "$chart.png is no PNG"
    well_formed "$work/full/charts/$chart.svg"
    holds "a page with charts" "$work/full/index.html" "charts/$chart.svg"
    holds "no name is read as markup by gnuplot" "$work/full/charts/$chart.svg" "warp_per_row"
    holds "the note is on the chart, and nothing in it is evaluated" "$work/full/charts/$chart.svg" "with 'id', \$(id), %s and /n"
  done
  # The words below a plot of one column, which is narrower than they are, begin within the drawing:
  # 30 characters of 4 pixels and more a half.
  expect 0 "$solgate" report "$here/../data/hand/clean" --out="$work/few"
  middle=$(sed -n '/translate/h;/variant against baseline variant/{g;s/.*translate(\([0-9]*\).*/\1/p;}' "$work/few/charts/moved_vs_baseline.svg")
  [ "${middle:-0}" -ge 120 ] || fail "the words below a narrow plot are cut: their middle is at $middle"
  # The same charts of gaps by themselves.
  expect 0 "$solgate" gap "$data/run" --out="$work/gaps"
  cmp -s "$work/gaps/gap.csv" "$work/full/gap.csv" || fail "gap --out: another gap.csv than the report's"
  holds "the tables of gaps" "$work/gaps/gap.md" "| case | work |"
  for chart in gap roofline; do
    cmp -s "$work/gaps/charts/$chart.tsv" "$work/full/charts/$chart.tsv" || fail "gap --out: another $chart.tsv than the report's"
    [ -s "$work/gaps/charts/$chart.png" ] || fail "gap --out: no $chart.png"
  done
  holds "a baseline that is not called so" "$work/full/charts/gap.tsv" "vec16_rows (baseline)"
  holds "a roof" "$work/full/charts/roofline.svg" "DRAM 4.80 TB/s"

  # More points than one page has room for: a page a family, and what has no place on it is counted.
  {
    sed -n 1p "$data/run/run.csv"
    for family in first second; do
      for number in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do
        name=$family,case,variant_$number
        echo "$name,status,,,,,,ok,"
        echo "$name,time,ns,$((90000 + number * 1000)),,,5,ok,"
        echo "$name,work_flop_bf16,flop,$((number > 1 ? 6000000000 : 0)),,,,ok,"
        echo "$name,work_flop_f16,flop,$((number > 1 ? 1000 : 0)),,,,ok,"
        echo "$name,work_read_bytes,B,90000000,,,,ok,"
      done
    done
  } >"$work/new_run.csv"
  mkdir "$work/wide"
  cp "$data/run/env.csv" "$work/wide/env.csv"
  mv "$work/new_run.csv" "$work/wide/run.csv"
  expect 0 "$solgate" gap "$work/wide" --out="$work/wide_gaps"
  [ ! -e "$work/wide_gaps/charts/roofline.svg" ] || fail "32 points stand on one page"
  for family in first second; do
    holds "a page of its own" "$work/wide_gaps/charts/roofline_$family.svg" "1 variant_2, variant_3, variant_4, 7 more"
    holds "what has no place" "$work/wide_gaps/charts/roofline_$family.svg" "1 without arithmetic or bytes have no place here"
  done

  # f16 and bf16 have one peak on an H200: their words stand above
  # each other, at it and a line higher.
  awk -F '\t' '
    $2 == 9 && $5 == 0 { peak = $1 }
    $2 == 11 && $4 !~ /^DRAM/ { formats++; lines += !($1 in seen); seen[$1]; at_peak += $1 == peak }
    END { exit !(formats == 2 && lines == 2 && at_peak == 1) }' "$work/wide_gaps/charts/roofline_first.tsv" || fail "words on words"

  # Short names: the key's own lines are longer, and none reaches over the edge. All of its
  # lines begin at one place, so that one of them finds the others; the size of a character is
  # the one that the margin is made of.
  mkdir "$work/short"
  cp "$data/run/env.csv" "$work/short/env.csv"
  {
    sed -n 1p "$data/run/run.csv"
    for variant in a b; do
      echo "g,c,$variant,status,,,,,,ok,"
      echo "g,c,$variant,time,ns,90000,,,5,ok,"
      echo "g,c,$variant,work_flop_bf16,flop,6000000000,,,,ok,"
      echo "g,c,$variant,work_read_bytes,B,90000000,,,,ok,"
    done
  } >"$work/short/run.csv"
  expect 0 "$solgate" gap "$work/short" --out="$work/short_gaps"
  awk '
    /^ width=/ { split($0, part, "\""); width = part[2] }
    /translate\(/ { split($0, part, /[(,]/); x = part[2] }
    /<text>/ {
      gsub(/\t*<\/?text>/, "")
      words[++lines] = $0
      begin[lines] = x
      if ($0 == "baseline") key = x
    }
    END {
      for (i = 1; i <= lines; i++)
        if (begin[i] == key) { seen++; wrong += begin[i] + 9.8 * length(words[i]) > width }
      exit !(seen == 7 && wrong == 0)
    }' "$work/short_gaps/charts/roofline.svg" || fail "a key that is cut off"

  # More rows than a page has: of each case the baseline is there, first, then the fastest.
  expect 0 "$solgate" gap "$here/../data/h200/group_gemm" --out="$work/many_gaps"
  holds "a page that is full" "$work/many_gaps/charts/gap_group_gemm.svg" "rows, the baseline and the fastest of each case; all in gap.csv"
  awk -F '\t' '
    $2 == 0 { cases++; wrong += $4 !~ /^limit [0-9.]+ [un]s, bound by (memory|launch|bf16|e4m3)$/; baseline = 1; last = 0; next }
    baseline { wrong += $3 !~ /^baseline$/; baseline = 0; next }
    { wrong += $4 < last; last = $4 }
    END { exit !(cases > 1 && wrong == 0) }' "$work/many_gaps/charts/gap_group_gemm.tsv" || fail "a case without its limit or baseline, or not by gap"

  # As many points: the best of each case has the case's number, the key its name; the axes end near
  # the points, and each has some numbers.
  awk -F '\t' '
    $2 == 4 { points++; intensity = $3 > intensity ? $3 : intensity; large += $6 == 1 }
    $2 == 5 || $2 == 6 { wrong += $4 != $5 + 1; numbers++ }
    $2 == 8 { spans++; wrong += $5 < 0 }
    $2 == 9 && $5 == 0 { end = $3 + $4; levels[$1] }
    $2 == 11 && $4 !~ /^DRAM/ { wrong += !($1 in levels) }
    END { exit !(points > 100 && numbers >= 11 && spans == 12 && large < points / 2 && end < 3 * intensity && wrong == 0) }' \
    "$work/many_gaps/charts/roofline_group_gemm.tsv" || fail "a roofline that is crowded, or whose axes do not fit it"
  roofline=$work/many_gaps/charts/roofline_group_gemm.svg
  # The sixth of the cases by their names is the 5 groups; whose time is the
  # least is for the recording to say.
  empty=g5_m256_n512_k512_empty_bf16
  best=$("$solgate" gap "$here/../data/h200/group_gemm" --format=csv | awk -F, -v c="$empty" '$2 == c && $5 > 0' | sort -t, -k5,5g | head -n 1 | cut -d, -f3)
  [ -n "$best" ] || fail "nobody is the fastest of $empty"
  holds "the best of a case" "$roofline" ">6 group_gemm/$empty: $best<"
  holds "where ceilings hold" "$roofline" ">measured, clean L2<"
  holds "a number in each part of a decade" "$roofline" ">500<"

  holds "regressed is red" "$work/full/charts/vs_accepted.svg" "rgb(198,  40,  40)"

  # Whatever else there is to draw, and however much of it: a reason that warps wait for is
  # drawn in the colour it always has.
  cp -r "$data/run" "$work/other_stalls"
  sed 's/,stall_barrier,%,[^,]*,/,stall_barrier,%,1,/' "$data/run/run.csv" >"$work/other_stalls/run.csv"
  expect 5 "$solgate" report "$work/other_stalls" --baseline="$data/baseline.csv" --out="$work/recoloured"
  for folder in full recoloured; do
    # A part of the drawing for each reason, the boxes in it all of one colour.
    sed -n "/<title>barrier[^a-z_]/,/<polygon/s/.*<polygon fill = '\\(rgb([^)]*)\\).*/\\1/p" "$work/$folder/charts/stalls.svg" >"$work/$folder.colour"
    sed -n 's/.*<title>\([a-z_]*\).*/\1/p' "$work/$folder/charts/stalls.svg" >"$work/$folder.order"
  done
  [ "$(tr -d ' ' <"$work/full.colour")" = 'rgb(173,20,87)' ] || fail "barrier is drawn in '$(cat "$work/full.colour")'"
  cmp -s "$work/full.colour" "$work/recoloured.colour" || fail "barrier is drawn in two colours"
  cmp -s "$work/full.order" "$work/recoloured.order" && fail "both charts have the same order of reasons: their colours prove nothing"

  # A folder whose name gnuplot would take for a command, if it were handed it.
  (cd "$work" && expect 5 "$solgate" report "$data/run" --baseline="$data/baseline.csv" --out='|touch evil' && [ ! -e evil ]) ||
    fail "the name of the folder was run"

  # A gnuplot that fails: its own words, and the tables.
  mkdir "$work/bad"
  printf '#!/bin/sh\necho "no such terminal" >&2\nexit 1\n' >"$work/bad/gnuplot"
  chmod +x "$work/bad/gnuplot"
  expect 3 env PATH="$work/bad:$PATH" "$solgate" report "$data/run" --baseline="$data/baseline.csv" --out="$work/failed"
  holds "gnuplot's words" "$work/err" "no such terminal"
  check_tables "$work/failed" "a gnuplot that fails"
  holds "the page says why there are no charts" "$work/failed/index.html" "no such terminal"

  # What lies among the charts is not run, whatever PATH says.
  mkdir -p "$work/planted/charts"
  printf '#!/bin/sh\ntouch "%s/evil"\n' "$work" >"$work/planted/charts/gnuplot"
  chmod +x "$work/planted/charts/gnuplot"
  # A caption cannot end the CDATA section that gnuplot puts it into.
  expect 5 env PATH=":.:charts:$PATH" "$solgate" report "$data/run" --baseline="$data/baseline.csv" --note='a ]]> b <g>' --out="$work/planted"
  well_formed "$work/planted/charts/vs_accepted.svg"
  [ ! -e "$work/evil" ] || fail "a gnuplot among the charts was run"
  [ -z "$(find "$work/planted/charts" -name '.*' ! -name .)" ] || fail "something is left of drawing: $(ls -A "$work/planted/charts")"
else
  echo "no gnuplot: charts are not tested"
fi

# A gnuplot without fonts: its words, and no chart without a letter.
if command -v gnuplot >/dev/null; then
  echo '<fontconfig></fontconfig>' >"$work/no_fonts"
  FONTCONFIG_FILE=$work/no_fonts
  export FONTCONFIG_FILE
  expect 3 "$solgate" report "$data/run" --baseline="$data/baseline.csv" --out="$work/letters"
  holds "what is missing" "$work/err" "gnuplot: finds no font, so charts would have no letters: install fonts-dejavu-core"
  [ -z "$(ls "$work/letters/charts")" ] || fail "charts without letters"
  check_tables "$work/letters" "no fonts"
  "$solgate" doctor >"$work/doctor" 2>/dev/null || true
  holds "doctor tells it too" "$work/doctor" "missing  charts: gnuplot: finds no font"
  unset FONTCONFIG_FILE
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
grep -qE '>(accepted|change|speedup)</th>' "$work/alone/index.html" && fail "a column with nothing in any row is shown"
grep -q '>speedup</th>' "$work/tables/index.html" || fail "a column with something in a row is not shown"
holds "against the baseline variant" "$work/alone/comparison.csv" ",new,slower,"
[ "$(grep -c 'baseline accept' "$work/alone/report.md")" = 1 ] || fail "what the top says is said again under each row"
[ "$(grep -c 'baseline accept' "$work/alone/index.html")" = 1 ] || fail "what the top says is to be done is said again"

# What is new beside accepted numbers: keep it, where they are. Better than
# another run: there is nothing to keep.
accepted=$(ls "$here"/../../baselines/h200/*/smoke.csv)
mkdir "$work/with space"
for part in csv counters.csv; do
  grep -v ',warp_per_row,' "${accepted%.csv}.$part" >"$work/with space/fewer.$part"
done
cp "${accepted%.csv}.env.csv" "$work/with space/fewer.env.csv"
seal "$work/with space/fewer.csv" --whole
cp -R "$here/../data/h200/clean" "$work/recorded"
: >"$work/recorded/samples.csv"
expect 0 "$solgate" report "$work/recorded" --baseline="$work/with space/fewer.csv" --out="$work/kept" --tables-only
holds "keep it" "$work/kept/report.md" "solgate baseline accept $work/recorded --out='$work/with space/fewer.csv'\`"
expect 0 "$solgate" report "$here/../data/h200/clean" --baseline="$here/../data/h200/slow" --out="$work/better" --tables-only
grep -q '<code>solgate baseline accept' "$work/better/index.html" && fail "the numbers of a run are to be replaced"

# A list of what is merely new is folded where it is long.
cp -r "$here/../data/h200/group_gemm" "$work/never"
sed '/^digest/d; s/^suite,.*/suite,never_accepted/' "$here/../data/h200/group_gemm/env.csv" >"$work/never/env.csv"
expect 0 "$solgate" report "$work/never" --out="$work/folded" --tables-only
awk '/<h2 id="news"/ { inside = 1 } /<h2 id="rest"/ { inside = 0 } inside' "$work/folded/index.html" >"$work/news"
grep -qE '<details><summary>[0-9]+ rows that are new or improved' "$work/news" || fail "hundreds of new rows are not folded"
holds "a short list stays open" "$work/alone/index.html" '<h2 id="news">To be looked at</h2>'
grep -q 'rows that are new or improved' "$work/alone/index.html" && fail "a short list is folded"

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
holds "there is something new" "$work/not_run/beside/index.html" '<tr class="news">'
grep 'baseline accept' "$work/not_run/beside/index.html" | grep -qv -e '--reason=TEXT' && fail "accept what is new, and with it what fails?"

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

# Hostile bytes in a name's place and in a message.
cp "$data/run/env.csv" "$work/new/env.csv"
esc=$(printf '\033')
sed "s/y\[0\] is <nan>/${esc}[31m y[0] \`id\` \$(id)/" "$data/run/run.csv" >"$work/new/run.csv"
for format in text markdown junit; do
  expect 5 "$solgate" compare "$work/new" "$data/baseline.csv" --format="$format"
  grep -q "$esc" "$work/out" && fail "$format lets an escape character through"
  [ "$format" != junit ] || { cp "$work/out" "$work/junit.xml" && well_formed "$work/junit.xml"; }
done

# Wrong command lines.
expect 4 "$solgate" report "$data/run"
holds "a folder is needed" "$work/err" "--out=DIR is missing"
expect 4 "$solgate" report --out="$work/x"
expect 4 "$solgate" report "$work/no_such_run" --out="$work/x"
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
