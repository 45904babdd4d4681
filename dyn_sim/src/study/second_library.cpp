// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "study/second_library.hpp"

#ifdef DYN_HAS_ORACLE
#include "dyn_core/oracle/pinocchio_model.hpp"
#endif

namespace dyn::study {

#ifdef DYN_HAS_ORACLE
std::string second_library() { return "Pinocchio " + oracle::PinocchioModel::version(); }

std::vector<MatX<double>> second_mass_matrices(const Model& model, const std::vector<std::vector<double>>& positions) {
  oracle::PinocchioModel pinocchio(model);
  const int n = model.coordinates();
  std::vector<MatX<double>> all;
  for (const std::vector<double>& q : positions) {
    MatX<double> M(n, n);
    pinocchio.mass_matrix(q, {M.data(), static_cast<size_t>(n * n)});
    all.push_back(M);
  }
  return all;
}
#else
std::string second_library() { return ""; }

std::vector<MatX<double>> second_mass_matrices(const Model&, const std::vector<std::vector<double>>&) { return {}; }
#endif

}  // namespace dyn::study
