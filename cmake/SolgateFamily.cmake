# solgate_add_family(NAME [STRICT] [HELPERS file...] [INCLUDE folder...] [LIBRARIES library...]
# [ARCHITECTURES architecture... [NEEDS word...]])
#
# Makes the module libsg_NAME.so of the folder it is called in: family.{cu,c,cpp} and one file a
# variant, found by name. A variant is added by adding its file. The table of variants is generated;
# a file that does not define SG_VARIANT(NAME, <file name>) is a link error that names the symbol.
# Works inside this tree and, after find_package(solgate), outside of it.
#
#   STRICT         C17 and C++20, and warnings are errors, as in solgate's own kernels; without it
#                  both are the project's choice, from C++14 on (CMAKE_CUDA_STANDARD,
#                  CMAKE_CUDA_FLAGS, add_compile_options, ...)
#   HELPERS        sources that are no variants: of the folder, or by a path from there to another's
#   INCLUDE        folders for the sources of the family
#   LIBRARIES      targets or files that the module is linked with; a target brings its folders
#                  and definitions
#   ARCHITECTURES  of kernels that run on nothing else, in place of CMAKE_CUDA_ARCHITECTURES
#   NEEDS          why: "wgmma" makes a run on another GPU `unsupported: needs sm_90a (wgmma)`
#
# The target is sg_NAME. Its property SOLGATE_MODULE is the path of the module, which the
# configuration of a user's project prints too. Nothing but solgate_module is visible in the module,
# and it is never sanitised: it holds device code.

include(${CMAKE_CURRENT_LIST_DIR}/SolgateCommit.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/SolgateCuda.cmake)
set(SOLGATE_FAMILY_SCRIPTS ${CMAKE_CURRENT_LIST_DIR})

function(solgate_add_family name)
  cmake_parse_arguments(PARSE_ARGV 1 FAMILY STRICT "" "HELPERS;INCLUDE;LIBRARIES;ARCHITECTURES;NEEDS")
  if(NOT name MATCHES "^[a-z0-9_]+$" OR FAMILY_UNPARSED_ARGUMENTS OR FAMILY_KEYWORDS_MISSING_VALUES
     OR (FAMILY_NEEDS AND NOT FAMILY_ARCHITECTURES))
    message(FATAL_ERROR "solgate_add_family(NAME [STRICT] [HELPERS file...] [INCLUDE folder...] [LIBRARIES library...] "
                        "[ARCHITECTURES architecture... [NEEDS word...]]): NAME is [a-z0-9_]+; found: ${ARGV}")
  endif()
  solgate_family_files(files)

  solgate_variant_table(${name} table ${files})
  # The kernels first: the table holds what the compiler made of them.
  set(sources ${files})
  if(COMMAND solgate_join_variants) # kernels/CMakeLists.txt: they only have to compile
    solgate_join_variants(sources)
  endif()
  add_library(sg_${name}_code OBJECT ${sources})
  add_library(sg_${name} MODULE ${table} ${CMAKE_CURRENT_BINARY_DIR}/${name}_commit.h ${CMAKE_CURRENT_BINARY_DIR}/${name}_build.h
              $<TARGET_OBJECTS:sg_${name}_code>)
  if(PROJECT_NAME STREQUAL solgate)
    solgate_commit_header(${CMAKE_CURRENT_BINARY_DIR}/${name}_commit.h ${CMAKE_CURRENT_SOURCE_DIR})
  else()
    solgate_family_commit(sg_${name}_commit ${CMAKE_CURRENT_BINARY_DIR}/${name}_commit.h ${CMAKE_CURRENT_SOURCE_DIR} ${files})
    add_dependencies(sg_${name} sg_${name}_commit)
  endif()
  solgate_build_facts(sg_${name}_code ${CMAKE_CURRENT_BINARY_DIR}/${name}_build.h)
  set_property(GLOBAL APPEND PROPERTY SOLGATE_MODULES sg_${name})
  solgate_compile_family(sg_${name}_code)
  solgate_compile_family(sg_${name})
  # The linker's driver is that of the sources, which the target itself does not list.
  if("${files}" MATCHES "\\.cu(;|$)")
    set_target_properties(sg_${name} PROPERTIES LINKER_LANGUAGE CUDA)
  elseif("${files}" MATCHES "\\.cpp(;|$)")
    set_target_properties(sg_${name} PROPERTIES LINKER_LANGUAGE CXX)
  endif()
  # An undefined symbol is an error here, not when the worker loads the module at
  # two in the morning. Each module has a CUDA runtime of its own: its symbols must
  # not be taken for another module's.
  target_link_options(sg_${name} PRIVATE LINKER:-z,defs LINKER:--exclude-libs,ALL
                      $<$<NOT:$<CONFIG:Debug>>:LINKER:-s>) # symbols have nvcc's temporary names
  target_link_libraries(sg_${name} PRIVATE m ${CMAKE_DL_LIBS})
  solgate_show_module(${name})
