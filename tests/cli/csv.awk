# csv.awk - CSV for the other awk programs: awk -f csv.awk -f program.awk.
#
# csv_split(line, fields) fills fields[1..n] and returns n; quotes are taken off, doubled ones
# halved. A field that spans lines is not supported: neither solgate nor ncu writes one.
# csv_header(line, column) makes column[name] the number of each column of a header.

function csv_split(line, fields,   count, field, end) {
  count = 0
  sub(/\r$/, "", line)
  while (1) {
    if (substr(line, 1, 1) == "\"") {
      field = ""
      line = substr(line, 2)
      while ((end = index(line, "\"")) > 0 && substr(line, end + 1, 1) == "\"") {
        field = field substr(line, 1, end)
        line = substr(line, end + 2)
      }
      if (end == 0) end = length(line) + 1
      field = field substr(line, 1, end - 1)
      line = substr(line, end + 1)
    } else {
      end = index(line, ",")
      if (end == 0) end = length(line) + 1
      field = substr(line, 1, end - 1)
      line = substr(line, end)
    }
    fields[++count] = field
    if (substr(line, 1, 1) != ",") return count
    line = substr(line, 2)
  }
}

function csv_header(line, column,   names, count, i) {
  split("", column)
  count = csv_split(line, names)
  for (i = 1; i <= count; i++) column[names[i]] = i
}
