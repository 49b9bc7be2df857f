# How everything is compiled: a build type, ccache where it is installed, and the sanitizers asked for.

# GCC tidies its memory up whenever 128 MB of it are in use, which a unit of a whole folder soon has; a little later it
# takes a tenth less time, and 300 MB more for the largest unit.
add_compile_options("$<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=1048576;--param=ggc-min-expand=100>")

# -O2 because the first build is part of the first impression; src/kernels asks for more itself.
if(PROJECT_IS_TOP_LEVEL AND CMAKE_CXX_FLAGS_RELEASE STREQUAL "-O3 -DNDEBUG")
  set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
endif()
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(HEADWATER_CCACHE ccache)
  if(HEADWATER_CCACHE)
    # Base folder: clones share the cache. Sloppiness: files that use a precompiled header are kept too.
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
        CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        "${HEADWATER_CCACHE}")
    add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  endif()
endif()

# What an overwritten stack or a forged jump meets, should a fault of ours let it happen. Tests are compiled without
# optimisation, where FORTIFY has no meaning; the sanitizers see more than all of these.
if(NOT HEADWATER_SANITIZE)
  add_compile_options(-fstack-protector-strong "$<$<CONFIG:Release,RelWithDebInfo>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    add_compile_options(-fcf-protection)
  endif()
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    add_link_options(-Wl,-z,relro,-z,now)
  endif()
endif()

if(HEADWATER_SANITIZE)
  add_compile_options(-fsanitize=${HEADWATER_SANITIZE} -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${HEADWATER_SANITIZE})
  if(HEADWATER_SANITIZE MATCHES undefined)
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
endif()
if(HEADWATER_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "HEADWATER_FUZZ needs clang: configure with -DCMAKE_CXX_COMPILER=clang++-14")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
