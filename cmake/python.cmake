# The Python whose packages serve this build: Pinocchio (headers, libraries), example-robot-data, xacro, MuJoCo.
# scripts/setup makes it in .deps/venv; without one, Pinocchio is looked for as any other package, and robots by name
# and xacro are whatever the system has.
#   DYN_PYTHON        the interpreter, or empty
#   DYN_PYTHON_SITE   its site-packages
#   DYN_CMEEL_PREFIX  where wheels keep C++ packages; not in CMAKE_PREFIX_PATH, since it has a second urdfdom
set(DYN_PYTHON "" CACHE FILEPATH "Python with pin, example-robot-data, xacro, mujoco (default: .deps/venv if there)")
set(dyn_venv_python ${CMAKE_CURRENT_SOURCE_DIR}/.deps/venv/bin/python)
if(DYN_PYTHON_PACKAGE)  # a wheel knows no paths of the machine that it was built on
  set(DYN_PYTHON "")
elseif(NOT DYN_PYTHON AND EXISTS ${dyn_venv_python})
  set(DYN_PYTHON ${dyn_venv_python})
endif()

set(DYN_PYTHON_SITE "")
set(DYN_CMEEL_PREFIX "")
if(DYN_PYTHON)
  execute_process(COMMAND ${DYN_PYTHON} -c "import sysconfig; print(sysconfig.get_paths()['purelib'])"
    OUTPUT_VARIABLE DYN_PYTHON_SITE OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  if(EXISTS ${DYN_PYTHON_SITE}/cmeel.prefix)
    set(DYN_CMEEL_PREFIX ${DYN_PYTHON_SITE}/cmeel.prefix)
  endif()
  if(NOT pinocchio_DIR AND EXISTS ${DYN_CMEEL_PREFIX}/lib/cmake/pinocchio)
    set(pinocchio_DIR ${DYN_CMEEL_PREFIX}/lib/cmake/pinocchio)
  endif()
endif()
