# injected_slowdown.awk - what runs read of slowdowns whose truth is known: awk -v truth=FILE -v
# data=TSV -f csv.awk -f injected_slowdown.awk RUN.csv...
#
# FILE: case,variant,true_ratio, as tests/data/injected/truth.csv. Of the runs, the rows time_ratio
# of the family injected count, each for itself, and of the variant exact the rows time, sm_clock
# and work_*. Prints markdown: a slope is that of ln(read) on ln(true), least squares through the
# origin; an interval covers when the truth lies in it, ends included; and the straight lines
# through the times of exact that the constants of kernels/injected/injected_plan.h come from. TSV
# gets a line a ratio, for injected_slowdown.gp:
#     kind case true low read high      (changes in %)
# Exit status: 0, or 1 when the slope over all cases is off by more than 0.03 for more work, for
# spins, or for both; 3 for input that is wrong.

function fail(place, expected, found) {
  print "injected_slowdown.awk: " place ": expected " expected ", found '" found "'" > "/dev/stderr"
  failed = 1
  exit 3
}

function is_number(text) { return text ~ /^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?$/ }

function ratio(place, name, text) {
  if (!is_number(text) || text + 0 <= 0) fail(place, name " above 0", text)
  return text + 0
}

function kind_of(variant) {
  if (variant == "exact") return "nothing"
  if (variant ~ /^work_/) return "work"
  return variant ~ /^spin_/ ? "spin" : ""
}

function read_truth(   line, fields, place, item, got) {
  if ((getline line < truth) <= 0 || line != "case,variant,true_ratio") fail(truth ":1", "case,variant,true_ratio", line)
  for (lines = 2; (got = (getline line < truth)) > 0; lines++) {
    place = truth ":" lines
    if (csv_split(line, fields) != 3) fail(place, "3 fields", line)
    item = fields[1] SUBSEP fields[2]
    if (kind_of(fields[2]) == "") fail(place, "exact, work_* or spin_*", fields[2])
    if (item in true_of) fail(place, "a case and variant that are not there yet", fields[1] "/" fields[2])
    true_of[item] = ratio(place, "true_ratio", fields[3])
    if (!(fields[1] in case_seen)) { case_seen[fields[1]] = 1; cases[++case_count] = fields[1] }
    items[++item_count] = item
  }
  if (item_count == 0) fail(truth, "a case and variant", "none")
}

# Adds a ratio to the sums of a group: a case and kind, an item, all of a kind.
function add(group, x, y, covers) {
  n[group]++
  sum_xx[group] += x * x
  sum_xy[group] += x * y
  sum_yy[group] += y * y
  sum_y[group] += y
  covered[group] += covers
}

function take_ratio(item, place,   value, low, high, x, covers, kind, name) {
  value = ratio(place, "value", fields[column["value"]])
  low = ratio(place, "low", fields[column["low"]])
  high = ratio(place, "high", fields[column["high"]])
  if (low > value || high < value) fail(place, "low <= value <= high", low "," value "," high)
  covers = low <= true_of[item] && true_of[item] <= high
  x = log(true_of[item])
  name = fields[column["case"]]
  kind = kind_of(fields[column["variant"]])
  add(item, x, log(value), covers)
  add(name SUBSEP kind, x, log(value), covers)
  add(SUBSEP kind, x, log(value), covers)
  if (kind != "nothing") add(SUBSEP "all", x, log(value), covers)
  if (data != "" && kind != "nothing")
    printf "%s\t%s\t%.6g\t%.6g\t%.6g\t%.6g\n", kind, name, 100 * (true_of[item] - 1), 100 * (low - 1), 100 * (value - 1), 100 * (high - 1) > data
}

# A number of exact, by run, case and metric.
function take_exact(place,   point) {
  if (fields[column["metric"]] == "time_ratio" || fields[column["value"]] == "" || fields[column["status"]] != "ok") return
  point = FILENAME SUBSEP fields[column["case"]]
  if (!((point, "time") in exact) && fields[column["metric"]] == "time") points[++point_count] = point
  exact[point, fields[column["metric"]]] = ratio(place, "value", fields[column["value"]])
}

# A point of the line of a kind. Lines are least squares of relative differences, so that a
# short time counts like a long one.
function add_point(kind, x, y,   i) {
  i = ++on_line[kind]
  line_x[kind, i] = x
  line_y[kind, i] = y
  w[kind] += 1 / (y * y)
  w_x[kind] += x / (y * y)
  w_y[kind] += 1 / y
  w_xx[kind] += x * x / (y * y)
  w_xy[kind] += x / y
}

# A chain has an FMA of 2 flop for each 4 bytes that it reads, as often as they
# depend on each other; a copy has none.
function add_points(   i, point, bytes, cycles) {
  for (i = 1; i <= point_count; i++) {
    point = points[i]
    bytes = exact[point, "work_read_bytes"] + exact[point, "work_write_bytes"]
    cycles = exact[point, "time"] * exact[point, "sm_clock"] / 1e9
    if (bytes <= 0 || cycles <= 0) continue
    if ((point, "work_flop_f32") in exact) add_point("chain", exact[point, "work_flop_f32"] / (exact[point, "work_read_bytes"] / 2), cycles)
    else add_point("copy", bytes, exact[point, "time"])
  }
}

