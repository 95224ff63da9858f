# crosscheck.awk - counters of solgate and of ncu for one item, metric by metric, as rows of a markdown table.
#
# awk -v item=FAMILY/CASE/VARIANT -v chip=GH100 -v metrics=LIST -v explained=FILE -v run=RUN.csv -v ncu=NCU.csv -v again=NCU2.csv -f csv.awk -f crosscheck.awk
# LIST is `solgate list metrics --format=csv`. What metrics.ini calls exact must be equal; anything else may differ by 3 %, by one point where the
# unit is %, by the metric's floor, or by what two
# runs of ncu differ by. The last line is "totals" with the numbers of rows that are ok, explained and exceptions.

function fail(message) {
  print "crosscheck.awk: " message > "/dev/stderr"
  failed = 1
  exit 3
}

# Opens a CSV file, reads its header into column[]; lines before a header that begins with `first` are other output.
function open_table(path, first,   line) {
  split("", column)
  while ((getline line < path) > 0)
    if (index(line, first) == 1) {
      csv_header(line, column)
      return
    }
  fail(path ": expected a line that begins with " first ", found none")
}

function need(path, name) {
  if (!(name in column)) fail(path ": expected a column " name)
  return column[name]
}

function read_metrics(   line, fields, name, cupti, exceptions, class, unit, floor) {
  open_table(metrics, "name,")
  name = need(metrics, "name"); class = need(metrics, "class"); unit = need(metrics, "unit"); floor = need(metrics, "floor")
  cupti = need(metrics, "cupti"); exceptions = need(metrics, "cupti_exceptions")
  while ((getline line < metrics) > 0) {
    csv_split(line, fields)
    if (cupti_on(chip, fields[cupti], fields[exceptions]) == "") continue
    cupti_of[fields[name]] = cupti_on(chip, fields[cupti], fields[exceptions])
    class_of[fields[name]] = fields[class]
    unit_of[fields[name]] = fields[unit]
    floor_of[fields[name]] = fields[floor] + 0
  }
}

function read_explained(   line, fields) {
  open_table(explained, "metric,")
  while ((getline line < explained) > 0) {
    csv_split(line, fields)
    reason[fields[1], fields[2]] = fields[3]
  }
}

# Long form of ncu --csv: a row a kernel and metric. Setting a variant up may launch kernels too (cuBLAS); the counted launch comes last.
function read_ncu(path, values,   line, fields, metric, value, rows) {
  open_table(path, "\"ID\"")
  metric = need(path, "Metric Name"); value = need(path, "Metric Value")
  while ((getline line < path) > 0) {
    if (csv_split(line, fields) < value) continue
    gsub(/,/, "", fields[value])
    values[fields[metric]] = fields[value]
    rows++
  }
  if (rows == 0) fail(path ": expected a kernel for " item ", found none")
}

function distance(a, b) { return a < b ? b - a : a - b }

# ncu was run twice: what it does not repeat by itself cannot be asked of anyone else.
function judge(metric, ours, theirs, repeated,   difference, relative, own) {
  difference = distance(ours, theirs)
  if (distance(ours, repeated) < difference) { difference = distance(ours, repeated); theirs = repeated }
  own = distance(theirs_of[cupti_of[metric]] + 0, again_of[cupti_of[metric]] + 0)
  relative = theirs == 0 ? (ours == 0 ? 0 : 1) : difference / (theirs < 0 ? -theirs : theirs)
  shown = unit_of[metric] == "%" ? sprintf("%+.2f points", ours - theirs) : sprintf("%+.2f %%", 100 * (theirs == 0 ? relative : (ours - theirs) / theirs))
  if (class_of[metric] == "exact") {
    rule = "equal"
    return difference == 0 || (own > 0 && difference <= own)
  }
  rule = unit_of[metric] == "%" ? "3 % or 1 point" : "3 %"
  if (relative <= 0.03 || (unit_of[metric] == "%" && difference <= 1)) return 1
  # What metrics.ini calls too small to be news: a few KiB from DRAM beside half a gigabyte.
  if (unit_of[metric] != "%") rule = "3 % or " floor_of[metric] " " unit_of[metric]
  return (unit_of[metric] != "%" && difference <= floor_of[metric]) || difference <= own
}

function verdict(metric, good,   why) {
  if (good) { ok++; return "ok" }
  why = (metric, item) in reason ? reason[metric, item] : reason[metric, "*"]
  if (why != "") { accounted++; return "explained: " why }
  exceptions++
  return "EXCEPTION"
}

function compare_rows(   line, fields, name, metric, value, status, good) {
  open_table(run, "family,")
  while ((getline line < run) > 0) {
    csv_split(line, fields)
    name = fields[column["family"]] "/" fields[column["case"]] "/" fields[column["variant"]]
    metric = fields[column["metric"]]; value = fields[column["value"]]; status = fields[column["status"]]
    if (name != item || !(metric in cupti_of)) continue
    rule = "both have it"; shown = "-"
    if (status != "ok" || value == "" || !(cupti_of[metric] in theirs_of) || theirs_of[cupti_of[metric]] !~ /^[-+0-9.]/)
      good = (status == "unavailable" && !(cupti_of[metric] in theirs_of))
    else
      good = judge(metric, value + 0, theirs_of[cupti_of[metric]] + 0, again_of[cupti_of[metric]] + 0)
    printf "| %s | %s | %s | %s | %s | %s | %s | %s |\n", item, metric, value == "" ? status : value, \
      cupti_of[metric] in theirs_of ? theirs_of[cupti_of[metric]] : "-", cupti_of[metric] in again_of ? again_of[cupti_of[metric]] : "-", \
      shown, rule, verdict(metric, good)
  }
  if (ok + accounted + exceptions == 0) fail(run ": no counters of " item)
}

BEGIN {
  read_metrics()
  read_explained()
  read_ncu(ncu, theirs_of)
  read_ncu(again, again_of)
  compare_rows()
}

END {
  if (!failed) printf "totals %d %d %d\n", ok, accounted, exceptions
}
