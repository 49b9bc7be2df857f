# headwater_part(<target> [OPTIMISE <flag>...] [FOLDERS <folder>...] [ALONE <folder>...])
#
# An object library of these folders of src/. The files of a folder, or of several with commas between them, are read as
# one unit: headers are parsed and templates made once, which halves a build from nothing. Files of ALONE are compiled one
# by one. So are all under HEADWATER_UNITY=OFF (presets dev and tidy), where one changed file should not compile its
# neighbours again.
#
# OPTIMISE: flags of a Release build, after the common ones.
option(HEADWATER_UNITY "Compile the files of a folder together" ON)

function(headwater_part target)
  cmake_parse_arguments(part "" "" "OPTIMISE;FOLDERS;ALONE" ${ARGN})
  add_library(${target} OBJECT)
  target_link_libraries(${target} PUBLIC headwater_building PRIVATE headwater_warnings)
  # No -ffast-math: masks are infinities, and the same input must give the same bits.
  target_compile_options(${target} PRIVATE -fno-math-errno -fno-trapping-math)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON UNITY_BUILD ${HEADWATER_UNITY} UNITY_BUILD_MODE GROUP)
  if(part_OPTIMISE AND NOT HEADWATER_SANITIZE)
    target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:${part_OPTIMISE}>")
  endif()
  foreach(unit IN LISTS part_FOLDERS part_ALONE)
    string(REPLACE "," ";" folders "${unit}")
    list(TRANSFORM folders REPLACE ".+" "${PROJECT_SOURCE_DIR}/src/\\0/*.cpp")
    file(GLOB sources CONFIGURE_DEPENDS ${folders})
    list(FILTER sources EXCLUDE REGEX "(_test|/main)\\.cpp$")
    target_sources(${target} PRIVATE ${sources})
    if(unit IN_LIST part_FOLDERS)
      string(REGEX REPLACE "[,/]" "_" group "${unit}")
      set_source_files_properties(${sources} PROPERTIES UNITY_GROUP "${group}")
    else()
      set_source_files_properties(${sources} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
endfunction()
