// The text as it was written (or the picture), coloured by one row of the current map. Hover previews, a click
// locks the token as the row, Escape goes back to the row the answer was read from.
const encoder = new TextEncoder(), decoder = new TextDecoder();
const sources = [report.input.text, report.input.pair, report.input.prefix].map((text) => encoder.encode(text || ""));

// Positions of the target count from the first token of what is written.
const written = page.sequences ? page.sequences[page.sequences.length - 1].first : 0;

// The largest weight on a word; special tokens take the darkest colour when they exceed it.
function rowScale(map, row) {
  let words = 0, all = 0;
  for (let c = 0; c < map.C; ++c) {
    const v = map.v[row * map.C + c];
    if (v !== v) continue;
    all = Math.max(all, Math.abs(v));
    if (!groups[c].special) words = Math.max(words, Math.abs(v));
  }
  return words || all;
}

function describe(m, row, key) {
  const map = shownMap(m), v = map.v[row * map.C + key], name = shortName(groups[key].name);
  const pair = isMap(m) ? "“" + shortName(groups[row].name) + "” reads “" + name + "”" : "“" + name + "”";
  if (v !== v) return pair + ": " + absence(m);
  let rank = 1, sum = 0, count = 0;
  for (let c = 0; c < map.C; ++c) { const w = map.v[row * map.C + c]; if (w === w) { sum += w; ++count; if (Math.abs(w) > Math.abs(v)) ++rank; } }
  const counts = !isMap(m) && m.signed && v !== 0 ? (v > 0 ? " for " : " against ") + aimText() : "";
  return pair + ": " + signedNumber(m, v) + counts + ", rank " + rank + " of " + count +
         (sum > 0 && !m.signed && isMap(m) ? ", " + ((100 * v) / sum).toFixed(1) + " % of its row" : "");
}

// A click makes a token the row of the maps; where there are no rows it holds the token's number.
function lock(m, g) {
  state.method = m.index;
  if (isMap(m)) lockRow(g);
  else { state.key = state.key === g ? null : g; update(); }
}

function tokenElement(t, m, map, row, scale) {
  const g = groupOf(t), info = tokens[t];
  const weight = g < 0 ? NaN : map.v[row * map.C + g];
  const classes = ["tok"], chosen = isMap(m) ? g === row : g === state.key;
  if (info.special) classes.push("special");
  if (weight !== weight && g >= 0) classes.push("forbidden");
  if (chosen) classes.push("row");
  if (report.target.position >= 0 && report.target.position + written === t) classes.push("target");
  if (info.target) classes.push("own");  // of the target, not of the text
  const e = element("span", {
    class: classes.join(" "), role: "button", tabindex: (isMap(m) ? g === row : t === 0) ? 0 : -1, "data-group": g,
    "aria-pressed": (isMap(m) ? g === state.row : chosen) ? "true" : "false",
    "aria-label": info.text + (g < 0 ? ", hidden" : ", " + (weight === weight ? (isMap(m) ? "weight " : "score ") + signedNumber(m, weight) : absence(m))),
    onclick: () => { if (g >= 0) lock(m, g); },
    onmousemove: (event) => { if (g >= 0) { preview(null, g); showTip(describe(m, row, g) + (info.id !== undefined ? " · token " + t + ", id " + info.id : ""), event); } },
    onmouseleave: () => { hideTip(); preview(null, null); },
  }, info.text === "" ? "␣" : info.text);
  if (weight === weight) {
    const colour = toned(weight, scale);
    e.style.background = css(colour);
    e.style.color = inkOn(colour);
  }
  return e;
}

function lines(m, map, row, scale) {
  const paragraphs = [];
  let paragraph = null, sequence = -1, end = 0;
  tokens.forEach((info, t) => {
    if (!state.special && info.special) return;
    if (info.sequence !== sequence && (!info.special || paragraph === null || info.sequence === 2)) {
      paragraph = element("p", { class: "running", dir: "auto", role: "group",
        "aria-label": ["text", "second text", "output so far"][info.sequence] + " by " + m.name });
      paragraphs.push(paragraph);
      sequence = info.sequence;
      end = 0;
    }
    if (!info.special && info.end > info.begin) {
      if (info.begin > end) paragraph.append(decoder.decode(sources[sequence].slice(end, info.begin)));
      end = Math.max(end, info.end);
    }
    paragraph.append(tokenElement(t, m, map, row, scale));
  });
  return paragraphs;
}

function moveFocus(event, elements, columns) {
  const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[event.key];
  const at = elements.indexOf(document.activeElement);
  if (!step || at < 0) return false;
  const next = elements[Math.min(elements.length - 1, Math.max(0, at + step))];
  elements.forEach((e) => { e.tabIndex = -1; });
  next.tabIndex = 0;
  next.focus();
  event.preventDefault();
  return true;
}

let pictures = [];  // painters: the patches again, when the pointer has moved to another one
const paintPictures = () => pictures.forEach((paint) => paint());

