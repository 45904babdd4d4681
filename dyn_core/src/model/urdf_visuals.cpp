// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "urdf_visuals.hpp"

#include "complain.hpp"
#include "dyn_core/model/payload.hpp"

namespace dyn {
namespace {

std::optional<double> one_number(const xml::Element& element, const char* attribute) {
  const std::string* const text = element.find(attribute);
  const auto parts = text != nullptr ? urdf_text::words(*text) : std::vector<std::string_view>{};
  return parts.size() == 1 ? urdf_text::number(parts.front()) : std::nullopt;
}

std::optional<Vec3d> three_numbers(const xml::Element& element, const char* attribute) {
  const std::string* const text = element.find(attribute);
  return text != nullptr ? urdf_text::three_numbers(*text) : std::nullopt;
}

std::optional<Vec3d> size_of(const xml::Element& primitive, Visual::Shape shape) {
  if (shape == Visual::Shape::box) return three_numbers(primitive, "size");
  const auto radius = one_number(primitive, "radius");
  if (!radius) return std::nullopt;
  if (shape == Visual::Shape::sphere) return Vec3d(*radius, 0.0, 0.0);
  const auto length = one_number(primitive, "length");
  return length ? std::optional<Vec3d>({*radius, *length, 0.0}) : std::nullopt;
}

// (0, 0, 0) where it is not given.
std::optional<Vec3d> place(const xml::Element* origin, const char* attribute) {
  if (origin == nullptr || origin->find(attribute) == nullptr) return Vec3d(Vec3d::Zero());
  return three_numbers(*origin, attribute);
}

struct ShapeName {
  const char* name;
  Visual::Shape shape;
};
constexpr ShapeName shape_names[] = {
    {"box", Visual::Shape::box}, {"cylinder", Visual::Shape::cylinder}, {"sphere", Visual::Shape::sphere}};

}  // namespace

VisualReader::VisualReader(const urdf_text::Elements& elements) : elements_(elements) {
  const xml::Document& document = elements_.document();
  for (const xml::Element* material : document.children(document.root(), "material")) {
    const std::string* const name = material->find("name");
    const auto color = own_color(*material);
    if (name != nullptr && color) colors_[*name] = *color;
  }
}

void VisualReader::read(const xml::Element& link, RobotDescription& robot) const {
  LinkDescription& description = robot.links.back();
  for (const xml::Element* visual : elements_.document().children(link, "visual")) {
    const xml::Element* const geometry = elements_.child(*visual, "geometry");
    if (geometry == nullptr) continue;
    for (const auto& [name, shape] : shape_names) {
      const xml::Element* const primitive = elements_.child(*geometry, name);
      if (primitive == nullptr) continue;
      const xml::Element* const origin = elements_.child(*visual, "origin");
      const auto size = size_of(*primitive, shape), xyz = place(origin, "xyz"), rpy = place(origin, "rpy");
      if (size && xyz && rpy) {
        description.visuals.push_back({shape, *size, pose_from_xyz_rpy(*xyz, *rpy), color(*visual)});
      } else {
        robot.warnings.push_back(link_text(description.name) + ": the <visual> of line " +
                                 std::to_string(visual->line) + " is not drawn: the numbers of its <" +
                                 (size ? "origin" : name) + "> cannot be read");
      }
      break;
    }
  }
}

std::optional<Vec3d> VisualReader::color(const xml::Element& visual) const {
  const xml::Element* const material = elements_.child(visual, "material");
  if (material == nullptr) return std::nullopt;
  if (auto color = own_color(*material)) return color;
  const std::string* const name = material->find("name");
  const auto named = name != nullptr ? colors_.find(*name) : colors_.end();
  return named != colors_.end() ? std::optional<Vec3d>(named->second) : std::nullopt;
}

// Red, green and blue of <color rgba>.
std::optional<Vec3d> VisualReader::own_color(const xml::Element& material) const {
  const xml::Element* const color = elements_.child(material, "color");
  const std::string* const rgba = color != nullptr ? color->find("rgba") : nullptr;
  const auto parts = rgba != nullptr ? urdf_text::words(*rgba) : std::vector<std::string_view>{};
  if (parts.size() != 4) return std::nullopt;
  const auto r = urdf_text::number(parts[0]), g = urdf_text::number(parts[1]), b = urdf_text::number(parts[2]);
  return r && g && b ? std::optional<Vec3d>({*r, *g, *b}) : std::nullopt;
}

}  // namespace dyn
