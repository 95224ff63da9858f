# A file of pages as a string of C.
function(solgate_generate_string output name source)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${source})
  file(READ ${CMAKE_SOURCE_DIR}/${source} words)
  string(REPLACE "\\" "\\\\" words "${words}")
  string(REPLACE "\"" "\\\"" words "${words}")
  string(REPLACE "\n" "\\n\"\n\"" words "${words}")
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT [[/* Generated from @source@. */
extern const char @name@[];
const char @name@[] = "@words@";
]])
endfunction()
