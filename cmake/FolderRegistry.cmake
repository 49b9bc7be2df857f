# folder_registry(<target> <folder> <Type> <function> [HELPERS <target>])
#
# Every <folder>/<stem>.cpp defines `extern const <Type> <stem>`, and so does <folder>/<stem>/<stem>.cpp, which has
# helpers of its own beside it. This writes <function>(), which returns them all in alphabetical order, so that adding
# a file is all it takes to add an entry. Besides entries a registry folder holds <type>.h/.cpp, which say what an
# entry is, and nothing else.
#
# HELPERS: the part that the folders <folder>/<stem>/ belong to, each as one unit.
#
# Most of what an entry costs the compiler is in its headers, so under HEADWATER_UNITY (cmake/Parts.cmake) several are
# copied into one unit, each into a namespace of its own: an entry may name its parts as it likes.
set(HEADWATER_ENTRIES_AT_ONCE 9)

function(folder_registry target folder type function)
  cmake_parse_arguments(registry "" "HELPERS" "" ${ARGN})
  set(place "${PROJECT_SOURCE_DIR}/src/${folder}")
  file(GLOB sources CONFIGURE_DEPENDS RELATIVE "${place}" "${place}/*.cpp" "${place}/*/*.cpp")
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  string(TOLOWER "${type}" header)
  set(stems "")
  set(joined "")
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM stem)
    cmake_path(GET source PARENT_PATH own)
    if(own)
      target_sources(${registry_HELPERS} PRIVATE "${place}/${source}")
      set_source_files_properties("${place}/${source}" PROPERTIES UNITY_GROUP "${own}")
    elseif(HEADWATER_UNITY AND NOT stem STREQUAL header)
      list(APPEND joined "${stem}")
    else()
      target_sources(${target} PRIVATE "${place}/${source}")
    endif()
    if(source STREQUAL "${stem}/${stem}.cpp" OR (source STREQUAL "${stem}.cpp" AND NOT stem STREQUAL header))
      list(APPEND stems "${stem}")
    endif()
  endforeach()
  list(SORT stems)
  join_entries(${target} ${folder} ${joined})
  set(declarations "")
  set(entries "")
  foreach(stem IN LISTS stems)
    if(stem IN_LIST joined)
      string(APPEND declarations "namespace ${stem}_entry {\nextern const ${type} ${stem};\n}\n")
      string(APPEND entries "      &${stem}_entry::${stem},\n")
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
  string(REPLACE "/" "_" unit "${folder}")
  set_source_files_properties("${PROJECT_BINARY_DIR}/${folder}_registry.cpp" "${place}/${header}.cpp" PROPERTIES
    UNITY_GROUP "${unit}")
endfunction()

# Units of these entries, remade when one of them changes.
function(join_entries target folder)
  set(place "${PROJECT_SOURCE_DIR}/src")
  set(number 0)
  while(ARGN)
    list(SUBLIST ARGN 0 ${HEADWATER_ENTRIES_AT_ONCE} stems)
    list(REMOVE_ITEM ARGN ${stems})
    list(TRANSFORM stems REPLACE "(.+)" "${folder}/\\1.cpp" OUTPUT_VARIABLE files)
    list(TRANSFORM files PREPEND "${place}/" OUTPUT_VARIABLE sources)
    math(EXPR number "${number} + 1")
    set(output "${PROJECT_BINARY_DIR}/${folder}_${number}.cpp")
    add_custom_command(OUTPUT "${output}"
      COMMAND ${CMAKE_COMMAND} "-DOUTPUT=${output}" "-DPLACE=${place}" "-DFILES=${files}"
              -P "${PROJECT_SOURCE_DIR}/cmake/FolderRegistry.cmake"
      DEPENDS ${sources} "${PROJECT_SOURCE_DIR}/cmake/FolderRegistry.cmake" COMMENT "" VERBATIM)
    target_sources(${target} PRIVATE "${output}")
  endwhile()
endfunction()

# As a script: write a unit. Messages of the compiler name the entry's own file and line.
if(CMAKE_SCRIPT_MODE_FILE AND DEFINED OUTPUT)
  set(unit "")
  foreach(file IN LISTS FILES)
    file(READ "${PLACE}/${file}" text)
    cmake_path(GET file STEM stem)
    string(REPLACE "\nnamespace headwater {\n" "\nnamespace headwater::${stem}_entry {\n" text "${text}")
    string(APPEND unit "#line 1 \"src/${file}\"\n${text}")
  endforeach()
  file(WRITE "${OUTPUT}" "${unit}")
endif()
