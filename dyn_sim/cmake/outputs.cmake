# The files of a run: results.json, logs, report.html with its page, style and scripts built in.
set(report_assets)
foreach(name frame.html style.css page.js kinematics.js scene.js charts.js page.html app.js study.html study.css study.js
    study_scene.html study_scene.js identify.html identify.css identify.js)
  list(APPEND report_assets ${CMAKE_CURRENT_SOURCE_DIR}/report/${name})
endforeach()
foreach(name ControllerState.msg Validation.msg)  # schemas of log.mcap
  list(APPEND report_assets ${CMAKE_CURRENT_SOURCE_DIR}/../dyn_msgs/msg/${name})
endforeach()
string(REPLACE ";" "," report_asset_list "${report_assets}")
add_custom_command(OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/report_assets.cpp
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${CMAKE_CURRENT_BINARY_DIR}/report_assets.cpp -DHEADER=report_assets.hpp
    -DNAMESPACE=dyn::sim::report "-DFILES=${report_asset_list}" -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/embed.cmake
  DEPENDS ${report_assets} ${CMAKE_CURRENT_SOURCE_DIR}/cmake/embed.cmake VERBATIM)

add_library(dyn_outputs STATIC
  src/algorithm_families.cpp
  src/run/log_csv.cpp
  src/run/log_mcap.cpp
  src/run/log_mcap_metadata.cpp
  src/run/log_mcap_writer.cpp
  src/run/output_folder.cpp
  src/run/report.cpp
  src/run/report_data.cpp
  src/run/report_scene.cpp
  src/run/results.cpp
  src/run/results_names.cpp
  ${CMAKE_CURRENT_BINARY_DIR}/report_assets.cpp)
# Executed once per run, so that compile time of the JSON library matters more than speed.
set_source_files_properties(src/run/report.cpp src/run/report_data.cpp
  src/run/report_scene.cpp src/run/results.cpp src/run/results_names.cpp
  PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O1>")
target_include_directories(dyn_outputs
  PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/include ${CMAKE_CURRENT_SOURCE_DIR}/src
  PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src/run)
target_link_libraries(dyn_outputs PUBLIC dyn_core::dyn_core nlohmann_json::nlohmann_json
  PRIVATE yaml-cpp dyn_warnings)
if(DYN_ZSTD_INCLUDE AND DYN_ZSTD_LIBRARY)  # chunks of log.mcap; found by identify.cmake
  target_compile_definitions(dyn_outputs PRIVATE DYN_HAS_ZSTD)
  target_include_directories(dyn_outputs SYSTEM PRIVATE ${DYN_ZSTD_INCLUDE})
  target_link_libraries(dyn_outputs PRIVATE ${DYN_ZSTD_LIBRARY})
endif()
