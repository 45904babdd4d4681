// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/driver_load.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "dyn_core/model/payload.hpp"
#include "rclcpp/create_generic_client.hpp"

namespace dyn_controllers {
namespace {

// Steiner: the inertia about the origin of a mass at c is m (c.c 1 - c c^T).
dyn::Mat3d of_point(double mass_kg, const dyn::Vec3d& c) {
  return mass_kg * (c.squaredNorm() * dyn::Mat3d::Identity() - c * c.transpose());
}

dyn::BodyInertia tool_of(const DriverLoad::Settings& settings) {
  const auto& I = settings.inertia;
  return {settings.mass,
          {settings.com[0], settings.com[1], settings.com[2]},
          dyn::inertia_tensor(I[0], I[1], I[2], I[3], I[4], I[5])};
}

dyn::Pose inverse(const dyn::Pose& pose) { return {pose.R.transpose(), -(pose.R.transpose() * pose.p_m)}; }

const dyn::Link& moving_link(const dyn::Model& model, const std::string& name, const std::string& what) {
  const dyn::Link* const link = model.find_link(name);
  if (link == nullptr) throw dyn::ModelError(what + ": the robot has no link '" + name + "'");
  if (link->body < 0) throw dyn::ModelError(what + ": link '" + name + "' does not move");
  return *link;
}

}  // namespace

// m = sum m_i, m c = sum m_i c_i, I_O = sum R_i I_i R_i^T + of_point(m_i, c_i), I = I_O - of_point(m, c)
dyn::BodyInertia load_of(const dyn::Model& model, const std::string& link, const dyn::BodyInertia& tool,
                         const std::vector<dyn::Payload>& payloads) {
  const dyn::Link& flange = moving_link(model, link, "driver_load.link");
  double mass = tool.mass_kg;
  dyn::Vec3d first = tool.mass_kg * tool.com_m;
  dyn::Mat3d second = tool.inertia_com_kgm2 + of_point(tool.mass_kg, tool.com_m);
  for (const dyn::Payload& payload : payloads) {
    const std::string where = "payload '" + payload.name() + "'";
    const dyn::Inertial* const body = payload.inertial();
    if (body == nullptr) {
      throw dyn::ModelError(where + ": it has joints of its own, and the robot's driver takes a rigid load only");
    }
    const dyn::Link& holds = moving_link(model, payload.link(), where);
    if (holds.body != flange.body) {
      throw dyn::ModelError(where + ": link '" + payload.link() + "' is not fixed to '" + link +
                            "', whose load the robot's driver knows");
    }
    const dyn::Pose flange_T_payload = inverse(flange.body_T_link) * holds.body_T_link * payload.link_T_payload();
    const dyn::Vec3d c = flange_T_payload.R * body->com_m + flange_T_payload.p_m;
    mass += body->mass_kg;
    first += body->mass_kg * c;
    second += flange_T_payload.R * body->inertia_com_kgm2 * flange_T_payload.R.transpose() + of_point(body->mass_kg, c);
  }
  const dyn::Vec3d com = mass > 0.0 ? dyn::Vec3d(first / mass) : dyn::Vec3d(dyn::Vec3d::Zero());
  return {mass, com, second - of_point(mass, com)};
}

DriverLoad::DriverLoad(rclcpp_lifecycle::LifecycleNode& node, const Settings& settings, dyn::live::LiveModel& live)
    : node_(node), settings_(settings), tool_(tool_of(settings)), live_(live), logger_(node.get_logger()) {
  if (settings_.type.empty()) return;
  if (settings_.name.empty())
    throw dyn::ModelError("driver_load.name: the name of the driver's service or topic is missing");
  (void)load_with({});
  const auto base = node.get_node_base_interface();
  if (settings_.type == "topic") {
    publisher_ = node.create_publisher<geometry_msgs::msg::InertiaStamped>(settings_.name,
                                                                           rclcpp::QoS(1).reliable().transient_local());
  } else {
    service_ = std::make_unique<LoadService>(settings_.type);
    answers_ = base->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive, false);
    client_ = rclcpp::create_generic_client(base, node.get_node_graph_interface(), node.get_node_services_interface(),
                                            settings_.name, settings_.type, rclcpp::ServicesQoS(), answers_);
    executor_.add_callback_group(answers_, base);
  }
  driver_ = SharedDriver::of(client_ ? client_->get_service_name() : publisher_->get_topic_name());
  driver_->join(node_);
  repetitions_ = base->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive);
  const auto repeat = gate_.guard([this] {
    const std::scoped_lock lock(one_at_a_time_);
    try_again();
  });
  timer_ = node.create_wall_timer(std::chrono::seconds(1), repeat, repetitions_);
}

