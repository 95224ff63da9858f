# ncu_crosscheck.awk - counters of solgate and of ncu for one item, each counted several
# times, as rows of a markdown table.
#
# awk -v item=FAMILY/CASE/VARIANT -v chip=GH100 -v repeats=3 -v metrics=LIST -v explained=FILE -v
# run=RUN.csv -v said=PREFIX -v ncu=PREFIX \
#   -f csv.awk -f ncu_crosscheck.awk
# LIST is `solgate list metrics --format=csv`. solgate's counts are RUN.csv and what workers said in
# PREFIX.2.said, PREFIX.3.said, ...; ncu's are PREFIX.1.csv, PREFIX.2.csv, ...; a value is shown as
# "median [least, most]", or as itself when all repetitions gave it.
#
# ok: medians differ by no more than the rule, which is nothing for what metrics.ini calls exact,
# and for anything else 3 %, or one point where the unit is %, or the metric's floor, whichever is
# most. Shares of the peak, stalls and rates are per cycle: they may differ by as much more as the
# kernel's cycles do, which have to agree themselves. ok within spread: medians are further apart,
# but the gap between the two ranges [least, most] is within the rule (of an exact counter that a
# tool does not repeat: no wider than the wider range), and the medians are within five times the
# rule (an exact one's: 15 %), so that a wide spread does not excuse everything. explained: FILE has
# a reason, and the medians differ by no more than its limit, which is in the metric's unit or, with
# a % sign where that is not the unit, relative to ncu's median.
# The last line is "totals" with the numbers of rows that are ok, ok within
# spread, explained and exceptions.

function fail(message) {
  print "ncu_crosscheck.awk: " message > "/dev/stderr"
  exit 3
}

# Opens a CSV file, reads its header into column[]; lines before a header that
# begins with `first` are other output.
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

# Keeps what is explained of this item; of two lines that fit a metric the first counts.
function read_explained(   line, fields, name, pattern, limit, why, at) {
  open_table(explained, "metric,")
  name = need(explained, "metric"); pattern = need(explained, "items"); limit = need(explained, "limit"); why = need(explained, "reason")
  for (at = 2; (getline line < explained) > 0; at++) {
    csv_split(line, fields)
    if (fields[limit] !~ /^[0-9.]+%?$/ || fields[why] == "") fail(explained ":" at ": expected a limit and a reason, found " line)
    if (!fits(fields[pattern]) || (fields[name] in reason)) continue
    reason[fields[name]] = fields[why]
    limit_of[fields[name]] = fields[limit]
  }
}

# A pattern is an item, or the beginning of one and a star.
function fits(pattern) {
  if (pattern ~ /\*$/) return index(item, substr(pattern, 1, length(pattern) - 1)) == 1
  return pattern == item
}

# Of a value that is no number (n/a, nan) nothing is kept, and is missed when values are counted.
function keep(values, count, key, value) {
  if (value ~ /^[-+]?[0-9]/) values[key, ++count[key]] = value + 0
}

# Long form of ncu --csv: a row a kernel and metric. Setting a variant up may launch kernels too
# (cuBLAS); the counted launch comes last.
function read_ncu(path,   line, fields, metric, value, rows, last, name) {
  open_table(path, "\"ID\"")
  metric = need(path, "Metric Name"); value = need(path, "Metric Value")
  while ((getline line < path) > 0) {
    if (csv_split(line, fields) < value) continue
    gsub(/,/, "", fields[value])
    last[fields[metric]] = fields[value]
    rows++
  }
  if (rows == 0) fail(path ": expected a kernel for " item ", found none")
  for (name in last) keep(theirs, theirs_count, name, last[name])
}

# One value of solgate, from the columns of run.csv; `behind` is how many fields stand before them.
function take_ours(fields, behind,   name, metric) {
  name = fields[behind + column["family"]] "/" fields[behind + column["case"]] "/" fields[behind + column["variant"]]
  metric = fields[behind + column["metric"]]
  if (name != item || !(metric in cupti_of)) return
  if (!(metric in status_of)) order[++metric_count] = metric
  if (!(metric in status_of) || status_of[metric] == "ok") status_of[metric] = fields[behind + column["status"]]
  keep(ours, ours_count, metric, fields[behind + column["value"]])
}

function read_ours(   line, fields, i) {
  open_table(run, "family,")
  while ((getline line < run) > 0) {
    csv_split(line, fields)
    take_ours(fields, 0)
  }
  if (metric_count == 0) fail(run ": no counters of " item)
  for (i = 2; i <= repeats; i++)
    while ((getline line < (said "." i ".said")) > 0)
      if (split(line, fields, "\t") > 1 && fields[1] == "value") take_ours(fields, 1)
}

function distance(a, b) { return a < b ? b - a : a - b }
function larger(a, b) { return a > b ? a : b }

