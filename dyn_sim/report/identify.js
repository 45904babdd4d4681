// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The page of `dyn replay` and `dyn identify`: recorded motion, torque by term, residual, identified parameters.
"use strict";

(() => {
  const data = JSON.parse($("data").textContent);
  Theme.read();
  const time = floats(data.time), columns = list => list.map(floats);
  const measured = columns(data.measured), q = columns(data.q), v = columns(data.v), a = columns(data.a);
  const terms = Object.fromEntries(Object.entries(data.terms).map(([name, list]) => [name, columns(list)]));
  const residual = columns(data.residual), before = data.residual_before ? columns(data.residual_before) : null;
  const state = { joint: 0, time: time[0] ?? 0, playing: false };
  const percent = x => `${Format.number(100 * x)} %`;

  function head() {
    const figures = make("div", { className: "figures" });
    for (const [name, value, note] of data.figures) {
      figures.append(make("div", { className: "figure" }, make("div", { className: "name", textContent: name }),
        make("div", { className: "value", textContent: value }), make("div", { className: "note", textContent: note })));
    }
    $("head").append(make("h1", { textContent: document.title }), make("p", { className: "sub", textContent: data.sub }), figures);
  }

  // --- The arm as recorded ----------------------------------------------------------------------------------------
  const arm = { name: data.scene.name, scene: data.scene, time, coordinates: data.coordinates,
    signals: { q: columns(data.all_q) }, events: [], flags: [], algorithms: [] };
  arm.signals.q_reference = arm.signals.q;
  arm.signals.position_error = arm.signals.q.map(s => new Float32Array(s.length));
  const view = new SceneView($("scene"), [arm], Theme.dark), end = time.length ? time.at(-1) : 1, begin = time[0] ?? 0;
  const charts = [];
  function show() {
    $("scrub").value = state.time;
    $("clock").textContent = `${state.time.toFixed(2)} / ${end.toFixed(2)} s`;
    view.draw(state.time, { ghost: false, magnify: 1 });
    for (const c of charts) c.cursor(state.time);
    const row = SceneView.row(time, state.time);
    $("readout").replaceChildren(make("div", { textContent: `${data.joints[state.joint]}: measured ${Format.number(measured[state.joint][row])}, residual ${Format.number(residual[state.joint][row])}` }));
  }
  function play(on) {
    state.playing = on;
    $("play").textContent = on ? "\u23f8" : "\u25b6";
    if (!on) return;
    if (state.time >= end - 1e-6) state.time = begin;
    let last = performance.now();
    const step = now => {
      if (!state.playing) return;
      state.time = Math.min(end, state.time + (now - last) / 1000);
      last = now;
      show();
      if (state.time >= end) play(false); else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }
  function transport() {
    Object.assign($("scrub"), { min: begin, max: end });
    $("play").onclick = () => play(!state.playing);
    $("scrub").oninput = () => { play(false); state.time = Number($("scrub").value); show(); };
    view.changed = () => { if (!state.playing) show(); };
  }

  // --- Over time --------------------------------------------------------------------------------------------------
  const sum = j => time.map((_, k) => Object.values(terms).reduce((s, t) => s + t[j][k], 0));
  function build() {
    const add = (options, lines) => {
      const chart = new Chart($("charts"), { from: begin, to: end, unit: "N\u202fm or N", ...options });
      chart.provide = lines;
      chart.seek = t => { play(false); state.time = t; show(); };
      charts.push(chart);
    };
    const line = (name, values, color, extra = {}) => ({ name, values, time, color, ...extra });
    add({ title: "Torque: measured and predicted", wide: true }, j => [
      line("measured", measured[j], Theme.ink, { width: 1.4 }), line("predicted", sum(j), Theme.color(0))]);
    add({ title: "Predicted torque by term" }, j => Object.keys(terms).map((t, k) => line(t, terms[t][j], Theme.color(k + 1))));
    add({ title: "Residual: measured minus predicted" }, j => [
      ...(before ? [line("URDF as it was", before[j], Theme.soft)] : []), line(before ? "identified" : "residual", residual[j], Theme.color(3))]);
  }

  // --- Plots of points and lines ----------------------------------------------------------------------------------
  function plot(title, xUnit, series) {
    const width = 420, height = 260, left = 52, right = 10, top = series.length > 1 ? 36 : 24, bottom = 34;
    const xs = series.flatMap(s => s.x), ys = series.flatMap(s => s.y).filter(Number.isFinite);
    const range = list => { const low = Math.min(...list), high = Math.max(...list); return low < high ? [low, high] : [low - 1, high + 1]; };
    const [x0, x1] = range(xs), [y0, y1] = range(ys);
    const X = x => left + (x - x0) / (x1 - x0) * (width - left - right), Y = y => height - bottom - (y - y0) / (y1 - y0) * (height - top - bottom);
    const ns = "http://www.w3.org/2000/svg", svg = document.createElementNS(ns, "svg");
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const put = (tag, attributes, text) => {
      const node = document.createElementNS(ns, tag);
      for (const [k, value] of Object.entries(attributes)) node.setAttribute(k, value);
      if (text) node.textContent = text;
      svg.append(node);
    };
    put("text", { x: left, y: 15, fill: Theme.ink, "font-size": 12 }, title);
    const ticks = (low, high, draw) => {
      const step = niceStep(high - low, 4), digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
      for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) {
        draw(k * step, { fill: Theme.soft, "font-size": 10 }, (k * step).toFixed(digits).replace("-", "\u2212"));
      }
    };
    ticks(y0, y1, (y, style, number) => {
      put("line", { x1: left, x2: width - right, y1: Y(y), y2: Y(y), stroke: Theme.grid });
      put("text", { x: left - 4, y: Y(y) + 4, "text-anchor": "end", ...style }, number);
    });
    ticks(x0, x1, (x, style, number) => put("text", { x: X(x), y: height - bottom + 14, "text-anchor": "middle", ...style }, number));
    put("text", { x: width - right, y: height - 4, fill: Theme.soft, "font-size": 10, "text-anchor": "end" }, xUnit);
    series.forEach((s, i) => {
      if (s.line) put("polyline", { points: s.x.map((x, k) => `${X(x)},${Y(s.y[k])}`).join(" "), fill: "none", stroke: s.color, "stroke-width": 1.5 });
      else put("path", { d: s.x.map((x, k) => `M${X(x).toFixed(1)} ${Y(s.y[k]).toFixed(1)}h0`).join(""), stroke: s.color, "stroke-width": 2.2, "stroke-linecap": "round", opacity: 0.55 });
      if (s.name) put("text", { x: width - right, y: 15 + 12 * i, fill: s.color, "font-size": 10, "text-anchor": "end" }, s.name);
    });
    return svg;
  }
  function fill() {
    const j = state.joint, some = list => Array.from(list).filter((_, k) => k % Math.max(1, Math.ceil(time.length / 1200)) === 0);
    for (const c of charts) { c.set(c.provide(j)); c.time = state.time; c.draw(); }
    const over = (name, unit, x) => plot(name, unit, [
      ...(before ? [{ x: some(x[j]), y: some(before[j]), color: Theme.soft, name: "URDF as it was" }] : []),
      { x: some(x[j]), y: some(residual[j]), color: Theme.color(3), name: before ? "identified" : "" }]);
    const linear = data.linear[j], unit = linear ? "m" : "rad";
    $("scatter").replaceChildren(over("over velocity: friction", `${unit}/s`, v), over("over position", unit, q), over("over acceleration", `${unit}/s\u00b2`, a));
    frictionCurve(j);
    show();
  }
  function choice() {
    $("choice").replaceChildren(...data.joints.map((name, k) => {
      const chip = make("button", { className: `chip ${k === state.joint ? "on" : ""}`, onclick: () => { state.joint = k; choice(); fill(); } }, make("i"), name);
      chip.style.setProperty("--c", Theme.color(k));
      return chip;
    }));
  }
  const table = (heads, rows) => make("table", { className: "numbers" },
    make("tr", {}, ...heads.map(h => make("th", { textContent: h }))),
    ...rows.map(r => make("tr", {}, ...r.map(c => make("td", { textContent: c })))));
  function worst() {
    $("worst").append(table(["joint", "time, s", "measured", "predicted", "residual", "velocity", "acceleration"],
      data.worst.map(w => [w.joint, w.time.toFixed(3), ...[w.measured, w.predicted, w.measured - w.predicted, w.v, w.a].map(x => Format.number(x))])));
  }

  // --- What was identified ----------------------------------------------------------------------------------------
  const card = (title, ...children) => make("section", { className: "card" }, make("h2", { textContent: title }), ...children);
  const friction = (f, x) => {
    const s = Math.tanh(x / 1e-3), d = x < 0 ? f.viscous_negative : f.viscous, c = x < 0 ? f.coulomb_negative : f.coulomb;
    return f.offset + d * x + (c + f.stribeck * Math.exp(-((x / f.stribeck_velocity) ** 2))) * s;
  };
  const curve = make("div", { className: "plots" });
  function frictionCurve(j) {
    const f = data.identification?.joints[j];
    if (!f) return;
    const most = Math.max(0.01, ...v[j].map(Math.abs)), x = Array.from({ length: 401 }, (_, k) => most * (k - 200) / 200);
    curve.replaceChildren(plot(`${f.name}: friction over velocity, ${data.linear[j] ? "N" : "N m"}`, data.linear[j] ? "m/s" : "rad/s", [{ x, y: x.map(t => friction(f, t)), color: Theme.color(1), line: true }]));
  }
  function identification() {
    const found = data.identification;
    if (!found) return;
    const pm = (x, s, alone = true) => alone && s > 0 ? `${Format.number(x)} \u00b1 ${Format.number(s, 2)}` : Format.number(x);
    const alone = (link, what) => link.fitted && !link.untold.includes(what);
    const same = (a, b) => Math.abs(a - b) <= 1e-6 * (Math.abs(a) + Math.abs(b));
    const warnings = found.warnings.length ? [card("Warnings", make("ul", {}, ...found.warnings.map(w => make("li", { textContent: w }))))] : [];
    const kinds = [...new Set(found.cross_validation.map(c => c.friction))];
    const tried = kinds.map((kind, k) => {
      const rows = found.cross_validation.filter(c => c.friction === kind);
      return { x: rows.map(r => Math.log10(r.prior_weight)), y: rows.map(r => Math.log10(r.error)), color: Theme.color(k), name: kind, line: true };
    });
    $("identification").append(...warnings,
      card("Held-out torque error by joint, N m or N (rms)", table(["joint", "torque", "URDF as it was", "identified"],
        data.joints.map((name, j) => [name, ...[found.before.torque_rms[j], found.before.rms[j], found.validation.rms[j]].map(x => Format.number(x))]))),
      card("Friction", curve, table(["joint", "viscous", "Coulomb", "backwards", "Stribeck", "offset", "armature", "noise"], found.joints.map(f => [f.name,
        pm(f.viscous, f.sigma.viscous), pm(f.coulomb, f.sigma.coulomb), same(f.viscous_negative, f.viscous) && same(f.coulomb_negative, f.coulomb) ? "the same" : `${Format.number(f.viscous_negative)}, ${Format.number(f.coulomb_negative)}`,
        f.stribeck ? `${Format.number(f.stribeck)} below ${Format.number(f.stribeck_velocity)}` : "\u2013", pm(f.offset, f.sigma.offset), pm(f.armature, f.sigma.armature, f.sigma.armature < f.armature), Format.number(f.noise)]))),
      card("Bodies: kg, m, kg m\u00b2 about the centre of mass, \u00b1 one sigma of what is determined by itself", table(["link", "mass", "maker's", "centre of mass", "ixx, iyy, izz", "determined only in sums"], found.links.map((l, k) => [l.name,
        pm(l.mass, l.sigma.mass, alone(l, "mass")), Format.number(data.maker_mass[k]), l.com.map((x, i) => pm(x, l.sigma.com[i], alone(l, "com"))).join(", "), [0, 3, 5].map(i => pm(l.inertia[i], l.sigma.inertia[i], alone(l, "inertia"))).join(", "), l.untold.join(", ") || "\u2013"]))),
      card("Base parameters, on which the torque depends", table(["sum", "identified", "maker's", "determined"], found.base.map(b => [b.sum, pm(b.value, b.sigma), Format.number(b.maker), b.told ? "yes" : "no"]))),
      card("Cross-validation: error of left-out blocks over the prior's weight", make("div", { className: "plots" }, plot("log10 of the squared error, in noise", "log10 of the weight", tried))));
  }

  head();
  build();
  choice();
  worst();
  identification();
  transport();
  fill();
  addEventListener("resize", () => { for (const c of charts) c.draw(); show(); });
})();
