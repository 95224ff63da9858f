# other_rules_on_runs.awk - the tallies of other_rules_on_runs as a table in markdown, a row a rule
# and a way of taking batches; a table a GPU. awk -f csv.awk -f other_rules_on_runs.awk TALLIES.csv

function title(change) {
  return change == 0 ? "same kernel" : sprintf("%+.4g %%", 100 * change)
}

FNR == 1 {
  csv_header($0, column)
  next
}

{
  csv_split($0, field)
  gpu = field[column["source"]]
  change = field[column["change"]]
  row = field[column["samples"]] " | " field[column["rule"]]
  if (!(gpu in changes)) gpus[++gpu_count] = gpu
  if (!((gpu, change) in seen)) changes_of[gpu, ++changes[gpu]] = change
  seen[gpu, change] = 1
  if (!((gpu, row) in listed)) rows_of[gpu, ++rows[gpu]] = row
  listed[gpu, row] = 1
  if (field[column["comparisons"]] > 0) {
    text = field[column["slower"]] " of " field[column["comparisons"]]
    # What is not slower must not be called faster: as false as an alarm.
    if (field[column["faster"]] > 0) text = text ", " field[column["faster"]] " faster"
    tally[gpu, row, change] = text
  }
}

END {
  for (g = 1; g <= gpu_count; g++) {
    gpu = gpus[g]
    line = "| batches | rule |"
    rule = "|---|---|"
    for (c = 1; c <= changes[gpu]; c++) {
      line = line " " title(changes_of[gpu, c]) " |"
      rule = rule "---|"
    }
    printf "%sCalled slower on gpu %s:\n\n%s\n%s\n", (g > 1 ? "\n" : ""), gpu, line, rule
    for (r = 1; r <= rows[gpu]; r++) {
      line = "| " rows_of[gpu, r] " |"
      for (c = 1; c <= changes[gpu]; c++) line = line " " tally[gpu, rows_of[gpu, r], changes_of[gpu, c]] " |"
      print line
    }
  }
}
