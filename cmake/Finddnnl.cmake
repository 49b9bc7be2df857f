# oneDNN as Debian ships it. Its own package file insists on OpenCL's headers, which the CPU engine never
# needs; so the library is looked for directly.
find_path(DNNL_INCLUDE_DIR oneapi/dnnl/dnnl.hpp)
find_library(DNNL_LIBRARY dnnl)
mark_as_advanced(DNNL_INCLUDE_DIR DNNL_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(dnnl REQUIRED_VARS DNNL_LIBRARY DNNL_INCLUDE_DIR)
if(dnnl_FOUND AND NOT TARGET dnnl::dnnl)
  add_library(dnnl::dnnl UNKNOWN IMPORTED)
  set_target_properties(dnnl::dnnl PROPERTIES IMPORTED_LOCATION "${DNNL_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${DNNL_INCLUDE_DIR}")
endif()
