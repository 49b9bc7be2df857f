// Small multiples of all layers and heads, and the large matrix of the selected one.
function drawLayers() {
  const m = current(), wide = m.H > 1;
  const section = document.getElementById("layers");
  section.hidden = m.L * m.H === 1;  // one map is no row of maps
  if (section.hidden) return;
  const shared = shares(m), blank = state.shared === null && !shared ? blankMap(m) : "";
  const room = Math.max(260, section.clientWidth - 40);
  const heads = wide ? [-1, ...Array.from({ length: m.H }, (_, h) => h)] : [0];
  const perRow = wide ? heads.length : Math.min(m.L, room > 420 ? 3 : 2);
  const size = wide ? Math.max(26, Math.min(64, Math.floor((room - 30) / perRow) - 5)) : Math.min(190, Math.floor((room - 10) / perRow) - 8);
  const grid = element("div", { class: "grid", role: "group", "aria-label": wide ? "Maps by layer and head" : "Maps by layer" });
  grid.style.gridTemplateColumns = wide ? "26px repeat(" + perRow + ", " + (size + 2) + "px)" : "repeat(" + perRow + ", " + (size + 2) + "px)";
  if (wide) grid.append(element("span", {}), ...heads.map((h) => element("span", { class: "axis" }, h < 0 ? "mean" : "H" + h)));
  for (let l = 0; l < m.L; ++l) {
    if (wide) grid.append(element("span", { class: "axis side" }, "L" + l));
    for (const h of heads) {
      const map = mapOf(m, l, h), chosen = l === layerOf(m) && (!wide || h === headOf(m));
      const name = "L" + l + (wide ? (h < 0 ? ", mean of heads" : " H" + h) : "");
      const button = element("button", { type: "button", "aria-pressed": String(chosen), tabindex: chosen ? 0 : -1,
        "aria-label": name + ", largest weight " + number(map.max), "data-at": l + "," + h,
        onclick: () => { state.layers[m.index] = l; if (wide) state.heads[m.index] = h; update(); },
        onmousemove: (event) => showTip(name + ": " + number(map.min) + " … " + number(map.max), event), onmouseleave: hideTip },
        thumbnail(map, shared ? sharedMax(m) : map.peak, size));
      grid.append(wide ? button : element("div", {}, button, element("div", { class: "axis" }, "L" + l + " · max " + number(map.max))));
    }
  }
  const max = shared ? number(sharedMax(m)) : "each map's own maximum";
  clear("layers", title("layers", wide ? "Layers × heads" : "Layers"), grid,
    element("p", { class: "caption" }, (isMap(m) ? "Row: the token being written. Column: the token it reads. " : "Column: the token. ") +
      (shared ? "One scale for all maps." : "Every map on its own scale" + (blank ? ": on a common one " + blank + " would be blank." : ".")) +
      (m.shown_layer < m.L - 1 ? " The page opens at L" + m.shown_layer + ", where the answer's row says most: most of it goes to other words, unevenly." : "")),
    legend(m, max, "", report.model.causal && m.values.some((v) => v !== v)));
  // In braces: a handler that returns false would cancel the key, and Tab and Enter would be dead here.
  section.onkeydown = (event) => { moveFocus(event, [...section.querySelectorAll(".grid button")], perRow); };
}

let board = null;  // the matrix as drawn: geometry, canvas and its picture without highlights

function boardGeometry(map) {
  const room = Math.max(280, document.getElementById("matrix").clientWidth - 36);
  const [, g] = canvasOf(1, 1);
  g.font = "12px system-ui, sans-serif";
  const names = groups.map((x) => shortName(x.name).trim() || "␣");
  const label = Math.min(120, Math.max(30, ...names.map((n) => g.measureText(n).width)) + 10);
  const cell = Math.max(2.5, Math.min(46, (room - label) / map.C > 8 ? Math.floor((room - label) / map.C) : Math.floor((2 * (room - label)) / map.C) / 2));
  return { names, label, cell, left: label, top: Math.min(label, 96), width: label + cell * map.C + 2, height: Math.min(label, 96) + Math.max(cell * map.R, 18) + 2 };
}

function drawLabels(g, b, map) {
  const every = Math.max(1, Math.ceil(12 / b.cell));
  g.fillStyle = themed("--soft");
  g.font = Math.min(12, Math.max(10, b.cell - 1)) + "px system-ui, sans-serif";
  g.textBaseline = "middle";
  for (let i = 0; i < map.C; i += every) {
    if (i < map.R) {
      g.textAlign = "right";
      g.fillText(map.R > 1 ? b.names[i] : "", b.left - 6, b.top + (i + 0.5) * b.cell, b.label - 8);
    }
    g.save();
    g.translate(b.left + (i + 0.5) * b.cell, b.top - 6);
    g.rotate(-Math.PI / 2);
    g.textAlign = "left";
    g.fillText(b.names[i], 0, 0, b.top - 8);
    g.restore();
  }
}

