# The engine mujoco of `dyn run`. Headers come from the PyPI package mujoco (beside DYN_PYTHON), or from
# DYN_MUJOCO_INCLUDE and DYN_MUJOCO_LIBRARY; the library is opened at run time, so that nothing else needs it. A wheel
# takes the headers from the Python that builds it or from .deps/venv, and the library from the package mujoco of the
# Python that runs it.
set(mujoco_version 4)
if(DYN_PYTHON_PACKAGE)
  find_package(Python 3.10 QUIET COMPONENTS Interpreter)
  file(GLOB mujoco_of_setup ${CMAKE_SOURCE_DIR}/.deps/venv/lib/python3*/site-packages/mujoco/include)
  set(DYN_MUJOCO_LIBRARY "" CACHE FILEPATH "none: the wheel asks the Python that runs it" FORCE)
endif()
find_path(DYN_MUJOCO_INCLUDE mujoco/mujoco.h
  PATHS ${DYN_PYTHON_SITE}/mujoco/include ${Python_SITELIB}/mujoco/include ${mujoco_of_setup})
file(GLOB mujoco_files ${DYN_PYTHON_SITE}/mujoco/libmujoco.so.${mujoco_version}.*)
if(mujoco_files AND NOT DYN_MUJOCO_LIBRARY AND NOT DYN_PYTHON_PACKAGE)
  list(GET mujoco_files 0 mujoco_file)
  set(DYN_MUJOCO_LIBRARY ${mujoco_file} CACHE FILEPATH "MuJoCo's shared library" FORCE)
elseif(NOT DYN_MUJOCO_LIBRARY AND NOT DYN_PYTHON_PACKAGE)
  find_library(DYN_MUJOCO_LIBRARY mujoco)
endif()
set(DYN_HAS_MUJOCO FALSE)
if(EXISTS "${DYN_MUJOCO_INCLUDE}/mujoco/mujoco.h" AND (DYN_PYTHON_PACKAGE OR EXISTS "${DYN_MUJOCO_LIBRARY}"))
  file(STRINGS ${DYN_MUJOCO_INCLUDE}/mujoco/mujoco.h header_version REGEX "mjVERSION_HEADER ${mujoco_version}[0-9][0-9][0-9][0-9][0-9][0-9]$")
  if(header_version)
    set(DYN_HAS_MUJOCO TRUE)
  endif()
endif()

if(DYN_HAS_MUJOCO)
  message(STATUS "dyn_sim: engine mujoco (${DYN_MUJOCO_LIBRARY})")
  target_sources(dyn_run PRIVATE
    src/plants/mujoco/compiled.cpp
    src/plants/mujoco/law_in_mujoco.cpp
    src/plants/mujoco/library.cpp
    src/plants/mujoco/mujoco_plant.cpp
    src/plants/mujoco/spec_writer.cpp)
  target_include_directories(dyn_run SYSTEM PRIVATE ${DYN_MUJOCO_INCLUDE})
  set_source_files_properties(src/plants/mujoco/library.cpp PROPERTIES
    COMPILE_DEFINITIONS "DYN_MUJOCO_LIBRARY=\"${DYN_MUJOCO_LIBRARY}\"")
  target_link_libraries(dyn_run PRIVATE ${CMAKE_DL_LIBS})
else()
  message(STATUS "dyn_sim: no engine mujoco, since no MuJoCo ${mujoco_version} was found")
  target_sources(dyn_run PRIVATE src/plants/mujoco/absent.cpp)
endif()
