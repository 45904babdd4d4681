// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Slow, simple, and independent of Tree, Workspace and every algorithm: poses of the links from the
// description, their derivatives by dual numbers, the two energies, and Lagrange's equation. In long double.
//   T = 1/2 sum(m c'.c' + w.I w),  U = -sum(m g0.c),  tau = d/dt dT/dv - dT/dq + dU/dq
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "dyn_core/model/model.hpp"
#include "support/dual.hpp"

namespace dyn::test {

class EnergyOracle {
 public:
  using Real = long double;
  using Vector = VecX<Real>;
  using Matrix = MatX<Real>;

  explicit EnergyOracle(const Model& model) : EnergyOracle(model.description(), model.options()) {}
  explicit EnergyOracle(const RobotDescription& description, const ModelOptions& options = {})
      : robot_(description), options_(options) {
    walk();
    number();
  }

  [[nodiscard]] int coordinates() const { return static_cast<int>(coordinate_joint_.size()); }

  // M_jk = sum m (dc/dq_j).(dc/dq_k) + W_j.I W_k,  W_k the angular velocity at unit rate of q_k; armature on the
  // diagonal. Of a rotor that is not a body yet the energy is 1/2 J (a.w_p + N v)^2 - 1/2 J (a.w_p)^2.
  [[nodiscard]] Matrix M(const std::vector<double>& q) const { return mass<Real>(exact(q)); }
  // dM/dt at rates v, from dM/dq.
  [[nodiscard]] Matrix Mdot(const std::vector<double>& q, const std::vector<double>& v) const {
    return derivative(mass<Dual<Real>>(along<Real>(exact(q), exact(v))));
  }
  [[nodiscard]] Matrix dM(const std::vector<double>& q, int k) const {
    return derivative(mass<Dual<Real>>(along<Real>(exact(q), unit<Real>(k))));
  }
  // Christoffel symbols of the first kind: C_ij = 1/2 sum_k (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) v_k
  [[nodiscard]] Matrix christoffel(const std::vector<double>& q, const std::vector<double>& v) const {
    const int n = coordinates();
    std::vector<Matrix> d;
    for (int k = 0; k < n; ++k) d.push_back(dM(q, k));
    Matrix C = Matrix::Zero(n, n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        for (int k = 0; k < n; ++k) {
          C(i, j) += 0.5L * (d[k](i, j) + d[j](i, k) - d[i](j, k)) * Real(v[k]);
        }
      }
    }
    return C;
  }
  // C v = Mdot v - dT/dq
  [[nodiscard]] Vector Cv(const std::vector<double>& q, const std::vector<double>& v) const {
    Vector rates(coordinates());
    for (int k = 0; k < coordinates(); ++k) rates[k] = v[k];
    Vector result = Mdot(q, v) * rates;
    for (int k = 0; k < coordinates(); ++k) {
      result[k] -= kinetic<Dual<Real>>(along<Real>(exact(q), unit<Real>(k)), constant<Dual<Real>>(v)).b;
    }
    return result;
  }
  [[nodiscard]] Vector g(const std::vector<double>& q) const {
    Vector result(coordinates());
    for (int k = 0; k < coordinates(); ++k) result[k] = potential(along<Real>(exact(q), unit<Real>(k))).b;
    return result;
  }
  [[nodiscard]] Real kinetic_energy(const std::vector<double>& q, const std::vector<double>& v) const {
    return kinetic<Real>(exact(q), exact(v));
  }

 private:
  template <class S>
  struct Frame {
    Mat3<S> R = Mat3<S>::Identity();
    Vec3<S> p = Vec3<S>::Zero();
  };
  struct Step {
    size_t parent, link, joint;
  };
  struct Value {  // of the joint's only coordinate: ratio q + offset
    int coordinate = 0;
    double ratio = 1.0, offset = 0.0;
  };

  static std::vector<Real> exact(const std::vector<double>& x) { return {x.begin(), x.end()}; }
  template <class S>
  static std::vector<S> constant(const std::vector<double>& x) {
    return {x.begin(), x.end()};
  }
  template <class S>
  [[nodiscard]] std::vector<S> unit(int k) const {
    std::vector<S> e(coordinates(), S(0.0));
    e[k] = S(1.0);
    return e;
  }
  template <class S>
  static std::vector<Dual<S>> along(const std::vector<S>& x, const std::vector<S>& direction) {
    std::vector<Dual<S>> result;
    for (size_t i = 0; i < x.size(); ++i) result.emplace_back(x[i], direction[i]);
    return result;
  }
  static Matrix derivative(const MatX<Dual<Real>>& m) {
    return m.unaryExpr([](const Dual<Real>& x) { return x.b; });
  }

  void walk() {
    std::map<std::string, size_t> link;
    std::vector<bool> is_child(robot_.links.size(), false);
    for (size_t l = 0; l < robot_.links.size(); ++l) link[robot_.links[l].name] = l;
    for (const auto& joint : robot_.joints) is_child[link.at(joint.child_link)] = true;
    root_ = static_cast<size_t>(std::find(is_child.begin(), is_child.end(), false) - is_child.begin());
    visit(root_, link);
  }
  void visit(size_t parent, const std::map<std::string, size_t>& link) {
    for (size_t j = 0; j < robot_.joints.size(); ++j) {
      if (robot_.joints[j].parent_link != robot_.links[parent].name) continue;
      steps_.push_back({parent, link.at(robot_.joints[j].child_link), j});
      visit(steps_.back().link, link);
    }
  }

