// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The page: unpacks the run's data, builds its parts and keeps one time cursor for all of them.
"use strict";

(() => {
  const run = JSON.parse($("data").textContent);
  Theme.read();

  // --- Unpacking --------------------------------------------------------------------------------------------------
  for (const arm of run.arms) {
    arm.time = floats(arm.time);
    for (const s of Object.keys(arm.signals)) {
      arm.signals[s] = arm.signals[s].map(v => typeof v === "number" ? new Float32Array(arm.time.length).fill(v) : floats(v));
    }
    for (const k of ["time", "M", "Cv", "g"]) arm.residuals[k] = floats(arm.residuals[k]);
    if (arm.frame) arm.frame.signals = arm.frame.signals.map(floats);  // in the order of FrameSignal
    arm.shown = new Set(arm.coordinates.keys());
    arm.term = 0;
  }
  const end = Math.max(1e-3, ...run.arms.map(a => a.time.length ? a.time.at(-1) : 0));
  const state = { time: 0, playing: false, arm: 0, hovered: null };
  const arm = () => run.arms[state.arm];
  const lengthUnit = list => [...new Set(list.map(c => c.linear ? "m" : "rad"))].join(", ") || "rad";
  const forceUnit = list => [...new Set(list.map(c => c.linear ? "N" : "N\u202fm"))].join(", ") || "N\u202fm";
  const pretty = name => String(name || "").replaceAll("_", " ");

  // Why the run failed, above everything else.
  function failures(list) {
    if (!list.length) return [];
    const lines = list.map(f => make("li", { textContent: `${f.arm ? `${f.arm}, ` : ""}${Format.seconds(f.time_s)}: ${f.cause}` }));
    return [make("div", { className: "failures" }, make("b", { textContent: "This run failed" }), make("ul", {}, ...lines))];
  }

  // --- Header -----------------------------------------------------------------------------------------------------
  function head() {
    const r = run.results, all = run.arms.flatMap(a => a.coordinates), v = r.validation;
    const sub = make("p", { className: "sub" });
    run.arms.forEach((a, k) => sub.append(k ? " \u00b7 " : "", make("b", { textContent: run.arms.length > 1 ? `${a.name} (${a.robot})` : a.robot || a.name }),
      ` ${pretty(a.law)}, M by ${a.jsim || "?"}, C by ${a.coriolis || "?"}, ${a.plant} plant`));
    if (r.rate_hz) sub.append(` \u00b7 ${r.rate_hz} Hz`);
    sub.append(` \u00b7 ${r.real_time ? "real time" : "faster than real time"}`, r.scheduling ? `, ${r.scheduling}` : "", r.interrupted ? " \u00b7 interrupted" : "");
    const figures = make("div", { className: "figures" });
    const figure = (name, value, unit, note, verdict = "") => figures.append(make("div", { className: `figure ${verdict}` },
      make("div", { className: "name", textContent: name }),
      make("div", { className: "value" }, value, unit ? make("small", { textContent: ` ${unit}` }) : ""),
      make("div", { className: "note", textContent: note || "" })));
    const unit = run.arms.every(a => a.frame) ? "m" : lengthUnit(all);
    figure("Tracking error, rms", Format.number(r.tracking.rms), unit, `largest ${Format.number(r.tracking.max)} ${unit}`);
    const cycles = r.cycles > 0 ? `${r.cycles.toLocaleString("en")} cycles in ` : "in ";  // 0: the loop of another program
    figure("Largest torque", Format.number(r.torque.max), forceUnit(all), `${cycles}${Format.number(r.duration_s)} s`);
    if (r.cycles > 0) figure("Cycle, median", Format.nanoseconds(r.update_ns.p50), "", `99.9 %: ${Format.nanoseconds(r.update_ns["p99.9"])}, worst ${Format.nanoseconds(r.update_ns.max)}`);
    if (r.real_time && r.cycles > 0) {
      const share = r.overruns / Math.max(r.cycles, 1);
      figure("Overruns", String(r.overruns), "", `${Format.number(100 * share, 2)} % of the cycles`, share < 1e-3 ? "good" : "bad");
    }
    if (r.allocations_in_loop !== null) figure("Allocations in the loop", String(r.allocations_in_loop), "", "counted in this run", r.allocations_in_loop ? "bad" : "good");
    const worst = Math.max(...Object.values(v.max_rel_error).map(x => x ?? Infinity));
    if (v.samples) figure("Against Pinocchio", Format.number(worst), "relative", `${v.samples.toLocaleString("en")} samples, ${v.breaches} out of tolerance`, v.breaches ? "bad" : "good");
    else figure("Against Pinocchio", "\u2013", "", v.unavailable_reason || "not checked in this run");
    $("head").append(make("h1", { textContent: document.title }), ...failures(r.failures || []), sub, figures);
  }

  // --- Time, transport, 3D ----------------------------------------------------------------------------------------
  const view = new SceneView($("scene"), run.arms, Theme.dark);
  if (!view.ok) $("readout").textContent = "This browser offers no WebGL: the arm cannot be drawn.";
  const icons = { play: '<svg viewBox="0 0 16 16"><path d="M4 2l10 6-10 6z"/></svg>', pause: '<svg viewBox="0 0 16 16"><path d="M3 2h4v12H3zM9 2h4v12H9z"/></svg>' };
  const flagNames = [[1, "torque limit"], [2, "collision"], [4, "payload ramp"], [8, "holding"], [16, "fallback"]];
  const valueAt = (list, t) => { let now = list.length ? list[0][1] : null; for (const [from, x] of list) if (from <= t) now = x; return now; };

  function readout() {
    if (!view.ok) return;
    const t = state.time, lines = run.arms.map(a => {
      const flags = valueAt(a.flags, t) || 0, carried = [...new Set(a.scene.links.filter(l => l.payload && l.from <= t && !(l.to <= t)).map(l => l.name.split("/")[0]))];
      const line = make("div", {}, run.arms.length > 1 ? `${a.name}  ` : "", make("span", { className: "badge", textContent: valueAt(a.algorithms, t) || a.jsim || "" }));
      for (const c of carried) line.append(make("span", { className: "badge", textContent: `carries ${c}` }));
      for (const [bit, name] of flagNames) if (flags & bit) line.append(make("span", { className: "badge alarm", textContent: name }));
      const row = SceneView.row(a.time, t), errors = SceneView.sample(a, "position_error", t).map(Math.abs);
      const error = a.frame ? a.frame.signals[6][row] : Math.max(0, ...errors);
      line.append(make("div", { textContent: `largest error ${Format.number(error)} ${a.frame ? "m" : lengthUnit(a.coordinates)}` }));
      if (a.scene.walls?.length && a.frame) {
        line.append(make("div", { textContent: `force of the walls ${Format.number(Math.hypot(...[11, 12, 13].map(s => a.frame.signals[s][row])))} N` }));
      }
      return line;
    });
    $("readout").replaceChildren(...lines);
  }
  function show() {
    $("scrub").value = state.time;
    $("clock").textContent = `${state.time.toFixed(2)} / ${end.toFixed(2)} s`;
    view.draw(state.time, { ghost: $("ghost").checked, magnify: Number($("magnify").value) });
    readout();
    for (const c of charts) c.cursor(state.time);
  }
  function go(t) { state.time = Math.max(0, Math.min(end, t)); show(); }
  function play(on) {
    state.playing = on;
    $("play").innerHTML = on ? icons.pause : icons.play;
    if (!on) return;
    if (state.time >= end - 1e-6) state.time = 0;
    let last = performance.now();
    const step = now => {
      if (!state.playing) return;
      state.time = Math.min(end, state.time + (now - last) / 1000 * Number($("speed").value));
      last = now;
      show();
      if (state.time >= end) play(false); else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }
  function transport() {
    $("scrub").max = end;
    $("play").onclick = () => play(!state.playing);
    $("scrub").oninput = () => { play(false); go(Number($("scrub").value)); };
    for (const id of ["ghost", "magnify"]) $(id).onchange = show;
    view.changed = () => { if (!state.playing) show(); };
    addEventListener("keydown", e => {
      if (/^(INPUT|SELECT|BUTTON)$/.test(e.target.tagName) && e.target.type !== "range") return;
      if (e.key === " ") { e.preventDefault(); play(!state.playing); }
      if (e.key === "ArrowRight") go(state.time + end / 200);
      if (e.key === "ArrowLeft") go(state.time - end / 200);
    });
    for (const a of run.arms) for (const e of a.events) {
      const mark = make("i", { title: e.label });
      mark.style.left = `${100 * Math.max(0, when(e)) / end}%`;
      $("marks").append(mark);
    }
    play(false);
  }

  // --- Charts -----------------------------------------------------------------------------------------------------
  const charts = [], when = e => e.applied >= 0 ? e.applied : e.planned;
  const select = (entries, on) => {
    const s = make("select");
    entries.forEach(([value, text]) => s.append(make("option", { value, textContent: text })));
    s.onchange = () => on(s.value);
    return s;
  };
  const terms = ["inertia", "coriolis", "gravity", "friction", "feedback"];
  let jointSelect, styleSelect;

  function build() {
    jointSelect = select([], v => { arm().term = Number(v); fill(); });
    styleSelect = select([["lines", "lines"], ["stacked", "stacked"]], () => fill());
    const add = (options, lines) => {
      const chart = new Chart($("charts"), { to: end, ...options });
      chart.provide = lines;
      chart.seek = t => { play(false); go(t); };
      chart.hover = t => { if (!state.playing && t !== null) go(t); };
      charts.push(chart);
    };
    const each = (signal, extra = {}) => a => [...a.shown].sort((x, y) => x - y).map(c => (
      { name: a.coordinates[c].name, values: a.signals[signal][c], time: a.time, color: Theme.color(c), ...extra }));
    const reference = a => each("q_reference", { dash: [5, 4], width: 1.2 })(a).map(l => ({ ...l, name: "" }));
    add({ title: "Position and reference (dashed)", unit: "length" }, a => [...each("q")(a), ...reference(a)]);
    add({ title: "Tracking error", unit: "length", frame: false }, each("position_error"));
    add({ title: "Torque by term", unit: "force", wide: true, control: make("span", {}, jointSelect, " ", styleSelect) }, a => [
      ...terms.map((t, k) => ({ name: t, values: a.signals[t][a.term], time: a.time, color: Theme.color(k + 1), area: true })),
      { name: "applied", values: a.signals.applied[a.term], time: a.time, color: Theme.ink, width: 1.4 }]);
    const sensed = a => each("sensed", { dash: [5, 4], width: 1.2 })(a).map(l => ({ ...l, name: "" }));
    add({ title: "Applied torque and torque sensors (dashed)", unit: "force" }, a => [...each("applied")(a), ...sensed(a)]);
    const axes = (a, first, extra = {}) => ["x", "y", "z"].map((name, k) => (
      { name: extra.dash ? "" : name, values: a.frame.signals[first + k], time: a.time, color: Theme.color(k), ...extra }));
    const dashed = { dash: [5, 4], width: 1.2 };
    add({ title: "Frame and its target (dashed)", unit: "m", frame: true }, a => [...axes(a, 0), ...axes(a, 3, dashed)]);
    add({ title: "Frame: distance from its target", unit: "m", frame: true }, a => [
      { name: a.frame.name, values: a.frame.signals[6], time: a.time, color: Theme.color(0) }]);
    add({ title: "Force of the walls on the arm, and demanded of it (dashed)", unit: "N", wide: true, frame: true },
      a => [...axes(a, 11), ...axes(a, 8, dashed)]);
    add({ title: "External torque, estimated", unit: "force" }, each("external"));
    add({ title: "Velocity", unit: "rate" }, each("v"));
    add({ title: "Difference from Pinocchio", unit: "relative", log: true }, a => ["M", "Cv", "g"].map((n, k) => (
      { name: n === "Cv" ? "C v" : n, values: a.residuals[n], time: a.residuals.time, color: Theme.color(k) })));
  }
  function fill() {
    const a = arm(), shown = [...a.shown].map(c => a.coordinates[c]);
    jointSelect.replaceChildren(...a.coordinates.map((c, k) => make("option", { value: k, textContent: c.name, selected: k === a.term })));
    const strips = a.algorithms.map(([from, name], k) => ({ from, to: k + 1 < a.algorithms.length ? a.algorithms[k + 1][0] : end, label: name }));
    const kinds = [...new Set(strips.map(s => s.label))];
    for (const s of strips) s.color = Theme.color(kinds.indexOf(s.label));
    const events = a.events.map(e => ({ time: when(e), label: e.label, error: e.error })).sort((x, y) => x.time - y.time);
    for (const c of charts) {
      c.kind ??= c.unit;
      const list = c.title === "Torque by term" ? [a.coordinates[a.term]].filter(Boolean) : shown;
      c.unit = { length: lengthUnit(list), rate: lengthUnit(list).replace(/rad|m/g, "$&/s"), force: forceUnit(list) }[c.kind] || c.kind;
      c.events = events;
      c.strips = kinds.length > 1 ? strips : [];
      c.stacked = c.title === "Torque by term" && styleSelect.value === "stacked";
      c.levels = c.log ? [{ value: a.validation?.tolerance || 1e-10, name: "tolerance" }] : [];
      if (c.log) c.card.style.display = a.residuals.time.length ? "" : "none";
      if (c.frame !== undefined) c.card.style.display = !!a.frame === c.frame ? "" : "none";  // of a frame, or of joints
      c.set(a.coordinates.length && (a.frame || !c.frame) ? c.provide(a) : []);
      c.time = state.time;
      c.draw();
    }
  }
  // Arms, and which joints the plots show.
  function choice() {
    const bar = $("choice"), a = arm();
    bar.replaceChildren();
    if (run.arms.length > 1) {
      run.arms.forEach((other, k) => bar.append(make("button", { className: `chip arm ${k === state.arm ? "on" : ""}`, textContent: other.name,
        onclick: () => { state.arm = k; choice(); fill(); eventTable(); show(); } })));
      bar.append(make("span", { className: "gap" }));
    }
    const all = () => a.shown.size === a.coordinates.length;
    a.coordinates.forEach((c, k) => {
      const chip = make("button", { className: `chip ${a.shown.has(k) ? "on" : ""}`, title: "click: this one; click again: all; with shift: add or take away" }, make("i"), c.name);
      chip.style.setProperty("--c", Theme.color(k));
      chip.onclick = e => {
        if (e.shiftKey || e.ctrlKey || e.metaKey) { if (!a.shown.delete(k)) a.shown.add(k); }
        else if (!all() && a.shown.size === 1 && a.shown.has(k)) a.shown = new Set(a.coordinates.keys());
        else { a.shown = new Set([k]); a.term = k; }
        choice(); fill();
      };
      bar.append(chip);
    });
    bar.append(make("button", { className: `chip ${all() ? "on" : ""}`, textContent: " all", onclick: () => { a.shown = new Set(a.coordinates.keys()); choice(); fill(); } }));
  }

  // --- Events, timing ---------------------------------------------------------------------------------------------
  function eventTable() {
    const list = arm().events;
    if (!list.length) { $("events").replaceChildren(make("p", { className: "note", textContent: "None in this run." })); return; }
    const body = make("tbody");
    for (const e of list) {
      const late = e.applied >= 0 ? `${Format.number(1e3 * (e.applied - e.planned))} ms` : "";
      const outcome = e.error || (e.applied >= 0 ? e.outcome || "done" : "not reached");
      body.append(make("tr", { onclick: () => { play(false); go(when(e)); } }, ...[Format.seconds(e.planned), e.applied >= 0 ? Format.seconds(e.applied) : "\u2013", late, e.label, outcome]
        .map((text, k) => make("td", { textContent: text, className: k === 4 ? (e.error || e.applied < 0 ? "bad" : "good") : "" }))));
    }
    const titles = ["planned", "applied", "after", "event", "outcome"].map(t => make("th", { textContent: t }));
    $("events").replaceChildren(make("table", {}, make("thead", {}, make("tr", {}, ...titles)), body));
  }
  function timing() {
    const marks = p => [["p50", p.p50], ["p99", p.p99], ["p99.9", p["p99.9"]], ["max", p.max]].map(([n, x]) => [n, x ?? NaN]);
    const r = run.results;
    const draws = [drawHistogram($("timing"), "Time of a control cycle", run.update, marks(r.update_ns))];
    if (run.wakeup.total && r.real_time) draws.push(drawHistogram($("timing"), "Wake-up later than asked", run.wakeup, marks(r.wakeup_ns)));
    return () => draws.forEach(d => d());
  }

  head();
  build();
  choice();
  const redrawTiming = timing();
  transport();
  const redraw = () => { fill(); redrawTiming(); show(); };
  let pending = 0;
  addEventListener("resize", () => { cancelAnimationFrame(pending); pending = requestAnimationFrame(redraw); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { Theme.read(); view.dark = Theme.dark; redraw(); });
  eventTable();
  redraw();
  // #t=2.5 opens the page at that time.
  const asked = /[#&]t=([0-9.]+)/.exec(location.hash);
  go(asked ? Number(asked[1]) : Math.min(end, 0.3 * end));
})();
