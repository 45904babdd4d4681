// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The user's URDF with other inertials and <dynamics>. dyn_core has already read the text strictly; here only the
// places of a few elements are searched, so that every other character stays as it is.
#include <charconv>
#include <functional>
#include <map>
#include <optional>

#include "dyn_core/error.hpp"
#include "dyn_core/identify/pseudo_inertia.hpp"
#include "dyn_sim/identify/identify.hpp"
#include "identify/rotor_columns.hpp"

namespace dyn::sim {
namespace {

struct Tag {
  size_t begin = 0, end = 0;  // from < to behind >
  std::string name;
  bool closes = false, empty = false;
  std::vector<std::pair<std::string, std::string>> attributes;  // values as they are written

  [[nodiscard]] std::string attribute(const std::string& key) const {
    for (const auto& [name_of, value] : attributes) {
      if (name_of == key) return value;
    }
    return {};
  }
};

// The tag at or behind a place, comments and declarations passed over.
std::optional<Tag> next_tag(const std::string& text, size_t from) {
  while (true) {
    const size_t open = text.find('<', from);
    if (open == std::string::npos) return std::nullopt;
    const auto skip = [&](const char* begin, const char* end) {
      if (text.compare(open, std::string(begin).size(), begin) != 0) return false;
      const size_t found = text.find(end, open);
      from = found == std::string::npos ? text.size() : found + std::string(end).size();
      return true;
    };
    if (skip("<!--", "-->") || skip("<![CDATA[", "]]>") || skip("<?", "?>") || skip("<!", ">")) continue;
    Tag tag;
    tag.begin = open;
    size_t at = open + 1;
    if (text[at] == '/') {
      tag.closes = true;
      ++at;
    }
    const size_t name_end = text.find_first_of(" \t\r\n/>", at);
    tag.name = text.substr(at, name_end - at);
    at = name_end;
    while (at < text.size() && text[at] != '>') {
      const size_t key = text.find_first_not_of(" \t\r\n/", at);
      if (key == std::string::npos || text[key] == '>') {
        tag.empty = key != std::string::npos && text[key - 1] == '/';
        at = key;
        break;
      }
      const size_t equals = text.find('=', key), quote = text.find_first_of("\"'", equals);
      const size_t close = quote == std::string::npos ? quote : text.find(text[quote], quote + 1);
      if (close == std::string::npos) return std::nullopt;
      const size_t key_end = text.find_last_not_of(" \t\r\n", equals - 1) + 1;
      tag.attributes.emplace_back(text.substr(key, key_end - key), text.substr(quote + 1, close - quote - 1));
      at = close + 1;
    }
    tag.end = at + 1;
    return tag;
  }
}

std::string unescaped(std::string text) {
  static const std::pair<const char*, const char*> entities[] = {
      {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}, {"&amp;", "&"}};
  for (const auto& [entity, character] : entities) {
    for (size_t at = text.find(entity); at != std::string::npos; at = text.find(entity, at + 1)) {
      text.replace(at, std::string(entity).size(), character);
    }
  }
  return text;
}

// The shortest text that reads back as the same number.
std::string number(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value == 0.0 ? 0.0 : value);
  return {text, end.ptr};
}

std::string inertial_element(const Inertial& body, const std::string& indent) {
  const Vec3d& c = body.com_m;
  const Mat3d& I = body.inertia_com_kgm2;
  const std::string line = "\n" + indent + "  ";
  return "<inertial>" + line + "<origin xyz=\"" + number(c.x()) + " " + number(c.y()) + " " + number(c.z()) +
         "\" rpy=\"0 0 0\"/>" + line + "<mass value=\"" + number(body.mass_kg) + "\"/>" + line + "<inertia ixx=\"" +
         number(I(0, 0)) + "\" ixy=\"" + number(I(0, 1)) + "\" ixz=\"" + number(I(0, 2)) + "\" iyy=\"" +
         number(I(1, 1)) + "\" iyz=\"" + number(I(1, 2)) + "\" izz=\"" + number(I(2, 2)) + "\"/>\n" + indent +
         "</inertial>";
}

using Attributes = std::vector<std::pair<std::string, std::string>>;

Attributes dynamics_of(const IdentifiedJoint& joint) {
  Attributes all{{"damping", number(joint.viscous)}, {"friction", number(joint.coulomb)}};
  const auto add = [&all](const char* name, double value) { all.emplace_back(name, number(value)); };
  if (joint.viscous_negative) add("damping_negative", *joint.viscous_negative);
  if (joint.coulomb_negative) add("friction_negative", *joint.coulomb_negative);
  if (joint.stribeck != 0.0) {
    add("stribeck", joint.stribeck);
    add("stribeck_velocity", joint.stribeck_velocity);
  }
  if (joint.offset != 0.0) add("offset", joint.offset);
  if (joint.armature != 0.0 || joint.has_rotor) add("armature", joint.armature);  // a gear_ratio needs an armature
  return all;
}

std::string dynamics_element(Attributes attributes, const Tag* before) {
  static constexpr const char* ours[] = {"damping",  "friction",          "armature",         "offset",
                                         "stribeck", "stribeck_velocity", "damping_negative", "friction_negative"};
  for (const auto& own : before != nullptr ? before->attributes : Attributes{}) {
    const bool replaced = std::any_of(std::begin(ours), std::end(ours), [&](const char* o) { return own.first == o; });
    if (!replaced) attributes.push_back(own);  // other tools' attributes stay
  }
  std::string text = "<dynamics";
  for (const auto& [name, value] : attributes) {
    const char quote = value.find('"') == std::string::npos ? '"' : '\'';
    text += " " + name + "=" + quote + value + quote;
  }
  return text + "/>";
}

// A body's links: what is fixed to the link that the joint moves keeps the maker's inertial, and the rest is that
// link's. Where nothing possible is left for it, the fixed links are scaled down together.
void share(const Model& model, const IdentifiedLink& identified, std::map<std::string, Inertial>& inertials) {
  const Link* const main = model.find_link(identified.name);
  const Eigen::Matrix4d body = dyn::identify::pseudo_inertia(dyn::identify::parameters_of(identified.inertial));
  std::vector<const Link*> fixed;
  Eigen::Matrix4d sum = Eigen::Matrix4d::Zero();
  const Pose body_T_main = main->body_T_link;
  const Pose main_T_body{body_T_main.R.transpose(), -(body_T_main.R.transpose() * body_T_main.p_m)};
  for (const Link& link : model.links()) {
    if (link.body != main->body || &link == main || !(link.inertial.mass_kg > 0.0)) continue;
    fixed.push_back(&link);
    sum += dyn::identify::moved(dyn::identify::pseudo_inertia(dyn::identify::parameters_of(link.inertial)),
                                main_T_body * link.body_T_link);
  }
  double scale = 1.0;
  const auto rest_is_possible = [&](double s) { return dyn::identify::is_possible(body - s * sum - 1e-3 * body); };
  while (!fixed.empty() && scale > 1e-6 && !rest_is_possible(scale)) scale *= 0.8;
  if (!fixed.empty() && scale <= 1e-6) scale = 0.0;
  inertials[identified.name] =
      dyn::identify::inertial_of(dyn::identify::parameters_of(Eigen::Matrix4d(body - scale * sum)));
  for (const Link* link : fixed) {
    if (scale == 1.0) continue;
    Inertial smaller = link->inertial;
    smaller.mass_kg *= scale;
    smaller.inertia_com_kgm2 *= scale;
    inertials[link->name] = smaller;
  }
}

class Editor {
 public:
  Editor(const std::string& text, const std::map<std::string, Inertial>& inertials,
         const std::map<std::string, Attributes>& dynamics)
      : text_(text), inertials_(inertials), dynamics_(dynamics) {}

