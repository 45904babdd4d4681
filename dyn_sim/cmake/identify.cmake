# Recorded motions: replay by a model, and identification of the model.
add_library(dyn_identify STATIC
  src/identify/base_parameters.cpp
  src/identify/bodies_explain.cpp
  src/identify/excite.cpp
  src/identify/faults.cpp
  src/identify/identify.cpp
  src/identify/low_pass.cpp
  src/identify/motion.cpp
  src/identify/problem.cpp
  src/identify/replay.cpp
  src/identify/report_json.cpp
  src/identify/report_page.cpp
  src/identify/rotor_columns.cpp
  src/identify/unknowns.cpp
  src/identify/urdf_edit.cpp
  src/logs/csv_log.cpp
  src/logs/motion_log.cpp
  src/logs/reading.cpp)
target_include_directories(dyn_identify
  PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/include PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
target_link_libraries(dyn_identify PUBLIC dyn_core::dyn_core
  PRIVATE dyn_outputs nlohmann_json::nlohmann_json dyn_warnings)

# rosbag2: .db3 by SQLite, chunks of .mcap by zstd and lz4. Without them bags are refused with an error.
find_package(SQLite3 QUIET)
find_path(DYN_ZSTD_INCLUDE zstd.h)
find_library(DYN_ZSTD_LIBRARY zstd)
find_path(DYN_LZ4_INCLUDE lz4frame.h)
find_library(DYN_LZ4_LIBRARY lz4)
if(SQLite3_FOUND AND DYN_ZSTD_INCLUDE AND DYN_ZSTD_LIBRARY AND DYN_LZ4_INCLUDE AND DYN_LZ4_LIBRARY)
  set(DYN_HAS_BAGS TRUE)
  target_sources(dyn_identify PRIVATE src/logs/bag.cpp src/logs/cdr.cpp src/logs/db3_log.cpp src/logs/mcap_log.cpp)
  target_include_directories(dyn_identify SYSTEM PRIVATE ${DYN_ZSTD_INCLUDE} ${DYN_LZ4_INCLUDE})
  target_link_libraries(dyn_identify PRIVATE SQLite::SQLite3 ${DYN_ZSTD_LIBRARY} ${DYN_LZ4_LIBRARY})
else()
  set(DYN_HAS_BAGS FALSE)
  message(STATUS "dyn_sim: no rosbag2 logs, since libsqlite3, libzstd or liblz4 was not found")
  target_sources(dyn_identify PRIVATE src/logs/bags_absent.cpp)
endif()
