// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// The arm in 3D: a small WebGL renderer. No library.
"use strict";

// --- Meshes: unit box, cylinder of radius 1 and length 1, sphere of radius 1, cone -----------------------------------
const Meshes = {
  box() {
    const v = [], i = [];
    for (let axis = 0; axis < 3; ++axis) for (const sign of [-1, 1]) {
      const n = [0, 0, 0], a = [0, 0, 0], b = [0, 0, 0], k = v.length / 6;
      n[axis] = sign; a[(axis + 1) % 3] = 0.5; b[(axis + 2) % 3] = 0.5 * sign;
      for (const [s, t] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
        v.push(...n.map((x, d) => 0.5 * x + s * a[d] + t * b[d]), ...n);
      }
      i.push(k, k + 1, k + 2, k, k + 2, k + 3);
    }
    return { v, i };
  },
  // Turned profile: [radius, z, normal's radial part, normal's z] pairs, each pair one band.
  turned(bands, n) {
    const v = [], i = [];
    for (const band of bands) for (let k = 0; k <= n; ++k) {
      const c = Math.cos(2 * Math.PI * k / n), s = Math.sin(2 * Math.PI * k / n), at = v.length / 6;
      for (const [r, z, nr, nz] of band) v.push(r * c, r * s, z, nr * c, nr * s, nz);
      if (k < n) i.push(at, at + 2, at + 1, at + 1, at + 2, at + 3);
    }
    return { v, i };
  },
  cylinder() {  // edges rounded a little by normals: caps are flat
    return Meshes.turned([[[1, -0.5, 1, 0], [1, 0.5, 1, 0]], [[1, 0.5, 0, 1], [0, 0.5, 0, 1]], [[0, -0.5, 0, -1], [1, -0.5, 0, -1]]], 40);
  },
  cone() {
    return Meshes.turned([[[1, 0, 0.8, 0.6], [0, 1, 0.8, 0.6]], [[0, 0, 0, -1], [1, 0, 0, -1]]], 28);
  },
  sphere() {
    const bands = [], n = 20, at = k => -Math.PI / 2 + Math.PI * k / n;
    for (let k = 0; k < n; ++k) {
      bands.push([at(k), at(k + 1)].map(t => [Math.cos(t), Math.sin(t), Math.cos(t), Math.sin(t)]));
    }
    return Meshes.turned(bands, 32);
  },
};

const vertexShader = `
attribute vec3 position; attribute vec3 normal;
uniform mat4 view_projection, model;
varying vec3 n, world;
void main() {
  vec4 w = model * vec4(position, 1.0);
  world = w.xyz;
  vec3 sx = model[0].xyz, sy = model[1].xyz, sz = model[2].xyz;  // scaled: normals by the inverse transpose
  n = sx * normal.x / max(dot(sx, sx), 1e-12) + sy * normal.y / max(dot(sy, sy), 1e-12) + sz * normal.z / max(dot(sz, sz), 1e-12);
  gl_Position = view_projection * w;
}`;
const fragmentShader = `
precision highp float;
uniform vec4 color; uniform vec3 eye, fade_centre; uniform float mode, fade;
varying vec3 n, world;
void main() {
  if (mode > 0.5) {  // unlit; fading with the distance
    float a = color.a * (1.0 - smoothstep(0.35 * fade, fade, distance(world.xy, fade_centre.xy)));
    gl_FragColor = vec4(color.rgb * a, a);
    return;
  }
  vec3 N = normalize(n), V = normalize(eye - world);
  if (dot(N, V) < 0.0) N = -N;
  vec3 key = normalize(vec3(0.45, -0.55, 0.85)), fill = normalize(vec3(-0.7, 0.4, 0.25));
  float light = 0.32 + 0.08 * N.z + 0.50 * max(dot(N, key), 0.0) + 0.14 * max(dot(N, fill), 0.0);
  float shine = 0.16 * pow(max(dot(N, normalize(key + V)), 0.0), 40.0);
  float edge = 0.28 * pow(1.0 - max(dot(N, V), 0.0), 3.0);  // darker outlines: white parts stand out from a white room
  vec3 c = color.rgb * light * (1.0 - edge) + shine;
  gl_FragColor = vec4(c * color.a, color.a);
}`;

