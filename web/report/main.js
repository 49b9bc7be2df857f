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
  drawReadout();
  for (const e of document.querySelectorAll("#text .tok"))
    e.classList.toggle("hover", key !== null && +e.dataset.group === key);
}

function update(focus) {
  state.hoverRow = state.hoverKey = null;
  hideTip();
  drawControls();
  drawText();
  drawLayers();
  drawMatrix();
  drawReadout();
  drawPairs();
  drawTrust();
  drawMethod();
  if (focus === "matrix") board.canvas.focus({ preventScroll: true });
  if (focus === "layers") document.querySelector('#layers .grid button[aria-pressed="true"]')?.focus({ preventScroll: true });
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
  if (event.key === "[" && state.layer > 0) { --state.layer; update(); }
  if (event.key === "]" && state.layer < m.L - 1) { ++state.layer; update(); }
});

drawHeader();
drawRecord();
if (methods.length === 0) {
  for (const id of ["controls", "text", "layers", "matrix", "pairs", "trust", "method"]) document.getElementById(id).hidden = true;
} else {
  state.layer = methods[0].L - 1;
  regroup();
  update();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => update());
  let waiting = 0;
  addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(() => update(), 120); });
}
