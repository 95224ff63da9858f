# floor.awk - kernels against copies of as many bytes: awk -f csv.awk -f floor.awk RUN.csv.
#
# Copies are the items of the family stream, each with the bytes of its work and its time; of those
# of as many bytes the fastest counts. Between two of them the time of as many bytes goes by the
# line through both, beyond them by the nearest one's rate. Prints markdown, a line an item: its
# time, the bytes of its work and the time over a copy of those; the same over the largest copy's
# rate; where DRAM's bytes were counted, those and the time over a copy of those. What was not
# timed has its status, what was with an L2 in another state than the suite's is invalid. Exit
# status 3 for a run that has no copies.

function fail(place, expected, found) {
  print "floor.awk: " place ": expected " expected ", found '" found "'" > "/dev/stderr"
  failed = 1
  exit 3
}

function number(place, name, text) {
  if (text !~ /^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?$/ || text + 0 < 0) fail(place, name " of 0 or more", text)
  return text + 0
}

# By bytes, the fewest first, one of each number. There are a few.
function sort_copies(   i, j, item, kept) {
  for (i = 2; i <= copies; i++) {
    item = copy[i]
    for (j = i - 1; j > 0 && work[copy[j]] > work[item]; j--) copy[j + 1] = copy[j]
    copy[j + 1] = item
  }
  for (i = 1; i <= copies; i++) {
    item = copy[i]
    if (kept == 0 || work[item] > work[copy[kept]]) copy[++kept] = item
    else if (time[item] < time[copy[kept]]) copy[kept] = item
  }
  copies = kept
}

# Nanoseconds of a copy of so many bytes.
function copy_time(bytes,   i, low, high) {
  if (bytes <= work[copy[1]]) return time[copy[1]] * bytes / work[copy[1]]
  for (i = 2; i <= copies; i++) {
    low = copy[i - 1]
    high = copy[i]
    if (bytes <= work[high]) return time[low] + (time[high] - time[low]) * (bytes - work[low]) / (work[high] - work[low])
  }
  return time[copy[copies]] * bytes / work[copy[copies]]
}

FNR == 1 {
  csv_header($0, column)
  if (!("family" in column) || !("case" in column) || !("variant" in column) || !("metric" in column) || !("value" in column) || !("status" in column))
    fail(FILENAME ":1", "the header of a run", $0)
  next
}

{
  csv_split($0, fields)
  item = fields[column["family"]] SUBSEP fields[column["case"]] SUBSEP fields[column["variant"]]
  place = FILENAME ":" FNR
  metric = fields[column["metric"]]
  value = fields[column["value"]]
  if (metric == "status") {
    items[++count] = item
    status[item] = fields[column["status"]]
  }
  if (metric == "l2_state" && fields[column["status"]] == "wrong") contradicted[item] = 1
  if (metric == "time" && value != "") time[item] = number(place, "time", value)
  if (metric == "work_read_bytes" && value != "") read[item] = number(place, metric, value)
  if (metric == "work_write_bytes" && value != "") written[item] = number(place, metric, value)
  if (metric == "dram_bytes" && value != "") dram[item] = number(place, metric, value)
}

END {
  if (failed) exit 3
  if (NR == 0) fail(FILENAME, "the header of a run", "nothing")
  for (i = 1; i <= count; i++) {
    item = items[i]
    split(item, name, SUBSEP)
    work[item] = read[item] + written[item]
    if (status[item] == "ok") status[item] = item in contradicted ? "invalid" : time[item] > 0 && work[item] > 0 ? "ok" : "not timed"
    if (name[1] == "stream" && status[item] == "ok") copy[++copies] = item
  }
  if (copies == 0) fail(FILENAME, "copies: items of the family stream that are ok", "none")
  sort_copies()
  rate = work[copy[copies]] / time[copy[copies]]
  print "| case | variant | time | bytes of its work | over a copy of as many | over the largest copy's rate | DRAM moved | over a copy of that |"
  print "|---|---|---:|---:|---:|---:|---:|---:|"
  for (i = 1; i <= count; i++) {
    item = items[i]
    split(item, name, SUBSEP)
    row = "| " name[1] "/" name[2] " | " name[3] " | "
    if (status[item] != "ok") {
      print row status[item] " | - | - | - | - | - |"
      continue
    }
    row = row sprintf("%.2f us | %.1f MB | %.3f | %.3f |", time[item] / 1e3, work[item] / 1e6, time[item] / copy_time(work[item]),
                      time[item] * rate / work[item])
    print row (dram[item] > 0 ? sprintf(" %.0f MB | %.3f |", dram[item] / 1e6, time[item] / copy_time(dram[item])) : " - | - |")
  }
}
