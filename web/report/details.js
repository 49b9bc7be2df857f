// What comes with the scores: a line per layer for an aggregate, a small table for a value per layer and head,
// and how far the methods agree.
// SVG's namespace as the parser knows it, so that this file names no address.
const svgSpace = (() => { const t = document.createElement("template"); t.innerHTML = "<svg></svg>"; return t.content.firstChild.namespaceURI; })();

function chart(series, labels, range) {
  const width = 420, height = 150, left = 56, bottom = 22, top = 8;
  const shape = (tag, attributes, text) => {
    const e = document.createElementNS(svgSpace, tag);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    if (text !== undefined) e.textContent = text;
    return e;
  };
  const known = series.flat().filter((v) => v !== null && v === v);
  if (known.length === 0) return element("p", { class: "soft" }, "no value is defined");
  const low = range ? range[0] : Math.min(0, ...known), high = range ? range[1] : Math.max(...known), span = high - low || 1;
  const n = Math.max(...series.map((s) => s.length));
  const x = (i) => left + (n > 1 ? (i * (width - left - 10)) / (n - 1) : (width - left) / 2);
  const y = (v) => top + ((high - v) * (height - top - bottom)) / span;
  const svg = shape("svg", { viewBox: "0 0 " + width + " " + height, class: "chart", role: "img",
    "aria-label": labels.map((l, k) => l + ": " + series[k].map((v) => number(v ?? NaN)).join(", ")).join("; ") });
  for (const v of [low, (low + high) / 2, high]) {
    svg.append(shape("line", { x1: left, x2: width - 10, y1: y(v), y2: y(v), class: "rule" }),
      shape("text", { x: left - 6, y: y(v) + 4, "text-anchor": "end" }, number(v)));
  }
  for (let i = 0; i < n; i += Math.ceil(n / 12)) svg.append(shape("text", { x: x(i), y: height - 6, "text-anchor": "middle" }, "L" + i));
  series.forEach((values, k) => {
    let path = "", pen = "M";
    values.forEach((v, i) => { if (v === null || v !== v) { pen = "M"; return; } path += pen + x(i).toFixed(1) + " " + y(v).toFixed(1); pen = "L"; });
    svg.append(shape("path", { d: path, class: "line" + (k % 4) }));
    values.forEach((v, i) => {
      if (v === null || v !== v) return;
      const dot = shape("circle", { cx: x(i), cy: y(v), r: 3, class: "dot" + (k % 4) });
      dot.append(shape("title", {}, labels[k] + " L" + i + ": " + number(v)));
      svg.append(dot);
    });
  });
  const keys = labels.length > 1 ? element("div", { class: "legend" }, ...labels.map((l, k) => element("span", {}, element("i", { class: "key" + (k % 4), "aria-hidden": "true" }), l))) : "";
  return element("div", {}, svg, keys);
}

function heatTable(detail) {
  const rows = detail.values, peak = Math.max(...rows.flat().map((v) => Math.abs(v ?? 0)), 1e-30);
  const cell = (v) => {
    const e = element("td", { class: "num heat" }, v === null ? "–" : number(v));
    if (v !== null) { const c = rgb(v / peak); e.style.background = css(c); e.style.color = inkOn(c); }
    return e;
  };
  return element("div", { class: "scroll" }, element("table", { class: "heats" },
    element("thead", {}, element("tr", {}, element("th", {}, ""), ...rows[0].map((_, h) => element("th", { scope: "col" }, detail.axes[1][0].toUpperCase() + h)))),
    element("tbody", {}, ...rows.map((row, l) => element("tr", {}, element("th", { scope: "row" }, "L" + l), ...row.map(cell))))));
}

function drawDetails() {
  const section = document.getElementById("details"), parts = [];
  for (const d of current().details || []) {
    const name = element("h3", {}, d.name.replace(/_/g, " "));
    if (d.axes.length === 1 && d.axes[0] === "layer") parts.push(name, chart([d.values], [d.name]));
    if (d.axes.length === 2 && d.axes[0] === "layer") parts.push(name, heatTable(d));
  }
  section.hidden = parts.length === 0;
  clear("details", title("details", "By layer"), ...parts);
}

// What the numbers of this file stand for, whatever the page groups.
const unitName = () => (isImage ? "patches" : page.view.unit + "s");
function drawAgreement() {
  const pairs = report.agreement || [], section = document.getElementById("agreement");
  section.hidden = pairs.length === 0;
  if (pairs.length === 0) return;
  const value = (v) => (v === null ? "–" : v.toFixed(3));
  const rows = pairs.map((p) => element("tr", {}, element("td", {}, p.methods.join(" · ")),
    element("td", { class: "num" }, p.units), element("td", { class: "num" }, value(p.kendall_tau_b)), element("td", { class: "num" }, value(p.spearman))));
  const maps = report.attributions.some((a) => a.axes.includes("query"));
  const layered = pairs.filter((p) => p.spearman_by_layer.length > 1).slice(0, 4);
  clear("agreement", title("agreement", "Do the methods agree?"),
    element("table", {}, element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "methods"), element("th", { scope: "col", class: "num" }, unitName()),
      element("th", { scope: "col", class: "num" }, "Kendall τ-b"), element("th", { scope: "col", class: "num" }, "Spearman ρ"))), element("tbody", {}, ...rows)),
    element("p", { class: "caption" }, 
      `Rank correlation over what both measured${maps ? "; of maps, the row the output was read from in the last layer" : ""}. – : one side has no order.`),
    layered.length ? chart(layered.map((p) => p.spearman_by_layer), layered.map((p) => p.methods.join(" · ")), [-1, 1]) : "",
    layered.length ? element("p", { class: "caption" }, "Spearman ρ by layer, mean over rows.") : "");
}