endfunction()

# The sources in the caller's folder, and its helpers from elsewhere; an error where one is
# missing, or its language is not enabled.
function(solgate_family_files result)
  file(GLOB files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *.cu *.c *.cpp)
  foreach(helper IN LISTS FAMILY_HELPERS)
    if(helper MATCHES "/.*\\.(c|cu|cpp)$" AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${helper})
      list(APPEND files ${helper})
    elseif(NOT helper IN_LIST files)
      message(FATAL_ERROR "solgate_add_family(${name}): the helper ${helper} is no .c, .cpp or .cu file of ${CMAKE_CURRENT_SOURCE_DIR}, "
                          "nor the path of one")
    endif()
  endforeach()
  set(families ${files})
  list(FILTER families INCLUDE REGEX "^family\\.(c|cpp|cu)$")
  if(NOT families)
    message(FATAL_ERROR "solgate_add_family(${name}): no family.c, family.cpp or family.cu in ${CMAKE_CURRENT_SOURCE_DIR}")
  endif()
  if("${files}" MATCHES "\\.cu(;|$)" AND NOT CMAKE_CUDA_COMPILER_LOADED)
    message(FATAL_ERROR "solgate_add_family(${name}): .cu files need CUDA: write project(... LANGUAGES C CUDA)")
  elseif(FAMILY_ARCHITECTURES AND NOT "${files}" MATCHES "\\.cu(;|$)")
    message(FATAL_ERROR "solgate_add_family(${name}): ARCHITECTURES are of .cu files, and ${CMAKE_CURRENT_SOURCE_DIR} has none")
  elseif("${files}" MATCHES "\\.cpp(;|$)" AND NOT CMAKE_CXX_COMPILER_LOADED)
    message(FATAL_ERROR "solgate_add_family(${name}): .cpp files need C++: write project(... LANGUAGES C CXX)")
  endif()
  set(${result} ${files} PARENT_SCOPE)
endfunction()

# Of the module's code and of its table; what FAMILY_... say is the caller's.
function(solgate_compile_family target)
  target_include_directories(${target} PRIVATE ${SOLGATE_KERNEL_INCLUDE} ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}
                             ${FAMILY_INCLUDE})
  if("${files}" MATCHES "\\.cu(;|$)")
    # For the .cpp files: nvcc has them of itself.
    target_include_directories(${target} SYSTEM PRIVATE ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
  endif()
  target_link_libraries(${target} PRIVATE ${FAMILY_LIBRARIES})
  set_target_properties(${target} PROPERTIES
    POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden
    CUDA_RUNTIME_LIBRARY Static)
  if(FAMILY_ARCHITECTURES)
    set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${FAMILY_ARCHITECTURES}")
  endif()
  target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-Xptxas=-v>)
  if(NOT SOLGATE_PACKAGE)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo>)
  endif()
  if(FAMILY_STRICT)
    set_target_properties(${target} PROPERTIES C_STANDARD 17 C_STANDARD_REQUIRED ON)
    target_compile_options(${target} PRIVATE
      # Not CUDA_STANDARD 20: CMake 3.25 does not know that nvcc on Linux has it.
      $<$<COMPILE_LANGUAGE:CXX,CUDA>:-std=c++20>
      $<$<COMPILE_LANGUAGE:C>:-Wall -Wextra -Wshadow -Werror>
      $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wno-missing-field-initializers -Werror>
      $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wno-missing-field-initializers,-Werror -Werror=all-warnings>)
  endif()
endfunction()

