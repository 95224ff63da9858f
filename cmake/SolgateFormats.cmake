# The table of report formats, from the names reports/format_NAME.c.
function(solgate_generate_formats output)
  set(declarations "")
  set(rows "")
  foreach(file IN LISTS ARGN)
    string(REGEX REPLACE ".*format_(.*)\\.c$" "\\1" format ${file})
    string(APPEND declarations "extern const struct sg_format sg_format_${format};\n")
    string(APPEND rows "    &sg_format_${format},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT [[/* Generated from the names reports/format_NAME.c. */
#include "reports/report.h"

@declarations@
const struct sg_format *const *sg_formats(size_t *count)
{
    static const struct sg_format *const formats[] = {
@rows@    };
    *count = sizeof(formats) / sizeof(formats[0]);
    return formats;
}
]])
endfunction()
