// Copyright 2026 The dyn_control authors. SPDX-License-Identifier: Apache-2.0
//
// Functions shared by the pages' scripts: elements of the page, and columns of numbers from its data.
"use strict";

const $ = id => document.getElementById(id);
const make = (tag, properties = {}, ...children) => {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
};

// From base64 of little-endian 32-bit numbers.
const floats = text => {
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; ++k) bytes[k] = raw.charCodeAt(k);
  const view = new DataView(bytes.buffer), out = new Float32Array(bytes.length >> 2);
  for (let k = 0; k < out.length; ++k) out[k] = view.getFloat32(4 * k, true);
  return out;
};
