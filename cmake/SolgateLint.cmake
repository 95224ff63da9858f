# ninja lint: clang-format, clang-tidy, cppcheck and shellcheck over the whole tree
# (scripts/lint.sh), with this build's compile commands.
add_custom_target(lint
  COMMAND sh ${CMAKE_SOURCE_DIR}/scripts/lint.sh ${CMAKE_BINARY_DIR}
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} USES_TERMINAL VERBATIM)