const FIELD = 0.62;  // rad, of view from bottom to top

class SceneView {
  constructor(canvas, arms, dark) {
    this.canvas = canvas;
    this.dark = dark;
    const options = { antialias: true, stencil: true, alpha: true, premultipliedAlpha: true, preserveDrawingBuffer: true };
    const gl = this.gl = canvas.getContext("webgl", options);
    this.ok = !!gl;
    this.reach = Math.max(0.2, ...arms.map(a => a.scene.reach));
    const spacing = 1.1 * this.reach;
    this.arms = arms.map((arm, k) => {
      const base = Mat.move(0, -(k - (arms.length - 1) / 2) * spacing, 0);
      return { arm, base, skeleton: new Skeleton(arm.scene, base) };
    });
    this.frame();
    if (gl) this.prepare();
    this.orbit();
  }
  prepare() {
    const gl = this.gl, program = this.program = gl.createProgram();
    for (const [type, text] of [[gl.VERTEX_SHADER, vertexShader], [gl.FRAGMENT_SHADER, fragmentShader]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    gl.useProgram(program);
    this.at = {};
    for (const u of ["view_projection", "model", "color", "eye", "mode", "fade", "fade_centre"]) this.at[u] = gl.getUniformLocation(program, u);
    this.position = gl.getAttribLocation(program, "position");
    this.normal = gl.getAttribLocation(program, "normal");
    this.mesh = {};
    for (const name of ["box", "cylinder", "sphere", "cone"]) this.mesh[name] = this.upload(Meshes[name]());
    this.grid = this.upload(this.gridLines());
    this.plate = this.upload({ v: [-1, -1, 0, 0, 0, 1, 1, -1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, -1, 1, 0, 0, 0, 1], i: [0, 1, 2, 0, 2, 3] });
    this.trail = gl.createBuffer();
    for (const { arm } of this.arms) if (arm.scene.terrain) this.terrain = this.upload(SceneView.surface(arm.scene.terrain));
  }
  // Heights over a grid, with the normals of the slopes between neighbours.
  static surface({ x, y, step, count, heights }) {
    const v = [], i = [], at = (r, c) => heights[Math.max(0, Math.min(count - 1, r)) * count + Math.max(0, Math.min(count - 1, c))];
    for (let r = 0; r < count; ++r) for (let c = 0; c < count; ++c) {
      const n = Vec.unit([at(r, c - 1) - at(r, c + 1), at(r - 1, c) - at(r + 1, c), 2 * step]);
      v.push(x + c * step, y + r * step, at(r, c), ...n);
      const k = r * count + c;
      if (r + 1 < count && c + 1 < count) i.push(k, k + 1, k + count, k + 1, k + count + 1, k + count);
    }
    return { v, i };
  }
  upload({ v, i }) {
    const gl = this.gl, mesh = { count: i ? i.length : v.length / 6, vertices: gl.createBuffer() };
    gl.bindBuffer(gl.ARRAY_BUFFER, mesh.vertices);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(v), gl.STATIC_DRAW);
    if (i) {
      mesh.indices = gl.createBuffer();
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, mesh.indices);
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint16Array(i), gl.STATIC_DRAW);
    }
    return mesh;
  }
  gridLines() {
    const v = [], step = this.gridStep = this.reach > 1.6 ? 0.5 : this.reach > 0.5 ? 0.1 * 2 : 0.05, n = 24;
    for (let k = -n; k <= n; ++k) {
      v.push(k * step, -n * step, 0, 0, 0, 1, k * step, n * step, 0, 0, 0, 1);
      v.push(-n * step, k * step, 0, 0, 0, 1, n * step, k * step, 0, 0, 0, 1);
    }
    return { v };
  }
  // Looks at the middle of everything that the arms do.
  frame() {
    let low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (const { arm, skeleton } of this.arms) {
      const rows = arm.time.length, step = Math.max(1, Math.floor(rows / 60));
      for (let r = 0; r < Math.max(rows, 1); r += step) {
        for (const [name, m] of skeleton.poses(arm.signals.q.map(s => s[r] || 0))) {
          if (skeleton.floats.has(name)) continue;
          for (let d = 0; d < 3; ++d) { low[d] = Math.min(low[d], m[12 + d]); high[d] = Math.max(high[d], m[12 + d]); }
        }
      }
    }
    this.ground = Math.min(0, low[2] < -0.02 ? low[2] - 0.08 * this.reach : 0);
    low[2] = Math.min(low[2], this.ground);
    this.box = { low, high };
    this.home = { at: low.map((l, d) => (l + high[d]) / 2), azimuth: this.arms.length > 1 ? -0.35 : -0.9, height: 0.3 };
    this.home.distance = this.fit(16 / 9);
    this.camera = { ...this.home, at: [...this.home.at] };
  }
  // The distance from which the whole box is seen, links' thickness included.
  fit(aspect) {
    const { at, azimuth: a, height: h } = this.home, up = Math.tan(FIELD / 2), across = up * aspect, margin = 0.1 * this.reach;
    const right = [-Math.sin(a), Math.cos(a), 0], back = [Math.cos(h) * Math.cos(a), Math.cos(h) * Math.sin(a), Math.sin(h)];
    const top = [-Math.sin(h) * Math.cos(a), -Math.sin(h) * Math.sin(a), Math.cos(h)], dot = (u, v) => u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
    let far = 0.3 * this.reach;
    for (let k = 0; k < 8; ++k) {
      const p = at.map((x, d) => (k >> d & 1 ? this.box.high[d] : this.box.low[d]) - x);
      far = Math.max(far, dot(p, back) + (Math.abs(dot(p, right)) + margin) / across, dot(p, back) + (Math.abs(dot(p, top)) + margin) / up);
    }
    return far;
  }
  orbit() {
    const fingers = new Map(), c = this.canvas;
    c.addEventListener("pointerdown", e => { c.setPointerCapture(e.pointerId); fingers.set(e.pointerId, e); });
    for (const end of ["pointerup", "pointercancel"]) c.addEventListener(end, e => fingers.delete(e.pointerId));
    c.addEventListener("pointermove", e => {
      const before = fingers.get(e.pointerId);
      if (!before) return;
      if (fingers.size === 2) {
        const other = [...fingers.values()].find(f => f.pointerId !== e.pointerId);
        const apart = f => Math.hypot(f.clientX - other.clientX, f.clientY - other.clientY) || 1;
        this.zoom(apart(before) / apart(e));
      } else if (e.shiftKey || e.buttons & 6) {
        this.pan(e.clientX - before.clientX, e.clientY - before.clientY);
      } else {
        this.camera.azimuth -= 0.008 * (e.clientX - before.clientX);
        this.camera.height = Math.max(-0.2, Math.min(1.5, this.camera.height + 0.007 * (e.clientY - before.clientY)));
      }
      fingers.set(e.pointerId, e);
      this.changed?.();
    });
    c.addEventListener("wheel", e => { e.preventDefault(); this.zoom(Math.exp(0.0012 * e.deltaY)); this.changed?.(); }, { passive: false });
    c.addEventListener("dblclick", () => { this.camera = { ...this.home, at: [...this.home.at] }; this.changed?.(); });
    c.addEventListener("contextmenu", e => e.preventDefault());
  }
  zoom(factor) { this.camera.distance = Math.max(0.15 * this.reach, Math.min(12 * this.reach, this.camera.distance * factor)); }
  pan(dx, dy) {
    const a = this.camera.azimuth, k = this.camera.distance / this.canvas.clientHeight;
    this.camera.at[0] += k * dx * Math.sin(a); this.camera.at[1] -= k * dx * Math.cos(a);
    this.camera.at[2] += k * dy;
  }
  draw(time, { ghost, magnify }) {
    const gl = this.gl, c = this.canvas, ratio = Math.min(2, window.devicePixelRatio || 1);
    if (!gl || gl.isContextLost()) return;
    const width = Math.round(c.clientWidth * ratio), height = Math.round(c.clientHeight * ratio);
    if (c.width !== width || c.height !== height) { c.width = width; c.height = height; }
    if (this.fitted !== width / height) {  // a window of another shape needs another distance
      const before = this.home.distance;
      this.fitted = width / Math.max(height, 1);
      this.home.distance = this.fit(this.fitted);
      this.camera.distance *= this.home.distance / before;
    }
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST); gl.depthFunc(gl.LEQUAL);
    gl.enable(gl.BLEND); gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    const k = this.camera, eye = [k.at[0] + k.distance * Math.cos(k.height) * Math.cos(k.azimuth),
      k.at[1] + k.distance * Math.cos(k.height) * Math.sin(k.azimuth), k.at[2] + k.distance * Math.sin(k.height)];
    const projection = Mat.perspective(FIELD, width / Math.max(height, 1), 0.02 * this.reach, 40 * this.reach);
    gl.uniformMatrix4fv(this.at.view_projection, false, Mat.multiply(projection, Mat.lookAt(eye, k.at, [0, 0, 1])));
    gl.uniform3fv(this.at.eye, eye);
    this.drawGround();
    const lists = this.arms.map(a => this.shapes(a, time, ghost, magnify));
    if (!this.terrain) this.drawShadow(lists);
    for (const list of lists) for (const s of list.solid) this.shape(s.mesh, s.matrix, [...s.color, 1]);
    for (const { arm, skeleton } of this.arms) this.drawTrail(arm, skeleton, time);
    for (const { arm, base } of this.arms) if (arm.frame) this.drawPath(arm, base);
    if (ghost) this.drawGhost(lists);
  }
  drawGround() {
    const gl = this.gl, ink = this.dark ? [0.62, 0.70, 0.82] : [0.33, 0.39, 0.48], z = this.ground;
    if (this.terrain) {
      gl.uniform1f(this.at.mode, 0);
      return this.shape(this.terrain, Mat.identity(), this.dark ? [0.42, 0.40, 0.38, 1] : [0.80, 0.77, 0.72, 1]);
    }
    gl.uniform1f(this.at.mode, 1); gl.uniform1f(this.at.fade, 2.6 * this.reach);
    gl.uniform3fv(this.at.fade_centre, [0, 0, 0]);
    gl.depthMask(false);
    this.shape(this.plate, Mat.multiply(Mat.move(0, 0, z - 0.002), Mat.scale(3 * this.reach, 3 * this.reach, 1)),
      this.dark ? [0.16, 0.19, 0.24, 0.85] : [1, 1, 1, 0.75]);
    this.shape(this.grid, Mat.move(0, 0, z - 0.001), [...ink, 0.3], gl.LINES);
    gl.depthMask(true);
    gl.uniform1f(this.at.mode, 0);
  }
  // Shadows on the ground; each pixel once.
  drawShadow(lists) {
    const gl = this.gl, d = [0.45 / 0.85, -0.55 / 0.85], z = this.ground;
    const flat = [1, 0, 0, 0, 0, 1, 0, 0, -d[0], -d[1], 0, 0, d[0] * z, d[1] * z, z, 1];
    gl.uniform1f(this.at.mode, 1); gl.uniform1f(this.at.fade, 100 * this.reach);
    gl.enable(gl.STENCIL_TEST); gl.stencilFunc(gl.EQUAL, 0, 255); gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    gl.depthMask(false);
    for (const list of lists) for (const s of list.solid) this.shape(s.mesh, Mat.multiply(flat, s.matrix), [0, 0, 0, this.dark ? 0.42 : 0.16]);
    gl.depthMask(true);
    gl.disable(gl.STENCIL_TEST);
    gl.uniform1f(this.at.mode, 0);
  }
  drawGhost(lists) {
    const gl = this.gl, color = this.dark ? [0.45, 0.70, 1.0] : [0.16, 0.45, 0.95];
    gl.enable(gl.POLYGON_OFFSET_FILL); gl.polygonOffset(1, 2);
    for (const pass of [0, 1]) {  // depth alone first, so that no inner surface is drawn
      gl.colorMask(pass, pass, pass, pass);
      for (const list of lists) for (const s of list.ghost) this.shape(s.mesh, s.matrix, [...color, 0.3]);
    }
    gl.colorMask(true, true, true, true);
    gl.disable(gl.POLYGON_OFFSET_FILL);
  }
  // The whole path that the frame was to take, of the law task_space.
  drawPath(arm, base) {
    const gl = this.gl, [x, y, z] = arm.frame.signals.slice(3, 6), n = arm.time.length;
    arm.path ??= Float32Array.from({ length: 6 * n }, (_, k) => [x, y, z][k % 6]?.[Math.floor(k / 6)] ?? k % 6 === 5);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.trail);
    gl.bufferData(gl.ARRAY_BUFFER, arm.path, gl.DYNAMIC_DRAW);
    gl.uniform1f(this.at.mode, 1); gl.uniform1f(this.at.fade, 100 * this.reach);
    this.shape({ vertices: this.trail, count: n }, base, [0.16, 0.45, 0.95, 0.8], gl.LINE_STRIP);
    gl.uniform1f(this.at.mode, 0);
  }
  // Path of the tool in the last two seconds.
  drawTrail(arm, skeleton, time) {
    const gl = this.gl, n = arm.time.length;
    if (!arm.tip) {
      arm.tip = new Float32Array(6 * n);
      for (let r = 0; r < n; ++r) {
        const m = skeleton.poses(arm.signals.q.map(s => s[r])).get(skeleton.tip);
        arm.tip.set([m[12], m[13], m[14], 0, 0, 1], 6 * r);
      }
    }
    const to = SceneView.row(arm.time, time), from = SceneView.row(arm.time, time - 2);
    if (to - from < 2) return;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.trail);
    gl.bufferData(gl.ARRAY_BUFFER, arm.tip.subarray(6 * from, 6 * (to + 1)), gl.DYNAMIC_DRAW);
    gl.uniform1f(this.at.mode, 1); gl.uniform1f(this.at.fade, 100 * this.reach);
    this.shape({ vertices: this.trail, count: to - from + 1 }, Mat.identity(), [0.95, 0.5, 0.1, 0.9], gl.LINE_STRIP);
    gl.uniform1f(this.at.mode, 0);
  }
  static row(time, t) {
    let low = 0, high = time.length - 1;
    while (low < high) { const mid = (low + high + 1) >> 1; if (time[mid] <= t) low = mid; else high = mid - 1; }
    return low;
  }
  // Coordinates at a time, interpolated between the rows.
  static sample(arm, signal, t) {
    const r = SceneView.row(arm.time, t), next = Math.min(r + 1, arm.time.length - 1), span = arm.time[next] - arm.time[r];
    const w = span > 0 ? Math.max(0, Math.min(1, (t - arm.time[r]) / span)) : 0;
    return arm.signals[signal].map(s => s[r] + w * (s[next] - s[r]));
  }
  shapes({ arm, skeleton, base }, time, ghost, magnify) {
    const q = SceneView.sample(arm, "q", time), out = { solid: [], ghost: [] };
    const poses = skeleton.poses(q), present = l => !(l.from > time) && !(l.to <= time);
    const palette = [[0.90, 0.91, 0.93], [0.22, 0.45, 0.82]];
    const add = (list, from, shade) => {
      arm.scene.links.forEach((link, k) => {
        if (!present(link) || !from.has(link.name)) return;
        // Every other link is slightly thinner, so that shared surfaces do not flicker.
        const frame = from.get(link.name), thin = k % 2 ? 0.996 : 1;
        for (const s of link.shapes) this.parts({ ...s, size: s.size.map(x => x * thin) }, frame, s.color || (link.payload ? [0.95, 0.61, 0.07] : palette[k % 2]), list);
      });
    };
    add(out.solid, poses);
    if (ghost) {
      // position_error is reference minus state, and more exact than their difference
      const e = SceneView.sample(arm, "position_error", time), r = SceneView.sample(arm, "q_reference", time);
      add(out.ghost, skeleton.poses(magnify > 1 ? q.map((x, k) => x + magnify * e[k]) : r));
    }
    for (const wall of arm.scene.walls || []) {  // a square piece of it, behind its surface
      const thick = 0.01 * this.reach, wide = 0.35 * this.reach;
      const frame = Mat.multiply(base, Vec.frameAlong(wall.normal, wall.point.map((x, d) => x - thick / 2 * wall.normal[d])));
      out.solid.push({ mesh: this.mesh.box, matrix: Mat.multiply(frame, Mat.scale(wide, wide, thick)), color: [0.62, 0.58, 0.52] });
    }
    for (const p of arm.scene.pushes) if (time >= p.from && time < p.to && poses.has(p.link)) this.arrow(p, poses.get(p.link), out.solid);
    return out;
  }
  parts(s, frame, color, list) {
    const size = s.size;
    if (s.kind === "capsule") {
      const length = Vec.length(s.to), along = Mat.multiply(frame, Vec.frameAlong(s.to, s.to.map(x => x / 2)));
      list.push({ mesh: this.mesh.cylinder, matrix: Mat.multiply(along, Mat.scale(size[0], size[0], length)), color });
      for (const end of [[0, 0, 0], s.to]) {
        const ball = Mat.multiply(Mat.multiply(frame, Mat.move(...end)), Mat.scale(size[0] * 1.25, size[0] * 1.25, size[0] * 1.25));
        list.push({ mesh: this.mesh.sphere, matrix: ball, color: end === s.to ? color : [0.25, 0.28, 0.33] });
      }
      return;
    }
    const scale = s.kind === "box" ? size : s.kind === "cylinder" ? [size[0], size[0], size[1]] : [size[0], size[0], size[0]];
    list.push({ mesh: this.mesh[s.kind], matrix: Mat.multiply(Mat.multiply(frame, Mat.rows(s.pose)), Mat.scale(...scale)), color });
  }
  arrow(push, frame, list) {
    const at = Mat.point(frame, push.point), size = Vec.length(push.force), color = [0.90, 0.15, 0.18];
    if (!size) return;
    const length = 0.28 * this.reach, radius = 0.011 * this.reach, d = push.force.map(f => f / size);
    const along = Vec.frameAlong(d, at.map((x, k) => x - 0.05 * this.reach * d[k]));  // its head is clear of the link
    list.push({ mesh: this.mesh.cone, matrix: Mat.multiply(Mat.multiply(along, Mat.move(0, 0, -5 * radius)), Mat.scale(2.2 * radius, 2.2 * radius, 5 * radius)), color });
    list.push({ mesh: this.mesh.cylinder, matrix: Mat.multiply(Mat.multiply(along, Mat.move(0, 0, -5 * radius - length / 2)), Mat.scale(radius, radius, length)), color });
  }
  shape(mesh, matrix, color, how) {
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, mesh.vertices);
    for (const [place, offset] of [[this.position, 0], [this.normal, 12]]) {
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, 3, gl.FLOAT, false, 24, offset);
    }
    gl.uniformMatrix4fv(this.at.model, false, matrix);
    gl.uniform4fv(this.at.color, color);
    if (!mesh.indices) return gl.drawArrays(how, 0, mesh.count);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, mesh.indices);
    gl.drawElements(gl.TRIANGLES, mesh.count, gl.UNSIGNED_SHORT, 0);
  }
}
