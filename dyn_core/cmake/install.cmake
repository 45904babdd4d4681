# What find_package(dyn_core) finds: headers, library, targets dyn_core::*, version; under ROS also the package's entry
# in the ament index.
include(CMakePackageConfigHelpers)

set(dyn_core_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dyn_core)
set(dyn_core_libraries dyn_core)
if(TARGET dyn_oracle)
  list(APPEND dyn_core_libraries dyn_oracle)
endif()
install(TARGETS ${dyn_core_libraries} EXPORT dyn_core_targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT dyn_core_targets NAMESPACE dyn_core:: DESTINATION ${dyn_core_cmake_dir})

configure_package_config_file(cmake/dyn_coreConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/dyn_coreConfig.cmake
  INSTALL_DESTINATION ${dyn_core_cmake_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/dyn_coreConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/dyn_coreConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/dyn_coreConfigVersion.cmake DESTINATION ${dyn_core_cmake_dir})

if(ament_cmake_FOUND)
  ament_package(CONFIG_EXTRAS_POST ${CMAKE_CURRENT_SOURCE_DIR}/cmake/dyn_core-extras.cmake.in)
endif()
