// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A model with one rigid payload more or less. A link that is fixed to a body changes that body's inertia and what the
// tree derives from it; bodies, joints, coordinates and frames stay.
#include <algorithm>

#include "dyn_core/model/body_inertia.hpp"
#include "dyn_core/model/model.hpp"
#include "dyn_core/model/validate.hpp"
#include "dyn_core/numeric/ranges.hpp"
#include "model/merged_inertia.hpp"
#include "model/payload_edit.hpp"

namespace dyn {
namespace {

bool within(const Vec3d& way_m) { return way_m.cwiseAbs().maxCoeff() <= ranges::length_m; }

bool in_range(const Payload& payload) {
  const Inertial& inertial = *payload.inertial();
  return within(payload.link_T_payload().p_m) && within(inertial.com_m) && inertial.mass_kg <= ranges::mass_kg &&
         inertial.inertia_com_kgm2.cwiseAbs().maxCoeff() <= ranges::inertia_kgm2;
}

}  // namespace

// From the links in their order, as build() does. False where the body is more than a physically possible one: what to
// say of it is build()'s.
bool Model::merge_anew(int body) {
  if (body < 0) return true;
  const size_t b = body;
  tree_.mass[b] = 0.0;
  tree_.com[b].setZero();
  tree_.inertia_com[b].setZero();
  for (const Link& link : links_) {
    if (link.body == body) add_mass(tree_, link);
  }
  find_com(tree_, body);
  for (const Link& link : links_) {
    if (link.body == body) add_inertia(tree_, link);
  }
  if (!tree_.com[b].allFinite()) return false;
  const InertiaJudgement judgement = judge_inertia(tree_.mass[b], tree_.inertia_com[b]);
  if (!judgement.fault.empty() || !judgement.doubt.empty()) return false;
  set_body_inertia(tree_, body, body_inertia(tree_, body));
  return true;
}

std::optional<Model> Model::with(const Payload& payload) const {
  const bool no_doubt = warnings_.size() == description_.warnings.size();
  if (payload.inertial() == nullptr || !no_doubt || links_.size() >= max_links || !in_range(payload)) return {};
  Model next = *this;
  put_on(next.description_, payload);
  const Link* const carrier = find_link(payload.link());
  const LinkDescription& link = next.description_.links.back();
  next.links_.push_back({link.name, carrier->body, carrier->body_T_link * payload.link_T_payload(), *link.inertial});
  if (!next.merge_anew(carrier->body)) return {};
  return next;
}

std::optional<Model> Model::without(const std::string& payload) const {
  const auto mine = [&](const auto& part) { return belongs_to(payload, part.name); };
  const auto link = std::find_if(links_.begin(), links_.end(), mine);
  const bool rigid = std::count_if(description_.joints.begin(), description_.joints.end(), mine) == 1;
  if (link == links_.end() || !rigid || warnings_.size() != description_.warnings.size()) return {};
  const int number = std::find_if(description_.joints.begin(), description_.joints.end(), mine)->payload;
  const int body = link->body;
  Model next = *this;
  take_off(next.description_, payload);
  std::erase_if(next.links_, mine);
  next.warnings_ = next.description_.warnings;
  for (JointDescription& joint : next.description_.joints) joint.payload -= joint.payload > number ? 1 : 0;
  for (Joint& joint : next.joints_) joint.description.payload -= joint.description.payload > number ? 1 : 0;
  if (!next.merge_anew(body)) return {};
  return next;
}

}  // namespace dyn