DriverLoad::~DriverLoad() {
  stop();
  const std::scoped_lock lock(one_at_a_time_);
  if (driver_) driver_->leave(node_);
}

std::unique_lock<std::timed_mutex> DriverLoad::turn() {
  auto turn = driver_->turn(stopped_);
  if (!turn) throw dyn::ModelError("the controller is being cleaned up");
  return turn;
}

dyn::BodyInertia DriverLoad::load_with(const std::vector<dyn::Payload>& payloads) const {
  return load_of(*live_.newest_model(), settings_.link, tool_, payloads);
}

// The order in which payloads were attached changes the last digits.
bool DriverLoad::driver_carries(const dyn::BodyInertia& load) const {
  constexpr double rounding = 1e-9;  // kg, m, kg m^2
  const auto& told = driver_->told;
  return told && std::abs(told->mass_kg - load.mass_kg) < rounding && (told->com_m - load.com_m).norm() < rounding &&
         (told->inertia_com_kgm2 - load.inertia_com_kgm2).norm() < rounding;
}

dyn::live::Applied DriverLoad::attach(const dyn::Payload& payload, double transition_time_s) {
  const auto apply = [&] { return live_.attach(payload, transition_time_s); };
  if (settings_.type.empty()) return apply();
  const std::scoped_lock lock(one_at_a_time_);
  const auto mine = turn();
  live_.check_attach(payload, transition_time_s);  // what will be refused is not told
  std::vector<dyn::Payload> wanted = live_.payloads();
  wanted.push_back(payload);
  return change(wanted, transition_time_s, apply);
}

dyn::live::Applied DriverLoad::detach(const std::string& name, double transition_time_s) {
  const auto apply = [&] { return live_.detach(name, transition_time_s); };
  if (settings_.type.empty()) return apply();
  const std::scoped_lock lock(one_at_a_time_);
  const auto mine = turn();
  live_.check_detach(name, transition_time_s);
  std::vector<dyn::Payload> wanted = live_.payloads();
  std::erase_if(wanted, [&name](const dyn::Payload& payload) { return payload.name() == name; });
  return change(wanted, transition_time_s, apply);
}

dyn::live::Applied DriverLoad::change(const std::vector<dyn::Payload>& wanted, double transition_time_s,
                                      const std::function<dyn::live::Applied()>& apply) {
  if (!driver_->is_told_by(node_)) {
    (void)load_with(wanted);  // it may have to be told later
    dyn::live::Applied applied = apply();
    applied.warnings.push_back("the robot's driver (" + settings_.name + ") is not told by this controller, but by '" +
                               driver_->told_by() + "'");
    return applied;
  }
  if (!driver_carries(load_with(live_.payloads()))) tell(live_.payloads(), 0.0);
  tell(wanted, transition_time_s);
  try {
    return apply();
  } catch (const std::exception&) {  // changed by somebody else meanwhile
    agree();
    throw;
  }
}

// Throws dyn::ModelError unless the driver agrees.
void DriverLoad::tell(const std::vector<dyn::Payload>& payloads, double transition_time_s) {
  const dyn::BodyInertia load = load_with(payloads);
  if (publisher_) {
    publish(load);
  } else {
    call(load, transition_time_s);
  }
  driver_->told = load;
}

