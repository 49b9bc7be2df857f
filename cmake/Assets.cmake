# embed_assets(<target> <name> <file>...)
#
# Writes a source that defines `std::string_view <name>_asset(std::string_view file)` for these files (by their name
# without folder), so that pages live inside the library. Remade when a file changes.
function(embed_assets target name)
  set(output "${PROJECT_BINARY_DIR}/${name}_assets.cpp")
  add_custom_command(OUTPUT "${output}"
    COMMAND ${CMAKE_COMMAND} "-DOUTPUT=${output}" "-DNAME=${name}" "-DFILES=${ARGN}"
            -P "${PROJECT_SOURCE_DIR}/cmake/Assets.cmake"
    DEPENDS ${ARGN} "${PROJECT_SOURCE_DIR}/cmake/Assets.cmake"
    COMMENT "Embedding ${name} assets" VERBATIM)
  target_sources(${target} PRIVATE "${output}")
endfunction()

# As a script: write the source. Bytes are written in hexadecimal, so no content can end a literal.
if(CMAKE_SCRIPT_MODE_FILE AND DEFINED OUTPUT)
  set(arrays "")
  set(cases "")
  set(number 0)
  foreach(file IN LISTS FILES)
    file(READ "${file}" hex HEX)
    string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${hex}")
    cmake_path(GET file FILENAME stem)
    string(APPEND arrays "constexpr char file_${number}[] = {${bytes}'\\0'};\n")
    string(APPEND cases "  if (file == \"${stem}\") return {file_${number}, sizeof file_${number} - 1};\n")
    math(EXPR number "${number} + 1")
  endforeach()
  file(WRITE "${OUTPUT}"
"#include \"page/assets.h\"

namespace headwater {

namespace {
${arrays}}  // namespace

std::string_view ${NAME}_asset(std::string_view file) {
${cases}  return {};
}

}  // namespace headwater
")
endif()
