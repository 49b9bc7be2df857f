# folder_registry(<target> <folder> <Type> <function>)
#
# Every <folder>/<stem>.cpp defines `extern const <Type> <stem>`. This writes <function>(), which returns
# them all in alphabetical order, so that adding a file is all it takes to add an entry. Besides entries a
# registry folder holds <type>.h/.cpp, which say what an entry is, and nothing else (main.cpp of cli/ aside).
function(folder_registry target folder type function)
  file(GLOB sources CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/src/${folder}"
       "${PROJECT_SOURCE_DIR}/src/${folder}/*.cpp")
  string(TOLOWER "${type}" header)
  list(FILTER sources EXCLUDE REGEX "(_test\\.cpp|^main\\.cpp|^${header}\\.cpp)$")
  if(EXISTS "${PROJECT_SOURCE_DIR}/src/${folder}/${header}.cpp")
    target_sources(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src/${folder}/${header}.cpp")
  endif()
  set(declarations "")
  set(entries "")
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM stem)
    target_sources(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src/${folder}/${source}")
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
