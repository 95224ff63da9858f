# solgate_commit_header(HEADER FOLDER...)
# solgate_family_commit(TARGET HEADER FOLDER SOURCE...)
#
# Both make HEADER, one line: #define SOLGATE_COMMIT "<short hash>[-dirty]", or "" outside of git.
# They write it only where it changes.
#
# The first is of solgate's own tree. Dirty means that something under one of the folders differs
# from the commit. The header is made again when HEAD moves or a file of the folders changes, and
# never otherwise, so that a build with nothing to do has nothing to do.
#
# The second is of a user's project, which may be put into git after it was configured, and whose
# kernels may include anything: TARGET asks git in each build. It is the commit of the repository
# that holds the sources of FOLDER, and "" where that has none of them. Dirty means that a source
# anywhere in the repository differs from the commit, or that one of FOLDER is not in it.
#
# The file is also the script that the build runs (cmake -P) to write the header.

if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.25)
  # As a hook of git sets them, of the repository that the hook is of.
  foreach(variable GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE)
    unset(ENV{${variable}})
  endforeach()
  list(GET FOLDERS 0 first)

  function(git result)
    execute_process(COMMAND git -C ${first} ${ARGN} OUTPUT_VARIABLE output RESULT_VARIABLE failed
                    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(NOT failed EQUAL 0)
      set(output "")
    endif()
    set(${result} "${output}" PARENT_SCOPE)
  endfunction()

  git(commit rev-parse --short=12 HEAD)
  if(SOURCES)
    set(endings c cc cpp cxx cu h hh hpp hxx cuh inc inl ptx cmake)
    set(anywhere ":(top)*CMakeLists.txt")
    set(here "")
    foreach(ending IN LISTS endings)
      list(APPEND anywhere ":(top)*.${ending}")
      list(APPEND here ":(glob)*.${ending}")
    endforeach()
    git(known ls-files --error-unmatch -- ${SOURCES})
    git(some ls-files -- ${SOURCES})
    git(changed status --porcelain --untracked-files=no -- ${anywhere})
    git(new status --porcelain --untracked-files=normal -- ${here})
    if(some STREQUAL "")
      set(commit "")
    elseif(known STREQUAL "")
      set(changed yes)
    endif()
    string(APPEND changed "${new}")
  else()
    git(changed status --porcelain -- ${FOLDERS})
  endif()
  # Both have one length, and a zero byte inside, so that the other bytes of a module are the same.
  if(NOT commit STREQUAL "" AND NOT changed STREQUAL "")
    string(APPEND commit "-dirty\\0")
  elseif(NOT commit STREQUAL "")
    string(APPEND commit "\\0\\0\\0\\0\\0\\0\\0")
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

function(solgate_family_commit target header folder)
  add_custom_target(${target}
    COMMAND ${CMAKE_COMMAND} "-DHEADER=${header}" "-DFOLDERS=${folder}" "-DSOURCES=${ARGN}" -P ${SOLGATE_COMMIT_SCRIPT}
    BYPRODUCTS ${header} VERBATIM COMMENT "Asking git for the commit of ${folder}")
endfunction()
