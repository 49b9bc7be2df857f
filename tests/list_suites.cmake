# Writes the ctest entries of a GoogleTest program: one per suite, because a process for each of a thousand tests would take
# longer to start than most of them to run. Laws go over every family and method and take seconds: an entry for each of
# their tests spreads them over the processors. Entries run side by side, so each has one thread unless a test asks for more;
# under sanitizers they have as many as the machine.
#
#   cmake -DPROGRAM=… -DFOLDER=<where it runs> -DOUTPUT=<file for ctest> -P list_suites.cmake
execute_process(COMMAND "${PROGRAM}" --gtest_list_tests OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE ";" "," listed "${listed}")  # of type names, in comments
string(REGEX REPLACE " *#[^\n]*" "" listed "${listed}")
string(REPLACE "\n" ";" listed "${listed}")

function(add_entry name filter)
  file(APPEND "${OUTPUT}"
    "add_test([=[${name}]=] [=[${PROGRAM}]=] --gtest_brief=1 [=[--gtest_filter=${filter}]=])\n"
    "set_tests_properties([=[${name}]=] PROPERTIES WORKING_DIRECTORY [=[${FOLDER}]=] LABELS unit TIMEOUT 600 ENVIRONMENT OMP_NUM_THREADS=1)\n")
endfunction()

file(WRITE "${OUTPUT}" "")
foreach(line IN LISTS listed)
  string(STRIP "${line}" test)
  if(line MATCHES "^[^ ]+\\.$")
    string(REGEX REPLACE "\\.$" "" suite "${line}")
    if(NOT suite MATCHES "Laws?$")
      add_entry("${suite}" "${suite}.*")
    endif()
  elseif(line MATCHES "^  " AND suite MATCHES "Laws?$" AND NOT test MATCHES "^DISABLED_")
    add_entry("${suite}.${test}" "${suite}.${test}")
  endif()
endforeach()
