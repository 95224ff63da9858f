# adversary.awk - is each trick refused? awk -v family=F [-v only="V W"] -f csv.awk -f adversary.awk
#   kind=variants VARIANTS.csv kind=outcomes OUTCOMES.csv [kind=run RUN.csv kind=gates GATES.csv]
#
# VARIANTS: `solgate list variants --format=csv`. OUTCOMES: variant,outcomes,why, for those that may
# come to more than their source declares. RUN: run.csv. GATES: comparisons of `solgate ab`, with
# the exit code in a column `exit` before the others. Prints markdown, a line a variant: its trick,
# what it must come to, what came of it in the run and in its gate, and whether it was refused:
#   yes       its outcome is one that it must come to, and no gate passed it
#   harmless  it may be ok, was, and no gate found it faster
#   honest    it is no trick, was ok, and its gates judged it by its time
#   absent    it needs what is not on this machine
#   NO        anything else
# Without RUN and GATES it prints what is expected alone; with `only` these variants. Exit status 1
# if one is NO; 3 for a file that is none of these.

function fail(place, expected, found) {
  print "adversary.awk: " place ": expected " expected ", found '" found "'" > "/dev/stderr"
  failed = 1
  exit 3
}

# Header of a file: all of these columns.
function expect_columns(names,   name, count, i) {
  csv_header($0, column)
  count = split(names, name, " ")
  for (i = 1; i <= count; i++)
    if (!(name[i] in column)) fail(FILENAME ":1", "the columns " names, $0)
}

function field(name) {
  return fields[column[name]]
}

# One more of a list of words, each once.
function add(list, word) {
  return index(" " list " ", " " word " ") ? list : list == "" ? word : list " " word
}

function has(list, word) {
  return index(" " list " ", " " word " ") > 0
}

# Are all words of a list among these?
function all_in(list, allowed,   word, count, i) {
  count = split(list, word, " ")
  for (i = 1; i <= count; i++)
    if (!has(allowed, word[i])) return 0
  return 1
}

FNR == 1 && kind == "variants" { expect_columns("family name role expect summary"); next }
FNR == 1 && kind == "outcomes" { expect_columns("variant outcomes why"); next }
FNR == 1 && kind == "run" { expect_columns("family variant metric status"); judging = 1; next }
FNR == 1 && kind == "gates" { expect_columns("exit family variant metric vs_accepted"); judging = 1; next }

{ csv_split($0, fields) }

kind == "variants" && field("family") == family {
  name = field("name")
  if (only == "" || has(only, name)) order[++count] = name
  role[name] = field("role")
  expected[name] = field("expect")
  trick[name] = field("summary")
}

kind == "outcomes" {
  name = field("variant")
  if (!(name in expected)) fail(FILENAME ":" FNR, "a variant of " family, name)
  if (!has(field("outcomes"), expected[name])) fail(FILENAME ":" FNR, "the outcome that " name " declares, " expected[name], field("outcomes"))
  expected[name] = field("outcomes")
  declared[name] = 1
}

kind == "run" && field("family") == family && field("metric") == "status" {
  name = field("variant")
  if (field("status") == "unsupported") unsupported[name] = 1
  else statuses[name] = add(statuses[name], field("status"))
}

# A gate has rows of its candidate alone. One without a verdict judged
# nothing: its exit code says why.
kind == "gates" && field("family") == family && (field("metric") == "status" || field("metric") == "time_ratio" || field("metric") == "") {
  name = field("variant")
  verdict = field("vs_accepted") # of a gate that is the verdict, also where there is no time
  exits[name] = add(exits[name], field("exit"))
  if (verdict != "") verdicts[name] = add(verdicts[name], verdict)
}

# ---- what came of it ----

function is_honest(name) {
  return expected[name] == "ok" && !(name in declared)
}

# By its time, and nothing else: it was right.
function judged_by_time(name) {
  return verdicts[name] != "" && all_in(verdicts[name], "within improved identical regressed inconclusive")
}

# Did one gate let it pass?
function passed(name) {
  return has(exits[name], "0") || exits[name] == ""
}

function answer(name) {
  if (statuses[name] == "unavailable" || (statuses[name] == "" && unsupported[name])) return "absent"
  if (is_honest(name)) return statuses[name] == "ok" && (judged_by_time(name) || role[name] == "baseline") ? "honest" : "NO"
  if (statuses[name] == "" || !all_in(statuses[name], expected[name])) return "NO"
  if (!has(statuses[name], "ok")) return passed(name) ? "NO" : "yes"
  if (verdicts[name] == "" || has(verdicts[name], "improved")) return "NO"
  return all_in(verdicts[name], "invalid broken") ? "yes" : "harmless"
}

function print_expected(   i, name) {
  print "| variant | trick | expected |"
  print "|---|---|---|"
  for (i = 1; i <= count; i++) {
    name = order[i]
    print "| " name " | " trick[name] " | " expected[name] " |"
  }
}

function print_answers(   i, name, word) {
  print "| variant | trick | expected | run | gate | exit | refused |"
  print "|---|---|---|---|---|---|---|"
  for (i = 1; i <= count; i++) {
    name = order[i]
    word = answer(name)
    tally[word]++
    print "| " name " | " trick[name] " | " expected[name] " | " shown(statuses[name]) " | " shown(verdicts[name]) " | " shown(exits[name]) " | " word " |"
  }
  print ""
  printf "%d variants: %d refused, %d harmless, %d honest, %d absent, %d NO\n", count, tally["yes"], tally["harmless"], tally["honest"],
         tally["absent"], tally["NO"]
}

function shown(words) {
  return words == "" ? "-" : words
}

END {
  if (failed) exit 3
  if (count == 0) fail("the list of variants", "variants of " family, "none")
  if (!judging) {
    print_expected()
    exit 0
  }
  print_answers()
  exit tally["NO"] > 0
}
