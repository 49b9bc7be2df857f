# join_sources(<target> <name> <file>...)
#
# Adds these sources by the dozens, at most 46 copied into one unit <name>_1.cpp …, and there each into a namespace of its
# own, `headwater::of_<stem>`: they may name their parts alike, and what shows outside is found by that name. Most
# of what a short file costs the compiler is in its headers. Remade when a file changes.
function(join_sources target name)
  list(LENGTH ARGN count)
  math(EXPR units "(${count} + 45) / 46")
  set(number 0)
  while(ARGN)
    list(LENGTH ARGN left)
    math(EXPR size "(${left} + ${units} - ${number} - 1) / (${units} - ${number})")  # all units about as long
    list(SUBLIST ARGN 0 ${size} files)
    list(REMOVE_ITEM ARGN ${files})
    math(EXPR number "${number} + 1")
    set(output "${PROJECT_BINARY_DIR}/${name}_${number}.cpp")
    add_custom_command(OUTPUT "${output}"
      COMMAND ${CMAKE_COMMAND} "-DOUTPUT=${output}" "-DROOT=${PROJECT_SOURCE_DIR}" "-DFILES=${files}"
              -P "${PROJECT_SOURCE_DIR}/cmake/Joined.cmake"
      DEPENDS ${files} "${PROJECT_SOURCE_DIR}/cmake/Joined.cmake" COMMENT "Joining ${name} ${number}" VERBATIM)
    target_sources(${target} PRIVATE "${output}")
  endwhile()
endfunction()

# As a script: write a unit. Messages of the compiler name the file and line that were copied.
if(CMAKE_SCRIPT_MODE_FILE AND DEFINED OUTPUT)
  set(unit "")
  foreach(file IN LISTS FILES)
    file(READ "${file}" text)
    cmake_path(GET file STEM stem)
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY "${ROOT}")
    string(REGEX REPLACE "\nnamespace (headwater[a-z:]*) {\n" "\nnamespace \\1::of_${stem} {\n" text "${text}")
    string(APPEND unit "#line 1 \"${file}\"\n${text}")
  endforeach()
  file(WRITE "${OUTPUT}" "${unit}")
endif()
