// The report's data: JSON for everything small, base64 numbers for the maps, and the grouping of tokens (words,
// hidden special tokens) that every view goes through.
const page = JSON.parse(document.getElementById("report").textContent);

const halves = (() => {
  let table = null;
  return () => {
    if (table) return table;
    table = new Float32Array(65536);
    for (let b = 0; b < 65536; ++b) {
      const sign = b & 0x8000 ? -1 : 1, e = (b >> 10) & 31, m = b & 1023;
      table[b] = e === 0 ? sign * m * 2 ** -24 : e === 31 ? (m ? NaN : sign * Infinity) : sign * (1024 + m) * 2 ** (e - 25);
    }
    return table;
  };
})();

function decode(element) {
  const text = atob(element.textContent.trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = text.charCodeAt(i);
  if (element.dataset.format === "f32") return new Float32Array(bytes.buffer);
  const table = halves(), raw = new Uint16Array(bytes.buffer);
  return Float32Array.from(raw, (b) => table[b]);
}

// Axes are a part of [layer, head, query, key], or end in "token": one row; [row, column] is a score per patch.
function loaded(a, index, id) {
  const has = (axis) => a.axes.includes(axis);
  const size = (axis) => (has(axis) ? a.shape[a.axes.indexOf(axis)] : 1);
  const element = document.getElementById(a.scores), grid = has("column");
  const before = grid ? page.model.prefix_tokens || 0 : 0;
  const T = grid ? before + a.shape[0] * a.shape[1] : a.shape[a.shape.length - 1];
  let values = decode(element);
  if (grid) { const padded = new Float32Array(T).fill(NaN); padded.set(values, before); values = padded; }
  // What was not measured has no number, whatever fills its place.
  if (a.measured) values = values.map((v, t) => (a.measured[t] ? v : NaN));
  return { ...a, name: a.aggregate ? a.method + "_" + a.aggregate : a.method, index, id, digits: element.dataset.format === "f16" ? 3 : 4, L: size("layer"), H: size("head"), Q: size("query"), T, layered: has("layer"),
           values, signed: values.some((v) => v < 0) };
}

const state = { target: 0, method: 0, layers: [], heads: [], words: false, special: true, shared: null, root: false, row: null, key: null,
                hoverRow: null, hoverKey: null };

// Several targets share the input and the prediction; `report` and `methods` are those of the one shown.
const targets = [page, ...(page.others || [])];
let report = page, methods = [];
function aim(k) {
  state.target = k;
  report = { ...page, ...targets[k] };
  targets[k].methods ||= targets[k].attributions.map((a, i) => loaded(a, i, k + "/" + i));
  methods = targets[k].methods;
}
aim(0);

const isImage = page.tokens.length === 0;
const prefix = page.model.prefix_tokens || 0;
const side = isImage && methods.length ? Math.round(Math.sqrt(methods[0].T - prefix)) : 0;
const tokens = isImage && methods.length
  ? Array.from({ length: methods[0].T }, (_, t) => t < prefix
      ? { text: t === 0 ? "[CLS]" : "[" + t + "]", special: true, sequence: 0, word: -1 }
      : { text: "(" + Math.floor((t - prefix) / side) + ", " + ((t - prefix) % side) + ")", special: false, sequence: 0, word: t })
  : page.tokens;

// Groups of tokens that stand for one row or column; a group's weight is the sum over its keys and the mean over
// its queries, so that rows keep their sum.
let groups = [];
function regroup() {
  groups = [];
  tokens.forEach((token, t) => {
    const last = groups[groups.length - 1];
    if (!state.special && token.special && t !== report.focus) return;  // the output was read from that row
    const joins = state.words && last && !token.special && token.word >= 0 && last.word === token.word &&
                  last.sequence === token.sequence;
    if (joins) { last.members.push(t); last.name += token.text; }
    else groups.push({ members: [t], name: token.text, word: token.special ? -1 : token.word, sequence: token.sequence,
                       special: token.special });
  });
  cache.clear();
}
const cache = new Map();
const groupOf = (t) => groups.findIndex((g) => g.members.includes(t));

// The map of one layer and head (−1: mean over heads) over the groups, with its raw extremes and row sums.
function mapOf(method, layer, head) {
  const id = method.id + "/" + layer + "/" + head;
  if (cache.has(id)) return cache.get(id);
  const heads = head >= 0 ? [head] : Array.from({ length: method.H }, (_, h) => h);
  const rows = method.Q > 1 ? groups : [{ members: [0], name: "target" }];
  const C = groups.length, R = rows.length, v = new Float32Array(R * C);
  const at = (h, q, k) => method.values[((layer * method.H + h) * method.Q + q) * method.T + k];
  for (let r = 0; r < R; ++r)
    for (let c = 0; c < C; ++c) {
      let sum = 0, seen = 0;
      for (const q of rows[r].members)
        for (const k of groups[c].members)
          for (const h of heads) { const x = at(h, q, k); if (x === x) { sum += x; ++seen; } }
      v[r * C + c] = seen ? sum / (heads.length * rows[r].members.length) : NaN;
    }
  let min = Infinity, max = -Infinity, lowest = Infinity, highest = -Infinity;
  for (let r = 0; r < R; ++r) {
    let sum = 0;
    for (let c = 0; c < C; ++c) { const x = v[r * C + c]; if (x === x) { sum += x; min = Math.min(min, x); max = Math.max(max, x); } }
    lowest = Math.min(lowest, sum); highest = Math.max(highest, sum);
  }
  const map = { R, C, v, min, max, lowest, highest, peak: Math.max(Math.abs(min), Math.abs(max)) };
  cache.set(id, map);
  return map;
}

function sharedMax(method) {
  const id = method.id + "/max";
  if (!cache.has(id)) {
    let max = 0;
    for (let l = 0; l < method.L; ++l)
      for (let h = method.H > 1 ? -1 : 0; h < method.H; ++h) max = Math.max(max, mapOf(method, l, h).peak);
    cache.set(id, max);
  }
  return cache.get(id);
}

// A map whose largest weight is under half of the common scale never reaches the darker colours and looks blank: with such a
// map among them, every map has a scale of its own unless the reader chooses otherwise.
function blankMap(method) {
  for (let l = 0; l < method.L; ++l)
    for (let h = method.H > 1 ? -1 : 0; h < method.H; ++h) {
      const { peak } = mapOf(method, l, h);
      if (peak > 0 && peak < sharedMax(method) / 2) return placeName(method, l, h);
    }
  return "";
}
const shares = (method) => state.shared ?? blankMap(method) === "";

const current = () => methods[state.method];
const layerOf = (m) => Math.min(state.layers[m.index] ?? m.shown_layer, m.L - 1);
const headOf = (m) => (m.H > 1 ? Math.min(state.heads[m.index] ?? -1, m.H - 1) : 0);
const shownMap = (m) => mapOf(m, layerOf(m), headOf(m));
const currentMap = () => shownMap(current());
const defaultRow = () => Math.max(0, groupOf(report.focus));
const rowOf = (m) => (m.Q > 1 ? (state.row ?? defaultRow()) : 0);
const activeRow = () => rowOf(current());
const number = (x) => (x !== x ? "–" : Math.abs(x) >= 0.001 || x === 0 ? x.toFixed(4) : x.toExponential(2)).replace("-", "−");
const signedNumber = (m, x) => (m.signed && x > 0 ? "+" : "") + number(x);
const shortName = (name) => (name.length > 24 ? name.slice(0, 23) + "…" : name).replace(/\n/g, "⏎");
const placeName = (m, l, h) => [m.layered ? "L" + l : "", m.H > 1 ? (h < 0 ? "mean of heads" : "H" + h) : ""].filter(Boolean).join(" ");
const place = (m = current()) => placeName(m, layerOf(m), headOf(m));

// Words that fit what is shown. A map's row reads its columns; a score per token counts for the target.
const isMap = (m) => m.Q > 1;
const absence = (m) => (isMap(m) ? "masked" : "not measured");
const aimText = () => (report.target.contrast ? "“" + report.target.label + "” rather than “" + report.target.contrast + "”" : "“" + report.target.label + "”");
const noClass = (m) => !m.knows_class && report.target.label !== "";
function question(m, row) {
  if (isMap(m)) return "What “" + shortName(groups[row].name) + "” reads" + (m.knows_class ? ", and what that counts for " + aimText() : "");
  if (m.layered) return "How far each token moves";
  return "How much each " + (isImage ? "patch" : "token") + " counts" + (m.knows_class ? " for " + aimText() : "");
}
