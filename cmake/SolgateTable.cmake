# solgate_generate_table(OUTPUT HEADER STEM FILE...): from files whose names end in STEM_NAME.c,
# each of which defines `const struct sg_STEM sg_STEM_NAME`, the function sg_STEMs that returns all
# of them, as HEADER declares it.
function(solgate_generate_table output header stem)
  set(declarations "")
  set(rows "")
  foreach(file IN LISTS ARGN)
    string(REGEX REPLACE ".*${stem}_(.*)\\.c$" "\\1" name ${file})
    string(APPEND declarations "extern const struct sg_${stem} sg_${stem}_${name};\n")
    string(APPEND rows "    &sg_${stem}_${name},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT [[/* Generated from the names of files, @stem@_NAME.c. */
#include "@header@"

@declarations@
const struct sg_@stem@ *const *sg_@stem@s(size_t *count)
{
    static const struct sg_@stem@ *const all[] = {
@rows@    };
    *count = sizeof(all) / sizeof(all[0]);
    return all;
}
]])
endfunction()