  static int degrees(JointType type) {
    switch (type) {
      case JointType::fixed: return 0;
      case JointType::planar: return 3;
      case JointType::floating: return 6;
      default: return 1;
    }
  }
  void number() {
    std::vector<Step> order = steps_;
    std::stable_sort(order.begin(), order.end(), [&](const Step& a, const Step& b) {
      return robot_.joints[a.joint].payload < robot_.joints[b.joint].payload;
    });
    values_.resize(robot_.joints.size());
    for (const Step& step : order) {
      if (robot_.joints[step.joint].mimic) continue;
      values_[step.joint].coordinate = coordinates();
      for (int d = 0; d < degrees(robot_.joints[step.joint].type); ++d) coordinate_joint_.push_back(step.joint);
    }
    for (size_t j = 0; j < robot_.joints.size(); ++j) {
      if (robot_.joints[j].mimic) values_[j] = follow(j);
    }
  }
  [[nodiscard]] Value follow(size_t j) const {
    if (!robot_.joints[j].mimic) return {values_[j].coordinate, 1.0, 0.0};
    const Mimic& mimic = *robot_.joints[j].mimic;
    const auto leader = std::find_if(robot_.joints.begin(), robot_.joints.end(),
                                     [&](const JointDescription& joint) { return joint.name == mimic.joint; });
    const Value v = follow(leader - robot_.joints.begin());
    return {v.coordinate, mimic.multiplier * v.ratio, mimic.multiplier * v.offset + mimic.offset};
  }

  // Rodrigues: R = 1 cos + [a] sin + a a^T (1 - cos)
  template <class S>
  static Mat3<S> turn(const Vec3d& axis, const S& angle) {
    using std::cos;
    using std::sin;
    // The axis is a unit vector in double only; made one in long double, or R is not a rotation to full precision.
    const Vec3<Real> unit_axis = axis.cast<Real>() / std::sqrt(axis.cast<Real>().squaredNorm());
    Vec3<S> a;
    for (int i = 0; i < 3; ++i) a[i] = lift<S>(unit_axis[i]);
    const S c = cos(angle);
    return Mat3<S>::Identity() * c + skew(a) * sin(angle) + a * a.transpose() * (S(1.0) - c);
  }
  template <class S>
  static S lift(Real x) {
    if constexpr (std::is_same_v<S, Real>) {
      return x;
    } else {
      return S(lift<decltype(S::a)>(x), decltype(S::a)(0.0));
    }
  }

  template <class S>
  [[nodiscard]] Frame<S> moved(const Frame<S>& parent, size_t j, const std::vector<S>& q) const {
    const JointDescription& joint = robot_.joints[j];
    Frame<S> f;
    f.R = parent.R * joint.parent_T_joint.R.template cast<S>();
    f.p = parent.p + parent.R * joint.parent_T_joint.p_m.template cast<S>();
    const auto entry = [&](int d) { return q[values_[j].coordinate + d]; };
    const Vec3d x = Vec3d::UnitX();
    const Vec3d y = Vec3d::UnitY();
    const Vec3d z = Vec3d::UnitZ();
    const auto single = [&] { return S(values_[j].ratio) * entry(0) + S(values_[j].offset); };
    switch (joint.type) {
      case JointType::fixed: break;
      case JointType::revolute:
      case JointType::continuous: f.R = f.R * turn<S>(joint.axis, single()); break;
      case JointType::prismatic: f.p += f.R * joint.axis.template cast<S>() * single(); break;
      case JointType::floating:
        f.p += f.R * Vec3<S>(entry(0), entry(1), entry(2));
        f.R = f.R * turn<S>(z, entry(3)) * turn<S>(y, entry(4)) * turn<S>(x, entry(5));
        break;
      case JointType::planar: {
        // x, y: base vectors turned with z to the normal by the shortest way (after half a turn about x if it points
        // down)
        const bool down = joint.axis.z() < 0.0;
        const Mat3d shortest =
            Eigen::Quaterniond::FromTwoVectors(z, down ? Vec3d(-joint.axis) : joint.axis).toRotationMatrix();
        f.p += f.R * (shortest.col(0).template cast<S>() * entry(0) +
                      shortest.col(1).template cast<S>() * (down ? -entry(1) : entry(1)));
        f.R = f.R * turn<S>(joint.axis, entry(2));
        break;
      }
    }
    return f;
  }

  template <class S>
  [[nodiscard]] std::vector<Frame<S>> poses(const std::vector<S>& q) const {
    std::vector<Frame<S>> link(robot_.links.size());
    for (const Step& step : steps_) link[step.link] = moved(link[step.parent], step.joint, q);
    return link;
  }

