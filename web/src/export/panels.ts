// The panels beside the main view as figures: the map of heads, and the charts of the drawer.
import type { Bench } from "../bench";
import { css, toned } from "../model/colour";
import { number } from "../model/words";
import { headMapOf, nameOfStatistic } from "../views/headmap";
import { themed } from "../views/parts";
import { escaped, framed, headline, text, widthOf } from "./svg";

export function headMapFigure(b: Bench): string {
  const map = headMapOf(b);
  if (!map) return "";
  const { a, what, values, known, peak } = map,
    cell = 26,
    left = 40,
    top = 62,
    soft = themed("--soft");
  let s =
    text(10, 18, headline(b, a, nameOfStatistic(what)), 'font-weight="600"', 13) +
    text(
      10,
      38,
      `${number(Math.min(...known))} … ${number(Math.max(...known))}; layers from the bottom of the model, heads across`,
      "",
      10.5,
      soft,
    );
  values[0].forEach((_, h) => (s += text(left + (h + 0.5) * cell, top - 6, String(h), 'text-anchor="middle"', 10.5, soft)));
  values.forEach((row, l) => {
    s += text(left - 6, top + (l + 0.5) * cell + 4, `L${l}`, 'text-anchor="end"', 10.5, soft);
    row.forEach((v, h) => {
      const [x, y] = [left + h * cell, top + l * cell];
      s +=
        v !== null && v === v
          ? `<rect x="${x}" y="${y}" width="${cell - 1}" height="${cell - 1}" rx="3" fill="${css(toned(v, peak, b.tone))}"/>`
          : `<path d="M${x} ${y + cell - 1}L${x + cell - 1} ${y}" stroke="${themed("--line")}"/>`;
    });
  });
  return framed(Math.max(480, left + a.H * cell + 16), top + a.L * cell + 14, s, headline(b, a, nameOfStatistic(what)));
}

// Every chart that is shown, one below the other, with what its lines stand for.
export function chartsFigure(): string {
  let s = "",
    y = 8,
    wide = 300;
  for (const box of document.querySelectorAll("#drawer .chart-box")) {
    const chart = box.querySelector<SVGSVGElement>("svg.chart"),
      size = chart?.viewBox.baseVal;
    if (!chart || !size) continue;
    const copy = chart.cloneNode(true) as SVGSVGElement;
    for (const e of copy.querySelectorAll("[style]")) e.removeAttribute("style");
    s += text(10, y + 14, chart.getAttribute("aria-label")!.split(". ")[0], 'font-weight="600"', 12.5);
    s += `<g transform="translate(0 ${y + 20})">${copy.innerHTML}</g>`;
    y += 26 + size.height;
    let x = 14;
    for (const entry of box.querySelectorAll(".legend .scale")) {
      const stroke = entry.querySelector("line"),
        name = entry.textContent ?? "",
        w = 30 + widthOf(name, 11) + 16;
      if (x + w > size.width && x > 14) {
        x = 14;
        y += 18;
      }
      s +=
        `<line x1="${x}" x2="${x + 22}" y1="${y + 8}" y2="${y + 8}" stroke="${escaped(stroke?.getAttribute("stroke") ?? "")}" stroke-width="2.5" stroke-dasharray="${escaped(stroke?.getAttribute("stroke-dasharray") ?? "")}"/>` +
        text(x + 28, y + 12, name, "", 11, themed("--soft"));
      x += w;
      wide = Math.max(wide, x);
    }
    y += box.querySelector(".legend") ? 28 : 8;
    wide = Math.max(wide, size.width);
  }
  return s ? framed(Math.ceil(wide) + 6, Math.ceil(y) + 6, s, "Charts") : "";
}
