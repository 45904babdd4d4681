# The kernels of `fused` and of the papers' algorithms: one source each, a file for each instruction set, chosen when a
# model is loaded.
set(DYN_KERNEL_OPTIONS -O3 -ffp-contract=fast -fno-math-errno -fno-trapping-math)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # keeps structs of vectors in registers
  list(APPEND DYN_KERNEL_OPTIONS --param=sra-max-scalarization-size-Ospeed=1024)
endif()

if(DYN_SANITIZE)  # checks in every line of fully inlined code: minutes to compile
  # ... and then g++ says that it drops loop annotations, by a warning that has no name.
  list(APPEND DYN_KERNEL_OPTIONS -O1 -Wno-error)
endif()

function(dyn_kernels name)
  set(sources src/fused/kernels_${name}.cpp src/papers/kernels_${name}.cpp)
  target_sources(dyn_core PRIVATE ${sources})
  set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS "${DYN_KERNEL_OPTIONS};${ARGN}")
endfunction()

find_package(Threads REQUIRED)
target_link_libraries(dyn_core PRIVATE ${CMAKE_THREAD_LIBS_INIT})
target_sources(dyn_core PRIVATE src/fused/batch.cpp src/fused/dispatch.cpp src/fused/engine.cpp
  src/fused/plan.cpp src/papers/engine.cpp)
dyn_kernels(baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  dyn_kernels(v3 -march=x86-64-v3)
  dyn_kernels(v4 -march=x86-64-v4)
endif()
