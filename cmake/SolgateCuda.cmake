# Which CUDA toolkits work, which GPUs kernels are built for, and which images a module then holds.
# Part of the package, for projects of users' kernels. As in CMAKE_CUDA_ARCHITECTURES, 90-real is
# machine code for sm_90, 90-virtual its PTX, 90 both.

set(SOLGATE_OLDEST_CUDA 12.6)        # its CUPTI is the first with the range profiler
set(SOLGATE_OLDEST_ARCHITECTURE 80)  # mma of bf16, cache policies of a load
set(SOLGATE_PORTABLE_ARCHITECTURES 80 89 90 100 120)

# solgate_check_cuda(): ends the configuration, with the reason, if CMAKE_CUDA_COMPILER is too old
# or came without the headers of CUPTI.
function(solgate_check_cuda)
  execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --version OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCH "release ([0-9.]+)" release "${output}")
  set(version ${CMAKE_MATCH_1})
  set(without "To build without kernels: -DSOLGATE_CUDA=OFF")
  if(version VERSION_LESS SOLGATE_OLDEST_CUDA)
    message(FATAL_ERROR "solgate needs CUDA ${SOLGATE_OLDEST_CUDA} or newer, the first with CUPTI's range profiler; found ${version} "
                        "(${CMAKE_CUDA_COMPILER}). ${without}")
  elseif(NOT SOLGATE_CUDA_INCLUDE OR NOT SOLGATE_CUDA_H)
    message(FATAL_ERROR "solgate needs cuda.h and CUPTI's cupti_range_profiler.h beside ${CMAKE_CUDA_COMPILER}: install them, or name their "
                        "folders by -DSOLGATE_CUDA_H=... and -DSOLGATE_CUDA_INCLUDE=.... ${without}")
  endif()
endfunction()

# solgate_cupti_header(HEADER FOLDER...): writes HEADER, the cupti_profiler_host.h of one of the
# folders without its #include <string>. It is a C header that uses nothing of that, and what C
# finds under that name is C++, where a wrapper or CPATH has it search C++'s headers.
function(solgate_cupti_header header)
  find_file(original cupti_profiler_host.h PATHS ${ARGN} NO_DEFAULT_PATH NO_CACHE REQUIRED)
  file(READ ${original} text)
  string(REGEX REPLACE "#[ \t]*include[ \t]*<string>" "" text "${text}")
  file(CONFIGURE OUTPUT ${header} CONTENT "#pragma GCC system_header\n@text@" @ONLY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${original})
endfunction()

# solgate_find_gpus(RESULT): compute capabilities of the GPUs of this machine, each once:
# "90;120". Empty: none, or no nvidia-smi.
function(solgate_find_gpus result)
  set(gpus "")
  find_program(SOLGATE_NVIDIA_SMI nvidia-smi)
  mark_as_advanced(SOLGATE_NVIDIA_SMI)
  if(SOLGATE_NVIDIA_SMI)
    execute_process(COMMAND ${SOLGATE_NVIDIA_SMI} --query-gpu=compute_cap --format=csv,noheader OUTPUT_VARIABLE found ERROR_QUIET TIMEOUT 60)
    string(REGEX MATCHALL "[0-9]+\\.[0-9]" gpus "${found}")
    string(REPLACE "." "" gpus "${gpus}")
    list(SORT gpus COMPARE NATURAL)
    list(REMOVE_DUPLICATES gpus)
  endif()
  set(${result} "${gpus}" PARENT_SCOPE)
endfunction()

# solgate_choose_architectures(RESULT KNOWN GPUS): what to build for GPUS by a compiler that
# knows the architectures KNOWN, both lists of numbers. Machine code for each GPU; for one
# that the compiler does not know, the newest older one and its PTX. GPUS too old for the
# kernels are left out; if none is left, machine code for each of
# SOLGATE_PORTABLE_ARCHITECTURES, and PTX of the last.
function(solgate_choose_architectures result known gpus)
  list(SORT known COMPARE NATURAL)
  set(chosen "")
  foreach(gpu IN LISTS gpus)
    set(of_gpu "")
    foreach(architecture IN LISTS known)
      if(architecture EQUAL gpu)
        set(of_gpu ${architecture}-real)
      elseif(architecture LESS gpu)
        set(of_gpu ${architecture})
      endif()
    endforeach()
    if(gpu GREATER_EQUAL SOLGATE_OLDEST_ARCHITECTURE)
      list(APPEND chosen ${of_gpu})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES chosen)
  if(NOT chosen)
    foreach(architecture IN LISTS SOLGATE_PORTABLE_ARCHITECTURES)
      if(architecture IN_LIST known)
        list(APPEND chosen ${architecture}-real)
      endif()
    endforeach()
    string(REGEX REPLACE "-real$" "" chosen "${chosen}")
  endif()
  set(${result} "${chosen}" PARENT_SCOPE)
endfunction()

# solgate_cuda_architectures(RESULT [ARCHITECTURE]): what CMAKE_CUDA_ARCHITECTURES is where the
# user has not set it: the GPUs of this machine, as CMAKE_CUDA_COMPILER, which check_language(CUDA)
# finds, knows them. Without a GPU it is ARCHITECTURE, or each of SOLGATE_PORTABLE_ARCHITECTURES.
function(solgate_cuda_architectures result)
  execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-arch OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[0-9]+" known "${output}")
  set(gpus "")
  if(NOT SOLGATE_PACKAGE)
    solgate_find_gpus(gpus)
  endif()
  foreach(gpu IN LISTS gpus)
    if(gpu LESS SOLGATE_OLDEST_ARCHITECTURE)
      message(STATUS "a GPU here is sm_${gpu}: kernels need sm_${SOLGATE_OLDEST_ARCHITECTURE} or newer, and are not built for it")
    endif()
  endforeach()
  solgate_choose_architectures(chosen "${known}" "${gpus}")
  if(ARGN AND NOT gpus)
    set(chosen ${ARGN})
  endif()
  set(${result} "${chosen}" PARENT_SCOPE)
endfunction()

# solgate_images(RESULT ARCHITECTURE...): the images in a module of these architectures, in the
# words of sg_module.images: "sm_90 compute_90". Empty if that is not known: for OFF and none,
# where the user's own flags say it.
function(solgate_images result)
  set(images "")
  foreach(architecture IN LISTS ARGN)
    string(TOUPPER "${architecture}" word)
    if(word MATCHES "^(NATIVE|ALL|ALL-MAJOR)$")
      string(REPLACE - _ word ${word})
      solgate_images(of_word ${CMAKE_CUDA_ARCHITECTURES_${word}})
      list(APPEND images ${of_word})
    elseif(architecture MATCHES "^([0-9]+[af]?)(-real|-virtual)?$")
      if(NOT CMAKE_MATCH_2 STREQUAL "-virtual")
        list(APPEND images sm_${CMAKE_MATCH_1})
      endif()
      if(NOT CMAKE_MATCH_2 STREQUAL "-real")
        list(APPEND images compute_${CMAKE_MATCH_1})
      endif()
    endif()
  endforeach()
  list(REMOVE_DUPLICATES images)
  list(JOIN images " " images)
  set(${result} "${images}" PARENT_SCOPE)
endfunction()
