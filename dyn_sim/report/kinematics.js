// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Matrices, vectors and the arm's forward kinematics from its description's joints.
"use strict";

// --- 4x4 matrices, column-major as WebGL has them ---------------------------------------------------------------------
const Mat = {
  identity: () => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1],
  rows: r => [r[0], r[4], r[8], 0, r[1], r[5], r[9], 0, r[2], r[6], r[10], 0, r[3], r[7], r[11], 1],
  multiply(a, b) {
    const out = new Array(16);
    for (let c = 0; c < 4; ++c) for (let r = 0; r < 4; ++r) {
      out[4 * c + r] = a[r] * b[4 * c] + a[4 + r] * b[4 * c + 1] + a[8 + r] * b[4 * c + 2] + a[12 + r] * b[4 * c + 3];
    }
    return out;
  },
  move: (x, y, z) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1],
  scale: (x, y, z) => [x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0, 0, 0, 0, 1],
  turn(axis, angle) {  // Rodrigues
    const [x, y, z] = axis, c = Math.cos(angle), s = Math.sin(angle), t = 1 - c;
    return [t * x * x + c, t * x * y + s * z, t * x * z - s * y, 0, t * x * y - s * z, t * y * y + c, t * y * z + s * x, 0,
      t * x * z + s * y, t * y * z - s * x, t * z * z + c, 0, 0, 0, 0, 1];
  },
  perspective(angle, aspect, near, far) {
    const f = 1 / Math.tan(angle / 2);
    return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0];
  },
  lookAt(eye, at, up) {
    const z = Vec.unit(Vec.minus(eye, at)), x = Vec.unit(Vec.cross(up, z)), y = Vec.cross(z, x);
    return [x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -Vec.dot(x, eye), -Vec.dot(y, eye), -Vec.dot(z, eye), 1];
  },
  point: (m, p) => [0, 1, 2].map(r => m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] + m[12 + r]),
};
const Vec = {
  minus: (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]],
  dot: (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
  cross: (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]],
  length: a => Math.hypot(a[0], a[1], a[2]),
  unit: a => { const l = Math.hypot(a[0], a[1], a[2]) || 1; return [a[0] / l, a[1] / l, a[2] / l]; },
  // Turns z to the given direction, and moves to a point.
  frameAlong(direction, at) {
    const z = Vec.unit(direction), helper = Math.abs(z[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0];
    const x = Vec.unit(Vec.cross(helper, z)), y = Vec.cross(z, x);
    return [...x, 0, ...y, 0, ...z, 0, ...at, 1];
  },
};

// --- Kinematics -------------------------------------------------------------------------------------------------------
class Skeleton {
  constructor(scene, base) {
    this.links = new Map(scene.links.map(l => [l.name, l]));
    this.base = base;
    const children = new Map();
    for (const j of scene.joints) {
      j.matrix = Mat.rows(j.pose);
      if (!children.has(j.parent)) children.set(j.parent, []);
      children.get(j.parent).push(j);
    }
    const moved = new Set(scene.joints.map(j => j.child));
    this.roots = scene.links.map(l => l.name).filter(n => !moved.has(n));
    // Where a base that floats is counted from; nothing of the robot is there.
    this.floats = new Set(scene.joints.filter(j => j.type === "floating" && !this.links.get(j.parent)?.shapes.length).map(j => j.parent));
    this.order = [];
    const open = [...this.roots];
    while (open.length) for (const j of children.get(open.shift()) || []) { this.order.push(j); open.push(j.child); }
    this.tip = this.deepest(scene);
  }
  deepest(scene) {
    const depth = new Map(this.roots.map(r => [r, 0]));
    let tip = this.roots[0];
    for (const j of this.order) {
      const link = this.links.get(j.child);
      depth.set(j.child, depth.get(j.parent) + 1);
      if (link && !link.payload && depth.get(j.child) >= depth.get(tip)) tip = j.child;
    }
    return tip;
  }
  static motion(j, q) {
    const at = k => j.coordinate < 0 ? 0 : (j.ratio ?? 1) * (q[j.coordinate + k] || 0) + (j.offset || 0);
    if (j.type === "revolute" || j.type === "continuous") return Mat.turn(j.axis, at(0));
    if (j.type === "prismatic") return Mat.move(...j.axis.map(a => a * at(0)));
    if (j.type === "floating") {
      let m = Mat.multiply(Mat.move(at(0), at(1), at(2)), Mat.turn([0, 0, 1], at(3)));
      m = Mat.multiply(m, Mat.turn([0, 1, 0], at(4)));
      return Mat.multiply(m, Mat.turn([1, 0, 0], at(5)));
    }
    if (j.type === "planar") {
      const f = Vec.frameAlong(j.axis, [0, 0, 0]);
      const x = f.slice(0, 3), y = f.slice(4, 7);
      const p = [0, 1, 2].map(k => x[k] * at(0) + y[k] * at(1));
      return Mat.multiply(Mat.move(...p), Mat.turn(j.axis, at(2)));
    }
    return null;
  }
  // Pose of every link by name.
  poses(q) {
    const out = new Map(this.roots.map(r => [r, this.base]));
    for (const j of this.order) {
      let m = Mat.multiply(out.get(j.parent), j.matrix);
      const moved = Skeleton.motion(j, q);
      if (moved) m = Mat.multiply(m, moved);
      out.set(j.child, m);
    }
    return out;
  }
}
