# The limits and gaps of two GPUs, a line a case: `solgate gap --format=csv` of the B200's quoted runs (-v b200=FILE), then of a run on an H200
# (-v h200=FILE, empty: there is none). Cases are the same when all but the number format behind their last _ is; of the H200's each format of
# `formats` has columns of its own.
function key(name) {
  sub(/_[a-z0-9]*$/, "", name)
  return name
}

function format_of(name) {
  sub(/.*_/, "", name)
  return name
}

# The columns of a header, by name.
function columns(header,   names, count, i) {
  count = split(header, names, ",")
  for (i = 1; i <= count; i++) at[names[i]] = i
}

function us(ns) {
  return sprintf(ns < 99950 ? "%.3g us" : "%.0f us", ns / 1000)
}

function cell(ns, limit) {
  return us(ns) ", " sprintf(ns / limit < 9.995 ? "%.2fx" : "%.0fx", ns / limit)
}

# The fastest of its role.
function note(role, format, name, ns, variant) {
  if ((role, format, name) in best && best[role, format, name] <= ns) return
  best[role, format, name] = ns
  by[role, format, name] = variant
}

# shape, in quotes where it has commas, stands behind everything that is asked for.
function read(file, gpu,   line, field, name, format) {
  if (file == "") return
  getline line < file
  columns(line)
  while ((getline line < file) > 0) {
    split(line, field, ",")
    name = key(field[at["case"]])
    format = format_of(field[at["case"]])
    limit[gpu, format, name] = field[at["sol_time_ns"]]
    if (gpu == "b200" && !(name in known)) { known[name] = 1; order[++cases] = name }
    if (field[at["status"]] != "ok" || field[at["time_ns"]] == "") continue
    time[gpu, name, field[at["variant"]]] = field[at["time_ns"]]
    if (gpu == "h200") note(field[at["role"]], format, name, field[at["time_ns"]], field[at["variant"]])
  }
}

function of_h200(role, format, name) {
  if (!((role, format, name) in best)) return "-"
  return cell(best[role, format, name], limit["h200", format, name]) (role == "baseline" ? "" : " (" by[role, format, name] ")")
}

function cells_of_h200(format, name) {
  return (("h200", format, name) in limit ? us(limit["h200", format, name]) : "-") " | " of_h200("vendor", format, name) " | " \
    of_h200("baseline", format, name) " | " of_h200("candidate", format, name)
}

BEGIN {
  read(b200, "b200")
  read(h200, "h200")
  states = split("baseline gap_analysis fastest acc1_c1", state, " ")
  formats = split("bf16 e4m3", format, " ")
  line = "| case | B200, e2m1: limit | baseline | gap analysis | fastest | acc=1, c=1 |"
  rule = "|---|---:|---:|---:|---:|---:|"
  for (f = 1; f <= formats; f++) {
    line = line " H200, " format[f] ": limit | best of vendor | baseline | best candidate |"
    rule = rule "---:|---:|---:|---:|"
  }
  print line
  print rule
  for (i = 1; i <= cases; i++) {
    name = order[i]
    line = "| " name " | " sprintf("%.3f us", limit["b200", "e2m1", name] / 1000)
    for (s = 1; s <= states; s++) line = line " | " cell(time["b200", name, state[s]], limit["b200", "e2m1", name])
    for (f = 1; f <= formats; f++) line = line " | " cells_of_h200(format[f], name)
    print line " |"
  }
}
