// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "sample_run.hpp"

#include <cmath>

#include "dyn_core/dynamics.hpp"
#include "dyn_core/model/urdf.hpp"

namespace dyn::sim {
namespace {

constexpr double pi = 3.14159265358979323846;

Payload box() {
  Inertial inertial;
  inertial.mass_kg = 3.0;
  inertial.com_m = Vec3d(0.0, 0.0, 0.06);
  inertial.inertia_com_kgm2 = Vec3d(0.0069, 0.0061, 0.005).asDiagonal();
  return Payload::rigid("box", "tool0", inertial);
}

std::vector<Event> sample_events(double end_s) {
  return {{0.15 * end_s, SetEvent{"jsim_algorithm", "gdahj"}, "jsim_algorithm = gdahj"},
          {0.30 * end_s, AttachEvent{box(), Target::both, 0.0}, "attach box (3 kg)"},
          {0.50 * end_s, PushEvent{"link7", Vec3d(0.0, 40.0, 0.0), Vec3d::Zero(), 0.3}, "push link7, 40 N"},
          {0.70 * end_s, DetachEvent{"box", Target::both, 0.0}, "detach box"},
          {1.00 * end_s, SetEvent{"jsim_algorithm", "nonsense"}, "jsim_algorithm = <nonsense>"}};
}

ArmConfig arm_config(const std::filesystem::path& robot, const std::string& name, double end_s) {
  ArmConfig arm;
  arm.name = name;
  arm.robot = "arm7";
  arm.description = load_urdf(robot);
  arm.jsim = "fused";
  arm.coriolis = "fused";
  arm.validation.tolerance = 1e-10;
  arm.events = sample_events(end_s);
  return arm;
}

struct Row {
  std::vector<double> q, v, a;
  Row(size_t n, double t, double shift) : q(n), v(n), a(n) {
    for (size_t c = 0; c < n; ++c) {
      const double w = 2.0 * pi * (0.11 + 0.03 * static_cast<double>(c)), size = c == 1 || c == 3 ? 0.5 : 0.7;
      const double centre = c == 1 ? 0.5 : c == 3 ? -1.2 : 0.0;
      q[c] = centre + size * std::sin(w * t + shift);
      v[c] = size * w * std::cos(w * t + shift);
      a[c] = -size * w * w * std::sin(w * t + shift);
    }
  }
};

void fill_row(ArmRecord& arm, Dynamics& dynamics, double t, double end_s, bool spike) {
  const size_t n = arm.coordinates.size();
  const Row row(n, t, arm.config->name == "arm2" ? 1.0 : 0.0);
  std::vector<double> inverse(n), applied(n);
  (void)dynamics.update(row.q, row.v);
  dynamics.inverse(row.a, inverse);
  const bool pushed = t > 0.5 * end_s && t < 0.5 * end_s + 0.3;
  const auto values = [&](Signal s, size_t c) -> double {
    const double phase = 2.0 * pi * (1.3 + 0.4 * static_cast<double>(c)) * t;
    const double error = sample_error_rad * std::sin(phase) + (spike && c == 3 ? sample_spike_rad : 0.0);
    const double feedback = 400.0 * error;
    switch (s) {
      case Signal::q: return row.q[c];
      case Signal::v: return row.v[c];
      case Signal::a: return row.a[c];
      case Signal::q_reference: return row.q[c] + error;
      case Signal::v_reference: return row.v[c];
      case Signal::a_reference: return row.a[c];
      case Signal::position_error: return error;
      case Signal::velocity_error: return 10.0 * error;
      case Signal::inertia: return inverse[c] - dynamics.h()(c);
      case Signal::coriolis: return dynamics.h()(c) - dynamics.g()(c);
      case Signal::gravity: return dynamics.g()(c);
      case Signal::friction: return 0.0;
      case Signal::feedback: return feedback;
      case Signal::applied: return inverse[c] + feedback;
      case Signal::external:
        return pushed ? 8.0 * std::sin(static_cast<double>(c) + 1.0) : 0.02 * std::sin(9.0 * phase);
      case Signal::sensed: return inverse[c] + 0.9 * feedback;
      case Signal::count: break;
    }
    return 0.0;
  };
  for (int s = 0; s < static_cast<int>(Signal::count); ++s) {
    for (size_t c = 0; c < n; ++c) arm.signals.push_back(values(static_cast<Signal>(s), c));
  }
  arm.time_s.push_back(t);
  arm.jsim.push_back(static_cast<std::int16_t>(AlgorithmIndex::find_jsim(t < 0.15 * end_s ? "fused" : "gdahj")));
  arm.flags.push_back(pushed ? ArmRecord::flag_collision : std::uint8_t{0});
  ++arm.rows;
}

ArmRecord arm_record(const ArmConfig& config, double end_s) {
  ArmRecord arm;
  arm.config = &config;
  arm.model = std::make_shared<const Model>(Model::build(config.description));
  arm.coordinates = arm.model->coordinate_names();
  Dynamics dynamics(arm.model);
  const int rows = static_cast<int>(end_s * sample_rate_hz);
  for (int r = 0; r < rows; ++r) fill_row(arm, dynamics, r / sample_rate_hz, end_s, r == rows / 3);
  for (const Event& event : config.events) {
    const bool refused = event.label.find('<') != std::string::npos;
    arm.events.push_back({event.time_s, refused ? -1.0 : event.time_s, event.label,
                          refused ? "jsim_algorithm: there is no 'nonsense' & there never was" : ""});
  }
  for (int k = 0; k < static_cast<int>(end_s * 100.0); ++k) {
    const double wave = 1.0 + 0.8 * std::sin(0.37 * k) * std::cos(1.9 * k);
    arm.residuals.push_back({k / 100.0, 3e-15 * wave, 8e-15 * wave * wave, 1e-15 * wave});
  }
  arm.tracking_rms = sample_error_rad / std::sqrt(2.0);
  arm.tracking_max = sample_spike_rad + sample_error_rad;
  arm.torque_max = 62.5;
  arm.validation.samples = arm.residuals.size();
  arm.validation.available = true;
  arm.validation.max_M = 5.4e-15;
  arm.validation.max_Cv = 2.6e-14;
  arm.validation.max_g = 1.8e-15;
  return arm;
}

}  // namespace

std::unique_ptr<SampleRun> sample_run(const std::filesystem::path& robot, int arms, double duration_s) {
  auto run = std::make_unique<SampleRun>();
  run->config.title = arms > 1 ? "Two arms" : "Arm with seven joints picks up a box";
  run->config.rate_hz = sample_rate_hz;
  for (int k = 0; k < arms; ++k) {
    run->config.arms.push_back(arm_config(robot, arms == 1 ? "arm7" : "arm" + std::to_string(k + 1), duration_s));
  }
  RunRecord& record = run->record;
  record.config = &run->config;
  for (const ArmConfig& arm : run->config.arms) record.arms.push_back(arm_record(arm, duration_s));
  record.cycles = static_cast<std::uint64_t>(record.arms.front().rows);
  for (std::uint64_t k = 0; k < record.cycles; ++k) {
    const double x = std::fmod(0.618033988749895 * static_cast<double>(k), 1.0);
    record.update_ns.push_back(static_cast<float>(820.0 + 90.0 * std::tan(1.45 * (x - 0.2))));
    record.wakeup_ns.push_back(static_cast<float>(2500.0 + 9000.0 * x * x * x + (k % 977 == 0 ? 60000.0 : 0.0)));
  }
  record.update = {810.0, 1450.0, 2100.0, 6700.0};
  record.wakeup = {3600.0, 11500.0, 61000.0, 71000.0};
  record.overruns = 2;
  record.allocations_in_loop = 0;
  record.real_time = true;
  record.scheduling = "SCHED_FIFO 80 on core 1";
  record.duration_s = duration_s;
  return run;
}

}  // namespace dyn::sim
