// State changes go through here. Hover never overrides a lock; Escape clears.
function lockRow(g) {
  state.row = state.row === g ? null : g;
  state.key = null;
  update();
}

function preview(row, key) {
  if (state.hoverRow === row && state.hoverKey === key) return;
  state.hoverRow = row;
  state.hoverKey = key;
  highlight();
  paintPictures();
  drawReadout();
  for (const e of document.querySelectorAll("#text .tok"))
    e.classList.toggle("hover", key !== null && +e.dataset.group === key);
}

// The view is in the address, the text never is: #target=1&method=1&layer=3&head=2&row=5&key=2
function writeAddress() {
  const m = current();
  const parts = { target: state.target, method: state.method, layer: m.L > 1 ? layerOf(m) : null, head: m.H > 1 ? headOf(m) : null, row: state.row, key: state.key,
                  own: state.shared === null ? null : +!state.shared, root: +state.root, words: +state.words, hide: +!state.special,
                  theme: document.documentElement.dataset.theme };
  const kept = Object.entries(parts).filter(([k, v]) => v !== null && v !== undefined && (v !== 0 || ["layer", "head", "row", "key", "own"].includes(k)));
  try { history.replaceState(null, "", "#" + kept.map((p) => p.join("=")).join("&")); } catch { /* some viewers forbid it */ }
}

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  const whole = (key, low, high, otherwise) => {
    const v = given.has(key) ? Number(given.get(key)) : NaN;
    return Number.isInteger(v) && v >= low && v <= high ? v : otherwise;
  };
  aim(whole("target", 0, targets.length - 1, 0));
  state.method = whole("method", 0, methods.length - 1, 0);
  const m = current(), own = whole("own", 0, 1, null);
  state.layers[m.index] = whole("layer", 0, m.L - 1, undefined);
  state.heads[m.index] = whole("head", -1, m.H - 1, undefined);
  state.shared = own === null ? null : own === 0;
  state.root = whole("root", 0, 1, 0) === 1;
  state.words = whole("words", 0, 1, 0) === 1;
  state.special = whole("hide", 0, 1, 0) === 0;
  if (["light", "dark"].includes(given.get("theme"))) document.documentElement.dataset.theme = given.get("theme");
  regroup();
  if (isMap(m)) state.row = whole("row", 0, groups.length - 1, null);
  state.key = whole("key", 0, groups.length - 1, null);
}

// Every update draws the page anew: whoever works by keyboard stays at the same place of the same section.
const stops = (section) => [...section.querySelectorAll("button, select, canvas, [tabindex]")];
function keepFocus(draw) {
  const id = document.activeElement?.closest("nav, section")?.id;
  const at = id ? stops(document.getElementById(id)).indexOf(document.activeElement) : -1;
  draw();
  if (at >= 0) stops(document.getElementById(id))[at]?.focus({ preventScroll: true });
}

function draw() {
  drawHeader();
  drawRecord();
  drawAgreement();
  drawControls();
  drawText();
  drawLayers();
  drawMatrix();
  drawReadout();
  drawPairs();
  drawTrust();
  drawDetails();
  drawMethod();
}

function update() {
  state.hoverRow = state.hoverKey = null;
  hideTip();
  keepFocus(draw);
  writeAddress();
}

function reset() {
  state.row = state.key = null;
  regroup();
  update();
}

document.addEventListener("keydown", (event) => {
  if (["SELECT", "INPUT"].includes(document.activeElement?.tagName) || event.ctrlKey || event.metaKey || event.altKey) return;
  const m = current();
  if (event.key === "Escape") { state.row = state.key = null; update(); }
  const step = event.key === "[" ? -1 : event.key === "]" ? 1 : 0, layer = layerOf(m) + step;
  if (step && layer >= 0 && layer < m.L) { state.layers[m.index] = layer; update(); }
});

// Paper is light, whatever the screen is.
let onScreen;
addEventListener("beforeprint", () => {
  onScreen = document.documentElement.dataset.theme;
  document.documentElement.dataset.theme = "light";
  if (methods.length) draw();
});
addEventListener("afterprint", () => {
  if (onScreen) document.documentElement.dataset.theme = onScreen; else delete document.documentElement.dataset.theme;
  if (methods.length) draw();
});

if (methods.length === 0) {
  drawHeader();
  drawRecord();
  drawAgreement();
  for (const id of ["controls", "text", "layers", "matrix", "pairs", "trust", "details", "method"]) document.getElementById(id).hidden = true;
} else {
  readAddress();
  update();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => update());
  let waiting = 0;
  addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(() => update(), 120); });
}
