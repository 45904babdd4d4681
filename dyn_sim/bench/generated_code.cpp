// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "generated_code.hpp"

#include <pinocchio/codegen/cppadcg.hpp>
//
#include <algorithm>
#include <cmath>
#include <cppad/cg/configure.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/regressor.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <sstream>

#include "pinocchio_robot.hpp"

namespace dyn::bench {
namespace {

using Code = CppAD::cg::CG<double>;
using Taped = CppAD::AD<Code>;
using Vector = Eigen::Matrix<Taped, Eigen::Dynamic, 1>;
using Matrix = Eigen::Matrix<Taped, Eigen::Dynamic, Eigen::Dynamic>;

double without_noise(double x) { return std::abs(x - std::round(x)) < 1e-12 ? std::round(x) : x; }

// Numbers come as q, v and a from the caller's memory, with no copy in between.
class Names : public CppAD::cg::LangCDefaultVariableNameGenerator<double> {
 public:
  explicit Names(size_t joints) : LangCDefaultVariableNameGenerator("y", "x", "t"), joints_(joints) {}
  std::string generateIndependent(const CppAD::cg::OperationNode<double>& /*independent*/, size_t id) override {
    const size_t at = id - 1;
    return std::string(1, "qva"[at / joints_]) + "[" + std::to_string(at % joints_) + "]";
  }

 private:
  size_t joints_;
};

// The parts of y, one after the other.
Vector evaluate(const pinocchio::ModelTpl<Taped>& model, const GeneratedFunction& function, const Vector& x) {
  const Eigen::Index n = model.nv;
  const Vector q = x.head(n), v = x.segment(n, n), a = x.tail(n);
  pinocchio::DataTpl<Taped> data(model);
  Vector y(results_of(function, static_cast<int>(n)));
  Eigen::Index at = 0;
  const auto put = [&](const auto& part) {
    for (Eigen::Index j = 0; j < part.cols(); ++j) {
      for (Eigen::Index i = 0; i < part.rows(); ++i) y[at++] = part(i, j);
    }
  };
  for (const PeerTask part : function.parts) {
    if (part == task_M) {
      pinocchio::crba(model, data, q, pinocchio::Convention::WORLD);
      put(Matrix(data.M.selfadjointView<Eigen::Upper>()));
    } else if (part == task_C) {
      put(pinocchio::computeCoriolisMatrix(model, data, q, v));
    } else if (part == task_g) {
      put(pinocchio::computeGeneralizedGravity(model, data, q));
    } else if (part == task_h) {
      put(pinocchio::nonLinearEffects(model, data, q, v));
    } else if (part == task_inverse_derivatives) {
      Matrix dq = Matrix::Zero(n, n), dv = dq, da = dq;
      pinocchio::computeRNEADerivatives(model, data, q, v, a, dq, dv, da);
      put(dq);
      put(dv);
      put(Matrix(da.selfadjointView<Eigen::Upper>()));
    } else if (part == task_regressor) {
      put(Matrix(pinocchio::computeJointTorqueRegressor(model, data, q, v, a)));
    } else {
      put(pinocchio::rnea(model, data, q, v, a));
    }
  }
  return y;
}

}  // namespace

int results_of(const GeneratedFunction& function, int bodies) {
  int numbers = 0;
  for (const PeerTask part : function.parts) {
    switch (part) {
      case task_M:
      case task_C: numbers += bodies * bodies; break;
      case task_inverse_derivatives: numbers += 3 * bodies * bodies; break;
      case task_regressor: numbers += 10 * bodies * bodies; break;
      default: numbers += bodies; break;
    }
  }
  return numbers;
}

std::string generate(const PeerTree& tree, const GeneratedFunction& function) {
  const pinocchio::ModelTpl<Taped> model = pinocchio_robot(tree, &without_noise).cast<Taped>();
  Vector x = Vector::Zero(3 * model.nv);
  CppAD::Independent(x);
  CppAD::ADFun<Code> tape;
  tape.Dependent(x, evaluate(model, function, x));
  tape.optimize("no_compare_op");
  CppAD::cg::CodeHandler<double> handler;
  CppAD::vector<Code> variables(static_cast<size_t>(x.size()));
  handler.makeVariables(variables);
  CppAD::vector<Code> results = tape.Forward(0, variables);
  CppAD::cg::LanguageC<double> language("double");
  Names names(model.nv);
  std::ostringstream body;
  handler.generateCode(body, language, results, names);
  const size_t temporaries = std::max<size_t>(1, handler.getTemporaryVariableCount());
  return "void " + function.name + "(const double* q, const double* v, const double* a, double* y) {\n   double t[" +
         std::to_string(temporaries) + "];\n" + body.str() + "}\n";
}

const char* generator_version() { return CPPAD_CG_VERSION; }

}  // namespace dyn::bench
