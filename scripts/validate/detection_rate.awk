# detection_rate.awk - the tables of detection_rate.sh: awk -v pairs=AA.csv -v
# detection=DETECTION.csv -f csv.awk -f detection_rate.awk
#
# AA.csv is a tally of A/A pairs. DETECTION.csv has the rows of `solgate ab --format=csv` with a
# column gate before them, all of candidates that are slower than the tolerance. The last line
# says how many verdicts are wrong.

function fail(message) {
  print "detection_rate.awk: " message > "/dev/stderr"
  exit 3
}

function need(path, name) {
  if (!(name in column)) fail(path ": expected a column " name ", found none")
  return column[name]
}

function percent(ratio) { return sprintf("%.4g %%", 100 * ratio) }

# Counts a verdict for a case of a group, and for all of the group.
function take(group, name, verdict) {
  if (!(group in tries)) groups[++group_count] = group
  if (!((group, name) in tries)) cases[group, ++case_count[group]] = name
  tries[group]++
  tries[group, name]++
  got[group, verdict]++
  got[group, name, verdict]++
}

# How often each verdict was given, as cells, and the share of the right one, if it is named.
function cells(key, verdicts, right,   i, n, word, line) {
  n = split(verdicts, word, " ")
  line = " | " tries[key] " |"
  for (i = 1; i <= n; i++) line = line " " got[key, word[i]] + 0 " |"
  return right == "" ? line : line sprintf(" %.1f %% |", 100 * got[key, right] / tries[key])
}

# One row a case and one for all of them, group by group; forgets them then.
function print_rows(verdicts, right,   i, j, group) {
  for (i = 1; i <= group_count; i++) {
    group = groups[i]
    for (j = 1; j <= case_count[group]; j++) print "| " group " | " cases[group, j] cells(group SUBSEP cases[group, j], verdicts, right)
    print "| " group " | all" cells(group, verdicts, right)
  }
  group_count = 0
}

function print_pairs(   line, fields, tolerance, name, verdict) {
  getline line < pairs
  csv_header(line, column)
  tolerance = need(pairs, "tolerance"); name = need(pairs, "case"); verdict = need(pairs, "verdict")
  while ((getline line < pairs) > 0) {
    csv_split(line, fields)
    take(percent(fields[tolerance]), fields[name], fields[verdict])
    if (fields[verdict] == "regressed" || fields[verdict] == "improved") wrong++
  }
  print "| A/A pairs, tolerance | case | pairs | within | inconclusive | regressed | improved |"
  print "|---|---|---|---|---|---|---|"
  print_rows("within inconclusive regressed improved", "")
}

function print_detection(   line, fields, variant, metric, tolerance, name, verdict) {
  getline line < detection
  csv_header(line, column)
  variant = need(detection, "variant"); metric = need(detection, "metric"); tolerance = need(detection, "tolerance")
  name = need(detection, "case"); verdict = need(detection, "vs_accepted") # of a gate that is the verdict
  while ((getline line < detection) > 0) {
    csv_split(line, fields)
    if (fields[metric] != "time_ratio") continue
    take(fields[variant] " | " percent(fields[tolerance]), fields[name], fields[verdict])
    if (fields[verdict] == "within" || fields[verdict] == "improved") wrong++
  }
  if (group_count == 0) return
  print "\n| slower variant | tolerance | case | gates | regressed | inconclusive | invalid | within | improved | regressed |"
  print "|---|---|---|---|---|---|---|---|---|---|"
  print_rows("regressed inconclusive invalid within improved", "regressed")
}

BEGIN {
  print_pairs()
  print_detection()
  print "\nwrong verdicts: " wrong + 0
}
