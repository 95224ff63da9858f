# cupti_names.awk - what the counters of a run are called by CUPTI, joined by commas; with -v plain=1 their names in solgate, one a line.
# awk -f csv.awk -f cupti_names.awk METRICS.csv RUN.csv, METRICS.csv being `solgate list metrics --format=csv`.

FNR == 1 {
  file++
  count = csv_split($0, fields)
  split("", column)
  for (i = 1; i <= count; i++) column[fields[i]] = i
  next
}

{ csv_split($0, fields) }

file == 1 && fields[column["cupti"]] != "" { cupti[fields[column["name"]]] = fields[column["cupti"]] }

file == 2 {
  metric = fields[column["metric"]]
  if (metric in cupti && !(metric in seen)) {
    seen[metric] = 1
    if (plain) print metric
    else printf "%s%s", separator, cupti[metric]
    separator = ","
  }
}

END { if (!plain) print "" }
