# What `cmake --install` puts where: the library for find_package(headwater), the program, its manual page
# and completions, and the models that are found by plain name.
include(CMakePackageConfigHelpers)
set(package "${CMAKE_INSTALL_LIBDIR}/cmake/headwater")

install(TARGETS headwater EXPORT headwater)
install(TARGETS headwater_cli)
install(DIRECTORY include/ TYPE INCLUDE)
install(EXPORT headwater NAMESPACE headwater:: FILE headwaterTargets.cmake DESTINATION "${package}")
configure_package_config_file(cmake/headwaterConfig.cmake.in headwaterConfig.cmake
  INSTALL_DESTINATION "${package}")
write_basic_package_version_file(headwaterConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/headwaterConfig.cmake"
  "${PROJECT_BINARY_DIR}/headwaterConfigVersion.cmake" DESTINATION "${package}")

if(EXISTS "${PROJECT_SOURCE_DIR}/models")
  install(DIRECTORY models DESTINATION "${CMAKE_INSTALL_DATADIR}/headwater")
endif()
if(TARGET headwater_docs)
  install(FILES "${docs}/headwater.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
  install(FILES "${docs}/headwater.bash" RENAME headwater
    DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
  install(FILES "${docs}/_headwater" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions")
  install(FILES "${docs}/headwater.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
endif()

# What all of it is made by; a build of the program alone leaves the library out.
add_custom_target(headwater_installed)
add_dependencies(headwater_installed headwater headwater_cli)
if(TARGET headwater_docs)
  add_dependencies(headwater_installed headwater_docs)
endif()
