# Converts the output of `solgate COMMAND -h` to a man page: -v name=solgate-ab -v summary=TEXT -v
# version=0.1.0. Indented lines continue a usage or an option.

function escaped(text) {
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  return text ~ /^[.']/ ? "\\&" text : text
}

# Begins a section, unless it is open already.
function section(title) {
  if (title == open) return
  if (verbatim) print ".fi"
  verbatim = 0
  print ".SH " title
  open = title
  blank = 0
}

# Prints the entry "NAME   meaning", separated by two or more blanks, or only a name.
function entry(line,   at) {
  sub(/^ +/, "", line)
  at = match(line, /  +/)
  print ".TP"
  print ".B " escaped(at ? substr(line, 1, at - 1) : line)
  if (at) print escaped(substr(line, at + RLENGTH))
}

BEGIN {
  printf ".TH %s 1 \"\" \"solgate %s\" \"solgate\"\n.nh\n.ad l\n", toupper(escaped(name)), version # no hyphenation, so that options can be copied
  section("NAME")
  print escaped(name) " \\- " escaped(summary)
}

/^Usage: / || /^  or:  / {
  if (open == "SYNOPSIS") print ".br"
  section("SYNOPSIS")
  sub(/^Usage: +/, "")
  sub(/^  or: +/, "")
  print escaped($0)
  next
}
/^            / && open == "SYNOPSIS" {
  sub(/^ +/, "")
  print escaped($0)
  next
}
open == "SYNOPSIS" { section("DESCRIPTION") }

/^ +-/ && (open == "DESCRIPTION" || open == "OPTIONS") { section("OPTIONS"); entry($0); next }
/^                    / && open == "OPTIONS" {
  sub(/^ +/, "")
  print escaped($0)
  next
}
/^  [a-z]+  / && (open == "DESCRIPTION" || open == "COMMANDS") { section("COMMANDS"); entry($0); next }

/^Exit codes: / { section("EXIT STATUS"); sub(/^Exit codes: /, "") }
/^Examples?:/ {
  section("EXAMPLES")
  print ".nf"
  verbatim = 1
  sub(/^Examples?: */, "")
  if ($0 == "") next
}

$0 == "" { blank = 1; next }
{
  if ((open == "OPTIONS" || open == "COMMANDS") || (blank && (open == "EXAMPLES" || open == "EXIT STATUS"))) section("NOTES")
  else if (blank && !verbatim) print ".PP"
  blank = 0
  sub(/^ +/, "")
  if (sub(/^- /, "")) print ".IP \\(bu 2"
  print escaped($0)
}

END {
  if (name == "solgate") exit
  section("SEE ALSO")
  print ".BR solgate (1)"
}
