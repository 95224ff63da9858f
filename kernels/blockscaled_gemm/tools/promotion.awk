# promotion.awk - what promoting the sums of e4m3 costs, and what leaving it away loses: awk -v
# allowed=RATIO -f csv.awk -f promotion.awk RUN.csv.
#
# Of the run, the cases of blockscaled_gemm whose name ends in _loose count. Prints markdown, a line
# a tile and k: the baseline's time, the others' by it with their intervals, and each one's error by
# the rms of what is right. An error above `allowed`, which a case of another kind allows, is
# marked: there it would be wrong. A variant that failed has its status in place of numbers, one
# that was not run a dash. Exit status 3 for a run that has nothing of this.

function fail(place, expected, found) {
  print "promotion.awk: " place ": expected " expected ", found '" found "'" > "/dev/stderr"
  failed = 1
  exit 3
}

function number(place, name, text) {
  if (text !~ /^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?$/ || text + 0 <= 0) fail(place, name " above 0", text)
  return text + 0
}

function remember(name,   parts) {
  if (name in k_of) return
  if (!match(name, /_k[0-9]+_t[0-9]+x[0-9]+_/)) fail(FILENAME ":" FNR, "a case with k and a tile in its name", name)
  split(substr(name, RSTART + 2, RLENGTH - 3), parts, "_t")
  k_of[name] = parts[1] + 0
  tile_of[name] = parts[2]
  names[++count] = name
}

# By tile, then by k. There are a dozen of them.
function sort_names(   i, j, name) {
  for (i = 2; i <= count; i++) {
    name = names[i]
    for (j = i - 1; j > 0 && (tile_of[names[j]] > tile_of[name] || (tile_of[names[j]] == tile_of[name] && k_of[names[j]] > k_of[name])); j--)
      names[j + 1] = names[j]
    names[j + 1] = name
  }
}

function lacking(name, variant) {
  if (!((name, variant) in status)) return "-"
  return status[name, variant] == "ok" ? "?" : status[name, variant]
}

function time_cell(name) {
  return ((name, "baseline") in time) ? sprintf("%.1f us", time[name, "baseline"] / 1000) : lacking(name, "baseline")
}

function ratio_cell(name, variant,   item) {
  item = name SUBSEP variant
  return (item in ratio) ? sprintf("%.3f [%.3f, %.3f]", ratio[item], low[item], high[item]) : lacking(name, variant)
}

# What is right and has no row of its error equals its reference.
function error_cell(name, variant,   error) {
  if (lacking(name, variant) != "?") return lacking(name, variant)
  error = errors[name, variant] + 0
  return sprintf("%.3f %%%s", 100 * error, error > allowed + 0 ? " **wrong**" : "")
}

FNR == 1 {
  csv_header($0, column)
  if (!("metric" in column) || !("high" in column)) fail(FILENAME ":1", "the header of a run", $0)
  next
}

{
  csv_split($0, fields)
  name = fields[column["case"]]
  if (fields[column["family"]] != "blockscaled_gemm" || name !~ /_loose$/) next
  remember(name)
  place = FILENAME ":" FNR
  item = name SUBSEP fields[column["variant"]]
  metric = fields[column["metric"]]
  value = fields[column["value"]]
  if (metric == "status") status[item] = fields[column["status"]]
  if (metric == "time" && value != "") time[item] = number(place, "time", value)
  if (metric == "error_rms") errors[item] = number(place, "error_rms", value)
  if (metric == "time_ratio" && value != "") {
    ratio[item] = number(place, "time_ratio", value)
    low[item] = number(place, "low", fields[column["low"]])
    high[item] = number(place, "high", fields[column["high"]])
  }
}

END {
  if (failed) exit 3
  if (count == 0) fail(FILENAME, "cases of blockscaled_gemm that end in _loose", "none")
  variants = split("one_accumulator cublaslt_fp8_block cublaslt_fp8_tensor cublaslt_fp8_fast", variant, " ")
  sort_names()
  head = "| tile | k | baseline |"
  line = "|---|---:|---:|"
  for (i = 1; i <= variants; i++) {
    head = head " " variant[i] " |"
    line = line "---:|"
  }
  head = head " error: baseline |"
  line = line "---:|"
  for (i = 1; i <= variants; i++) {
    head = head " " variant[i] " |"
    line = line "---:|"
  }
  print head
  print line
  for (i = 1; i <= count; i++) {
    name = names[i]
    row = sprintf("| %s | %d | %s |", tile_of[name], k_of[name], time_cell(name))
    for (j = 1; j <= variants; j++) row = row " " ratio_cell(name, variant[j]) " |"
    row = row " " error_cell(name, "baseline") " |"
    for (j = 1; j <= variants; j++) row = row " " error_cell(name, variant[j]) " |"
    print row
  }
}
