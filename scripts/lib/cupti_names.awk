# cupti_names.awk - what CUPTI calls the counters that a run has, joined by commas; with -v
# plain=1 solgate's names, one a line.
#
# awk -v chip=GH100 -f csv.awk -f cupti_names.awk METRICS.csv RUN.csv, METRICS.csv being `solgate
# list metrics --format=csv`. A counter that no item of the run has (absent on the chip, not
# permitted) is left out: ncu refuses a name that it does not know.

FNR == 1 {
  file++
  csv_header($0, column)
  next
}

{ csv_split($0, fields) }

file == 1 { cupti[fields[column["name"]]] = cupti_on(chip, fields[column["cupti"]], fields[column["cupti_exceptions"]]) }

file == 2 && fields[column["status"]] == "ok" {
  metric = fields[column["metric"]]
  if (cupti[metric] == "" || (metric in seen)) next
  seen[metric] = 1
  if (plain) print metric
  else printf "%s%s", separator, cupti[metric]
  separator = ","
}

END { if (!plain) print "" }
