# solgate_add_family(NAME [HELPERS file...] [ARCHITECTURES architecture...])
#
# Makes the module libsg_NAME.so of the folder it is called in: family.{cu,c} and one file a variant, found by name. A variant is added
# by adding its file. The table of variants is generated; a file that does not define SG_VARIANT(NAME, <file name>) is a link error
# that names the symbol. HELPERS are sources that are no variants: of the folder, or by a path from there to another's. ARCHITECTURES: of
# kernels that run on nothing else, in place of CMAKE_CUDA_ARCHITECTURES. Works inside this tree and, after find_package(solgate), outside
# of it. Nothing but solgate_module is visible in the module, and it is never sanitised: it holds device code.

include(${CMAKE_CURRENT_LIST_DIR}/SolgateCommit.cmake)
set(SOLGATE_FAMILY_SCRIPTS ${CMAKE_CURRENT_LIST_DIR})

function(solgate_add_family name)
  cmake_parse_arguments(PARSE_ARGV 1 FAMILY "" "" "HELPERS;ARCHITECTURES")
  if(NOT name MATCHES "^[a-z0-9_]+$" OR FAMILY_UNPARSED_ARGUMENTS OR FAMILY_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "solgate_add_family(NAME [HELPERS file...] [ARCHITECTURES architecture...]): NAME is [a-z0-9_]+; found: ${ARGV}")
  endif()
  file(GLOB files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *.cu *.c)
  foreach(helper IN LISTS FAMILY_HELPERS)
    if(helper MATCHES "/.*\\.(c|cu)$" AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${helper})
      list(APPEND files ${helper})
    elseif(NOT helper IN_LIST files)
      message(FATAL_ERROR "solgate_add_family(${name}): the helper ${helper} is no .c or .cu file of ${CMAKE_CURRENT_SOURCE_DIR}, nor the path of one")
    endif()
  endforeach()
  if(NOT "family.c" IN_LIST files AND NOT "family.cu" IN_LIST files)
    message(FATAL_ERROR "solgate_add_family(${name}): no family.c or family.cu in ${CMAKE_CURRENT_SOURCE_DIR}")
  endif()
  if("${files}" MATCHES "\\.cu(;|$)" AND NOT CMAKE_CUDA_COMPILER_LOADED)
    message(FATAL_ERROR "solgate_add_family(${name}): .cu files need CUDA: write project(... LANGUAGES C CUDA)")
  endif()

  solgate_variant_table(${name} table ${files})
  solgate_commit_header(${CMAKE_CURRENT_BINARY_DIR}/${name}_commit.h ${CMAKE_CURRENT_SOURCE_DIR})
  # The kernels first: the table holds what the compiler made of them.
  add_library(sg_${name}_code OBJECT ${files})
  add_library(sg_${name} MODULE ${table} ${CMAKE_CURRENT_BINARY_DIR}/${name}_commit.h ${CMAKE_CURRENT_BINARY_DIR}/${name}_build.h
              $<TARGET_OBJECTS:sg_${name}_code>)
  solgate_build_facts(sg_${name}_code ${CMAKE_CURRENT_BINARY_DIR}/${name}_build.h)
  set_property(GLOBAL APPEND PROPERTY SOLGATE_MODULES sg_${name})
  if("${files}" MATCHES "\\.cu(;|$)")
    set_target_properties(sg_${name} PROPERTIES LINKER_LANGUAGE CUDA)
  endif()
  solgate_compile_family(sg_${name}_code)
  solgate_compile_family(sg_${name})
  if(FAMILY_ARCHITECTURES)
    set_target_properties(sg_${name}_code sg_${name} PROPERTIES CUDA_ARCHITECTURES "${FAMILY_ARCHITECTURES}")
  endif()
  # An undefined symbol is an error here, not when the worker loads the module at two in the morning. Each module has a CUDA runtime of
  # its own: its symbols must not be taken for another module's.
  target_link_options(sg_${name} PRIVATE LINKER:-z,defs LINKER:--exclude-libs,ALL)
  target_link_libraries(sg_${name} PRIVATE m ${CMAKE_DL_LIBS})
endfunction()

function(solgate_compile_family target)
  target_include_directories(${target} PRIVATE ${SOLGATE_KERNEL_INCLUDE} ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR})
  set_target_properties(${target} PROPERTIES
    C_STANDARD 17 C_STANDARD_REQUIRED ON POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden
    CUDA_RUNTIME_LIBRARY Static CUDA_VISIBILITY_PRESET hidden)
  target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:C>:-Wall -Wextra -Wshadow -Werror>
    # Not CUDA_STANDARD 20: CMake 3.25 does not know that nvcc on Linux has it.
    $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 -lineinfo -Xptxas=-v -Xcompiler=-Wall,-Wextra,-Wno-missing-field-initializers,-Werror -Werror=all-warnings>)
endfunction()

# `header` becomes what the compiler made of the kernels in the objects of `target` (build_facts.sh).
function(solgate_build_facts target header)
  set_target_properties(${target} PROPERTIES RULE_LAUNCH_COMPILE "sh \"${SOLGATE_FAMILY_SCRIPTS}/keep_ptxas.sh\" <OBJECT>")
  if(CMAKE_CUDA_COMPILER_LOADED)
    get_filename_component(compiler_folder ${CMAKE_CUDA_COMPILER} DIRECTORY)
    find_program(SOLGATE_CUOBJDUMP cuobjdump HINTS ${compiler_folder} ENV CUDA_HOME PATH_SUFFIXES bin)
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
  list(REMOVE_ITEM ARGN family.c family.cu ${FAMILY_HELPERS})
  foreach(file IN LISTS ARGN)
    get_filename_component(variant ${file} NAME_WE)
    string(APPEND declarations "extern const struct sg_variant sg_variant_${name}_${variant};\n")
    string(APPEND rows "    {\"${variant}\", &sg_variant_${name}_${variant}},\n")
    math(EXPR count "${count} + 1")
  endforeach()
  if(count EQUAL 0)
    message(FATAL_ERROR "solgate_add_family(${name}): no variant in ${CMAKE_CURRENT_SOURCE_DIR}: a family needs at least its baseline")
  endif()
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
    };
    return &module;
}
]])
  set(${result} ${table} PARENT_SCOPE)
endfunction()