void DriverLoad::publish(const dyn::BodyInertia& load) {
  geometry_msgs::msg::InertiaStamped message;
  message.header.frame_id = settings_.link;
  message.inertia.m = load.mass_kg;
  message.inertia.com.x = load.com_m.x();
  message.inertia.com.y = load.com_m.y();
  message.inertia.com.z = load.com_m.z();
  const dyn::Mat3d& I = load.inertia_com_kgm2;
  message.inertia.ixx = I(0, 0);
  message.inertia.ixy = I(0, 1);
  message.inertia.ixz = I(0, 2);
  message.inertia.iyy = I(1, 1);
  message.inertia.iyz = I(1, 2);
  message.inertia.izz = I(2, 2);
  publisher_->publish(message);
}

// Whether what `look` looks for comes within the timeout. In slices, so that stop() ends this.
bool DriverLoad::comes(const std::function<bool(std::chrono::milliseconds)>& look) const {
  constexpr std::chrono::milliseconds slice(20);
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(settings_.timeout);
  while (!stopped_ && rclcpp::ok()) {
    if (look(slice)) return true;
    if (std::chrono::steady_clock::now() > end) return false;
  }
  return false;
}

// A refusal leaves the driver as it was. Without an answer in time nobody knows: it may come to the request later.
void DriverLoad::call(const dyn::BodyInertia& load, double transition_time_s) {
  const std::string driver = "the robot's driver (" + settings_.name + ")";
  if (!comes([this](auto slice) { return client_->wait_for_service(slice); })) {
    driver_->told.reset();
    throw dyn::ModelError(driver + " is not there");
  }
  const SharedDriver::Servers asked = servers();
  const std::shared_ptr<void> request = service_->request(load, transition_time_s);
  auto answer = client_->async_send_request(request.get());
  const auto look = [&](auto slice) {
    return executor_.spin_until_future_complete(answer, slice) == rclcpp::FutureReturnCode::SUCCESS;
  };
  if (!comes(look)) {
    (void)client_->remove_pending_request(answer.request_id);
    driver_->told.reset();
    throw dyn::ModelError(driver + " has not answered within " + std::to_string(settings_.timeout) +
                          " s; it is told what the model carries until it agrees");
  }
  const std::string refusal = service_->refusal(answer.get().get());
  if (!refusal.empty())
    throw dyn::ModelError(driver + " refuses a load of " + std::to_string(load.mass_kg) + " kg: " + refusal);
  driver_->told_servers = asked;
}

// By DDS, which has the answers of a service on a topic of this name. Under another middleware none is found.
SharedDriver::Servers DriverLoad::servers() const {
  SharedDriver::Servers found;
  if (!client_) return found;
  const std::string answers = std::string("rr") + client_->get_service_name() + "Reply";
  for (const auto& server : node_.get_node_graph_interface()->get_publishers_info_by_topic(answers, true)) {
    found.push_back(server.endpoint_gid());
  }
  return found;
}

bool DriverLoad::has_another_server() const {
  const SharedDriver::Servers now = servers();
  const SharedDriver::Servers& told = driver_->told_servers;
  return std::any_of(now.begin(), now.end(),
                     [&](const auto& server) { return std::find(told.begin(), told.end(), server) == told.end(); });
}

void DriverLoad::try_again() {
  const auto mine = driver_->turn(stopped_);
  if (mine && driver_->is_told_by(node_)) agree();
}

// In this controller's turn. A driver that has gone, or was started again, may come back without its load.
void DriverLoad::agree() {
  const bool there = !client_ || client_->service_is_ready();
  try {
    if (!there || has_another_server()) driver_->told.reset();
    if (driver_carries(load_with(live_.payloads()))) return;
    if (!there) throw dyn::ModelError("the robot's driver (" + settings_.name + ") is not there");
    tell(live_.payloads(), 0.0);
    RCLCPP_INFO(logger_, "the robot's driver knows what the model carries");
    reported_ = false;
  } catch (const std::exception& error) {
    if (!reported_ && !stopped_) RCLCPP_ERROR(logger_, "robot and model may carry different loads: %s", error.what());
    reported_ = true;
  }
}

}  // namespace dyn_controllers
