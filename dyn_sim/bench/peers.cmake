# Other libraries for `dyn bench`, each a shared object of its own, compiled for this very machine as its users would.
# Off by default: each takes a minute or two and 2.5 GB of memory. Pinocchio's headers: DYN_CMEEL_PREFIX or the system's.
option(DYN_BENCH_PEERS "Build Pinocchio as a peer of dyn bench (with the C++ compiler, and with clang++ if there is one)" OFF)
if(NOT DYN_BENCH_PEERS)
  return()
endif()
find_path(DYN_PINOCCHIO_INCLUDE_DIR pinocchio/algorithm/crba.hpp HINTS ${DYN_CMEEL_PREFIX}/include REQUIRED)
find_program(DYN_CLANGXX NAMES clang++ clang++-14 clang++-15 clang++-16 clang++-17 clang++-18)

function(dyn_peer name compiler)
  set(output ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/peers/${name}.so)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/peers
    COMMAND ${compiler} -std=c++17 -O3 -march=native -DNDEBUG -fPIC -shared -fvisibility=hidden
      -fvisibility-inlines-hidden ${ARGN} -DBOOST_MPL_LIMIT_LIST_SIZE=30 -DBOOST_MPL_LIMIT_VECTOR_SIZE=30 -DBOOST_FUSION_INVOKE_MAX_ARITY=12 -DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS
      -isystem ${DYN_PINOCCHIO_INCLUDE_DIR} -isystem ${EIGEN3_INCLUDE_DIR}
      ${CMAKE_CURRENT_SOURCE_DIR}/bench/pinocchio_peer.cpp -o ${output}
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/bench/pinocchio_peer.cpp ${CMAKE_CURRENT_SOURCE_DIR}/bench/peer.hpp
    COMMENT "Pinocchio as a peer: ${name}" VERBATIM)
  add_custom_target(${name} ALL DEPENDS ${output})
endfunction()

get_target_property(EIGEN3_INCLUDE_DIR Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  dyn_peer(pinocchio_gcc ${CMAKE_CXX_COMPILER} -fno-gnu-unique)
endif()
if(DYN_CLANGXX)
  dyn_peer(pinocchio_clang ${DYN_CLANGXX})
endif()

# dyn_library_peer(NAME include-directory library...): a library that is there as a shared object of its own.
function(dyn_library_peer name include)
  set(output ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/peers/${name}.so)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/bench/${name}_peer.cpp)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/peers
    COMMAND ${CMAKE_CXX_COMPILER} -std=c++17 -O3 -march=native -DNDEBUG -fPIC -shared -fvisibility=hidden
      -fvisibility-inlines-hidden -isystem ${include} -isystem ${EIGEN3_INCLUDE_DIR} ${source} -o ${output} ${ARGN}
    DEPENDS ${source} ${CMAKE_CURRENT_SOURCE_DIR}/bench/peer.hpp COMMENT "Peer: ${name}" VERBATIM)
  add_custom_target(${name}_peer ALL DEPENDS ${output})
endfunction()

if(DYN_HAS_MUJOCO)
  get_filename_component(mujoco_directory ${DYN_MUJOCO_LIBRARY} DIRECTORY)
  dyn_library_peer(mujoco ${DYN_MUJOCO_INCLUDE} ${DYN_MUJOCO_LIBRARY} -Wl,-rpath,${mujoco_directory})
endif()
find_path(DYN_KDL_INCLUDE kdl/chaindynparam.hpp)
find_library(DYN_KDL_LIBRARY orocos-kdl)
if(DYN_KDL_INCLUDE AND DYN_KDL_LIBRARY)
  dyn_library_peer(kdl ${DYN_KDL_INCLUDE} ${DYN_KDL_LIBRARY})
endif()