# Where the module will be: a property, and in a project of its own a line of the configuration.
function(solgate_show_module name)
  set(folder ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
  if(NOT folder)
    set(folder ${CMAKE_CURRENT_BINARY_DIR})
  endif()
  get_property(is_multi GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(is_multi)
    string(APPEND folder /$<CONFIG>)
  endif()
  set_target_properties(sg_${name} PROPERTIES SOLGATE_MODULE ${folder}/libsg_${name}.so)
  if(NOT PROJECT_NAME STREQUAL solgate)
    message(STATUS "family ${name}: ${folder}/libsg_${name}.so")
  endif()
endfunction()

# `header` becomes what the compiler made of the kernels in the
# objects of `target` (build_facts.sh).
function(solgate_build_facts target header)
  set_target_properties(${target} PROPERTIES RULE_LAUNCH_COMPILE "sh \"${SOLGATE_FAMILY_SCRIPTS}/keep_ptxas.sh\" \"${CMAKE_SOURCE_DIR}\" <OBJECT>")
  if(CMAKE_CUDA_COMPILER_LOADED)
    get_filename_component(compiler_folder ${CMAKE_CUDA_COMPILER} DIRECTORY)
    find_program(SOLGATE_CUOBJDUMP cuobjdump HINTS ${compiler_folder} ENV CUDA_HOME PATH_SUFFIXES bin)
    get_property(is_said GLOBAL PROPERTY SOLGATE_CUOBJDUMP_SAID)
    if(NOT SOLGATE_CUOBJDUMP AND NOT is_said)
      message(NOTICE "no cuobjdump beside ${CMAKE_CUDA_COMPILER}, in CUDA_HOME/bin or on PATH: the modules will not know how many "
                     "instructions of each kind their kernels have; set SOLGATE_CUOBJDUMP, then build again")
      set_property(GLOBAL PROPERTY SOLGATE_CUOBJDUMP_SAID yes)
    endif()
  endif()
  set(cuobjdump none) # an empty argument would be lost on the way, and the first object taken for the program
  if(SOLGATE_CUOBJDUMP)
    set(cuobjdump ${SOLGATE_CUOBJDUMP})
  endif()
  set(script ${SOLGATE_FAMILY_SCRIPTS}/build_facts.sh)
  add_custom_command(OUTPUT ${header}
    COMMAND sh ${script} ${header} "${cuobjdump}" $<TARGET_OBJECTS:${target}>
    DEPENDS $<TARGET_OBJECTS:${target}> ${script} COMMAND_EXPAND_LISTS VERBATIM COMMENT "Asking the objects of ${target} about their kernels")
endfunction()

# The table of variants and the one exported function; `result` becomes the path of the file.
function(solgate_variant_table name result)
  set(declarations "")
  set(rows "")
  set(count 0)
  list(REMOVE_ITEM ARGN family.c family.cpp family.cu ${FAMILY_HELPERS})
  foreach(file IN LISTS ARGN)
    get_filename_component(variant ${file} NAME_WE)
    string(APPEND declarations "extern const struct sg_variant sg_variant_${name}_${variant};\n")
    string(APPEND rows "    {\"${variant}\", &sg_variant_${name}_${variant}},\n")
    math(EXPR count "${count} + 1")
  endforeach()
  if(count EQUAL 0)
    message(FATAL_ERROR "solgate_add_family(${name}): no variant in ${CMAKE_CURRENT_SOURCE_DIR}: a family needs at least its baseline")
  endif()
  set(images "")
  if("${files}" MATCHES "\\.cu(;|$)")
    set(architectures ${CMAKE_CUDA_ARCHITECTURES})
    if(FAMILY_ARCHITECTURES)
      set(architectures ${FAMILY_ARCHITECTURES})
    endif()
    solgate_images(images ${architectures})
  endif()
  list(JOIN FAMILY_NEEDS ", " needs)
  set(table ${CMAKE_CURRENT_BINARY_DIR}/${name}_module.c)
  file(CONFIGURE OUTPUT ${table} @ONLY CONTENT [[/* Generated by solgate_add_family(@name@) from the names of the files. */
#include "solgate_kernel.h"

#include "@name@_build.h"
#include "@name@_commit.h"

extern const struct sg_family sg_family_@name@;
@declarations@
static const struct sg_named_variant variants[] = {
@rows@};

__attribute__((visibility("default"))) const struct sg_module *solgate_module(void);

const struct sg_module *solgate_module(void)
{
    static const struct sg_module module = {
        .abi_version = SG_ABI_VERSION,
        .name = "@name@",
        .commit = SOLGATE_COMMIT,
        .family = &sg_family_@name@,
        .variants = variants,
        .variant_count = @count@,
        .kernels = kernels,
        .images = "@images@",
        .needs = "@needs@",
    };
    return &module;
}
]])
  set(${result} ${table} PARENT_SCOPE)
endfunction()
