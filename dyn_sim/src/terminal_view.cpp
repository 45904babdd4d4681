// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "terminal_view.hpp"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>

#include "algorithm_families.hpp"

namespace dyn::cli {
namespace {

// printf into a string; a line of the view.
[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...) {
  char line[256];
  va_list values;
  va_start(values, format);
  std::vsnprintf(line, sizeof line, format, values);
  va_end(values);
  return line;
}

std::string bar(double share, int width, char filled) {
  const double inside = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0.0;
  std::string cells(static_cast<size_t>(std::lround(inside * width)), filled);
  cells.resize(width, '.');
  return cells;
}

std::string algorithm(int jsim) {
  const auto names = family_of("jsim_algorithm").names;
  return jsim >= 0 && jsim < static_cast<int>(names.size()) ? std::string(names[jsim]) : "?";
}

}  // namespace

TerminalView::TerminalView(const sim::RunConfig& config, double duration_s) : config_(config), duration_s_(duration_s) {
  for (const sim::ArmConfig& arm : config.arms) {
    const Model model = Model::build(arm.description, arm.live.model);
    auto& names = joints_.emplace_back();
    auto& limits = effort_limits_.emplace_back();
    for (const Joint& joint : model.joints()) {
      for (int k = 0; k < joint.degrees; ++k) {
        if (static_cast<int>(names.size()) == sim::ArmView::most_joints) break;
        names.push_back(model.coordinate_names()[static_cast<size_t>(joint.first_coordinate) + static_cast<size_t>(k)]);
        limits.push_back(joint.description.limits ? joint.description.limits->effort : 0.0);
      }
    }
  }
}

std::string TerminalView::arm_lines(const sim::ArmConfig& arm, const sim::ArmView& view) const {
  const size_t index = &arm - config_.arms.data();
  std::string all = text("%s  M: %s  payloads: %d  residual %.1e%s%s%s%s\n", arm.name.c_str(),
                         algorithm(view.jsim.load()).c_str(), view.payloads.load(), view.residual.load(),
                         view.collision.load() ? "  COLLISION" : "", view.saturated.load() ? "  torque limit" : "",
                         view.holding.load() ? "  holding" : "", view.failed.load() ? "  FAILED" : "");
  all += "  joint                position      error     torque            external\n";
  for (size_t i = 0; i < joints_[index].size(); ++i) {
    const auto& joint = view.joints[i];
    const double effort = joint.effort.load(), limit = effort_limits_[index][i];
    all += text("  %-18.18s %10.4f %10.2e %10.3f %s %9.3f\n", joints_[index][i].c_str(), joint.q.load(),
                joint.error.load(), effort, bar(limit > 0.0 ? std::abs(effort) / limit : 0.0, 8, '=').c_str(),
                joint.external.load());
  }
  return all;
}

std::string TerminalView::lines(const sim::LiveView& view) const {
  const double time = view.time_s.load();
  std::string all = text("[%s] %.2f of %.2f s  %.0f Hz%s\n", bar(time / duration_s_, 32, '#').c_str(), time,
                         duration_s_, config_.rate_hz, view.stopping.load() ? "  stopping: coming to rest" : "");
  for (size_t i = 0; i < view.arms.size(); ++i) all += arm_lines(config_.arms[i], *view.arms[i]);
  all += text("cycle %.0f ns, worst %.0f ns, overruns %llu; Ctrl-C ends the run\n", view.update_ns.load(),
              view.worst_update_ns.load(), static_cast<unsigned long long>(view.overruns.load()));
  return all;
}

std::string TerminalView::frame(const sim::LiveView& view) {
  std::string out = drawn_ > 0 ? text("\r\033[%dA", drawn_) : "";
  drawn_ = 0;
  std::string line;
  for (const char c : lines(view)) {
    if (c != '\n') {
      line += c;
      continue;
    }
    out += line + "\033[K\n";
    line.clear();
    ++drawn_;
  }
  return out;
}

}  // namespace dyn::cli
