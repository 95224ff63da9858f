# The `value` messages of a worker as rows of CSV: awk -v fields="variant metric value" -f
# values.awk
function field(name,    text) {
  if (!match($0, "\"" name "\":(\"[^\"]*\"|[^,}]*)"))
    return ""
  text = substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3)
  gsub(/^"|"$/, "", text)
  return text == "null" ? "nan" : text
}
/^{"is":"value"/ {
  count = split(fields, name, " ")
  for (i = 1; i <= count; i++)
    printf "%s%s", field(name[i]), i < count ? "," : "\n"
}
