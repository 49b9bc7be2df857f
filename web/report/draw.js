// Colour and canvas: one blue hue, light to dark (dark to light on a dark page), one of orange for what counts
// against, hatching where a causal mask forbids a value, and text that stays readable on every cell.
const LIGHT = [[246,250,255],[222,235,249],[197,219,242],[160,200,232],[109,172,218],[65,142,201],[30,108,178],[12,78,146],[8,46,100]];
const DARK = [[22,34,47],[24,48,74],[24,65,106],[27,86,141],[38,110,176],[66,139,204],[108,169,224],[156,200,240],[201,228,255]];
const LIGHT_AGAINST = [[255,250,245],[253,232,214],[251,212,180],[246,184,136],[236,149,88],[217,115,48],[184,84,20],[143,60,10],[98,38,6]];
const DARK_AGAINST = [[42,30,22],[66,40,22],[94,52,22],[125,67,24],[159,86,34],[191,110,54],[218,142,88],[238,178,132],[252,216,184]];
const dark = () => {
  const forced = document.documentElement.dataset.theme;
  return forced ? forced === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};

function rgb(share) {
  const ramp = share < 0 ? (dark() ? DARK_AGAINST : LIGHT_AGAINST) : dark() ? DARK : LIGHT;
  const at = Math.min(1, Math.abs(share || 0)) * (ramp.length - 1), i = Math.min(ramp.length - 2, Math.floor(at)), t = at - i;
  return ramp[i].map((c, k) => Math.round(c + (ramp[i + 1][k] - c) * t));
}
// Linear, or by the square root, which lifts small weights; the legend says which.
const toned = (v, scale) => rgb(!(scale > 0) ? 0 : state.root ? Math.sign(v) * Math.sqrt(Math.abs(v) / scale) : v / scale);
const css = (c) => "rgb(" + c.join(",") + ")";
function luminance(c) {
  const f = c.map((x) => { x /= 255; return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4; });
  return 0.2126 * f[0] + 0.7152 * f[1] + 0.0722 * f[2];
}
const inkOn = (c) => (luminance(c) > 0.179 ? "#000" : "#fff");
const themed = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function element(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes))
    if (key === "class") e.className = value;
    else if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) e.setAttribute(key, value === true ? "" : value);
  e.append(...children.filter((c) => c !== null && c !== undefined));
  return e;
}

function canvasOf(width, height) {
  const scale = Math.max(1, Math.min(3, devicePixelRatio || 1));
  const canvas = element("canvas", { width: Math.round(width * scale), height: Math.round(height * scale) });
  canvas.style.width = width + "px";
  canvas.style.height = height + "px";
  const g = canvas.getContext("2d");
  g.scale(scale, scale);
  return [canvas, g];
}

function hatch(g) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const h = tile.getContext("2d");
  h.strokeStyle = themed("--line");
  h.lineWidth = 1.2;
  h.beginPath();
  for (const o of [-6, 0, 6]) { h.moveTo(o, 6); h.lineTo(o + 6, 0); }
  h.stroke();
  return g.createPattern(tile, "repeat");
}

// A thumbnail: the largest weight (without its sign) under each pixel, so that a single strong cell never vanishes.
function thumbnail(map, scale, size) {
  const tall = map.R === map.C ? size : 18, [canvas, g] = canvasOf(size, tall);
  const W = canvas.width, H = canvas.height, image = g.createImageData(W, H);
  for (let y = 0; y < H; ++y) {
    const r0 = Math.floor((y * map.R) / H), r1 = Math.max(r0 + 1, Math.ceil(((y + 1) * map.R) / H - 1e-9));
    for (let x = 0; x < W; ++x) {
      const c0 = Math.floor((x * map.C) / W), c1 = Math.max(c0 + 1, Math.ceil(((x + 1) * map.C) / W - 1e-9));
      let best = NaN;
      for (let r = r0; r < Math.min(r1, map.R); ++r)
        for (let c = c0; c < Math.min(c1, map.C); ++c) { const v = map.v[r * map.C + c]; if (v === v && !(Math.abs(v) < Math.abs(best))) best = v; }
      if (best !== best) continue;
      const colour = toned(best, scale), o = 4 * (y * W + x);
      image.data[o] = colour[0]; image.data[o + 1] = colour[1]; image.data[o + 2] = colour[2]; image.data[o + 3] = 255;
    }
  }
  const layer = document.createElement("canvas");
  layer.width = W; layer.height = H;
  layer.getContext("2d").putImageData(image, 0, 0);
  g.fillStyle = hatch(g);
  g.fillRect(0, 0, size, tall);
  g.drawImage(layer, 0, 0, size, tall);
  return canvas;
}

function rampBar(signed) {
  const [canvas, g] = canvasOf(150, 12);
  for (let x = 0; x < 150; ++x) { g.fillStyle = css(rgb(signed ? (x - 74.5) / 74.5 : x / 149)); g.fillRect(x, 0, 1.5, 12); }
  canvas.className = "ramp";
  canvas.setAttribute("aria-hidden", "true");
  return canvas;
}

// What the colours mean, with the sign in words: blue for, orange against.
function legend(m, high, what, masked) {
  const low = !m.signed ? "0" : /^[0-9]/.test(high) ? "−" + high : "−";
  const side = !m.knows_class ? "" : report.target.contrast ? " “" + report.target.contrast + "”" : " it";
  const sign = !m.signed ? "" : m.knows_class ? "blue counts for “" + report.target.label + "”, orange " + (report.target.contrast ? "for" : "against") + side + "; " : "orange is negative; ";
  return element("div", { class: "legend" }, element("span", { class: "num" }, low), rampBar(m.signed),
    element("span", { class: "num" }, (m.signed && low !== "−" ? "+" : "") + high), element("span", {}, sign + what + (state.root ? " (square root)" : "")),
    masked ? element("span", { class: "legend" }, element("i", { class: "hatch", "aria-hidden": "true" }), isMap(m) ? "masked: comes later in the text" : "not measured") : null);
}

// A bar: from the left, or from the middle where the numbers have a sign, each side in its colour.
function bar(share, signed) {
  const fill = element("i", { class: share < 0 ? "against" : "" });
  const part = 100 * Math.min(1, Math.abs(share || 0));
  fill.style.width = (signed ? part / 2 : part) + "%";
  if (signed) fill.style.marginLeft = (share < 0 ? 50 - part / 2 : 50) + "%";
  return element("span", { class: "track" + (signed ? " signed" : ""), "aria-hidden": "true" }, fill);
}

const tip = document.getElementById("tip");
function showTip(text, event) {
  tip.textContent = text;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(innerWidth - box.width - 4, event.clientX + 14)) + "px";
  tip.style.top = (event.clientY + 20 + box.height > innerHeight ? event.clientY - box.height - 8 : event.clientY + 20) + "px";
}
const hideTip = () => { tip.hidden = true; };
const clear = (id, ...children) => { const e = document.getElementById(id); e.replaceChildren(...children); return e; };
const title = (id, text) => element("h2", { id: id + "-title" }, text);