# Fills of["least"], of["median"] and of["most"].
function summarise(values, count, key, of,   sorted, i, j) {
  for (i = 1; i <= count[key]; i++) {
    for (j = i; j > 1 && sorted[j - 1] > values[key, i]; j--) sorted[j] = sorted[j - 1]
    sorted[j] = values[key, i]
  }
  of["least"] = sorted[1]
  of["median"] = sorted[int((count[key] + 1) / 2)]
  of["most"] = sorted[count[key]]
}

function number(x) { return sprintf("%.9g", x) }

function shown(of) {
  return of["least"] == of["most"] ? number(of["median"]) : number(of["median"]) " [" number(of["least"]) ", " number(of["most"]) "]"
}

function shown_difference(metric, x, y) {
  if (unit_of[metric] == "%") return sprintf("%+.2f points", x - y)
  return y == 0 ? sprintf("%+.9g %s", x, unit_of[metric]) : sprintf("%+.2f %%", 100 * (x - y) / distance(y, 0))
}

function floor_unit(metric, floor) {
  if (unit_of[metric] != "%") return unit_of[metric]
  return floor == 1 ? "point" : "points"
}

# How much of ncu's cycles of the kernel the two tools differ by; 0 where nobody counted them.
function cycles_apart(   cupti, us, them) {
  cupti = cupti_of["cycles"]
  if (ours_count["cycles"] != repeats || theirs_count[cupti] != repeats) return 0
  summarise(ours, ours_count, "cycles", us)
  summarise(theirs, theirs_count, cupti, them)
  return distance(us["median"], them["median"]) / them["median"]
}

function is_per_cycle(metric) { return cupti_of[metric] ~ /pct_of_peak_sustained|issue_stalled|per_cycle/ }

# "ok", "ok within spread" or ""; leaves the rule in words in `rule`.
function agree(metric, us, them,   between, gap, floor, share, allowed, allowed_gap, most) {
  between = distance(us["median"], them["median"])
  gap = larger(0, larger(us["least"] - them["most"], them["least"] - us["most"]))
  floor = unit_of[metric] == "%" ? larger(1, floor_of[metric]) : floor_of[metric]
  share = 3 + (is_per_cycle(metric) ? 100 * apart : 0)
  rule = sprintf("%.2g %%", share) (floor > 0 ? " or " floor " " floor_unit(metric, floor) : "")
  allowed = larger(share / 100 * distance(them["median"], 0), floor)
  allowed_gap = allowed
  most = 5 * allowed
  if (class_of[metric] == "exact") {
    rule = "equal"
    allowed = 0
    allowed_gap = larger(us["most"] - us["least"], them["most"] - them["least"])
    most = 0.15 * distance(them["median"], 0)
  }
  if (between <= allowed) return "ok"
  return gap <= allowed_gap && between <= most ? "ok within spread" : ""
}

function is_explained(metric, us, them,   limit) {
  if (!(metric in reason)) return 0
  limit = limit_of[metric] + 0
  if (limit_of[metric] ~ /%$/) limit *= distance(them["median"], 0) / 100
  return distance(us["median"], them["median"]) <= limit
}

function print_row(metric, us, them, difference, result) {
  printf "| %s | %s | %s | %s | %s | %s | %s |\n", item, metric, us, them, difference, rule, result
}

# Either tool lacks some of its values, or both have none on purpose.
function judge_missing(metric, cupti) {
  rule = "both have it"
  if (status_of[metric] == "unavailable" && !(cupti in theirs_count)) {
    total["ok"]++
    print_row(metric, "unavailable", "-", "-", "ok")
    return
  }
  total["EXCEPTION"]++
  print_row(metric, ours_count[metric] + 0 " of " repeats " values, " status_of[metric], theirs_count[cupti] + 0 " of " repeats " values", "-", \
    "EXCEPTION")
}

function judge(metric,   cupti, us, them, result) {
  cupti = cupti_of[metric]
  if (ours_count[metric] != repeats || theirs_count[cupti] != repeats) {
    judge_missing(metric, cupti)
    return
  }
  summarise(ours, ours_count, metric, us)
  summarise(theirs, theirs_count, cupti, them)
  result = agree(metric, us, them)
  if (result == "") result = is_explained(metric, us, them) ? "explained" : "EXCEPTION"
  total[result]++
  print_row(metric, shown(us), shown(them), shown_difference(metric, us["median"], them["median"]), \
    result == "explained" ? "explained: " reason[metric] : result)
}

BEGIN {
  read_metrics()
  read_explained()
  for (i = 1; i <= repeats; i++) read_ncu(ncu "." i ".csv")
  read_ours()
  apart = cycles_apart()
  for (i = 1; i <= metric_count; i++) judge(order[i])
  printf "totals %d %d %d %d\n", total["ok"], total["ok within spread"], total["explained"], total["EXCEPTION"]
}
