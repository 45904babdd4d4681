// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Plots on 2D canvases: lines or stacked areas over time with a shared cursor, and histograms. No library.
"use strict";

const Format = {
  superscript: n => String(n).replace(/[-0-9]/g, c => c === "-" ? "\u207b" : "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"[+c]),
  // Three significant digits; powers of ten if the number is far from one.
  number(x, digits = 3) {
    if (x === null || x === undefined || !Number.isFinite(x)) return "\u2013";
    if (x === 0) return "0";
    const size = Math.abs(x), power = Math.floor(Math.log10(size) + 1e-12);
    if (power >= -3 && power < 5) return x.toFixed(Math.max(0, digits - 1 - power)).replace("-", "\u2212");
    const factor = (x / 10 ** power).toFixed(digits - 1).replace("-", "\u2212");
    return `${factor}\u00b710${Format.superscript(power)}`;
  },
  nanoseconds(ns, digits = 3) {
    if (!Number.isFinite(ns)) return "\u2013";
    const [factor, unit] = ns >= 1e9 ? [1e9, "s"] : ns >= 1e6 ? [1e6, "ms"] : ns >= 1e3 ? [1e3, "\u00b5s"] : [1, "ns"];
    return `${Format.number(ns / factor, digits)} ${unit}`;
  },
  seconds: t => `${t.toFixed(3)} s`,
};

const Theme = {
  read() {
    const style = getComputedStyle(document.documentElement), get = n => style.getPropertyValue(n).trim();
    Theme.dark = matchMedia("(prefers-color-scheme: dark)").matches;
    for (const n of ["ink", "soft", "line", "grid", "card", "accent", "warn", "bad"]) Theme[n] = get(`--${n}`);
    Theme.series = Theme.dark
      ? ["#6ea6ff", "#ff9d4d", "#57d28b", "#ff7b93", "#b59bff", "#f2d15c", "#4fd0d6", "#d99be0", "#a3b86c", "#c9a58a"]
      : ["#2468d8", "#e2711d", "#15924f", "#d4355b", "#7a4fd0", "#b08900", "#0f8f98", "#a8449f", "#657d1f", "#8a5a3b"];
  },
  color: k => Theme.series[k % Theme.series.length],
};

function niceStep(span, count) {
  const raw = span / count, power = 10 ** Math.floor(Math.log10(raw)), f = raw / power;
  return power * (f < 1.5 ? 1 : f < 3.5 ? 2 : f < 7.5 ? 5 : 10);
}

// A common power of ten for an axis whose numbers are far from one.
function axisPower(low, high) {
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (!size) return 0;
  const power = Math.floor(Math.log10(size));
  return power >= -2 && power < 4 ? 0 : power;
}

class Chart {
  // options: title, unit, log, wide, stacked, control (an element for the heading)
  constructor(parent, options) {
    Object.assign(this, { lines: [], events: [], strips: [], from: 0, to: 1 }, options);
    this.card = document.createElement("section");
    this.card.className = "card" + (options.wide ? " wide" : "");
    const head = document.createElement("header");
    head.innerHTML = "<h2></h2>";
    head.firstChild.textContent = this.title;
    if (options.control) head.append(options.control);
    this.legend = document.createElement("div");
    this.legend.className = "legend";
    head.append(this.legend);
    this.canvas = document.createElement("canvas");
    this.canvas.className = "chart";
    this.over = document.createElement("canvas");  // the cursor's, so that the plot need not be drawn again
    const box = document.createElement("div");
    box.className = "plot";
    box.append(this.canvas, this.over);
    this.card.append(head, box);
    parent.append(this.card);
    this.listen();
  }
  listen() {
    const time = e => {
      const box = this.canvas.getBoundingClientRect();
      const t = this.from + (e.clientX - box.left - this.left) / (box.width - this.left - this.right) * (this.to - this.from);
      return Math.max(this.from, Math.min(this.to, t));
    };
    this.canvas.addEventListener("pointermove", e => this.hover?.(time(e)));
    this.canvas.addEventListener("pointerleave", () => this.hover?.(null));
    this.canvas.addEventListener("pointerdown", e => this.seek?.(time(e)));
  }
  get left() { return 58; }
  get right() { return 12; }
  get top() { return this.events.length ? 30 + 14 * (this.eventRows || 0) : 12; }
  get bottom() { return 30 + (this.strips.length ? 18 : 0); }