function drawCells(g, b, map, scale) {
  g.fillStyle = hatch(g);
  g.fillRect(b.left, b.top, b.cell * map.C, b.cell * map.R);
  const gap = b.cell >= 10 ? 1 : 0;
  for (let r = 0; r < map.R; ++r)
    for (let c = 0; c < map.C; ++c) {
      const v = map.v[r * map.C + c];
      if (v !== v) continue;
      const colour = toned(v, scale), x = b.left + c * b.cell, y = b.top + r * b.cell;
      g.fillStyle = css(colour);
      g.fillRect(x, y, b.cell - gap, b.cell - gap);
      if (b.cell < 34) continue;
      g.fillStyle = inkOn(colour);
      g.font = "11px system-ui, sans-serif";
      g.textAlign = "center";
      g.textBaseline = "middle";
      g.fillText(v.toFixed(2).replace(/^0/, ""), x + b.cell / 2, y + b.cell / 2);
    }
}

function highlight() {
  if (!board) return;
  const { g, b, map, base } = board, row = state.hoverRow ?? activeRow(), key = state.hoverKey ?? state.key;
  g.save();
  g.setTransform(1, 0, 0, 1, 0, 0);
  g.clearRect(0, 0, base.width, base.height);
  g.drawImage(base, 0, 0);
  g.restore();
  g.strokeStyle = themed("--select");
  g.lineWidth = 1.5;
  if (row !== null && row < map.R) g.strokeRect(b.left - 0.5, b.top + row * b.cell - 0.5, b.cell * map.C, b.cell);
  if (key !== null && key >= 0 && key < map.C) g.strokeRect(b.left + key * b.cell - 0.5, b.top - 0.5, b.cell, b.cell * map.R);
  g.fillStyle = themed("--ink");
  g.font = "bold 12px system-ui, sans-serif";
  g.textBaseline = "middle";
  const mark = (text, x, y, turn) => {
    g.save();
    g.translate(x, y);
    if (turn) g.rotate(-Math.PI / 2);
    g.textAlign = turn ? "left" : "right";
    const w = Math.min(g.measureText(text).width, (turn ? b.top : b.label) - 8) + 4;
    g.fillStyle = themed("--card");
    g.fillRect(turn ? -2 : -w + 2, -8, w + 2, 16);
    g.fillStyle = themed("--ink");
    g.fillText(text, 0, 0, (turn ? b.top : b.label) - 8);
    g.restore();
  };
  if (map.R > 1 && row !== null) mark(b.names[row], b.left - 6, b.top + (row + 0.5) * b.cell, false);
  if (key !== null && key >= 0 && key < map.C) mark(b.names[key], b.left + (key + 0.5) * b.cell, b.top - 6, true);
}

function drawMatrix() {
  const m = current(), map = currentMap(), shared = shares(m), scale = shared ? sharedMax(m) : map.peak;
  document.getElementById("matrix").hidden = !isMap(m) && m.L === 1;  // the text above says it all
  board = null;
  if (document.getElementById("matrix").hidden) { clear("matrix"); return; }
  const b = boardGeometry(map), [canvas, g] = canvasOf(b.width, b.height);
  drawCells(g, b, map, scale);
  drawLabels(g, b, map);
  const base = document.createElement("canvas");
  base.width = canvas.width;
  base.height = canvas.height;
  base.getContext("2d").drawImage(canvas, 0, 0);
  board = { canvas, g, b, map, base };
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", m.name + " " + place() + ", " + map.R + " by " + map.C + " weights. Arrow keys move the selection; the reading is announced below.");
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    const c = Math.floor((event.clientX - box.left - b.left) / b.cell), r = Math.floor((event.clientY - box.top - b.top) / b.cell);
    return r < 0 || c < 0 || r >= map.R || c >= map.C ? null : [r, c];
  };
  canvas.onmousemove = (event) => { const p = at(event); if (p) { preview(p[0], p[1]); showTip(describe(m, p[0], p[1]), event); } else { hideTip(); preview(null, null); } };
  canvas.onmouseleave = () => { hideTip(); preview(null, null); };
  canvas.onclick = (event) => { const p = at(event); if (p) { state.row = map.R > 1 ? p[0] : null; state.key = p[1]; update(); } };
  canvas.onkeydown = (event) => {
    const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
    if (!step) return;
    event.preventDefault();
    const bound = (x, n) => Math.min(n - 1, Math.max(0, x));
    state.row = map.R > 1 ? bound(activeRow() + step[0], map.R) : null;
    state.key = bound((state.key ?? 0) + step[1], map.C);
    update();
  };
  const save = element("button", { type: "button", onclick: () => {
    element("a", { download: m.name + "-" + place(m).replace(/\W+/g, "-") + ".png", href: base.toDataURL("image/png") }).click();
  } }, "Save PNG");
  clear("matrix", element("div", { class: "line" }, title("matrix", [m.name, place()].filter(Boolean).join(" · ")), save),
    element("div", { class: "scroll" }, canvas),
    isMap(m) ? element("div", { class: "readout", id: "readout", role: "status", "aria-live": "polite" }) : "",
    legend(m, number(scale), shared ? "one scale for all maps" : "this map's own scale", report.model.causal && map.v.some((v) => v !== v)),
    element("p", { class: "caption num" }, "raw minimum " + number(map.min) + " · raw maximum " + number(map.max) + " · row sums " +
      map.lowest.toFixed(m.digits) + " … " + map.highest.toFixed(m.digits)));
  highlight();
}
