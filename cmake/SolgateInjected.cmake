# libsolgate-inject.so: what `solgate exec` has the driver load into any program. The same files as
# the room `inject`, which tests use, without sanitizers and with nothing but libc beside them; it
# shows the functions that the driver and NVTX call.

file(GLOB injected_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/harness/inject/*.c)
if(NOT SOLGATE_HAVE_CUDA)
  list(FILTER injected_files EXCLUDE REGEX "_cuda\\.c$")
endif()
add_library(solgate-inject SHARED ${injected_files})
set_target_properties(solgate-inject PROPERTIES C_VISIBILITY_PRESET hidden)
target_compile_definitions(solgate-inject PRIVATE _POSIX_C_SOURCE=200809L _DEFAULT_SOURCE)
target_compile_options(solgate-inject PRIVATE -Wall -Wextra -Wshadow -Wstrict-prototypes -Wvla -Wmissing-prototypes ${sg_werror}
                                              -iquote${CMAKE_SOURCE_DIR}/harness)
if(SOLGATE_HAVE_CUDA)
  target_include_directories(solgate-inject SYSTEM PRIVATE ${SOLGATE_CUDA_INCLUDE} ${CMAKE_BINARY_DIR}/generated/cupti)
  target_include_directories(sg_inject SYSTEM PRIVATE ${SOLGATE_CUDA_INCLUDE} ${CMAKE_BINARY_DIR}/generated/cupti)
endif()
target_link_options(solgate-inject PRIVATE LINKER:-z,defs LINKER:--as-needed)
target_link_libraries(solgate-inject PRIVATE ${CMAKE_DL_LIBS})
