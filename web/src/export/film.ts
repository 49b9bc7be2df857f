// The flow as a film: layer after layer appears from the output down, then all stays for a while, for ever.
import type { Bench } from "../bench";
import { shownName } from "../model/words";
import { drawnFlow, edgePath, flowBox } from "../views/flow";
import { themed } from "../views/parts";
import { framed, text, turned } from "./svg";

export function animatedFlow(b: Bench): string {
  const drawn = drawnFlow(b);
  if (!drawn || drawn.missing) return "";
  const box = flowBox(b, drawn, 860),
    n = drawn.stages.length,
    length = n + 3,
    ink = themed("--ink"),
    soft = themed("--soft"),
    accent = themed("--accent"),
    against = themed("--against");
  const appear = (from: number) =>
    `<animate attributeName="opacity" dur="${length}s" repeatCount="indefinite" calcMode="discrete" keyTimes="0;${(from / length).toFixed(4)}" values="0;1"/>`;
  let s =
    text(10, 17, `What reaches “${shownName(b.groups[drawn.row].name)}” by ${drawn.a.name}`, 'font-weight="600"', 13) +
    '<g transform="translate(0 26)">';
  for (const stage of drawn.stages)
    s +=
      `<line x1="50" x2="${box.width - 6}" y1="${box.y(stage.level)}" y2="${box.y(stage.level)}" stroke="${themed("--line")}"/>` +
      text(46, box.y(stage.level) + 4, stage.name, 'text-anchor="end"', 11, soft);
  s +=
    `<line x1="50" x2="${box.width - 6}" y1="${box.y(0)}" y2="${box.y(0)}" stroke="${themed("--line")}"/>` +
    text(46, box.y(0) + 4, "input", 'text-anchor="end"', 11, soft);
  for (let k = n - 1; k >= 0; --k) {
    s += `<g fill="none" opacity="${n === 1 ? 1 : 0}">${appear(n - 1 - k + 0.001)}`;
    for (const e of drawn.edges.filter((x) => x.stage === k))
      s += `<path d="${edgePath(box, e)}" stroke="${e.sign < 0 ? against : accent}" stroke-width="${(0.6 + 7 * Math.sqrt(e.weight)).toFixed(2)}" opacity="${(0.15 + 0.65 * Math.sqrt(e.weight)).toFixed(3)}"/>`;
    s += "</g>";
  }
  const top = Math.max(...drawn.graph.reached, 1e-30);
  const every = Math.ceil(13 / box.step);
  for (const [i, g] of box.shown.entries()) {
    const h = (30 * drawn.graph.reached[g]) / top,
      x = box.x(g),
      y = box.y(0) + 16;
    s +=
      `<rect x="${(x - 6).toFixed(1)}" y="${(y + 30 - h).toFixed(1)}" width="12" height="${h.toFixed(1)}" fill="${accent}" opacity="0">${appear(n)}</rect>` +
      (i % every && g !== drawn.row ? "" : turned(x, y + 38, shownName(b.groups[g].name, 14), false, g === drawn.row ? ink : soft));
  }
  return framed(box.width, box.height + 40, s + "</g>", "Flow, layer by layer");
}