  // lines: [{name, values, time, color, dash, width, area}]; time ascending.
  set(lines) { this.lines = lines; this.scale(); this.names(); }
  scale() {
    let low = Infinity, high = -Infinity;
    const take = x => { if (Number.isFinite(x) && (!this.log || x > 0)) { if (x < low) low = x; if (x > high) high = x; } };
    if (this.stacked) this.stack(take);
    for (const l of this.lines) if (!this.stacked || !l.area) for (const x of l.values) take(x);
    if (this.log) {
      for (const m of this.levels || []) take(m.value);
      if (low > high) { low = 1e-16; high = 1e-10; }
      this.low = Math.floor(Math.log10(low) - 0.1); this.high = Math.ceil(Math.log10(high) + 0.1);
      return;
    }
    if (low > high) { low = -1; high = 1; }
    if (low === high) { const d = Math.abs(low) * 0.1 || 1; low -= d; high += d; }
    const margin = 0.06 * (high - low);
    this.low = low - margin; this.high = high + margin;
  }
  // Stacked areas: positive values upwards, negative ones downwards.
  stack(take) {
    const areas = this.lines.filter(l => l.area), n = areas.length ? areas[0].values.length : 0;
    const up = new Float64Array(n), down = new Float64Array(n);
    take(0);
    for (const l of areas) {
      l.bottomEdge = new Float64Array(n); l.topEdge = new Float64Array(n);
      for (let r = 0; r < n; ++r) {
        const x = l.values[r], sum = x >= 0 ? up : down;
        l.bottomEdge[r] = sum[r];
        sum[r] += Number.isFinite(x) ? x : 0;
        l.topEdge[r] = sum[r];
        take(sum[r]);
      }
    }
  }
  names() {
    this.legend.replaceChildren(...this.lines.filter(l => l.name).map(l => {
      const item = document.createElement("span");
      item.innerHTML = "<i></i><span></span><b></b>";
      item.style.setProperty("--c", l.color);
      item.children[1].textContent = l.name;
      l.output = item.lastChild;
      return item;
    }));
  }
  x(t) { return this.left + (t - this.from) / (this.to - this.from) * (this.width - this.left - this.right); }
  y(v) {
    const f = this.log ? (v > 0 ? (Math.log10(v) - this.low) / (this.high - this.low) : 0) : (v - this.low) / (this.high - this.low);
    return this.height - this.bottom - Math.max(-0.02, Math.min(1.02, f)) * (this.height - this.top - this.bottom);
  }
  draw() {
    const c = this.canvas, ratio = Math.min(2, devicePixelRatio || 1);
    this.width = c.clientWidth; this.height = c.clientHeight;
    if (!this.width) return;
    this.ratio = ratio;
    c.width = Math.round(this.width * ratio); c.height = Math.round(this.height * ratio);
    const g = c.getContext("2d");
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.font = "12px system-ui, sans-serif";
    this.placeEvents(g);
    this.axes(g);
    this.drawStrips(g);
    this.drawEvents(g);
    g.save();
    g.beginPath(); g.rect(this.left, this.top, this.width - this.left - this.right, this.height - this.top - this.bottom); g.clip();
    for (const l of this.lines) if (this.stacked && l.area) this.fill(g, l);
    for (const l of this.lines) if (!this.stacked || !l.area) this.line(g, l);
    g.restore();
    this.over.width = c.width; this.over.height = c.height;
    this.cursor(this.time ?? null);
  }
  axes(g) {
    const bottom = this.height - this.bottom;
    g.lineWidth = 1; g.textBaseline = "middle"; g.textAlign = "right";
    const tick = (y, label, strong) => {
      g.strokeStyle = strong ? Theme.line : Theme.grid;
      g.beginPath(); g.moveTo(this.left, Math.round(y) + 0.5); g.lineTo(this.width - this.right, Math.round(y) + 0.5); g.stroke();
      g.fillStyle = Theme.soft;
      g.fillText(label, this.left - 8, y);
    };
    let unit = this.unit;
    if (this.log) {
      const step = Math.max(1, Math.ceil((this.high - this.low) / 6));
      for (let p = this.low; p <= this.high; p += step) tick(this.y(10 ** p), `10${Format.superscript(p)}`, false);
    } else {
      const power = axisPower(this.low, this.high), factor = 10 ** power;
      const step = niceStep((this.high - this.low) / factor, 5), digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
      for (let k = Math.ceil(this.low / factor / step - 1e-9); k * step * factor <= this.high; ++k) {
        tick(this.y(k * step * factor), (k * step).toFixed(digits).replace("-", "\u2212"), k === 0);
      }
      if (power) unit = `10${Format.superscript(power)} ${unit}`;
    }
    for (const m of this.levels || []) {
      const y = this.y(m.value);
      g.strokeStyle = Theme.bad; g.setLineDash([6, 4]);
      g.beginPath(); g.moveTo(this.left, y); g.lineTo(this.width - this.right, y); g.stroke();
      g.setLineDash([]); g.fillStyle = Theme.bad; g.textAlign = "left";
      g.fillText(m.name, this.left + 6, y - 8); g.textAlign = "right";
    }
    this.unitText(g, unit);
    this.timeAxis(g, bottom);
  }
  unitText(g, unit) {
    g.save();
    g.translate(11, this.top + (this.height - this.top - this.bottom) / 2);
    g.rotate(-Math.PI / 2);
    g.textAlign = "center"; g.fillStyle = Theme.soft;
    g.fillText(unit, 0, 0);
    g.restore();
  }
  timeAxis(g, bottom) {
    const step = niceStep(this.to - this.from, Math.max(3, this.width / 110)), digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    g.textAlign = "center"; g.textBaseline = "top"; g.fillStyle = Theme.soft;
    const last = Math.floor(this.to / step + 1e-9);
    for (let k = Math.ceil(this.from / step - 1e-9); k <= last; ++k) {
      const x = this.x(k * step);
      g.strokeStyle = Theme.grid;
      g.beginPath(); g.moveTo(Math.round(x) + 0.5, this.top); g.lineTo(Math.round(x) + 0.5, bottom); g.stroke();
      g.fillText((k * step).toFixed(digits) + (k === last ? " s" : ""), Math.min(x, this.width - this.right - 8), this.height - 16);
    }
  }
  // Each label is drawn in the first row that has room for it.
  placeEvents(g) {
    const ends = [];
    this.eventRows = 0;
    for (const e of this.events) {
      e.label = e.label.replace("jsim_algorithm = ", "M: ").replace("coriolis_algorithm = ", "C: ");
      e.short = e.label.length > 30 ? e.label.slice(0, 29) + "\u2026" : e.label;
      const room = g.measureText(e.short).width + 12;
      e.at = Math.min(this.x(e.time), this.width - this.right - room + 6);
      let row = ends.findIndex(end => end < e.at - 4);
      if (row < 0) row = ends.length;
      e.row = row < 4 ? row : -1;
      if (e.row >= 0) { ends[row] = e.at + room; this.eventRows = Math.max(this.eventRows, row); }
    }
  }
  drawEvents(g) {
    g.textAlign = "left"; g.textBaseline = "middle";
    for (const e of this.events) {
      const x = Math.round(this.x(e.time)) + 0.5, y = 12 + 14 * Math.max(e.row, 0);
      g.strokeStyle = e.error ? Theme.bad : Theme.warn; g.globalAlpha = 0.75; g.setLineDash([3, 3]);
      g.beginPath(); g.moveTo(x, e.row < 0 ? this.top : y + 7); g.lineTo(x, this.height - this.bottom); g.stroke();
      g.setLineDash([]); g.globalAlpha = 1;
      g.fillStyle = e.error ? Theme.bad : Theme.warn;
      if (e.row >= 0) g.fillText(e.short, Math.max(this.left, e.at - 3), y);
    }
  }
  // Bands below the plot: [{from, to, color, label}].
  drawStrips(g) {
    const y = this.height - this.bottom + 5;
    g.textBaseline = "middle"; g.textAlign = "center";
    for (const s of this.strips) {
      const a = this.x(s.from), b = this.x(s.to);
      g.globalAlpha = 0.22; g.fillStyle = s.color;
      g.fillRect(a, y, Math.max(b - a - 1, 1), 13);
      g.globalAlpha = 1;
      if (g.measureText(s.label).width + 6 < b - a) { g.fillStyle = Theme.ink; g.fillText(s.label, (a + b) / 2, y + 7); }
    }
  }
  line(g, l) {
    g.strokeStyle = l.color; g.lineWidth = l.width || 1.6; g.lineJoin = "round";
    g.setLineDash(l.dash || []);
    g.beginPath();
    let pen = false;
    for (let r = 0; r < l.time.length; ++r) {
      const v = l.values[r];
      if (!Number.isFinite(v) || (this.log && v <= 0)) { pen = false; continue; }
      if (pen) g.lineTo(this.x(l.time[r]), this.y(v)); else g.moveTo(this.x(l.time[r]), this.y(v));
      pen = true;
    }
    g.stroke();
    g.setLineDash([]);
  }
  fill(g, l) {
    const n = l.time.length;
    g.beginPath();
    for (let r = 0; r < n; ++r) g.lineTo(this.x(l.time[r]), this.y(l.topEdge[r]));
    for (let r = n - 1; r >= 0; --r) g.lineTo(this.x(l.time[r]), this.y(l.bottomEdge[r]));
    g.closePath();
    g.fillStyle = l.color; g.globalAlpha = 0.72; g.fill(); g.globalAlpha = 1;
  }
  // The cursor, and the values under it in the legend.
  cursor(t) {
    this.time = t;
    if (!this.width) return;
    const g = this.over.getContext("2d");
    g.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    g.clearRect(0, 0, this.width, this.height);
    if (t === null) { for (const l of this.lines) if (l.output) l.output.textContent = ""; return; }
    const x = this.x(Math.max(this.from, Math.min(this.to, t)));
    g.strokeStyle = Theme.ink; g.globalAlpha = 0.55; g.lineWidth = 1;
    g.beginPath(); g.moveTo(x, this.top); g.lineTo(x, this.height - this.bottom); g.stroke();
    g.globalAlpha = 1;
    for (const l of this.lines) {
      if (!l.time.length) continue;
      const r = SceneView.row(l.time, t), v = l.values[r];
      if (l.output) l.output.textContent = Format.number(v);
      if (!Number.isFinite(v) || (this.stacked && l.area)) continue;
      g.fillStyle = l.color;
      g.beginPath(); g.arc(x, this.y(v), 3, 0, 7); g.fill();
    }
  }
}