  std::string edit() {
    int depth = 0;
    size_t at = 0;
    while (const auto tag = next_tag(text_, at)) {
      at = tag->end;
      if (tag->closes) {
        if (depth == 2) leave(*tag);
        --depth;
        continue;
      }
      if (depth == 1) enter(*tag);
      if (depth == 2) child(*tag);
      if (!tag->empty)
        ++depth;
      else if (depth == 1)
        leave(*tag);
    }
    return out_ + text_.substr(copied_);
  }

 private:
  void enter(const Tag& tag) {
    owner_ = tag;
    done_ = false;
    const std::string name = unescaped(tag.attribute("name"));
    wanted_ = std::nullopt;
    if (tag.name == "link" && inertials_.count(name) > 0) {
      wanted_ = "inertial";
      element_ = [this, name](const Tag*, const std::string& indent) {
        return inertial_element(inertials_.at(name), indent);
      };
    } else if (tag.name == "joint" && dynamics_.count(name) > 0) {
      wanted_ = "dynamics";
      element_ = [this, name](const Tag* before, const std::string&) {
        return dynamics_element(dynamics_.at(name), before);
      };
    }
  }

  [[nodiscard]] std::string indent_of(size_t place) const {
    const size_t line = text_.rfind('\n', place);
    const size_t first = line == std::string::npos ? 0 : line + 1;
    const std::string before = text_.substr(first, place - first);
    return before.find_first_not_of(" \t") == std::string::npos ? before : std::string();
  }

