# Man pages of what -h prints, made anew with the program: build/man1, installed to share/man/man1.
# And the completion of bash, which reads -h.

set(man_scripts ${CMAKE_SOURCE_DIR}/scripts/docs/man_pages.sh ${CMAKE_SOURCE_DIR}/scripts/docs/man_page.awk)
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/man1/solgate.1
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${CMAKE_BINARY_DIR}/man1
  COMMAND sh ${CMAKE_SOURCE_DIR}/scripts/docs/man_pages.sh --bin=$<TARGET_FILE_DIR:solgate> --out=${CMAKE_BINARY_DIR}/man1
  DEPENDS solgate ${man_scripts}
  COMMENT "Writing man pages of what solgate -h prints"
  VERBATIM)
add_custom_target(man ALL DEPENDS ${CMAKE_BINARY_DIR}/man1/solgate.1)
install(FILES ${CMAKE_SOURCE_DIR}/scripts/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME solgate)
install(DIRECTORY ${CMAKE_BINARY_DIR}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} FILES_MATCHING PATTERN "*.1")
