# folder_registry(<target> <folder> <Type> <function>)
#
# Every <folder>/<stem>.cpp defines `extern const <Type> <stem>`, and so does <folder>/<stem>/<stem>.cpp, which has
# helpers of its own beside it. This writes <function>(), which returns them all in alphabetical order, so that adding
# a file is all it takes to add an entry. Besides entries a registry folder holds <type>.h/.cpp, which say what an
# entry is, and nothing else.
function(folder_registry target folder type function)
  set(place "${PROJECT_SOURCE_DIR}/src/${folder}")
  file(GLOB sources CONFIGURE_DEPENDS RELATIVE "${place}" "${place}/*.cpp" "${place}/*/*.cpp")
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  string(TOLOWER "${type}" header)
  set(stems "")
  foreach(source IN LISTS sources)
    target_sources(${target} PRIVATE "${place}/${source}")
    cmake_path(GET source STEM stem)
    if(source STREQUAL "${stem}/${stem}.cpp" OR (source STREQUAL "${stem}.cpp" AND NOT stem STREQUAL header))
      list(APPEND stems "${stem}")
    endif()
  endforeach()
  list(SORT stems)
  set(declarations "")
  set(entries "")
  foreach(stem IN LISTS stems)
    string(APPEND declarations "extern const ${type} ${stem};\n")
    string(APPEND entries "      &${stem},\n")
  endforeach()
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/${folder}_registry.cpp" CONTENT
"#include \"${folder}/${header}.h\"

namespace headwater {

${declarations}
std::span<const ${type}* const> ${function}() {
  static const ${type}* const entries[] = {
${entries}  };
  return entries;
}

}  // namespace headwater
" @ONLY)
  target_sources(${target} PRIVATE "${PROJECT_BINARY_DIR}/${folder}_registry.cpp")
endfunction()