  template <class S>
  struct Rate {  // of a link's centre of mass, and its angular velocity, per unit of the dual part
    Vec3<S> c, w;
  };
  // w from Rdot R^T = [w], evaluated where the dual part is the rate.
  template <class S>
  [[nodiscard]] std::vector<Rate<S>> rates(const std::vector<Dual<S>>& q) const {
    std::vector<Rate<S>> result;
    for (size_t l = 0; l < robot_.links.size(); ++l) result.push_back({Vec3<S>::Zero(), Vec3<S>::Zero()});
    const auto frames = poses(q);
    for (size_t l = 0; l < robot_.links.size(); ++l) {
      const Inertial inertial = robot_.links[l].inertial.value_or(Inertial{});
      const Vec3<Dual<S>> c = frames[l].p + frames[l].R * inertial.com_m.template cast<Dual<S>>();
      const auto& R = frames[l].R;
      Mat3<S> W = Mat3<S>::Zero();
      for (int r = 0; r < 3; ++r) {
        result[l].c[r] = c[r].b;
        for (int s = 0; s < 3; ++s) {
          for (int k = 0; k < 3; ++k) W(r, s) += R(r, k).b * R(s, k).a;
        }
      }
      result[l].w = Vec3<S>(W(2, 1), W(0, 2), W(1, 0));
    }
    return result;
  }

  template <class S>
  [[nodiscard]] S form(const std::vector<Frame<S>>& pose, const std::vector<Rate<S>>& x,
                       const std::vector<Rate<S>>& y) const {
    S sum(0.0);
    for (size_t l = 0; l < robot_.links.size(); ++l) {
      if (!robot_.links[l].inertial) continue;
      const Inertial& inertial = *robot_.links[l].inertial;
      const Vec3<S> xl = pose[l].R.transpose() * x[l].w;
      const Vec3<S> yl = pose[l].R.transpose() * y[l].w;
      sum += S(inertial.mass_kg) * x[l].c.dot(y[l].c);
      sum += xl.dot(Vec3<S>(inertial.inertia_com_kgm2.template cast<S>() * yl));
    }
    return sum;
  }
  [[nodiscard]] double armature(int k) const {
    const JointDescription& joint = robot_.joints[coordinate_joint_[k]];
    return options_.armature && !(joint.rotor && joint.rotor->is_body) ? joint.armature : 0.0;
  }
  // J N (a.w_p) of coordinate k's rotor, w_p the angular velocity of its parent link.
  template <class S>
  [[nodiscard]] S rotor_momentum(int k, const std::vector<Frame<S>>& pose, const std::vector<Rate<S>>& rate) const {
    const JointDescription& joint = robot_.joints[coordinate_joint_[k]];
    if (!options_.armature || !joint.rotor || joint.rotor->is_body) return S(0.0);
    const auto parent = std::find_if(robot_.links.begin(), robot_.links.end(),
                                     [&](const LinkDescription& link) { return link.name == joint.parent_link; }) -
                        robot_.links.begin();
    const Vec3d a = joint.parent_T_joint.R * joint.rotor->axis;
    return S(joint.armature / joint.rotor->ratio) * rate[parent].w.dot(Vec3<S>(pose[parent].R * a.template cast<S>()));
  }

  template <class S>
  [[nodiscard]] MatX<S> mass(const std::vector<S>& q) const {
    const int n = coordinates();
    const auto pose = poses(q);
    std::vector<std::vector<Rate<S>>> J;
    for (int k = 0; k < n; ++k) J.push_back(rates(along<S>(q, unit<S>(k))));
    MatX<S> m(n, n);
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k <= j; ++k) m(j, k) = m(k, j) = form(pose, J[j], J[k]);
      m(j, j) += S(armature(j));
    }
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) {
        const S coupling = rotor_momentum(j, pose, J[k]);
        m(j, k) += coupling;
        m(k, j) += coupling;
      }
    }
    return m;
  }
  template <class S>
  [[nodiscard]] S kinetic(const std::vector<S>& q, const std::vector<S>& v) const {
    const auto rate = rates(along<S>(q, v));
    const auto pose = poses(q);
    S twice = form(pose, rate, rate);
    for (int k = 0; k < coordinates(); ++k) {
      twice += S(armature(k)) * v[k] * v[k] + S(2.0) * rotor_momentum(k, pose, rate) * v[k];
    }
    return S(0.5) * twice;
  }
  template <class S>
  [[nodiscard]] S potential(const std::vector<S>& q) const {
    const auto pose = poses(q);
    S sum(0.0);
    for (size_t l = 0; l < robot_.links.size(); ++l) {
      if (!robot_.links[l].inertial) continue;
      const Inertial& inertial = *robot_.links[l].inertial;
      const Vec3<S> c = pose[l].p + pose[l].R * inertial.com_m.template cast<S>();
      sum -= S(inertial.mass_kg) * options_.gravity_mps2.template cast<S>().dot(c);
    }
    return sum;
  }

  RobotDescription robot_;
  ModelOptions options_;
  size_t root_ = 0;
  std::vector<Step> steps_;  // depth-first
  std::vector<Value> values_;
  std::vector<size_t> coordinate_joint_;
};

}  // namespace dyn::test
