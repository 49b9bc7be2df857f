# The program. Its code is an object library, so that the unit tests can link it too. It is made of the parts and not
# of the library: they are not to be seen from outside.
headwater_part(headwater_commands OPTIMISE -Og FOLDERS cli server)
folder_registry(headwater_commands cli/commands Command all_commands)
# CLI11 is compiled in one unit.
set_source_files_properties("${PROJECT_SOURCE_DIR}/src/cli/commands/command.cpp" PROPERTIES UNITY_GROUP cli)
target_link_libraries(headwater_commands PUBLIC CLI11::CLI11 PkgConfig::HTTPLIB ${CMAKE_DL_LIBS})
# Opened when a picture is asked for (src/cli/pictures.cpp): its headers are enough here.
pkg_check_modules(RSVG REQUIRED librsvg-2.0)
target_include_directories(headwater_commands SYSTEM PRIVATE ${RSVG_INCLUDE_DIRS})
target_compile_definitions(headwater_commands PRIVATE
  HEADWATER_COMPILER="${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
  HEADWATER_BUILD_TYPE="${CMAKE_BUILD_TYPE}")
target_precompile_headers(headwater_commands REUSE_FROM headwater_core)

add_executable(headwater_cli src/cli/main.cpp)
target_link_libraries(headwater_cli PRIVATE headwater_commands headwater_internals headwater_warnings)
set_target_properties(headwater_cli PROPERTIES OUTPUT_NAME headwater)

# The manual page and the completions are printed by the program itself, so that they never drift.
option(HEADWATER_DOCS "Write the manual page and the shell completions" ${PROJECT_IS_TOP_LEVEL})
if(HEADWATER_DOCS AND NOT CMAKE_CROSSCOMPILING)
  set(docs "${PROJECT_BINARY_DIR}/docs")
  file(MAKE_DIRECTORY "${docs}")
  add_custom_command(
    OUTPUT "${docs}/headwater.1" "${docs}/headwater.bash" "${docs}/_headwater" "${docs}/headwater.fish"
    COMMAND headwater_cli man -o "${docs}/headwater.1"
    COMMAND headwater_cli completion bash -o "${docs}/headwater.bash"
    COMMAND headwater_cli completion zsh -o "${docs}/_headwater"
    COMMAND headwater_cli completion fish -o "${docs}/headwater.fish"
    DEPENDS headwater_cli
    COMMENT "Writing the manual page and the shell completions" VERBATIM)
  add_custom_target(headwater_docs ALL DEPENDS "${docs}/headwater.1")
endif()
