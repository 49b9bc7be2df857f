// Header, controls and the panels in words and numbers: nothing on the page exists only as colour.
const probability = (p) => (p === null || p === undefined ? "" : p >= 0.0001 && p <= 0.9999 ? (100 * p).toFixed(2) + " %" : p > 0.5 ? "> 99.99 %" : "< 0.01 %");

function drawHeader() {
  const p = report.prediction;
  const focus = (p.outcomes || []).find((o) => o.position === report.target.position) || (p.outcomes || [])[0];
  const scores = (p.answer ? [] : p.scores || (focus && focus.scores) || []).slice(0, 6);
  const chosen = report.target.index;
  const bars = element("div", { class: "bars", role: "list", "aria-label": "Probabilities" });
  for (const s of scores) {
    const fill = element("i");
    fill.style.width = 100 * Math.min(1, s.probability || 0) + "%";
    const mark = s.index === chosen ? " chosen" : "";
    bars.append(element("span", { class: "name" + mark, role: "listitem", title: s.label }, s.label.replace(/\n/g, "⏎") || "␣"),
      element("span", { class: "track", "aria-hidden": "true" }, fill),
      element("span", { class: "num" + mark }, s.probability === null ? number(s.logit) : probability(s.probability)));
  }
  const t = report.target, quantity = t.tokens || t.contrast_tokens ? "log-probability" : "logit";
  const about = t.label === "" ? "no target: the model has no head"
    : "target: " + (t.contrast ? t.label + " − " + t.contrast + ", " + quantity + " difference " : t.label + ", " + quantity + " ") + number(t.logit) +
      (t.position >= 0 ? ", at token " + t.position : "");
  clear("top",
    element("div", { class: "answer" },
      element("div", { class: "brand" }, element("b", {}, "headwater"), " · " + report.record.model + " · " + p.task),
      element("h1", {}, report.sentence),
      element("div", { class: "soft" }, about + (p.truncated ? " · the text was cut to the model's limit" : ""))),
    scores.length > 1 ? bars : "");
}

function segments(label, options, chosen, pick) {
  return element("span", { class: "group" }, label,
    element("span", { class: "segments", role: "group", "aria-label": label },
      ...options.map(([value, text]) => element("button", { type: "button", "aria-pressed": String(value === chosen), onclick: () => pick(value) }, text))));
}

function chooser(label, options, chosen, pick) {
  return element("label", {}, label, element("select", { "aria-label": label, onchange: (event) => pick(+event.target.value) },
    ...options.map(([value, text]) => element("option", { value, selected: value === chosen }, text))));
}

function drawControls() {
  const m = current(), range = (n) => Array.from({ length: n }, (_, i) => i);
  const words = !isImage && tokens.some((t, i) => i > 0 && t.word >= 0 && t.word === tokens[i - 1].word && t.sequence === tokens[i - 1].sequence);
  clear("controls",
    targets.length > 1 ? segments("Target", targets.map((t, k) => [k, t.target.label]), state.target, (k) => { aim(k); reset(); }) : "",
    methods.length > 1 ? (methods.length > 4 ? chooser : segments)("Method", methods.map((x, i) => [i, x.name]), state.method, (i) => { state.method = i; update(); }) : "",
    m.L > 1 ? chooser("Layer", range(m.L).map((l) => [l, "L" + l]), layerOf(m), (l) => { state.layers[m.index] = l; update(); }) : "",
    m.H > 1 ? chooser("Head", [[-1, "mean"], ...range(m.H).map((h) => [h, "H" + h])], headOf(m), (h) => { state.heads[m.index] = h; update(); }) : "",
    m.L * m.H > 1 ? segments("Scale", [[true, "shared"], [false, "own"]], shares(m), (v) => { state.shared = v; update(); }) : "",
    segments("Tone", [[false, "linear"], [true, "root"]], state.root, (v) => { state.root = v; update(); }),
    words ? segments("Unit", [[false, "tokens"], [true, "words"]], state.words, (v) => { state.words = v; reset(); }) : "",
    tokens.some((t) => t.special) ? segments("Special", [[true, "show"], [false, "hide"]], state.special, (v) => { state.special = v; reset(); }) : "",
    segments("Theme", [["", "auto"], ["light", "light"], ["dark", "dark"]], document.documentElement.dataset.theme || "", (v) => {
      if (v) document.documentElement.dataset.theme = v; else delete document.documentElement.dataset.theme;
      update();
    }));
}

function drawReadout() {
  const place = document.getElementById("readout");
  if (!place) return;
  const m = current(), row = isMap(m) ? state.hoverRow ?? activeRow() : 0, key = state.hoverKey ?? state.key, map = currentMap();
  if (key !== null && key !== undefined && key >= 0) {
    const profile = m.L > 1 ? Array.from({ length: m.L }, (_, l) => {
      const other = mapOf(m, l, headOf(m));
      return "L" + l + " " + number(other.v[row * other.C + key]);
    }).join("   ") : "";
    const others = isMap(m) ? [] : methods.filter((o) => o !== m && !isMap(o) && o.L === 1).map((o) => o.name + " " + signedNumber(o, shownMap(o).v[key]));
    place.replaceChildren(element("b", {}, describe(m, row, key)), element("div", { class: "soft num" }, profile + others.join("   ")));
    return;
  }
  const order = Array.from({ length: map.C }, (_, c) => c).filter((c) => { const v = map.v[row * map.C + c]; return v === v; })
    .sort((a, b) => Math.abs(map.v[row * map.C + b]) - Math.abs(map.v[row * map.C + a])).slice(0, 5);
  const lead = isMap(m) ? "“" + shortName(groups[row].name) + "” reads most from: " : "Strongest in " + m.name + ": ";
  place.replaceChildren(element("b", {}, lead),
    order.map((c) => "“" + shortName(groups[c].name) + "” " + signedNumber(m, map.v[row * map.C + c])).join(" · "));
}

