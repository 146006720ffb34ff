# What an installation holds, in Debian's places, and the .deb that CPack makes of it (scripts/package). Nothing here
# takes the date, the user or the folder of the build: the same sources and SOURCE_DATE_EPOCH give the same bytes.
include(GNUInstallDirs)
find_program(GZIP gzip REQUIRED)

set(made ${CMAKE_BINARY_DIR}/package)
file(MAKE_DIRECTORY ${made})
set(manual ${CMAKE_CURRENT_LIST_DIR}/manual)
set(files man1/tailrender.1.gz changelog.gz)
add_custom_command(OUTPUT ${made}/man1/tailrender.1.gz VERBATIM
  DEPENDS tailrender ${manual} ${manual}.h2m ${CMAKE_CURRENT_LIST_DIR}/changelog
  COMMAND ${manual} $<TARGET_FILE:tailrender> ${made}/man1)
add_custom_command(OUTPUT ${made}/changelog.gz DEPENDS ${CMAKE_CURRENT_LIST_DIR}/changelog VERBATIM
  COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_CURRENT_LIST_DIR}/changelog ${made}/changelog
  COMMAND ${GZIP} --force --best --no-name ${made}/changelog)
foreach(shell bash zsh fish)
  list(APPEND files completion.${shell})
  add_custom_command(OUTPUT ${made}/completion.${shell} DEPENDS tailrender VERBATIM
    COMMAND tailrender completion ${shell} > ${made}/completion.${shell})
endforeach()
list(TRANSFORM files PREPEND ${made}/)
add_custom_target(package_files ALL DEPENDS ${files})

set(data ${CMAKE_INSTALL_DATADIR})
install(TARGETS tailrender)
install(DIRECTORY ${made}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES ${made}/completion.bash DESTINATION ${data}/bash-completion/completions RENAME tailrender)
install(FILES ${made}/completion.zsh DESTINATION ${data}/zsh/vendor-completions RENAME _tailrender)
install(FILES ${made}/completion.fish DESTINATION ${data}/fish/vendor_completions.d RENAME tailrender.fish)
install(FILES README.md DESTINATION ${data}/doc/tailrender)
install(DIRECTORY docs DESTINATION ${data}/doc/tailrender)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/copyright ${made}/changelog.gz DESTINATION ${data}/doc/tailrender)
install(DIRECTORY plugins DESTINATION ${data}/tailrender USE_SOURCE_PERMISSIONS)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${made})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "GitOps renderer for the Tailscale Kubernetes operator")
set(CPACK_PACKAGE_DESCRIPTION "Turns a cluster repository into every manifest that the Tailscale Kubernetes
operator would create at run time, as plain YAML that Fleet, Argo CD, Flux or
kubectl apply and that people review in a pull request. Works on its own, as
post-renderer of Helm, as function of kustomize and kpt, and as plug-in of
Argo CD.")
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/same_bytes.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "tailrender developers <packages@tailrender.dev>")
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
include(CPack)
