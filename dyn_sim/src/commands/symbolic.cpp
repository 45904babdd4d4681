// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// dyn symbolic: M, C and g of a small robot as formulas or as code.
#include <iostream>
#include <map>
#include <memory>
#include <sstream>

#include "command.hpp"
#include "dh_yaml.hpp"
#include "dyn_core/model/robot_library.hpp"
#include "options.hpp"
#include "output.hpp"
#include "symbolic/document.hpp"
#include "terminal_line.hpp"

namespace dyn::cli {
namespace {

struct Call {
  RobotCall robot;
  std::string terms = "M,C,g", format = "text", parameters = "numbers", gravity;
};

symbolic::Terms terms_of(const std::string& text) {
  symbolic::Terms terms{false, false, false};
  std::istringstream in(text);
  for (std::string name; std::getline(in, name, ',');) {
    if (name == "M") terms.M = true;
    if (name == "C") terms.C = true;
    if (name == "g") terms.g = true;
  }
  return terms;
}

CLI::Validator are_terms() {
  return CLI::Validator(
      [](const std::string& text) {
        std::istringstream in(text);
        bool any = false;
        for (std::string name; std::getline(in, name, ',');) {
          if (name != "M" && name != "C" && name != "g") return "'" + name + "' must be M, C or g";
          any = true;
        }
        return any && text.back() != ',' ? std::string() : "'" + text + "' is not a list of M, C, g";
      },
      "", "terms");
}

void run_symbolic(const Call& call) {
  static const std::map<std::string, symbolic::Format> formats{
      {"text", symbolic::Format::text}, {"latex", symbolic::Format::latex}, {"cpp", symbolic::Format::cpp}};
  ModelOptions options = model_options(call.robot);
  if (!call.gravity.empty()) options.gravity_mps2 = parse_vector(call.gravity);
  const Model model = sim::load_any_model(call.robot.name, options);
  print_warnings(model);
  const std::string text = symbolic::document(
      model, {terms_of(call.terms), formats.at(call.format), call.parameters == "symbols"}, say_progress);
  say_progress("");
  std::cout << text;
}

}  // namespace

Action declare_symbolic(CLI::App& app) {
  auto call = std::make_shared<Call>();
  add_robot(app, call->robot);
  app.add_option("--terms", call->terms, "Which of M, C, g")->capture_default_str()->check(are_terms());
  app.add_option("--format", call->format, "text (Python reads it), latex (a document), cpp (a header)")
      ->capture_default_str()
      ->check(CLI::IsMember({"text", "latex", "cpp"}));
  app.add_option("--parameters", call->parameters,
                 "Masses, centres of mass, inertias and lengths as numbers, or as symbols (text and latex)")
      ->capture_default_str()
      ->check(CLI::IsMember({"numbers", "symbols"}));
  app.add_option("--gravity", call->gravity, "Gravity vector in the base frame, m/s^2; 0,0,-9.81 unless given")
      ->type_name("X,Y,Z")
      ->check(is_vector());
  app.footer(
      "q1, q2, .. are the coordinates in the order of `dyn info`, v1, v2, .. their rates. Formulas that would run to\n"
      "thousands of terms are written with intermediate results t1, t2, ..");
  return [call] { run_symbolic(*call); };
}

}  // namespace dyn::cli
