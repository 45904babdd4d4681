// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Payloads told to a robot's driver: services of the drivers' own types with a server that agrees, refuses, is late or
// has gone, and the topic. After every case robot and model carry the same.
#include "dyn_controllers/driver_load.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <mutex>
#include <optional>
#include <thread>

#include "dyn_controllers/torque_controller.hpp"
#include "dyn_msgs/srv/detach_payload.hpp"
#include "dyn_msgs/srv/list_payloads.hpp"
#include "log_capture.hpp"
#include "plugin_fixture.hpp"
#if DYN_HAS_FRANKA_MSGS
#include "franka_msgs/srv/set_load.hpp"
#endif
#if DYN_HAS_UR_MSGS
#include "ur_msgs/srv/set_payload.hpp"
#endif

namespace dyn_controllers::test {
namespace {

using dyn_msgs::srv::AttachPayload, dyn_msgs::srv::DetachPayload, dyn_msgs::srv::ListPayloads;
using Value = rclcpp::ParameterValue;
using Computed = Plugin<ComputedTorqueController>;
using namespace std::chrono_literals;

constexpr double tool_kg = 0.5;

std::map<std::string, Value> with_driver(const std::string& type) {
  auto all = arm7_parameters();
  all["driver_load.type"] = Value(type);
  all["driver_load.name"] = Value("/driver/load");
  all["driver_load.link"] = Value("tool0");
  all["driver_load.timeout"] = Value(0.5);
  all["driver_load.mass"] = Value(tool_kg);
  all["driver_load.com"] = Value(std::vector<double>{0.0, 0.0, 0.04});
  return all;
}

// By the model: what the body that moves the flange gains when the payloads are attached to it.
TEST(LoadOf, IsWhatTheModelGains) {
  const dyn::RobotDescription robot = dyn::parse_urdf(arm7_urdf(), "arm7");
  const dyn::Payload straight = payload_from_message(box().payload);
  auto second = box();
  second.payload.name = "turned";
  second.payload.pose.position.x = 0.1;
  second.payload.pose.orientation.w = second.payload.pose.orientation.z = std::sqrt(0.5);
  second.payload.inertia.ixx = 0.02;
  second.payload.inertia.iyy = 0.03;
  const dyn::Payload turned = payload_from_message(second.payload);
  const dyn::Model without = dyn::Model::build(robot);
  const dyn::Model with = dyn::Model::build(dyn::attach(dyn::attach(robot, straight), turned));
  const dyn::BodyInertia load = load_of(without, "tool0", {}, {straight, turned});

  const dyn::Link& flange = *without.find_link("tool0");
  const dyn::BodyInertia a = dyn::body_inertia(without.tree(), flange.body),
                         b = dyn::body_inertia(with.tree(), flange.body);
  const auto about_origin = [](const dyn::BodyInertia& body) {
    const dyn::Vec3d& c = body.com_m;
    return dyn::Mat3d(body.inertia_com_kgm2 +
                      body.mass_kg * (c.squaredNorm() * dyn::Mat3d::Identity() - c * c.transpose()));
  };
  EXPECT_NEAR(load.mass_kg, b.mass_kg - a.mass_kg, 1e-12);
  const dyn::Mat3d& R = flange.body_T_link.R;
  const dyn::Vec3d c = R * load.com_m + flange.body_T_link.p_m;
  EXPECT_LT((load.mass_kg * c - (b.mass_kg * b.com_m - a.mass_kg * a.com_m)).norm(), 1e-12);
  const dyn::BodyInertia in_body{load.mass_kg, c, R * load.inertia_com_kgm2 * R.transpose()};
  EXPECT_LT((about_origin(in_body) - (about_origin(b) - about_origin(a))).norm(), 1e-12);
}

TEST(LoadOf, RefusesWhatADriverCannotKnow) {
  const dyn::Model model = dyn::load_model("arm7");
  const auto refusal = [&](const std::string& link, const dyn::Payload& payload) -> std::string {
    try {
      (void)load_of(model, link, {}, {payload});
    } catch (const dyn::ModelError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(refusal("tool0", payload_from_message(box("link3").payload)).find("'link3' is not fixed to 'tool0'"),
            std::string::npos);
  EXPECT_NE(refusal("nowhere", payload_from_message(box().payload)).find("driver_load.link"), std::string::npos);
}

TEST(DriverLoad, UnusableSettingsAreRefused) {
  const auto refused = [](const std::map<std::string, Value>& parameters, const std::string& why) {
    LogCapture log;
    Computed plugin(parameters);
    EXPECT_FALSE(plugin.initialised && plugin.configure()) << why;
    EXPECT_TRUE(log.count(why) > 0) << why;
  };
  refused(with_driver("std_srvs/srv/Trigger"), "has no field mass");
  refused(with_driver("no_such_msgs/srv/SetLoad"), "is not installed");
  auto nameless = with_driver("topic");
  nameless["driver_load.name"] = Value("");
  refused(nameless, "driver_load.name");
  auto elsewhere = with_driver("topic");
  elsewhere["driver_load.link"] = Value("nowhere");
  refused(elsewhere, "driver_load.link: the robot has no link 'nowhere'");
}

TEST(DriverLoad, IsOnTheTopic) {
  Computed plugin(with_driver("topic"));
  ASSERT_TRUE(plugin.initialised && plugin.configure());
  Room room(*plugin.controller->get_node());
  geometry_msgs::msg::InertiaStamped told;
  const auto subscription = room.node->create_subscription<geometry_msgs::msg::InertiaStamped>(
      "/driver/load", rclcpp::QoS(1).reliable().transient_local(),
      [&](const geometry_msgs::msg::InertiaStamped::ConstSharedPtr& message) { told = *message; });
  EXPECT_TRUE(room.spin_until([&] { return told.inertia.m == tool_kg; }));  // once a second until then
  EXPECT_EQ(told.header.frame_id, "tool0");
  ASSERT_TRUE(room.call<AttachPayload>("attach_payload", box())->success);
  EXPECT_TRUE(room.spin_until([&] { return told.inertia.m == 2.5; }));
  EXPECT_NEAR(told.inertia.com.x, 2.0 * 0.05 / 2.5, 1e-15);
  EXPECT_NEAR(told.inertia.com.z, 0.5 * 0.04 / 2.5, 1e-15);
  DetachPayload::Request off;
  off.name = "box";
  ASSERT_TRUE(room.call<DetachPayload>("detach_payload", off)->success);
  EXPECT_TRUE(room.spin_until([&] { return told.inertia.m == tool_kg; }));
}

#if DYN_HAS_FRANKA_MSGS
struct Franka {
  using Service = franka_msgs::srv::SetLoad;
  static constexpr const char* type = "franka_msgs/srv/SetLoad";
  static constexpr const char* reason = "the controller is active";
  static double com_x(const Service::Request& request) { return request.center_of_mass[0]; }
  static double inertia_yy(const Service::Request& request) { return request.load_inertia[4]; }
  static void refuse(Service::Response& response) { response.error = reason; }
};
#endif
#if DYN_HAS_UR_MSGS
struct UniversalRobots {
  using Service = ur_msgs::srv::SetPayload;
  static constexpr const char* type = "ur_msgs/srv/SetPayload";
  static constexpr const char* reason = "it gives no reason";
  static double com_x(const Service::Request& request) { return request.center_of_gravity.x; }
  static double inertia_yy(const Service::Request& request) { return request.iyy; }
  static void refuse(Service::Response&) {}
};
#endif

#if DYN_HAS_FRANKA_MSGS || DYN_HAS_UR_MSGS
// A driver on a thread of its own, as the real one is a process of its own.
template <class Driver>
class Server {
 public:
  using Service = typename Driver::Service;
  Server() : node_(std::make_shared<rclcpp::Node>("driver")) {
    service_ = node_->create_service<Service>(
        "/driver/load", [this](const typename Service::Request::SharedPtr& request,
                               const typename Service::Response::SharedPtr& response) { take(*request, *response); });
    executor_.add_node(node_);
    thread_ = std::thread([this] { executor_.spin(); });
  }
  ~Server() {
    executor_.cancel();
    thread_.join();
  }
  [[nodiscard]] typename Service::Request last() {
    const std::scoped_lock lock(mutex_);
    return last_;
  }

  std::atomic<bool> refuses{false};
  std::atomic<int> answers_after_ms{0};
  std::atomic<int> requests{0};

 private:
  void take(const typename Service::Request& request, typename Service::Response& response) {
    std::this_thread::sleep_for(std::chrono::milliseconds(answers_after_ms.load()));
    const std::scoped_lock lock(mutex_);
    ++requests;
    response.success = !refuses;
    if (response.success) last_ = request;
    if (!response.success) Driver::refuse(response);
  }
  std::mutex mutex_;
  typename Service::Request last_;
  rclcpp::Node::SharedPtr node_;
  typename rclcpp::Service<Service>::SharedPtr service_;
  rclcpp::executors::SingleThreadedExecutor executor_;
  std::thread thread_;
};

template <class Driver>
class DriverService : public ::testing::Test {
 protected:
  DriverService() : plugin_(with_driver(Driver::type)) {
    EXPECT_TRUE(plugin_.initialised && plugin_.configure());
    room_.emplace(*plugin_.controller->get_node());
  }
  [[nodiscard]] size_t attached() {
    return room_->template call<ListPayloads>("list_payloads", ListPayloads::Request())->payloads.size();
  }
  [[nodiscard]] std::string refusal(const AttachPayload::Request& request) {
    const auto answer = room_->template call<AttachPayload>("attach_payload", request);
    EXPECT_FALSE(answer->success);
    return answer->message;
  }
  [[nodiscard]] bool becomes(Server<Driver>& server, double mass_kg) {
    return room_->spin_until([&] { return std::abs(server.last().mass - mass_kg) < 1e-6; });
  }

  Computed plugin_;
  std::optional<Room> room_;
};

#if DYN_HAS_FRANKA_MSGS && DYN_HAS_UR_MSGS
using Drivers = ::testing::Types<Franka, UniversalRobots>;
#elif DYN_HAS_FRANKA_MSGS
using Drivers = ::testing::Types<Franka>;
#else
using Drivers = ::testing::Types<UniversalRobots>;
#endif
TYPED_TEST_SUITE(DriverService, Drivers);

// One that takes requests and never answers, of which a controller waits for 30 s.
template <class Driver>
class SilentDriver : public ::testing::Test {
 protected:
  using Service = typename Driver::Service;
  SilentDriver() : plugin_(patient()), driver_(std::make_shared<rclcpp::Node>("driver")) {
    service_ = driver_->template create_service<Service>(
        "/driver/load",
        [this](const std::shared_ptr<rmw_request_id_t>&, const typename Service::Request::SharedPtr&) { ++requests_; });
    EXPECT_TRUE(plugin_.initialised && plugin_.configure());
    executor_.add_node(driver_);
    executor_.add_node(plugin_.controller->get_node()->get_node_base_interface());
    thread_ = std::thread([this] { executor_.spin(); });
  }
  ~SilentDriver() override {
    executor_.cancel();
    thread_.join();
  }
  static std::map<std::string, Value> patient() {
    auto all = with_driver(Driver::type);
    all["driver_load.timeout"] = Value(30.0);
    return all;
  }

  Computed plugin_;
  rclcpp::Node::SharedPtr driver_;
  typename rclcpp::Service<Service>::SharedPtr service_;
  std::atomic<int> requests_{0};
  rclcpp::executors::MultiThreadedExecutor executor_{rclcpp::ExecutorOptions(), 3};
  std::thread thread_;
};
TYPED_TEST_SUITE(SilentDriver, Drivers);

TYPED_TEST(SilentDriver, DoesNotHoldUpACleanup) {
  for (int i = 0; i < 2000 && this->requests_ == 0; ++i) std::this_thread::sleep_for(10ms);
  ASSERT_GT(this->requests_, 0) << "the controller waits for the answer";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(this->plugin_.controller->get_node()->cleanup().id(), State::PRIMARY_STATE_UNCONFIGURED);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
}

TYPED_TEST(DriverService, AgreesToWhatIsAttachedAndDetached) {
  Server<TypeParam> server;
  ASSERT_TRUE(this->room_->template call<AttachPayload>("attach_payload", box())->success);
  EXPECT_NEAR(server.last().mass, 2.5, 1e-6);
  EXPECT_NEAR(TypeParam::com_x(server.last()), 2.0 * 0.05 / 2.5, 1e-6);
  // Two masses apart by d = (0.05, 0, -0.04): m1 m2 / (m1 + m2) d.d about y.
  EXPECT_NEAR(TypeParam::inertia_yy(server.last()), 0.01 + 2.0 * 0.5 / 2.5 * (0.05 * 0.05 + 0.04 * 0.04), 1e-6);
  EXPECT_EQ(this->attached(), 1U);
  DetachPayload::Request off;
  off.name = "box";
  ASSERT_TRUE(this->room_->template call<DetachPayload>("detach_payload", off)->success);
  EXPECT_NEAR(server.last().mass, tool_kg, 1e-6);
  EXPECT_EQ(this->attached(), 0U);
}

TYPED_TEST(DriverService, RefusesAndNothingIsAttached) {
  Server<TypeParam> server;
  ASSERT_TRUE(this->becomes(server, tool_kg));
  server.refuses = true;
  EXPECT_NE(this->refusal(box()).find(TypeParam::reason), std::string::npos);
  EXPECT_EQ(this->attached(), 0U);
  EXPECT_NEAR(server.last().mass, tool_kg, 1e-6);
}

TYPED_TEST(DriverService, IsNotToldWhatTheArmCannotCarry) {
  Server<TypeParam> server;
  ASSERT_TRUE(this->becomes(server, tool_kg));
  const int before = server.requests;
  auto heavy = box();
  heavy.payload.inertia.m = 900.0;
  heavy.payload.inertia.ixx = heavy.payload.inertia.iyy = heavy.payload.inertia.izz = 50.0;
  EXPECT_FALSE(this->refusal(heavy).empty());
  EXPECT_EQ(server.requests, before);
}

TYPED_TEST(DriverService, IsNotToldWhatTheModelRefusesToDo) {
  Server<TypeParam> server;
  ASSERT_TRUE(this->becomes(server, tool_kg));
  const auto never = [](auto request, std::int32_t seconds) {
    request.transition_time.sec = seconds;
    return request;
  };
  int before = server.requests;
  for (const std::int32_t seconds : {-1, 4000}) {
    EXPECT_NE(this->refusal(never(box(), seconds)).find("transition_time"), std::string::npos);
  }
  EXPECT_EQ(server.requests, before);
  ASSERT_TRUE(this->room_->template call<AttachPayload>("attach_payload", box())->success);
  before = server.requests;
  DetachPayload::Request off;
  off.name = "box";
  for (const std::int32_t seconds : {-1, 4000}) {
    EXPECT_FALSE(this->room_->template call<DetachPayload>("detach_payload", never(off, seconds))->success);
  }
  EXPECT_EQ(server.requests, before);
  EXPECT_EQ(this->attached(), 1U);
}

TYPED_TEST(DriverService, ThatAnswersLateIsToldAgainWhatTheModelCarries) {
  Server<TypeParam> server;
  ASSERT_TRUE(this->becomes(server, tool_kg));
  server.answers_after_ms = 900;  // the patience is 0.5 s
  EXPECT_NE(this->refusal(box()).find("has not answered within"), std::string::npos);
  EXPECT_EQ(this->attached(), 0U);
  EXPECT_TRUE(this->becomes(server, 2.5));  // it has taken the load, too late
  server.answers_after_ms = 0;
  EXPECT_TRUE(this->becomes(server, tool_kg));
  ASSERT_TRUE(this->room_->template call<AttachPayload>("attach_payload", box())->success);
  EXPECT_NEAR(server.last().mass, 2.5, 1e-6);
}

TYPED_TEST(DriverService, ThatHasGoneIsWaitedFor) {
  const LogCapture log;
  const auto missed = [&](long times) {  // it is told once each time
    return this->room_->spin_until([&] { return log.count("may carry different loads") == times; });
  };
  EXPECT_NE(this->refusal(box()).find("is not there"), std::string::npos);
  EXPECT_EQ(this->attached(), 0U);
  EXPECT_TRUE(missed(1));
  {
    Server<TypeParam> server;
    ASSERT_TRUE(this->becomes(server, tool_kg));
    ASSERT_TRUE(this->room_->template call<AttachPayload>("attach_payload", box())->success);
  }
  EXPECT_TRUE(missed(2)) << LogCapture::all();
  DetachPayload::Request off;
  off.name = "box";
  const auto answer = this->room_->template call<DetachPayload>("detach_payload", off);
  EXPECT_FALSE(answer->success);
  EXPECT_EQ(this->attached(), 1U);
  Server<TypeParam> server;  // the driver has come back, and may have forgotten its load
  EXPECT_TRUE(this->becomes(server, 2.5));
}

TYPED_TEST(DriverService, ThatIsStartedAgainAtOnceIsToldItsLoad) {
  std::optional<Server<TypeParam>> server(std::in_place);
  ASSERT_TRUE(this->becomes(*server, tool_kg));
  ASSERT_TRUE(this->room_->template call<AttachPayload>("attach_payload", box())->success);
  for (int times = 0; times < 3; ++times) {
    server.reset();
    server.emplace();
    EXPECT_TRUE(this->becomes(*server, 2.5)) << times;
  }
}

TYPED_TEST(DriverService, ThatStaysIsToldOnce) {
  Server<TypeParam> server;
  ASSERT_TRUE(this->becomes(server, tool_kg));
  const auto end = std::chrono::steady_clock::now() + 2500ms;  // it is looked after once a second
  EXPECT_TRUE(this->room_->spin_until([&] { return std::chrono::steady_clock::now() > end; }));
  EXPECT_EQ(server.requests, 1);
}
#endif

}  // namespace
}  // namespace dyn_controllers::test
