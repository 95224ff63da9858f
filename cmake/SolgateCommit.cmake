# solgate_commit_header(HEADER FOLDER...)
#
# Makes HEADER, one line: #define SOLGATE_COMMIT "<short hash>[-dirty]", or "" outside of git. Dirty
# means that something under one of the folders differs from the commit. It is made again when HEAD
# moves or a file of the folders changes, and never otherwise, so that a build with nothing to do
# has nothing to do. The file is also the script that the build runs (cmake -P) to write the header.

if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.25)
  list(GET FOLDERS 0 first)
  set(commit "")
  execute_process(COMMAND git -C ${first} rev-parse --short=12 HEAD OUTPUT_VARIABLE hash RESULT_VARIABLE failed
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(failed EQUAL 0)
    execute_process(COMMAND git -C ${first} status --porcelain -- ${FOLDERS} OUTPUT_VARIABLE changed ERROR_QUIET)
    set(commit "${hash}")
    if(NOT changed STREQUAL "")
      string(APPEND commit "-dirty")
    endif()
  endif()
  file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define SOLGATE_COMMIT \"@commit@\"\n" @ONLY)
  return()
endif()

set(SOLGATE_COMMIT_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(solgate_commit_header header)
  list(GET ARGN 0 first)
  # The log of HEAD grows with each commit, checkout, merge and reset;
  # HEAD itself only with a checkout.
  set(depends "")
  foreach(file HEAD logs/HEAD)
    execute_process(COMMAND git -C ${first} rev-parse --git-path ${file} OUTPUT_VARIABLE path RESULT_VARIABLE failed
                    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    get_filename_component(path "${path}" ABSOLUTE BASE_DIR ${first})
    if(failed EQUAL 0 AND EXISTS ${path})
      list(APPEND depends ${path})
    endif()
  endforeach()
  foreach(folder IN LISTS ARGN)
    file(GLOB files CONFIGURE_DEPENDS ${folder}/*.c ${folder}/*.cpp ${folder}/*.h ${folder}/*.cu ${folder}/*.cuh)
    list(APPEND depends ${files})
  endforeach()
  add_custom_command(OUTPUT ${header}
    COMMAND ${CMAKE_COMMAND} "-DHEADER=${header}" "-DFOLDERS=${ARGN}" -P ${SOLGATE_COMMIT_SCRIPT}
    DEPENDS ${depends} ${SOLGATE_COMMIT_SCRIPT} VERBATIM COMMENT "Asking git for the commit of ${first}")
endfunction()
