# Programs in bin, modules in libexec/solgate (`pip install --target` drops lib), texts in
# share/solgate: found by where the program is (harness/util/paths.h). A CMake package, of the
# installed tree and of the build tree (-Dsolgate_DIR=<build>).

include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_DATADIR}/solgate/cmake)

function(solgate_package output destination include bin)
  set(SOLGATE_PACKAGE_INCLUDE ${include})
  set(SOLGATE_PACKAGE_BIN ${bin})
  configure_package_config_file(cmake/solgateConfig.cmake.in ${output} INSTALL_DESTINATION ${destination}
    PATH_VARS SOLGATE_PACKAGE_INCLUDE SOLGATE_PACKAGE_BIN ${ARGN})
endfunction()

set(version_file ${CMAKE_BINARY_DIR}/solgateConfigVersion.cmake)
write_basic_package_version_file(${version_file} COMPATIBILITY SameMinorVersion)
set(family_scripts cmake/SolgateFamily.cmake cmake/SolgateCuda.cmake cmake/SolgateCommit.cmake cmake/build_facts.sh cmake/keep_ptxas.sh)

# The build tree as a package.
solgate_package(${CMAKE_BINARY_DIR}/solgateConfig.cmake ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR}/kernels ${CMAKE_BINARY_DIR}/bin
                INSTALL_PREFIX ${CMAKE_BINARY_DIR})
file(COPY ${family_scripts} DESTINATION ${CMAKE_BINARY_DIR})

# The installed tree.
solgate_package(${CMAKE_BINARY_DIR}/installed/solgateConfig.cmake ${package_folder} ${CMAKE_INSTALL_INCLUDEDIR} ${CMAKE_INSTALL_BINDIR})
install(FILES ${CMAKE_BINARY_DIR}/installed/solgateConfig.cmake ${version_file} ${family_scripts} DESTINATION ${package_folder})
install(TARGETS solgate solgate-worker RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
get_property(modules GLOBAL PROPERTY SOLGATE_MODULES)
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
# Sources are not installed: of a link to one its words remain.
install(CODE "set(docs \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}/docs\")")
install(CODE [=[
  file(GLOB pages ${docs}/../README.md ${docs}/*.md ${docs}/*/*.md)
  foreach(page ${pages})
    file(READ ${page} words)
    string(REGEX REPLACE "\\[([^]]*)\\]\\(((\\.\\./)+[a-z]+/|(\\.\\./)?CONTRIBUTING)[^)]*\\)" "\\1" words "${words}")
    file(WRITE ${page} "${words}")
  endforeach()
]=])
install(DIRECTORY examples slurm DESTINATION ${CMAKE_INSTALL_DATADIR}/solgate USE_SOURCE_PERMISSIONS)
install(TARGETS ${modules} solgate-inject LIBRARY DESTINATION libexec/solgate)
install(FILES kernels/solgate_kernel.h kernels/solgate_cuda.h kernels/solgate_cuda_error.h kernels/solgate_parallel.h kernels/solgate_vendor.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# `ab --exec` puts this folder first for any Python. A wheel has the module in site-packages, too.
install(DIRECTORY python DESTINATION ${CMAKE_INSTALL_DATADIR}/solgate FILES_MATCHING PATTERN "*.py")
install(DIRECTORY scripts/commits DESTINATION ${CMAKE_INSTALL_DATADIR}/solgate/scripts)
install(FILES scripts/init.sh DESTINATION ${CMAKE_INSTALL_DATADIR}/solgate/scripts)
install(PROGRAMS scripts/ci/solgate-ci DESTINATION ${CMAKE_INSTALL_BINDIR})
configure_file(scripts/ci/solgate-ci ${CMAKE_BINARY_DIR}/bin/solgate-ci COPYONLY)
foreach(folder metrics kernels/suites baselines reports/plots)
  get_filename_component(parent ${folder} DIRECTORY)
  install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_DATADIR}/solgate/${parent}
          FILES_MATCHING PATTERN "*.ini" PATTERN "*.group" PATTERN "*.gpu" PATTERN "*.suite" PATTERN "*.csv" PATTERN "*.gp" PATTERN "README.md")
endforeach()

# The Debian package: `cpack -G DEB` in the build folder, or scripts/package.
set(CPACK_PACKAGE_VENDOR solgate)
set(CPACK_PACKAGE_CONTACT "solgate <solgate@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "gates CUDA kernels: correct, and as fast as before")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# What Python, run by root, adds to the package's files.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/prerm CONTENT [[#!/bin/sh
rm -rf "$DPKG_ROOT/usr/share/solgate/python/solgate/__pycache__"
]])
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_BINARY_DIR}/prerm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION TRUE)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gnuplot-nox, python3, git")
include(CPack)
