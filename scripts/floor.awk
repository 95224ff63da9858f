# floor.awk - kernels against copies of as many bytes: awk -f csv.awk -f floor.awk RUN.csv.
#
# Copies are the items of the family stream, each with the bytes of its work and its time; between two of them the time of as many bytes
# goes by the line through both, beyond them by the nearest one's rate. Prints markdown, a line an item: its time, the bytes of its work and
# the time over a copy of those; the same over the largest copy's rate; where DRAM's bytes were counted, those and the time over a copy of
# those. What was not timed has its status. Exit status 3 for a run that has no copies.

function fail(place, expected, found) {
  print "floor.awk: " place ": expected " expected ", found '" found "'" > "/dev/stderr"
  failed = 1
  exit 3
}

function number(place, name, text) {
  if (text !~ /^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?$/ || text + 0 < 0) fail(place, name ", a number", text)
  return text + 0
}

# By bytes, the fewest first. There are a few.
function sort_copies(   i, j, item) {
  for (i = 2; i <= copies; i++) {
    item = copy[i]
    for (j = i - 1; j > 0 && work[copy[j]] > work[item]; j--) copy[j + 1] = copy[j]
    copy[j + 1] = item
  }
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
  if (!("metric" in column) || !("status" in column)) fail(FILENAME ":1", "the header of a run", $0)
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
  if (metric == "time" && value != "") time[item] = number(place, "time", value)
  if ((metric == "work_read_bytes" || metric == "work_write_bytes") && value != "") work[item] += number(place, metric, value)
  if (metric == "dram_bytes" && value != "") dram[item] = number(place, metric, value)
}

END {
  if (failed) exit 3
  for (i = 1; i <= count; i++) {
    split(items[i], name, SUBSEP)
    if (name[1] == "stream" && status[items[i]] == "ok" && time[items[i]] > 0 && work[items[i]] > 0) copy[++copies] = items[i]
  }
  if (copies == 0) fail(FILENAME, "copies: items of the family stream that are ok", "none")
  sort_copies()
  rate = work[copy[copies]] / time[copy[copies]]
  print "| case | variant | time | bytes of its work | over a copy of as many | over the largest copy's rate | DRAM moved | over a copy of that |"
  print "|---|---|---:|---:|---:|---:|---:|---:|"
  for (i = 1; i <= count; i++) {
    item = items[i]
    split(item, name, SUBSEP)
    row = "| " name[2] " | " name[3] " | "
    if (status[item] != "ok" || !(time[item] > 0) || !(work[item] > 0)) {
      print row status[item] " | - | - | - | - | - |"
      continue
    }
    row = row sprintf("%.2f us | %.1f MB | %.3f | %.3f |", time[item] / 1e3, work[item] / 1e6, time[item] / copy_time(work[item]),
                      time[item] * rate / work[item])
    print row (dram[item] > 0 ? sprintf(" %.0f MB | %.3f |", dram[item] / 1e6, time[item] / copy_time(dram[item])) : " - | - |")
  }
}
