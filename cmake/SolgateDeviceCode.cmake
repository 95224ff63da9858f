# solgate_device_code(SYMBOL SOURCE OUTPUT)
#
# Makes OUTPUT, a C file that defines `const unsigned char SYMBOL[]`: the kernels of SOURCE, a .cu
# file, as a fat binary that cuModuleLoadData takes. It holds machine code for the numbered
# architectures of CMAKE_CUDA_ARCHITECTURES, which a driver loads whatever toolkit it is from, and
# PTX of the lowest one that the toolkit has, for every other GPU. The file is also the script that
# the build runs (cmake -P) to write OUTPUT.

if(CMAKE_SCRIPT_MODE_FILE)
  file(READ ${BINARY} code HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" code "${code}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," code "${code}")
  file(WRITE ${OUTPUT} "/* Generated from a .cu file: its kernels as a fat binary. */\n"
       "extern const unsigned char ${SYMBOL}[];\n_Alignas(16) const unsigned char ${SYMBOL}[] = {\n${code}};\n")
  return()
endif()

set(SOLGATE_DEVICE_CODE_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(solgate_device_code symbol source output)
  # Nothing below 7.0: the other kernels of the worker are PTX for that.
  execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-arch OUTPUT_VARIABLE known COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCH "compute_([7-9][0-9])" lowest "${known}")
  set(targets --generate-code=arch=${lowest},code=${lowest})
  foreach(architecture IN LISTS CMAKE_CUDA_ARCHITECTURES)
    if(architecture MATCHES "^([0-9]+[af]?)(-real|-virtual)?$")
      list(APPEND targets --generate-code=arch=compute_${CMAKE_MATCH_1},code=sm_${CMAKE_MATCH_1})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES targets)
  if(CMAKE_CUDA_HOST_COMPILER)
    list(APPEND targets -ccbin=${CMAKE_CUDA_HOST_COMPILER})
  endif()
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_CUDA_COMPILER} -fatbin -std=c++20 ${targets} -I${CMAKE_SOURCE_DIR}/kernels -I${CMAKE_SOURCE_DIR}/harness
            -Wno-deprecated-gpu-targets -Xcompiler=-Wall,-Wextra,-Werror -Werror=all-warnings
            -MD -MF ${output}.d -MT ${output} -o ${output}.fatbin ${source}
    COMMAND ${CMAKE_COMMAND} -DBINARY=${output}.fatbin -DSYMBOL=${symbol} -DOUTPUT=${output} -P ${SOLGATE_DEVICE_CODE_SCRIPT}
    DEPENDS ${source} ${SOLGATE_DEVICE_CODE_SCRIPT} DEPFILE ${output}.d VERBATIM COMMENT "Compiling the kernels of ${source}")
endfunction()