// Counts in logarithmic bins of nanoseconds.
function drawHistogram(parent, title, bins, marks) {
  const card = document.createElement("section");
  card.className = "card";
  card.innerHTML = '<header><h2></h2><div class="legend"></div></header><canvas class="chart"></canvas>';
  card.querySelector("h2").textContent = title;
  parent.append(card);
  card.querySelector(".legend").replaceChildren(...marks.map(([name, ns]) => {
    const item = document.createElement("span");
    item.append(`${name} `, Object.assign(document.createElement("b"), { textContent: Format.nanoseconds(ns) }));
    return item;
  }));
  const canvas = card.querySelector("canvas");
  canvas.style.cursor = "default";
  return () => {
    const ratio = Math.min(2, devicePixelRatio || 1), width = canvas.clientWidth, height = canvas.clientHeight;
    canvas.width = width * ratio; canvas.height = height * ratio;
    const g = canvas.getContext("2d"), left = 58, right = 12, top = 22, bottom = 30;
    g.scale(ratio, ratio);
    g.font = "12px system-ui, sans-serif";
    const used = bins.counts.map((n, k) => n ? k : -1).filter(k => k >= 0);
    if (!used.length) { g.fillStyle = Theme.soft; g.fillText("not measured in this run", left, height / 2); return; }
    const last = Math.max(used.at(-1) + 1, ...marks.map(m => m[1] > 0 ? Math.log10(m[1]) * bins.per_decade : 0));
    const low = Math.max(0, used[0] - 2), high = last + 2, most = Math.ceil(Math.log10(Math.max(...bins.counts)) + 0.05);
    const x = k => left + (k - low) / (high - low) * (width - left - right);
    const y = n => height - bottom - (n > 0 ? (Math.log10(n) + 0.4) / (Math.max(most, 1) + 0.4) : 0) * (height - top - bottom);
    g.textAlign = "right"; g.textBaseline = "middle";
    for (let p = 0; p <= Math.max(most, 1); ++p) {
      g.strokeStyle = Theme.grid;
      g.beginPath(); g.moveTo(left, Math.round(y(10 ** p)) + 0.5); g.lineTo(width - right, Math.round(y(10 ** p)) + 0.5); g.stroke();
      g.fillStyle = Theme.soft;
      g.fillText(p < 4 ? String(10 ** p) : `10${Format.superscript(p)}`, left - 8, y(10 ** p));
    }
    g.textAlign = "center"; g.textBaseline = "top";
    const ticks = [];
    for (let p = 0; p < 10; ++p) for (const m of [1, 2, 5]) ticks.push(m * 10 ** p);
    const wide = (high - low) / bins.per_decade > 2.2;
    for (const t of ticks) {
      const k = Math.log10(t) * bins.per_decade;
      if (k < low || k > high || (wide && Math.abs(Math.log10(t) % 1) > 1e-9)) continue;
      g.strokeStyle = Theme.grid;
      g.beginPath(); g.moveTo(x(k), top); g.lineTo(x(k), height - bottom); g.stroke();
      g.fillText(Format.nanoseconds(t, 1), x(k), height - bottom + 7);
    }
    g.fillStyle = Theme.accent;
    bins.counts.forEach((n, k) => { if (n) g.fillRect(x(k) + 0.5, y(n), Math.max(x(k + 1) - x(k) - 1, 1), height - bottom - y(n)); });
    for (const [name, ns] of marks) {
      if (!(ns > 0)) continue;
      const at = x(Math.log10(ns) * bins.per_decade);
      g.strokeStyle = Theme.warn; g.setLineDash([3, 3]);
      g.beginPath(); g.moveTo(at, top - 4); g.lineTo(at, height - bottom); g.stroke();
      g.setLineDash([]);
      g.fillStyle = Theme.warn; g.textBaseline = "bottom";
      if (name === "p50" || name === "max") g.fillText(name, Math.min(at, width - right - 10), top - 5);
    }
    g.save();
    g.translate(11, top + (height - top - bottom) / 2); g.rotate(-Math.PI / 2);
    g.fillStyle = Theme.soft; g.textBaseline = "middle"; g.fillText("cycles", 0, 0);
    g.restore();
  };
}
