// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The files of dyn_sim/report/ and definitions of dyn_msgs, built into the program by cmake/embed.cmake.
#pragma once

#include <string_view>

namespace dyn::sim::report {

extern const std::string_view frame_html, style_css, page_js, kinematics_js, scene_js, charts_js;
extern const std::string_view page_html, app_js;
extern const std::string_view study_html, study_css, study_js, study_scene_html, study_scene_js;
extern const std::string_view identify_html, identify_css, identify_js;
extern const std::string_view ControllerState_msg, Validation_msg;

}  // namespace dyn::sim::report
