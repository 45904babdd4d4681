// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// A robot in 3D in a study's report: unpacks its motion, and plays it.
"use strict";

class SceneCard {
  constructor(card) {
    const arm = JSON.parse(card.querySelector("script").textContent);
    arm.time = floats(arm.time);
    arm.signals.q = arm.signals.q.map(floats);
    if (arm.scene.terrain) arm.scene.terrain.heights = floats(arm.scene.terrain.heights);
    this.arm = arm;
    [this.button, this.scrub, this.clock, this.speed, this.follow] =
      ["button", "input[type=range]", "output", "select", "input[type=checkbox]"].map(s => card.querySelector(s));
    this.view = new SceneView(card.querySelector("canvas"), [arm], matchMedia("(prefers-color-scheme: dark)").matches);
    if (!this.view.ok) card.querySelector(".hint").textContent = "This browser offers no WebGL: the robot cannot be drawn.";
    this.end = arm.time.at(-1);
    this.scrub.max = this.end;
    this.button.onclick = () => this.play(!this.playing);
    this.scrub.oninput = () => { this.play(false); this.show(Number(this.scrub.value)); };
    this.follow.onchange = () => { this.place(); this.show(this.time); };
    this.view.changed = () => { if (!this.playing) this.show(this.time); };
    new ResizeObserver(() => this.show(this.time)).observe(card.querySelector("canvas"));
    this.time = 0;
    this.place();
    this.play(false);
  }
  // The camera near the robot, or where it sees the whole motion.
  place() {
    const home = this.view.home;
    this.view.camera = { ...home, at: [...home.at], distance: this.follow.checked ? 0.7 * this.view.reach : home.distance };
  }
  show(time) {
    this.time = time;
    this.scrub.value = time;
    this.clock.textContent = `${time.toFixed(2)} / ${this.end.toFixed(2)} s`;
    if (this.follow.checked) this.view.camera.at = SceneView.sample(this.arm, "q", time).slice(0, 3);
    this.view.draw(time, { ghost: false, magnify: 1 });
  }
  play(on) {
    this.playing = on;
    this.button.innerHTML = on ? '<svg viewBox="0 0 16 16"><path d="M3 2h4v12H3zM9 2h4v12H9z"/></svg>'
      : '<svg viewBox="0 0 16 16"><path d="M4 2l10 6-10 6z"/></svg>';
    if (!on) return;
    if (this.time >= this.end) this.time = 0;
    let last = performance.now();
    const step = now => {
      if (!this.playing) return;
      this.show(Math.min(this.end, this.time + (now - last) / 1000 * Number(this.speed.value)));
      last = now;
      if (this.time >= this.end) this.play(false); else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }
}

document.querySelectorAll("[data-scene]").forEach(card => new SceneCard(card));
