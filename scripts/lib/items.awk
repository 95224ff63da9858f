# items.awk - the items of a run that came out right and take one kernel a launch: awk -f
# csv.awk -f items.awk RUN.csv, one a line as FAMILY/CASE/VARIANT. With -v families=a,b only
# those families; with -v once=1 each variant with the first of its cases only; with -v
# any_kernels=1 whatever the number of kernels. What is said once in a file is read once: the
# rows of an item may come in any order.

NR == 1 {
  csv_header($0, column)
  wanted_count = split(families, names, ",")
  for (i = 1; i <= wanted_count; i++) wanted[names[i]] = 1
  next
}

{
  csv_split($0, fields)
  item = fields[column["family"]] "/" fields[column["case"]] "/" fields[column["variant"]]
  metric = fields[column["metric"]]
  if (metric == "status" && fields[column["status"]] == "ok") {
    order[++found] = item
    variant_of[item] = fields[column["family"]] "/" fields[column["variant"]]
    family_of[item] = fields[column["family"]]
  }
  if (metric == "kernels") kernels[item] = fields[column["value"]]
  if (metric == "count_passes") counted[item] = 1
}

END {
  for (i = 1; i <= found; i++) {
    item = order[i]
    if (!(item in counted) || (wanted_count && !(family_of[item] in wanted))) continue
    if (!any_kernels && (item in kernels) && kernels[item] != 1) continue
    if (once && (variant_of[item] in printed)) continue
    printed[variant_of[item]] = 1
    print item
  }
}