function drawPairs() {
  const m = current(), map = currentMap(), pairs = isMap(m), found = [];
  for (let r = 0; r < map.R; ++r)
    for (let c = 0; c < map.C; ++c) { const v = map.v[r * map.C + c]; if (v === v && (r !== c || map.R === 1)) found.push([v, r, c]); }
  found.sort((a, b) => Math.abs(b[0]) - Math.abs(a[0]) || a[1] - b[1] || a[2] - b[2]);
  const top = found.length ? Math.abs(found[0][0]) : 0, unit = isImage ? "patches" : state.words ? "words" : "tokens";
  const rows = found.slice(0, 10).map(([v, r, c]) => {
    const pick = () => { state.row = pairs ? r : null; state.key = c; update(); };
    return element("tr", { class: "pick", tabindex: 0, onclick: pick, onkeydown: (event) => { if (event.key === "Enter") pick(); } },
      pairs ? element("td", {}, shortName(groups[r].name)) : "", element("td", {}, shortName(groups[c].name)),
      element("td", { class: "num" }, signedNumber(m, v)), element("td", {}, bar(top > 0 ? v / top : 0, m.signed)));
  });
  const heads = pairs ? ["row (query)", "reads (key)"] : [isImage ? "patch" : state.words ? "word" : "token"];
  const sides = m.signed && m.knows_class ? element("span", { class: "sides" }, element("span", {}, "against"), element("span", {}, "for")) : "";
  clear("pairs", title("pairs", pairs ? "Strongest pairs" : "Strongest " + unit),
    element("table", {}, element("thead", {}, element("tr", {}, ...heads.map((x) => element("th", { scope: "col" }, x)),
      element("th", { scope: "col", class: "num" }, pairs ? "weight" : "score"), element("th", { scope: "col" }, sides))), element("tbody", {}, ...rows)),
    element("p", { class: "caption" }, [m.name, place()].filter(Boolean).join(" ") + (pairs ? "; a token reading itself is left out" : "") +
      (state.words ? (pairs ? "; words: sum over keys, mean over queries" : "; words: sum over their tokens") : "") +
      (state.special ? "" : pairs ? "; special tokens hidden, rows not rescaled" : "; special tokens hidden")));
}

function drawTrust() {
  const m = current();
  clear("trust", title("trust", "Trust: what was checked on these numbers"),
    element("ul", { class: "checks" }, ...m.checks.map((c) => element("li", {},
      element("span", { class: "mark " + (c.passed ? "pass" : "fail"), "aria-hidden": "true" }, c.passed ? "✓" : "✗"),
      element("span", {}, c.name + (c.passed ? "" : " (failed)")),
      element("span", { class: "measured num" }, "measured " + (c.value === null ? "–" : c.value.toExponential(1)) + ", bound " + (c.bound === null ? "–" : c.bound.toExponential(1)))))),
    element("ul", { class: "notes" }, ...m.notes.map((n) => element("li", {}, n)),
      ...(m.embedded ? [element("li", {}, m.embedded)] : [])));
}

const AGGREGATES = { rollout: "rollout: the maps multiplied from layer to layer", flow: "flow: the maximum flow through the maps of all layers" };
function drawMethod() {
  const m = current(), card = m.card || {};
  const options = Object.entries(m.options).map(([k, v]) => k + " = " + v).join(", ");
  clear("method", title("method", "Method: " + m.name),
    card.summary ? element("p", {}, card.summary) : "", card.formula ? element("p", { class: "formula" }, card.formula) : "",
    card.limits ? element("p", {}, element("b", {}, "What it does not show. "), card.limits) : "",
    element("dl", {}, ...(m.aggregate ? [element("dt", {}, "aggregate"), element("dd", {}, AGGREGATES[m.aggregate])] : []),
      ...(options ? [element("dt", {}, "options"), element("dd", {}, options)] : []),
      ...(card.paper ? [element("dt", {}, "paper"), element("dd", {}, card.paper)] : []),
      ...(card.cost ? [element("dt", {}, "cost"), element("dd", {}, card.cost)] : []),
      element("dt", {}, "time"), element("dd", {}, m.seconds.toFixed(3) + " s")));
}

function drawRecord() {
  const r = report.record;
  const facts = [["headwater", r.version], ["model", r.model + (r.commit ? " @ " + r.commit : "")],
    ["architecture", r.architecture + " (" + r.model_type + "), " + report.model.layers + " layers, " + report.model.heads + " heads, " + report.model.parameters.toLocaleString("en") + " parameters"],
    ["weights SHA-256", r.weights_sha256], ["tokenizer SHA-256", r.tokenizer_sha256], ["numbers", r.dtype + ", " + r.threads + " threads"],
    ["kernels", Object.entries(r.kernels).map(([k, v]) => k + ": " + v).join("; ")], ["time", r.seconds.toFixed(3) + " s"]];
  const copy = element("button", { type: "button", onclick: () => {
    navigator.clipboard?.writeText(r.command).then(() => { copy.textContent = "Copied"; }, () => {});
  } }, "Copy");
  clear("record", title("record", "Run record"),
    element("dl", {}, ...facts.filter(([, v]) => v).flatMap(([k, v]) => [element("dt", {}, k), element("dd", {}, v)])),
    element("div", { class: "line" }, element("h2", {}, "Repeat it"), copy), element("pre", { tabindex: 0 }, r.command));
}
