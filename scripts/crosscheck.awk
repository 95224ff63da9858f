# crosscheck.awk - counters of solgate and of ncu for one item, metric by metric, as rows of a markdown table.
#
# awk -v item=FAMILY/CASE/VARIANT -v chip=GH100 -v metrics=LIST -v explained=FILE -v run=RUN.csv -v ncu=NCU.csv -f csv.awk -f crosscheck.awk
# LIST is `solgate list metrics --format=csv`. What metrics.ini calls exact must be equal; anything else may differ by 3 %, or by one point
# where the unit is %. The last line is "totals" with the numbers of rows that are ok, explained and exceptions.

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

function read_metrics(   line, fields, name, cupti, exceptions, class, unit) {
  open_table(metrics, "name,")
  name = need(metrics, "name"); class = need(metrics, "class"); unit = need(metrics, "unit")
  cupti = need(metrics, "cupti"); exceptions = need(metrics, "cupti_exceptions")
  while ((getline line < metrics) > 0) {
    csv_split(line, fields)
    if (cupti_on(chip, fields[cupti], fields[exceptions]) == "") continue
    cupti_of[fields[name]] = cupti_on(chip, fields[cupti], fields[exceptions])
    class_of[fields[name]] = fields[class]
    unit_of[fields[name]] = fields[unit]
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
function read_ncu(   line, fields, id, metric, value) {
  open_table(ncu, "\"ID\"")
  id = need(ncu, "ID"); metric = need(ncu, "Metric Name"); value = need(ncu, "Metric Value")
  while ((getline line < ncu) > 0) {
    if (csv_split(line, fields) < value) continue
    if (!(fields[id] in kernels)) { kernels[fields[id]] = 1; kernel_count++ }
    gsub(/,/, "", fields[value])
    ncu_value[fields[metric]] = fields[value]
  }
  if (kernel_count == 0) fail(ncu ": expected a kernel for " item ", found none")
}

function judge(metric, ours, theirs,   difference, relative) {
  difference = ours - theirs
  relative = theirs == 0 ? (ours == 0 ? 0 : 1) : difference / theirs
  shown = unit_of[metric] == "%" ? sprintf("%+.2f points", difference) : sprintf("%+.2f %%", 100 * relative)
  if (class_of[metric] == "exact") {
    rule = "equal"
    return difference == 0
  }
  if (relative < 0) relative = -relative
  if (difference < 0) difference = -difference
  rule = unit_of[metric] == "%" ? "3 % or 1 point" : "3 %"
  return relative <= 0.03 || (unit_of[metric] == "%" && difference <= 1)
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
    if (status != "ok" || value == "" || !(cupti_of[metric] in ncu_value) || ncu_value[cupti_of[metric]] !~ /^[-+0-9.]/)
      good = (status == "unavailable" && !(cupti_of[metric] in ncu_value))
    else
      good = judge(metric, value + 0, ncu_value[cupti_of[metric]] + 0)
    printf "| %s | %s | %s | %s | %s | %s | %s |\n", item, metric, value == "" ? status : value, \
      cupti_of[metric] in ncu_value ? ncu_value[cupti_of[metric]] : "-", shown, rule, verdict(metric, good)
  }
  if (ok + accounted + exceptions == 0) fail(run ": no counters of " item)
}

BEGIN {
  read_metrics()
  read_explained()
  read_ncu()
  compare_rows()
}

END {
  if (!failed) printf "totals %d %d %d\n", ok, accounted, exceptions
}
