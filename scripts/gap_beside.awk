# The limits and gaps of two GPUs, a line a case: `solgate gap --format=csv` of the B200's quoted runs (-v b200=FILE), then of a run on an H200
# (-v h200=FILE, empty: there is none). Cases are the same when all but the number format behind their last _ is.
function key(name) {
  sub(/_[a-z0-9]*$/, "", name)
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
function note(role, name, ns, variant) {
  if ((role, name) in best && best[role, name] <= ns) return
  best[role, name] = ns
  by[role, name] = variant
}

# shape, in quotes where it has commas, stands behind everything that is asked for.
function read(file, gpu,   line, field, name) {
  if (file == "") return
  getline line < file
  columns(line)
  while ((getline line < file) > 0) {
    split(line, field, ",")
    name = key(field[at["case"]])
    limit[gpu, name] = field[at["sol_time_ns"]]
    if (gpu == "b200" && !(name in known)) { known[name] = 1; order[++cases] = name }
    if (field[at["status"]] != "ok" || field[at["time_ns"]] == "") continue
    time[gpu, name, field[at["variant"]]] = field[at["time_ns"]]
    if (gpu == "h200") note(field[at["role"]], name, field[at["time_ns"]], field[at["variant"]])
  }
}

function of_h200(role, name) {
  if (!((role, name) in best)) return "-"
  return cell(best[role, name], limit["h200", name]) (role == "baseline" ? "" : " (" by[role, name] ")")
}

BEGIN {
  read(b200, "b200")
  read(h200, "h200")
  states = split("baseline gap_analysis fastest acc1_c1", state, " ")
  print "| case | B200, e2m1: limit | baseline | gap analysis | fastest | acc=1, c=1 | H200, bf16: limit | best of vendor | baseline | best candidate |"
  print "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
  for (i = 1; i <= cases; i++) {
    name = order[i]
    line = "| " name " | " sprintf("%.3f us", limit["b200", name] / 1000)
    for (s = 1; s <= states; s++) line = line " | " cell(time["b200", name, state[s]], limit["b200", name])
    line = line " | " (("h200", name) in limit ? us(limit["h200", name]) : "-")
    print line " | " of_h200("vendor", name) " | " of_h200("baseline", name) " | " of_h200("candidate", name) " |"
  }
}
