# solgate_room(NAME FOLDER [SOURCES file...] [USES room...])
#
# A room is a folder whose files do one kind of thing, built as the static library sg_NAME from
# FOLDER/*.c and SOURCES; main.c is a program's, and NAME_cuda.c is left out without CUDA.
# USES names the rooms whose headers it may include. CMakeLists.txt lists the rooms in
# order, and a room may use only those above it: tests/cli/test_rooms.sh reads the calls and
# checks every include against them.
function(solgate_room name folder)
  cmake_parse_arguments(room "" "" "SOURCES;USES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.c)
  list(FILTER sources EXCLUDE REGEX "/main\\.c$")
  if(NOT SOLGATE_HAVE_CUDA)
    list(FILTER sources EXCLUDE REGEX "_cuda\\.c$")
  endif()
  set_property(GLOBAL APPEND PROPERTY SOLGATE_ROOMS sg_${name})
  add_library(sg_${name} STATIC ${sources} ${room_SOURCES})
  list(TRANSFORM room_USES PREPEND sg_)
  target_link_libraries(sg_${name} PUBLIC ${room_USES} sg_flags)
  if(NOT SOLGATE_SANITIZE)
    # A thread has as little stack as the shell allows; sanitizers widen every frame.
    target_compile_options(sg_${name} PRIVATE -Wframe-larger-than=16384)
  endif()
endfunction()