function drawPicture(m, map, row, scale) {
  const size = 320, [canvas, g] = canvasOf(size, size), cell = size / side;
  const plain = new Image();
  const paint = () => {
    if (!plain.complete) return;
    const marked = state.hoverKey ?? state.key;
    g.drawImage(plain, 0, 0, size, size);
    for (let c = 0; c < groups.length; ++c) {
      const patch = groups[c].members[0] - prefix, v = map.v[row * map.C + c];
      if (patch < 0 || v !== v) continue;
      const x = (patch % side) * cell, y = Math.floor(patch / side) * cell;
      g.globalAlpha = 0.12 + 0.73 * (scale > 0 ? Math.min(1, Math.abs(v) / scale) : 0);
      g.fillStyle = css(toned(v, scale));
      g.fillRect(x, y, cell, cell);
      g.globalAlpha = 1;
      g.strokeStyle = "rgba(255,255,255,.25)";
      g.lineWidth = 0.5;
      g.strokeRect(x + 0.5, y + 0.5, cell - 1, cell - 1);
    }
    g.strokeStyle = themed("--select");
    for (const [c, width] of [[isMap(m) ? row : null, 3], [marked, 1.5]]) {
      const patch = c === null ? -1 : groups[c].members[0] - prefix;
      g.lineWidth = width;
      if (patch >= 0) g.strokeRect((patch % side) * cell + 1, Math.floor(patch / side) * cell + 1, cell - 2, cell - 2);
    }
  };
  pictures.push(paint);
  plain.onload = paint;
  plain.src = report.picture;
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    const x = Math.floor((event.clientX - box.left) / cell), y = Math.floor((event.clientY - box.top) / cell);
    return x < 0 || y < 0 || x >= side || y >= side ? -1 : groupOf(prefix + y * side + x);
  };
  canvas.addEventListener("mousemove", (event) => { const c = at(event); if (c >= 0) { preview(null, c); showTip(describe(m, row, c), event); } });
  canvas.addEventListener("mouseleave", () => { hideTip(); preview(null, null); });
  canvas.addEventListener("click", (event) => { const c = at(event); if (c >= 0) lock(m, c); });
  // Arrow keys walk over the patches, Enter makes one the row: what the pointer does by moving and clicking.
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
    const from = state.hoverKey ?? state.key ?? row, patch = Math.max(0, groups[from].members[0] - prefix);
    const bound = (x) => Math.min(side - 1, Math.max(0, x));
    if (step) preview(null, groupOf(prefix + bound(Math.floor(patch / side) + step[1]) * side + bound((patch % side) + step[0])));
    else if (event.key === "Enter" || event.key === " ") lock(m, groupOf(prefix + patch));
    else return;
    event.preventDefault();
  });
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", "Picture with the weight of every patch. Arrow keys move over the patches, Enter chooses one; the reading is announced on the page.");
  return element("figure", {}, canvas, element("figcaption", {}, (isMap(m) ? "weight" : "score") + " of every patch"));
}

function originalPicture() {
  const original = new Image(320, 320);
  original.src = report.picture;
  original.alt = "What the model saw";
  return element("figure", {}, original, element("figcaption", {}, "what the model saw"));
}

const checkText = (m) => {
  const failed = m.checks.filter((c) => !c.passed).length;
  return m.checks.length === 0 ? "" : failed ? "✗ " + failed + " of " + m.checks.length + " checks failed" : "✓ " + m.checks.length + (m.checks.length === 1 ? " check" : " checks") + " passed";
};

// One method: its name (a button that makes it the one of the panels below), its question, the coloured text.
function strip(m) {
  const map = shownMap(m), row = rowOf(m), scale = rowScale(map, row), failed = m.checks.some((c) => !c.passed);
  const name = methods.length > 1
    ? element("button", { type: "button", "aria-pressed": String(m.index === state.method), onclick: () => { state.method = m.index; update(); } }, m.name)
    : m.name;
  return element("div", { class: "strip" + (m.index === state.method ? " chosen" : ""), role: "group", "aria-label": m.name },
    element("div", { class: "line" }, element("h3", {}, name),
      element("span", { class: "soft" }, question(m, row) + (place(m) ? ", " + place(m) : "") + "."),
      element("span", { class: "checked soft" + (failed ? " fail" : "") }, checkText(m))),
    noClass(m) ? element("p", { class: "caption noclass" }, m.name + " knows no class" + (targets.length > 1 ? ": it is the same for every target." : ": it would be the same for any target.")) : null,
    ...(isImage ? [element("div", { class: "picture" }, m.index === 0 ? originalPicture() : null, drawPicture(m, map, row, scale))] : lines(m, map, row, scale)),
    m.index === state.method && !isMap(m) ? element("div", { class: "readout", id: "readout", role: "status", "aria-live": "polite" }) : null,
    legend(m, number(scale), "scaled to " + (isMap(m) ? "this row's" : "the") + " strongest " + (isImage ? "patch" : "word"), isMap(m) ? report.model.causal : m.values.some((v) => v !== v) && !isImage));
}

function drawText() {
  pictures = [];
  const rows = methods.some(isMap);
  const section = clear("text",
    element("div", { class: "line" }, title("text", isImage ? "Picture" : "Text"),
      element("span", { class: "soft hint" }, (isImage ? "Patches are (row, column). " : "") + "Hover for numbers, click " + (isImage ? "a patch" : "a token") +
        (rows ? " to see what it reads" : " to hold it") + ", Esc to go back.")),
    ...methods.map(strip));
  section.onkeydown = (event) => {
    const all = [...(document.activeElement.closest(".strip") || section).querySelectorAll(".tok")];
    if (moveFocus(event, all, 1)) { const g = +document.activeElement.dataset.group; if (g >= 0) preview(null, g); }
    else if ((event.key === "Enter" || event.key === " ") && document.activeElement.classList.contains("tok")) {
      event.preventDefault();
      document.activeElement.click();
    }
  };
}
