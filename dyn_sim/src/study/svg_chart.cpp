// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
#include "study/svg_chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <sstream>

#include "output.hpp"

namespace dyn::study {
namespace {

constexpr double width = 760.0, height = 400.0;
constexpr double left = 84.0, right = 170.0, top = 44.0, bottom = 52.0;  // margins; the legend stands on the right
constexpr size_t most_points = 1200;                                     // of a line: more are not seen
constexpr std::array colours = {"#1f5fa8", "#d9541e", "#2a8f4a", "#8a4fb0", "#b08a00",
                                "#c22f6b", "#2f9bb0", "#6b6b6b", "#7a3b12"};

struct Axis {
  double lower = std::numeric_limits<double>::infinity(), upper = -lower;
  bool logarithmic = false;
  double from = 0.0, to = 0.0;  // pixels

  [[nodiscard]] bool shows(double x) const { return std::isfinite(x) && (!logarithmic || x > 0.0); }
  [[nodiscard]] double scaled(double x) const { return logarithmic ? std::log10(x) : x; }
  [[nodiscard]] double pixel(double x) const {
    return from + (scaled(x) - scaled(lower)) / (scaled(upper) - scaled(lower)) * (to - from);
  }
  void include(double x) {
    if (!shows(x)) return;
    lower = std::min(lower, x);
    upper = std::max(upper, x);
  }
  void settle() {
    if (!(lower <= upper)) lower = logarithmic ? 0.1 : 0.0, upper = 1.0;
    if (logarithmic) {
      lower = std::pow(10.0, std::floor(std::log10(lower)));
      upper = std::pow(10.0, std::ceil(std::log10(upper)));
      if (lower == upper) upper *= 10.0;
    } else if (lower == upper) {
      lower -= 0.5;
      upper += 0.5;
    }
  }
  [[nodiscard]] std::vector<double> ticks() const {
    std::vector<double> all;
    if (logarithmic) {
      const double decades = std::log10(upper / lower);
      const double stride = std::pow(10.0, std::max(1.0, std::ceil(decades / 6.0)));
      for (double x = lower; x <= upper * 1.001; x *= stride) all.push_back(x);
      return all;
    }
    const double rough = (upper - lower) / 5.0;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    const double digit = rough / power;
    const double step = power * (digit < 1.5 ? 1.0 : digit < 3.5 ? 2.0 : digit < 7.5 ? 5.0 : 10.0);
    for (double x = std::ceil(lower / step) * step; x <= upper + 1e-9 * step; x += step) {
      all.push_back(std::abs(x) < 1e-9 * step ? 0.0 : x);
    }
    return all;
  }
};

// Widens the range of the axis that has more pixels a unit.
void make_equal(Axis& x, Axis& y) {
  const auto units_per_pixel = [](const Axis& a) { return (a.upper - a.lower) / std::abs(a.to - a.from); };
  Axis& narrow = units_per_pixel(x) < units_per_pixel(y) ? x : y;
  const double wanted = std::max(units_per_pixel(x), units_per_pixel(y)) * std::abs(narrow.to - narrow.from);
  const double more = 0.5 * (wanted - (narrow.upper - narrow.lower));
  narrow.lower -= more;
  narrow.upper += more;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

void draw_axes(std::ostream& svg, const Figure& figure, const Axis& x, const Axis& y) {
  for (const double t : y.ticks()) {
    const double p = y.pixel(t);
    svg << "<path d='M" << x.from << ' ' << p << "H" << x.to << "' stroke='#e3e5e8'/><text x='" << x.from - 8 << "' y='"
        << p + 4 << "' text-anchor='end'>" << cli::number(t, 4) << "</text>\n";
  }
  for (const double t : x.ticks()) {
    const double p = x.pixel(t);
    svg << "<path d='M" << p << ' ' << y.from << "v5' stroke='#555'/><text x='" << p << "' y='" << y.from + 19
        << "' text-anchor='middle'>" << cli::number(t, 4) << "</text>\n";
  }
  svg << "<path d='M" << x.from << ' ' << y.to << 'V' << y.from << 'H' << x.to << "' fill='none' stroke='#555'/>\n"
      << "<text x='" << (x.from + x.to) / 2 << "' y='" << height - 12 << "' text-anchor='middle'>"
      << escaped(figure.x_label) << "</text>\n<text transform='translate(16 " << (y.from + y.to) / 2
      << ") rotate(-90)' text-anchor='middle'>" << escaped(figure.y_label) << "</text>\n<text x='" << x.from
      << "' y='24' font-size='15' font-weight='600'>" << escaped(figure.title) << "</text>\n";
}

void draw_line(std::ostream& svg, const Figure& figure, const Series& series, const Axis& x, const Axis& y,
               const char* colour) {
  const size_t stride = std::max<size_t>(1, figure.x.size() / most_points);
  bool pen_down = false;
  svg << "<path fill='none' stroke='" << colour << "' stroke-width='1.6' stroke-linejoin='round' d='";
  for (size_t i = 0; i < figure.x.size(); i += stride) {
    if (!y.shows(series.y[i])) {
      pen_down = false;
      continue;
    }
    svg << (pen_down ? 'L' : 'M') << x.pixel(figure.x[i]) << ' ' << y.pixel(series.y[i]);
    pen_down = true;
  }
  svg << "'/>\n";
}

}  // namespace

std::string svg_of(const Figure& figure) {
  Axis x{.from = left, .to = width - right};
  Axis y{.logarithmic = figure.logarithmic, .from = height - bottom, .to = top};
  for (const double value : figure.x) x.include(value);
  for (const Series& series : figure.series) {
    for (const double value : series.y) y.include(value);
  }
  x.settle();
  y.settle();
  if (figure.equal_scales) make_equal(x, y);
  std::ostringstream svg;
  svg.precision(5);
  svg << "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 " << width << ' ' << height
      << "' font-family='system-ui, sans-serif' font-size='12' fill='#222'>\n<rect width='100%' height='100%' "
         "fill='#fff'/>\n";
  draw_axes(svg, figure, x, y);
  for (size_t k = 0; k < figure.series.size(); ++k) {
    const char* colour = colours.at(k % colours.size());
    draw_line(svg, figure, figure.series[k], x, y, colour);
    const double row = top + 10.0 + 20.0 * static_cast<double>(k);
    svg << "<path d='M" << width - right + 14 << ' ' << row << "h18' stroke='" << colour
        << "' stroke-width='2.5'/><text x='" << width - right + 38 << "' y='" << row + 4 << "'>"
        << escaped(figure.series[k].name) << "</text>\n";
  }
  svg << "</svg>\n";
  return svg.str();
}

}  // namespace dyn::study
