# Replaces the text between the lines <!-- NAME --> and <!-- /NAME --> of a page by a file, with an
# empty line before and after.
#     awk -v name=NAME -v file=FILE -f scripts/docs/markers.awk PAGE
$0 == "<!-- /" name " -->" { inside = 0 }
!inside { print }
$0 == "<!-- " name " -->" {
  inside = 1
  print ""
  while ((getline line < file) > 0) print line
  print ""
}
