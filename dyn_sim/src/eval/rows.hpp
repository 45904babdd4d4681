// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A state of `dyn eval`, and the vectors and matrices of its answer.
#pragma once

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dyn_core/error.hpp"
#include "dyn_core/numeric/types.hpp"
#include "output.hpp"

namespace dyn::cli {

// One number for each coordinate.
struct EvalState {
  std::vector<double> q, v, a, tau;
};

// The result as JSON; throws if it overflowed, naming the largest entry of the state.
class Rows {
 public:
  struct Entries {
    const char* key;
    const std::vector<double>* values;
  };
  Rows(const std::vector<std::string>& names, const EvalState& s)
      : names_(names), state_{{{"q", &s.q}, {"v", &s.v}, {"a", &s.a}, {"tau", &s.tau}}} {}

  template <class Vector>
  [[nodiscard]] nlohmann::ordered_json vector(const char* what, const Vector& x) const {
    nlohmann::ordered_json row = nlohmann::ordered_json::array();
    for (size_t i = 0; i < names_.size(); ++i) row.push_back(finite(what, i, x[i]));
    return row;
  }
  // A row for each coordinate.
  [[nodiscard]] nlohmann::ordered_json matrix(const char* what, const ConstMatrixRef<double>& X) const {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (size_t i = 0; i < names_.size(); ++i) {
      nlohmann::ordered_json row = nlohmann::ordered_json::array();
      for (Eigen::Index j = 0; j < X.cols(); ++j) row.push_back(finite(what, i, X(i, j)));
      rows.push_back(std::move(row));
    }
    return rows;
  }
  // A number that belongs to no joint.
  [[nodiscard]] double finite(const char* what, double value) const {
    if (!std::isfinite(value)) too_large(what, value);
    return value;
  }

 private:
  double finite(const char* what, size_t i, double value) const {
    if (!std::isfinite(value)) too_large(what + (" of joint '" + names_[i] + "'"), value);
    return value;
  }
  [[noreturn]] void too_large(const std::string& what, double value) const {
    const char* key = state_[0].key;
    size_t joint = 0;
    double largest = 0.0;
    for (const Entries& entries : state_) {
      for (size_t k = 0; k < entries.values->size(); ++k) {
        if (std::abs((*entries.values)[k]) <= std::abs(largest)) continue;
        key = entries.key;
        joint = k;
        largest = (*entries.values)[k];
      }
    }
    throw ModelError("joint '" + names_[joint] + "': " + key + " is " + number(largest) + ", too large: " + what +
                     " is " + number(value));
  }

  const std::vector<std::string>& names_;
  std::array<Entries, 4> state_;
};

}  // namespace dyn::cli
