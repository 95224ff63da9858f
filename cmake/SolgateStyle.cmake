# The style sheet of pages as a string, sg_page_style.
function(solgate_generate_style output style_sheet)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${style_sheet})
  file(READ ${style_sheet} style)
  string(REPLACE "\\" "\\\\" style "${style}")
  string(REPLACE "\"" "\\\"" style "${style}")
  string(REPLACE "\n" "\\n\"\n\"" style "${style}")
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT [[/* Generated from reports/page.css. */
extern const char sg_page_style[];
const char sg_page_style[] = "@style@";
]])
endfunction()
