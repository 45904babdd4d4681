# Other libraries for `dyn bench`, each in a separate shared object, compiled for the machine of the build as their
# users would. Off by default: each takes a minute or two and 2.5 GB of memory. Pinocchio's headers: DYN_CMEEL_PREFIX or
# the system's.
option(DYN_BENCH_PEERS "Build Pinocchio as a peer of dyn bench (with the C++ compiler, and with clang++ if there is one)" OFF)
if(NOT DYN_BENCH_PEERS)
  return()
endif()
find_path(DYN_PINOCCHIO_INCLUDE_DIR pinocchio/algorithm/crba.hpp HINTS ${DYN_CMEEL_PREFIX}/include REQUIRED)
find_program(DYN_CLANGXX NAMES clang++ clang++-14 clang++-15 clang++-16 clang++-17 clang++-18)

set(DYN_PINOCCHIO_OPTIONS -std=c++17 -DNDEBUG -fPIC -fvisibility=hidden -fvisibility-inlines-hidden
  -DBOOST_MPL_LIMIT_LIST_SIZE=30 -DBOOST_MPL_LIMIT_VECTOR_SIZE=30 -DBOOST_FUSION_INVOKE_MAX_ARITY=12
  -DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS)
function(dyn_peer name compiler)
  set(output ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/peers/${name}.so)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/peers
    COMMAND ${compiler} ${DYN_PINOCCHIO_OPTIONS} -O3 -march=native -shared ${ARGN}
      -isystem ${DYN_PINOCCHIO_INCLUDE_DIR} -isystem ${EIGEN3_INCLUDE_DIR}
      ${CMAKE_CURRENT_SOURCE_DIR}/bench/pinocchio_peer.cpp -o ${output}
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/bench/pinocchio_peer.cpp ${CMAKE_CURRENT_SOURCE_DIR}/bench/pinocchio_frames.hpp
      ${CMAKE_CURRENT_SOURCE_DIR}/bench/pinocchio_robot.hpp ${CMAKE_CURRENT_SOURCE_DIR}/bench/peer.hpp
    COMMENT "Pinocchio as a peer: ${name}" VERBATIM)
  add_custom_target(${name} ALL DEPENDS ${output})
endfunction()

find_package(Eigen3 REQUIRED)
get_target_property(EIGEN3_INCLUDE_DIR Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  dyn_peer(pinocchio_gcc ${CMAKE_CXX_COMPILER} -fno-gnu-unique)
endif()
if(DYN_CLANGXX)
  dyn_peer(pinocchio_clang ${DYN_CLANGXX})
endif()

# Code that Pinocchio and CppADCodeGen write for a robot. The generator is compiled once; each compiler of the generated
# code, with and without vector sines, is a peer.
find_path(DYN_CPPADCODEGEN_INCLUDE_DIR cppad/cg.hpp HINTS ${DYN_CMEEL_PREFIX}/include)
set(own_statics)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(own_statics -fno-gnu-unique)
endif()
set(generator ${CMAKE_CURRENT_BINARY_DIR}/generated_code.o)
if(DYN_CPPADCODEGEN_INCLUDE_DIR)
  add_custom_command(OUTPUT ${generator}
    COMMAND ${CMAKE_CXX_COMPILER} ${DYN_PINOCCHIO_OPTIONS} -O1 ${own_statics}
      -isystem ${DYN_CPPADCODEGEN_INCLUDE_DIR} -isystem ${DYN_PINOCCHIO_INCLUDE_DIR} -isystem ${EIGEN3_INCLUDE_DIR}
      -c ${CMAKE_CURRENT_SOURCE_DIR}/bench/generated_code.cpp -o ${generator}
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/bench/generated_code.cpp ${CMAKE_CURRENT_SOURCE_DIR}/bench/generated_code.hpp
      ${CMAKE_CURRENT_SOURCE_DIR}/bench/pinocchio_robot.hpp ${CMAKE_CURRENT_SOURCE_DIR}/bench/peer.hpp
    COMMENT "What writes code by Pinocchio and CppADCodeGen" VERBATIM)
else()
  message(STATUS "CppADCodeGen was not found (PyPI: cmeel-cppadcodegen): no generated code among the peers of dyn bench")
endif()

function(dyn_generated_peer name compiler title)
  set(output ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/peers/${name}.so)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/bench/generated_peer.cpp)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/peers
    COMMAND ${CMAKE_CXX_COMPILER} -std=c++17 -O1 -march=native -fPIC -shared -fvisibility=hidden
      -fvisibility-inlines-hidden ${own_statics} ${ARGN}
      "-DDYN_C_COMPILER=\"${compiler}\"" "-DDYN_C_COMPILER_NAME=\"${title}\"" ${source} ${generator} -o ${output}
    DEPENDS ${source} ${generator} COMMENT "Peer: ${name}" VERBATIM)
  add_custom_target(${name}_peer ALL DEPENDS ${output})
endfunction()

function(dyn_generated_peers name compiler family)
  execute_process(COMMAND ${compiler} -dumpfullversion -dumpversion OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE)
  dyn_generated_peer(generated_${name} ${compiler} "${family} ${version}")
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")  # glibc's vector functions
    dyn_generated_peer(generated_${name}_sines ${compiler} "${family} ${version}" -DDYN_VECTOR_SINES)
  endif()
endfunction()
if(DYN_CPPADCODEGEN_INCLUDE_DIR AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  dyn_generated_peers(gcc ${CMAKE_CXX_COMPILER} g++)
endif()
if(DYN_CPPADCODEGEN_INCLUDE_DIR AND DYN_CLANGXX)
  dyn_generated_peers(clang ${DYN_CLANGXX} clang)
endif()

# dyn_library_peer(NAME include-directory library...): a library that is installed as a shared object.
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
