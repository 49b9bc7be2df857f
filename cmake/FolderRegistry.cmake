# folder_registry(<target> <folder> <Type> <function> [HELPERS <target>] [UNIT <group>])
#
# Every <folder>/<stem>.cpp defines `extern const <Type> <stem>`, and so does <folder>/<stem>/<stem>.cpp, which has
# helpers of its own beside it. This writes <function>(), which returns them all in alphabetical order, so that adding
# a file is all it takes to add an entry. Besides entries a registry folder holds <type>.h/.cpp, which say what an
# entry is, and nothing else.
#
# HELPERS: the part that the folders <folder>/<stem>/ belong to, each as one unit. Without it they are no concern of this.
# UNIT: the unit of the part that <type>.cpp and the list are compiled with; one of their own if not said.
#
# Under HEADWATER_UNITY several entries are one unit (cmake/Joined.cmake); each may name its parts as it likes.
include(Joined)

function(folder_registry target folder type function)
  cmake_parse_arguments(registry "" "HELPERS;UNIT" "" ${ARGN})
  if(NOT registry_UNIT)
    set(registry_UNIT registries)
  endif()
  set(place "${PROJECT_SOURCE_DIR}/src/${folder}")
  file(GLOB sources CONFIGURE_DEPENDS RELATIVE "${place}" "${place}/*.cpp" "${place}/*/*.cpp")
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  string(TOLOWER "${type}" header)
  set(stems "")
  set(joined "")
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM stem)
    cmake_path(GET source PARENT_PATH own)
    if(own AND NOT registry_HELPERS)
      continue()
    elseif(own)
      target_sources(${registry_HELPERS} PRIVATE "${place}/${source}")
      set_source_files_properties("${place}/${source}" PROPERTIES UNITY_GROUP "${own}")
    elseif(HEADWATER_UNITY AND NOT stem STREQUAL header)
      list(APPEND joined "${place}/${source}")
    else()
      target_sources(${target} PRIVATE "${place}/${source}")
    endif()
    if(source STREQUAL "${stem}/${stem}.cpp" OR (source STREQUAL "${stem}.cpp" AND NOT stem STREQUAL header))
      list(APPEND stems "${stem}")
    endif()
  endforeach()
  list(SORT stems)
  join_sources(${target} "${folder}" ${joined})
  set(declarations "")
  set(entries "")
  foreach(stem IN LISTS stems)
    if("${place}/${stem}.cpp" IN_LIST joined)
      string(APPEND declarations "namespace of_${stem} {\nextern const ${type} ${stem};\n}\n")
      string(APPEND entries "      &of_${stem}::${stem},\n")
    else()
      string(APPEND declarations "extern const ${type} ${stem};\n")
      string(APPEND entries "      &${stem},\n")
    endif()
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
  set_source_files_properties("${PROJECT_BINARY_DIR}/${folder}_registry.cpp" "${place}/${header}.cpp" PROPERTIES
    UNITY_GROUP "${registry_UNIT}")
endfunction()
