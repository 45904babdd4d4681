// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// --json of `dyn identify`, and identification.json.
#include "dyn_core/identify/pseudo_inertia.hpp"
#include "identify/report.hpp"

namespace dyn::sim {
namespace {

using Json = nlohmann::ordered_json;

Json list(const Eigen::VectorXd& values) {
  Json all = Json::array();
  for (const double x : values) all.push_back(x);
  return all;
}

Json fit_json(const Fit& fit) {
  return {{"relative", fit.relative},
          {"rms", list(fit.rms)},
          {"torque_rms", list(fit.torque_rms)},
          {"samples", fit.samples}};
}

Json inertia_json(const Mat3d& I) { return {I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2)}; }

Json joint_json(const IdentifiedJoint& joint) {
  Json json{{"name", joint.name},
            {"viscous", joint.viscous},
            {"coulomb", joint.coulomb},
            {"offset", joint.offset},
            {"armature", joint.armature},
            {"stribeck", joint.stribeck},
            {"stribeck_velocity", joint.stribeck_velocity}};
  json["viscous_negative"] = joint.viscous_negative.value_or(joint.viscous);
  json["coulomb_negative"] = joint.coulomb_negative.value_or(joint.coulomb);
  json["fitted"] = joint.fitted;
  json["noise"] = joint.noise;
  json["sigma"] = {{"viscous", joint.sigma_viscous},
                   {"coulomb", joint.sigma_coulomb},
                   {"offset", joint.sigma_offset},
                   {"armature", joint.sigma_armature}};
  return json;
}

Json link_json(const IdentifiedLink& link) {
  const Vec3d& c = link.inertial.com_m;
  return {{"name", link.name},
          {"mass", link.inertial.mass_kg},
          {"com", {c.x(), c.y(), c.z()}},
          {"inertia", inertia_json(link.inertial.inertia_com_kgm2)},
          {"sigma",
           {{"mass", link.sigma_mass},
            {"com", {link.sigma_com.x(), link.sigma_com.y(), link.sigma_com.z()}},
            {"inertia", link.sigma_inertia}}},
          {"fitted", link.fitted},
          {"untold", link.untold}};
}

bool consistent(const Identified& identified) {
  for (const IdentifiedLink& link : identified.links) {
    if (link.fitted &&
        !dyn::identify::is_possible(dyn::identify::pseudo_inertia(dyn::identify::parameters_of(link.inertial))))
      return false;
  }
  for (const IdentifiedJoint& joint : identified.joints) {
    if (joint.viscous < 0.0 || joint.coulomb < 0.0 || joint.armature < 0.0) return false;
  }
  return true;
}

}  // namespace

Json identification_json(const IdentifyReport& report, const std::filesystem::path& out) {
  const Identified& identified = report.identified;
  Json json{{"samples", identified.samples},
            {"cutoff_hz", report.cutoff_hz},
            {"base_parameters", identified.base.size()},
            {"rank", identified.rank},
            {"before", fit_json(report.before)},
            {"train", fit_json(report.train)},
            {"validation", fit_json(report.validation)},
            {"consistent", consistent(identified)},
            {"friction", friction_names[static_cast<size_t>(identified.friction)]},
            {"prior_weight", identified.prior_weight},
            {"joints", Json::array()},
            {"links", Json::array()}};
  for (const IdentifiedJoint& joint : identified.joints) json["joints"].push_back(joint_json(joint));
  for (const IdentifiedLink& link : identified.links) json["links"].push_back(link_json(link));
  json["urdf"] = (out / "identified.urdf").string();
  json["report"] = (out / "report.html").string();
  return json;
}

Json identification_details(const IdentifyReport& report, const std::filesystem::path& out) {
  Json json = identification_json(report, out);
  json["base"] = Json::array();
  for (const BaseParameter& base : report.identified.base) {
    json["base"].push_back(
        {{"sum", base.sum}, {"value", base.value}, {"maker", base.maker}, {"sigma", base.sigma}, {"told", base.told}});
  }
  json["cross_validation"] = Json::array();
  for (const CrossValidation& tried : report.identified.tried) {
    json["cross_validation"].push_back({{"friction", friction_names[static_cast<size_t>(tried.friction)]},
                                        {"prior_weight", tried.prior_weight},
                                        {"error", tried.error}});
  }
  json["warnings"] = report.identified.warnings;
  return json;
}

}  // namespace dyn::sim
