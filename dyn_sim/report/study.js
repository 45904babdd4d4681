// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Plots of a study that one can zoom: a box drawn with the pointer, the wheel, a double click for all of it. No library.
// Without scripts the page shows the same figures as SVG.
"use strict";

const colours = ["#1f5fa8", "#d9541e", "#2a8f4a", "#8a4fb0", "#b08a00", "#c22f6b", "#2f9bb0", "#6b6b6b", "#7a3b12"];
const ink = name => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

function niceStep(span, count) {
  const rough = span / count, power = 10 ** Math.floor(Math.log10(rough)), digit = rough / power;
  return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

const text = x => x === 0 ? "0" : Math.abs(x) >= 1e5 || Math.abs(x) < 1e-3 ? x.toExponential(3).replace(/\.?0+e/, "e") : String(+x.toPrecision(6));

class Plot {
  constructor(place, figure) {
    Object.assign(this, figure, { place, hidden: new Set() });
    this.canvas = document.createElement("canvas");
    if (figure.equal) this.canvas.className = "square";
    this.readout = document.createElement("output");
    this.names = document.createElement("div");
    this.names.className = "names";
    place.replaceChildren(this.names, this.canvas, this.readout);
    figure.series.forEach((s, k) => this.name(s, k));
    this.all();
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }
  name(series, k) {
    const chip = document.createElement("button");
    chip.className = "chip on";
    chip.style.setProperty("--c", colours[k % colours.length]);
    chip.append(document.createElement("i"), series.name);
    chip.onclick = () => {
      chip.classList.toggle("on");
      if (!this.hidden.delete(k)) this.hidden.add(k);
      this.draw();
    };
    this.names.append(chip);
  }
  scaled(y) { return this.log ? (y > 0 ? Math.log10(y) : NaN) : y; }
  // The box that shows everything: [x0, x1, y0, y1], y scaled.
  all() {
    let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const x of this.x) { x0 = Math.min(x0, x); x1 = Math.max(x1, x); }
    for (const s of this.series) for (const v of s.y) {
      const y = this.scaled(v);
      if (Number.isFinite(y)) { y0 = Math.min(y0, y); y1 = Math.max(y1, y); }
    }
    if (!(y0 <= y1)) [y0, y1] = [0, 1];
    const margin = 0.04 * (y1 - y0) || 0.5;
    this.box = [x0, x1 > x0 ? x1 : x0 + 1, y0 - margin, y1 + margin];
  }
  listen() {
    const c = this.canvas, at = e => { const r = c.getBoundingClientRect(); return [e.clientX - r.left, e.clientY - r.top]; };
    c.onpointerdown = e => { this.from = at(e); c.setPointerCapture(e.pointerId); };
    c.onpointermove = e => { this.to = at(e); this.tell(this.to); if (this.from) this.draw(); };
    c.onpointerup = e => {
      const [a, b] = [this.from, at(e)];
      this.from = null;
      if (a && Math.abs(a[0] - b[0]) > 6 && Math.abs(a[1] - b[1]) > 6) {
        const [p, q] = [this.value(a), this.value(b)];
        this.box = [Math.min(p[0], q[0]), Math.max(p[0], q[0]), Math.min(p[1], q[1]), Math.max(p[1], q[1])];
      }
      this.draw();
    };
    c.ondblclick = () => { this.all(); this.draw(); };
    c.onwheel = e => {
      e.preventDefault();
      const [x, y] = this.value(at(e)), f = e.deltaY > 0 ? 1.25 : 0.8, [x0, x1, y0, y1] = this.box;
      this.box = [x + (x0 - x) * f, x + (x1 - x) * f, y + (y0 - y) * f, y + (y1 - y) * f];
      this.draw();
    };
  }
  edges() { return [72, this.canvas.clientWidth - 14, this.canvas.clientHeight - 44, 12]; }  // left, right, bottom, top
  seen() {
    if (!this.equal) return this.box;
    const [l, r, b, t] = this.edges(), [x0, x1, y0, y1] = this.box;
    const unit = Math.max((x1 - x0) / (r - l), (y1 - y0) / (b - t)), w = unit * (r - l) / 2, h = unit * (b - t) / 2;
    return [(x0 + x1) / 2 - w, (x0 + x1) / 2 + w, (y0 + y1) / 2 - h, (y0 + y1) / 2 + h];
  }
  value([px, py]) {
    const [l, r, b, t] = this.edges(), [x0, x1, y0, y1] = this.seen();
    return [x0 + (px - l) / (r - l) * (x1 - x0), y0 + (b - py) / (b - t) * (y1 - y0)];
  }
  tell(pixel) {
    const x = this.value(pixel)[0];
    let k = 0;
    this.x.forEach((v, i) => { if (Math.abs(v - x) < Math.abs(this.x[k] - x)) k = i; });
    const values = this.series.map((s, i) => this.hidden.has(i) || s.y[k] === null ? "" : `${s.name} ${text(s.y[k])}`);
    this.readout.textContent = `${this.xLabel}: ${text(this.x[k])}   ${values.filter(Boolean).join("   ")}`;
  }
  draw() {
    const c = this.canvas, ratio = Math.min(2, devicePixelRatio || 1), w = c.clientWidth, h = c.clientHeight;
    if (!w) return;
    [c.width, c.height] = [w * ratio, h * ratio];
    const g = c.getContext("2d"), [l, r, b, t] = this.edges(), [x0, x1, y0, y1] = this.seen();
    g.scale(ratio, ratio);
    g.font = "12px system-ui, sans-serif";
    const px = x => l + (x - x0) / (x1 - x0) * (r - l), py = y => b - (y - y0) / (y1 - y0) * (b - t);
    this.axes(g, px, py);
    g.save();
    g.beginPath(); g.rect(l, t, r - l, b - t); g.clip();
    g.lineWidth = 1.6; g.lineJoin = "round";
    this.series.forEach((s, k) => {
      if (this.hidden.has(k)) return;
      g.strokeStyle = colours[k % colours.length];
      g.beginPath();
      let pen = false;
      s.y.forEach((v, i) => {
        const y = v === null ? NaN : this.scaled(v);
        if (!Number.isFinite(y)) { pen = false; return; }
        if (pen) g.lineTo(px(this.x[i]), py(y)); else g.moveTo(px(this.x[i]), py(y));
        pen = true;
      });
      g.stroke();
    });
    g.restore();
    if (this.from && this.to) {
      g.strokeStyle = ink("soft"); g.setLineDash([4, 3]);
      g.strokeRect(this.from[0], this.from[1], this.to[0] - this.from[0], this.to[1] - this.from[1]);
    }
  }
  axes(g, px, py) {
    const [l, r, b, t] = this.edges(), [x0, x1, y0, y1] = this.seen();
    g.lineWidth = 1; g.fillStyle = ink("soft"); g.strokeStyle = ink("grid");
    const ticks = (from, to, count, draw) => {
      const step = niceStep(to - from, count);
      for (let k = Math.ceil(from / step - 1e-9); k * step <= to; ++k) draw(k * step);
    };
    g.textAlign = "center"; g.textBaseline = "top";
    ticks(x0, x1, Math.max(3, (r - l) / 100), x => {
      g.beginPath(); g.moveTo(px(x), t); g.lineTo(px(x), b); g.stroke();
      g.fillText(text(+x.toPrecision(12)), px(x), b + 6);
    });
    g.fillText(this.xLabel, (l + r) / 2, b + 25);
    g.textAlign = "right"; g.textBaseline = "middle";
    ticks(y0, y1, 6, y => {
      g.beginPath(); g.moveTo(l, py(y)); g.lineTo(r, py(y)); g.stroke();
      g.fillText(this.log ? text(+(10 ** y).toPrecision(3)) : text(+y.toPrecision(12)), l - 6, py(y));
    });
    g.strokeStyle = ink("soft"); g.strokeRect(l, t, r - l, b - t);
    g.save();
    g.translate(10, (t + b) / 2); g.rotate(-Math.PI / 2); g.textAlign = "center"; g.textBaseline = "middle";
    g.fillText(this.yLabel, 0, 0);
    g.restore();
  }
}

const figures = JSON.parse(document.getElementById("data").textContent);
document.querySelectorAll("[data-figure]").forEach(place => new Plot(place, figures[+place.dataset.figure]));
