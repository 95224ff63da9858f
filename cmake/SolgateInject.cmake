# SOLGATE_INJECT_SLOWDOWN: variants ("matvec/warp_per_row", several separated by ;) to build with
# about 4 % more real work, so that there is a regression to find. A variant that can do so has a
# part under #ifdef SG_INJECT_SLOWDOWN. Such a build is for demonstrations, and for recording the
# slow run of tests/data; numbers of it must never be accepted.

set(SOLGATE_INJECT_SLOWDOWN "" CACHE STRING "variants to slow down on purpose, FAMILY/VARIANT;... (for demonstrations only)")

foreach(entry IN LISTS SOLGATE_INJECT_SLOWDOWN)
  get_filename_component(family ${entry} DIRECTORY)
  set(file ${CMAKE_CURRENT_LIST_DIR}/../kernels/${entry}.cu)
  set(found "")
  if(EXISTS ${file})
    file(STRINGS ${file} found REGEX "SG_INJECT_SLOWDOWN$" LIMIT_COUNT 1)
  endif()
  if(NOT found)
    message(FATAL_ERROR "SOLGATE_INJECT_SLOWDOWN: expected FAMILY/VARIANT with a part under SG_INJECT_SLOWDOWN, found '${entry}'")
  endif()
  if(NOT TARGET sg_${family})
    message(FATAL_ERROR "SOLGATE_INJECT_SLOWDOWN: ${entry} is not built here, because there is no CUDA")
  endif()
  set_source_files_properties(${file} TARGET_DIRECTORY sg_${family} PROPERTIES COMPILE_DEFINITIONS SG_INJECT_SLOWDOWN)
  message(STATUS "SLOWED DOWN ON PURPOSE: ${entry}; accept no number of this build")
endforeach()
