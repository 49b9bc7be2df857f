// The panels beside the main view as figures: the map of heads, and the charts of the drawer.
import type { Bench } from "../bench";
import { css, toned } from "../model/colour";
import { headTip } from "../model/tips";
import { number } from "../model/words";
import { headMapOf, nameOfStatistic } from "../views/headmap";
import { themed } from "../views/parts";
import { drawnOf, framed, heading, headingRoom, headline, pointed, text, titled, widthOf } from "./svg";

export function headMapFigure(b: Bench): string {
  const map = headMapOf(b);
  if (!map) return "";
  const { a, what, values, known, peak } = map,
    cell = 26,
    left = 40,
    top = 62,
    soft = themed("--soft"),
    title = headline(b, a, nameOfStatistic(what)),
    said = `${number(Math.min(...known))} … ${number(Math.max(...known))}; layers from the bottom of the model, heads across`;
  let s = heading(title) + text(10, 38, said, "", 10.5, soft);
  values[0].forEach((_, h) => (s += text(left + (h + 0.5) * cell, top - 6, String(h), 'text-anchor="middle"', 10.5, soft)));
  values.forEach((row, l) => {
    s += text(left - 6, top + (l + 0.5) * cell + 4, `L${l}`, 'text-anchor="end"', 10.5, soft);
    row.forEach((v, h) => {
      const [x, y] = [left + h * cell, top + l * cell];
      if (v !== null && v === v)
        s += `<rect x="${x}" y="${y}" width="${cell - 1}" height="${cell - 1}" rx="3" fill="${css(toned(v, peak, b.tone))}">${titled(headTip(l, h, v))}</rect>`;
      else {
        s += `<path d="M${x} ${y + cell - 1}L${x + cell - 1} ${y}" stroke="${themed("--line")}"/>`;
        if (v !== null) s += pointed(x, y, cell - 1, cell - 1, headTip(l, h, v));
      }
    });
  });
  return framed(Math.ceil(Math.max(left + a.H * cell + 16, headingRoom(title), 24 + widthOf(said, 10.5))), top + a.L * cell + 14, s, title);
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
    s += text(10, y + 14, chart.getAttribute("aria-label")!.split(". ")[0], 'font-weight="600"', 12.5);
    s += `<g transform="translate(0 ${y + 20})">${drawnOf(chart)}</g>`;
    y += 26 + size.height;
    let x = 14;
    for (const entry of box.querySelectorAll(".legend .scale")) {
      const sample = entry.querySelector("svg"),
        name = entry.textContent ?? "",
        w = 30 + widthOf(name, 11) + 16;
      if (x + w > size.width && x > 14) {
        x = 14;
        y += 18;
      }
      s +=
        `<g transform="translate(${x} ${y + 4})">${sample ? drawnOf(sample) : ""}</g>` +
        text(x + 28, y + 12, name, "", 11, themed("--soft"));
      x += w;
      wide = Math.max(wide, x);
    }
    y += box.querySelector(".legend") ? 28 : 8;
    wide = Math.max(wide, size.width);
  }
  return s ? framed(Math.ceil(wide) + 6, Math.ceil(y) + 6, s, "Charts") : "";
}
