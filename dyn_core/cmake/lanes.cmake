# The lane forms, src/*/*_lanes.cpp, found by their names: compiled once for each kernel set, which is chosen when a model
# is loaded (src/lanes/kernel_sets.hpp).
set(DYN_KERNEL_OPTIONS -O3 -ffp-contract=fast -fno-math-errno -fno-trapping-math)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # keeps structs of vectors in registers
  list(APPEND DYN_KERNEL_OPTIONS --param=sra-max-scalarization-size-Ospeed=1024)
endif()

if(DYN_SANITIZE)  # checks in every line of fully inlined code: minutes to compile
  list(APPEND DYN_KERNEL_OPTIONS -O1)
endif()

file(GLOB dyn_lane_forms CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/*/*_lanes.cpp)
get_target_property(dyn_core_pic dyn_core POSITION_INDEPENDENT_CODE)
if(BUILD_SHARED_LIBS)
  set(dyn_core_pic ON)
endif()

function(dyn_kernel_set name)
  add_library(dyn_lanes_${name} OBJECT ${dyn_lane_forms})
  target_compile_features(dyn_lanes_${name} PRIVATE cxx_std_20)
  target_include_directories(dyn_lanes_${name} PRIVATE include src)
  target_compile_options(dyn_lanes_${name} PRIVATE ${DYN_KERNEL_OPTIONS} ${ARGN})
  if(NOT DYN_SANITIZE)  # where g++ says that it drops loop annotations, by a warning that has no name
    target_link_libraries(dyn_lanes_${name} PRIVATE dyn_warnings)
  endif()
  set_target_properties(dyn_lanes_${name} PROPERTIES POSITION_INDEPENDENT_CODE "${dyn_core_pic}")
  target_sources(dyn_core PRIVATE $<TARGET_OBJECTS:dyn_lanes_${name}>)
endfunction()

dyn_kernel_set(baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  dyn_kernel_set(v3 -march=x86-64-v3)
  dyn_kernel_set(v4 -march=x86-64-v4)
endif()