function print_line(kind, format,   spread, rise, begin, i, rest, most) {
  spread = w[kind] * w_xx[kind] - w_x[kind] ^ 2
  if (on_line[kind] < 2 || spread <= 1e-9 * w[kind] * w_xx[kind]) return
  rise = (w[kind] * w_xy[kind] - w_x[kind] * w_y[kind]) / spread
  begin = (w_y[kind] - rise * w_x[kind]) / w[kind]
  for (i = 1; i <= on_line[kind]; i++) {
    rest = (begin + rise * line_x[kind, i]) / line_y[kind, i] - 1
    if (rest < 0) rest = -rest
    if (rest > most) most = rest
  }
  printf format "; %d times, off the line by %.2f %% at most\n", begin, kind == "chain" ? rise : 1 / rise, on_line[kind], 100 * most
}

function print_lines() {
  add_points()
  if (on_line["chain"] >= 2 || on_line["copy"] >= 2) print "\nThe times of exact, as straight lines:\n"
  print_line("chain", "* chains: %.0f cycles, and %.3f for each of the FMAs that depend on each other")
  print_line("copy", "* copies: %.0f ns, and 1 ns for each %.0f bytes")
}

BEGIN { read_truth() }

FNR == 1 {
  csv_header($0, column)
  width = csv_split($0, fields)
  for (i = split("family,case,variant,metric,value,low,high,status,message", names, ","); i > 0; i--)
    if (!(names[i] in column)) fail(FILENAME ":1", "a column " names[i], $0)
  next
}

{
  place = FILENAME ":" FNR
  if (csv_split($0, fields) != width) fail(place, width " fields", $0)
  if (fields[column["family"]] != "injected") next
  metric = fields[column["metric"]]
  item = fields[column["case"]] SUBSEP fields[column["variant"]]
  if (fields[column["variant"]] == "exact" && metric ~ /^(time|sm_clock|work_)/) take_exact(place)
  if (metric != "time_ratio" && metric != "time" && metric != "status") next
  if (!(item in true_of)) fail(place, "a case and variant of " truth, fields[column["case"]] "/" fields[column["variant"]])
  if (metric == "status" || fields[column["value"]] == "" || fields[column["status"]] != "ok") {
    if (fields[column["status"]] != "ok" || metric == "time_ratio")
      missing[++missing_count] = fields[column["case"]] "/" fields[column["variant"]] " " metric ": " fields[column["status"]] " " fields[column["message"]]
    next
  }
  if (metric == "time_ratio") take_ratio(item, place)
  else if (fields[column["variant"]] == "exact") {
    times[fields[column["case"]]]++
    time_sum[fields[column["case"]]] += ratio(place, "value", fields[column["value"]])
  }
}

function slope(group) { return sum_xy[group] / sum_xx[group] }

# Of the slope, from what the ratios scatter about it; "-" of a single ratio.
function standard_error(group,   rest) {
  if (n[group] < 2) return "-"
  rest = sum_yy[group] - slope(group) * sum_xy[group]
  return sprintf("%.4f", rest <= 0 ? 0 : sqrt(rest / (n[group] - 1) / sum_xx[group]))
}

function print_slope(title, kind, group) {
  if (!(group in n)) return
  printf "| %s | %s | %d | %.4f | %s | %d of %d (%.1f %%) |\n", title, kind, n[group], slope(group), standard_error(group), covered[group], \
    n[group], 100 * covered[group] / n[group]
}

function print_slopes(   i) {
  print "| case | added | ratios | slope | its standard error | intervals that cover the truth |"
  print "|---|---|---|---|---|---|"
  for (i = 1; i <= case_count; i++) {
    print_slope(cases[i], "work", cases[i] SUBSEP "work")
    print_slope(cases[i], "spin", cases[i] SUBSEP "spin")
  }
  print_slope("all", "work", SUBSEP "work")
  print_slope("all", "spin", SUBSEP "spin")
  print_slope("all", "work and spin", SUBSEP "all")
}

function print_items(   i, parts, item, absent) {
  print "\n| case | variant | time of exact | ratios | true | read, mean | difference | intervals that cover the truth |"
  print "|---|---|---|---|---|---|---|---|"
  for (i = 1; i <= item_count; i++) {
    item = items[i]
    split(item, parts, SUBSEP)
    if (!(item in n)) {
      if (parts[2] != "exact") absent = absent (absent == "" ? "" : ", ") parts[1] "/" parts[2]
      continue
    }
    printf "| %s | %s | %s | %d | %+.3f %% | %+.3f %% | %+.3f %% | %d of %d |\n", parts[1], parts[2], \
      parts[1] in times ? sprintf("%.2f us", time_sum[parts[1]] / times[parts[1]] / 1000) : "-", n[item], 100 * (true_of[item] - 1), \
      100 * (exp(sum_y[item] / n[item]) - 1), 100 * (exp(sum_y[item] / n[item]) - true_of[item]), covered[item], n[item]
  }
  if (absent != "") print "\nNo ratio in these runs: " absent "."
}

function off(kind) { return ((SUBSEP kind) in n) && (slope(SUBSEP kind) < 0.97 || slope(SUBSEP kind) > 1.03) }

END {
  if (failed) exit 3
  if (!((SUBSEP "all") in n)) fail("these runs", "a ratio of the family injected", "none")
  print_slopes()
  print_items()
  print_lines()
  if (missing_count) print "\nRows without a number:\n"
  for (i = 1; i <= missing_count; i++) print "* " missing[i]
  bad = off("work") || off("spin") || off("all")
  print "\nSlopes over all cases, 1 +- 0.03: " (bad ? "NO" : "yes")
  exit bad
}