  void child(const Tag& tag) {
    if (!wanted_ || tag.name != *wanted_) return;
    size_t end = tag.end;
    for (int depth = tag.empty ? 0 : 1; depth > 0;) {
      const auto inner = next_tag(text_, end);
      if (!inner) return;
      end = inner->end;
      depth += inner->closes ? -1 : (inner->empty ? 0 : 1);
    }
    replace(tag.begin, end, element_(&tag, indent_of(tag.begin)));
    done_ = true;
  }

  // The owner ends without having had the element.
  void leave(const Tag& tag) {
    if (!wanted_ || done_) return;
    const std::string indent = indent_of(owner_.begin), inner = indent + "  ";
    if (tag.closes) {
      const bool own_line = text_.rfind('\n', tag.begin) != std::string::npos && indent_of(tag.begin) == indent;
      const size_t place = own_line ? tag.begin - indent.size() : tag.begin;
      replace(place, place, inner + element_(nullptr, inner) + "\n" + (own_line ? "" : indent));
    } else {
      std::string open = text_.substr(tag.begin, tag.end - tag.begin);
      open.erase(open.rfind('/'), 1);
      replace(tag.begin, tag.end,
              open + "\n" + inner + element_(nullptr, inner) + "\n" + indent + "</" + tag.name + ">");
    }
    wanted_ = std::nullopt;
  }

  void replace(size_t begin, size_t end, const std::string& by) {
    out_ += text_.substr(copied_, begin - copied_) + by;
    copied_ = end;
  }

  const std::string& text_;
  const std::map<std::string, Inertial>& inertials_;
  const std::map<std::string, Attributes>& dynamics_;
  std::string out_;
  size_t copied_ = 0;
  Tag owner_;
  bool done_ = false;
  std::optional<std::string> wanted_;
  std::function<std::string(const Tag*, const std::string&)> element_;
};

}  // namespace

std::string identified_urdf(const std::string& urdf_text, const std::shared_ptr<const Model>& model,
                            const Identified& identified) {
  const auto locked = identify::locked_model(model);
  std::map<std::string, Inertial> inertials;
  for (const IdentifiedLink& link : identified.links) {
    if (link.fitted) share(*locked, link, inertials);
  }
  std::map<std::string, Attributes> dynamics;
  for (const IdentifiedJoint& joint : identified.joints) {
    if (joint.fitted) dynamics[joint.name] = dynamics_of(joint);
  }
  return Editor(urdf_text, inertials, dynamics).edit();
}

}  // namespace dyn::sim
