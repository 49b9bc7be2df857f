// Figures as SVG of their own: explicit colours, text that stays text, a title and the numbers' origin inside.
import type { Bench } from "../bench";
import { isMap, type Attribution } from "../model/attribution";
import { css, inkOn, shade, toned } from "../model/colour";
import { linesOfBench, type Line } from "../model/lines";
import { rowScale, type GridMap } from "../model/maps";
import { readFromLeft, readingLevels, uprightLetters, visualOrder } from "../model/reading";
import { number, place, shownName, signWords } from "../model/words";
import { blocksOf } from "../views/blocks";
import { drawnFlow, edgePath, flowBox } from "../views/flow";
import { paintOverlay } from "../views/image";
import { shownMatrix } from "../views/matrix";
import { themed } from "../views/parts";
import { cellsImage } from "../views/thumbnail";

const space = "http://www.w3.org/2000/svg";
const most_cells = 4096; // drawn one by one; larger maps become an image inside the figure
export const escaped = (s: string) => s.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
const font = "system-ui, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', sans-serif";

export function framed(width: number, height: number, body: string, title: string): string {
  return (
    `<svg xmlns="${space}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${font}"><title>${escaped(title)}</title>` +
    `<rect width="${width}" height="${height}" fill="${themed("--card")}"/>${body}</svg>`
  );
}

export const text = (x: number, y: number, s: string, more = "", size = 12, fill = themed("--ink")) =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" font-size="${size}" fill="${fill}" ${more}>${escaped(s)}</text>`;
let measure: CanvasRenderingContext2D | null = null;
export function widthOf(s: string, size: number): number {
  measure ??= document.createElement("canvas").getContext("2d")!;
  measure.font = `${size}px ${font}`;
  return measure.measureText(s).width;
}

// A name on its side, from (x, y) up or down; Chinese and the like stand upright, one letter below another.
function turned(x: number, y: number, name: string, up: boolean, fill = themed("--soft"), size = 11): string {
  const letters = uprightLetters(name),
    step = 1.1 * size;
  if (!letters.length)
    return `<text transform="translate(${(x + (up ? 4 : -4)).toFixed(1)} ${y.toFixed(1)}) rotate(${up ? -90 : 90})" font-size="${size}" fill="${fill}">${escaped(name)}</text>`;
  return letters
    .map((l, i) => text(x, y + (up ? i - letters.length : i) * step + 0.9 * size, l, 'text-anchor="middle"', size, fill))
    .join("");
}

const modelName = (b: Bench) => b.data.record.model.split("/").pop() ?? "";
export const headline = (b: Bench, a: Attribution, where = place(b, a)) =>
  [a.name, where, b.aim.target.label ? `target ${b.aim.target.label}` : "", modelName(b)].filter(Boolean).join(" · ");

// `high` is what the darkest colour stands for; null where every map has its own.
function legend(b: Bench, a: Attribution, high: number | null, x: number, y: number, raw: string): string {
  let s = "";
  for (let i = 0; i < 40; ++i)
    s += `<rect x="${x + 44 + 3 * i}" y="${y - 8}" width="3.2" height="9" fill="${css(shade(a.signed ? (i - 19.5) / 19.5 : i / 39, b.dark, b.view.palette))}"/>`;
  const words = [signWords(b, a), raw, b.view.root ? "square root" : ""].filter(Boolean).join("; "),
    largest = high === null ? "max" : number(high),
    soft = themed("--soft");
  return (
    s +
    text(x + 38, y, a.signed ? "−" + largest : "0", 'text-anchor="end"', 10.5, soft) +
    text(x + 170, y, (a.signed ? "+" : "") + largest, "", 10.5, soft) +
    text(x + 216, y, words, "", 10.5, soft)
  );
}

function cells(b: Bench, map: GridMap, scale: number, x: number, y: number, w: number, h: number, numbers = false): string {
  if (map.R * map.C > most_cells)
    return `<image x="${x}" y="${y}" width="${w}" height="${h}" preserveAspectRatio="none" image-rendering="pixelated" href="${cellsImage(map, scale, b.tone).toDataURL()}"/>`;
  const cw = w / map.C,
    ch = h / map.R,
    gap = cw >= 10 ? 1 : 0,
    line = themed("--line");
  let s = "";
  for (let r = 0; r < map.R; ++r)
    for (let c = 0; c < map.C; ++c) {
      const v = map.v[r * map.C + c],
        px = x + c * cw,
        py = y + r * ch;
      if (v !== v) {
        s += `<path d="M${px.toFixed(2)} ${(py + ch).toFixed(2)}L${(px + cw).toFixed(2)} ${py.toFixed(2)}" stroke="${line}"/>`;
        continue;
      }
      const colour = toned(v, scale, b.tone);
      s += `<rect x="${px.toFixed(2)}" y="${py.toFixed(2)}" width="${(cw - gap).toFixed(2)}" height="${(ch - gap).toFixed(2)}" fill="${css(colour)}"/>`;
      if (numbers && cw >= 28)
        s += text(
          px + cw / 2,
          py + ch / 2 + 3.5,
          v
            .toFixed(2)
            .replace(/^(-?)0/, "$1")
            .replace("-", "−"),
          'text-anchor="middle"',
          10,
          inkOn(colour),
        );
    }
  return s;
}

export function matrixFigure(b: Bench): string {
  const { a, map } = shownMatrix(b);
  if (!map) return "";
  const names = b.groups.map((g) => shownName(g.name)),
    label = Math.min(130, Math.max(...names.map((n) => widthOf(n, 11))) + 10),
    cell = Math.max(3, Math.min(32, 760 / map.C)),
    top = 30 + label,
    soft = themed("--soft");
  const w = Math.max(label + cell * map.C + 20, 620),
    bottom = top + Math.max(18, cell * map.R),
    scale = b.scaleOf(b.current!, map),
    every = Math.ceil(11 / cell);
  let s =
    text(10, 18, headline(b, a), 'font-weight="600"', 13) +
    cells(b, map, scale, label, top, cell * map.C, Math.max(18, cell * map.R), true);
  names.forEach((n, i) => {
    if (i % every) return;
    if (isMap(a)) s += text(label - 5, top + (i + 0.5) * cell + 4, n, 'text-anchor="end"', 11, soft);
    s += turned(label + (i + 0.5) * cell, top - 5, n, true);
  });
  return framed(
    w,
    bottom + 34,
    s +
      legend(
        b,
        a,
        scale,
        4,
        bottom + 22,
        `raw ${number(map.min)} … ${number(map.max)}, rows sum to ${map.lowest.toFixed(a.digits)} … ${map.highest.toFixed(a.digits)}`,
      ),
    headline(b, a),
  );
}

export function layersFigure(b: Bench): string {
  const a = b.current!,
    maps = Array.from({ length: a.L }, (_, l) => b.mapOf(a, l)),
    columns = Math.min(a.L, isMap(a) ? 4 : 1),
    size = isMap(a) ? 190 : 780,
    tall = isMap(a) ? size : 16,
    rows = Math.ceil(a.L / columns);
  let s = text(10, 18, headline(b, a, place(b, a).replace(/^L\d+ ?/, "")), 'font-weight="600"', 13);
  maps.forEach((map, l) => {
    const x = 10 + (l % columns) * (size + 12),
      y = 32 + Math.floor(l / columns) * (tall + 24);
    if (map)
      s +=
        cells(b, map, b.scaleOf(a, map), x, y, size, tall) +
        text(x, y + tall + 14, `L${l}`, 'font-weight="600"', 11) +
        text(x + size, y + tall + 14, `max ${number(map.max)}`, 'text-anchor="end"', 10.5, themed("--soft"));
  });
  const h = 32 + rows * (tall + 24);
  return framed(
    Math.max(640, 20 + columns * (size + 12)),
    h + 34,
    s +
      legend(
        b,
        a,
        b.shares(a) ? b.maps.peak(a, b.headOf(a)) : null,
        4,
        h + 18,
        b.shares(a) ? "one scale for all maps" : "every map on its own scale",
      ),
    headline(b, a),
  );
}

// A line's tokens and the spaces between them (at −1) with their widths and levels, as many in a row as there is room for.
function wrapped(b: Bench, line: Line, room: number) {
  const items: { at: number; w: number; size: number; level: number }[] = [],
    pieces: string[] = [];
  for (const { before, at } of line.pieces) {
    const unit = b.units[at],
      size = unit.special ? 10.5 : 15,
      gap = before ? widthOf(before.replace(/\s+/g, " "), 15) : unit.special || b.units[items[items.length - 1]?.at]?.special ? 4 : 0;
    if (gap && items.length) {
      items.push({ at: -1, w: gap, size, level: 0 });
      pieces.push(before || " ");
    }
    items.push({ at, w: widthOf(unit.text || "␣", size) + (unit.special ? 8 : 2), size, level: 0 });
    pieces.push(unit.special ? "" : unit.text);
  }
  readingLevels(pieces).levels.forEach((l, i) => (items[i].level = l));
  const rows: (typeof items)[] = [[]];
  let x = 0;
  for (const item of items) {
    let row = rows[rows.length - 1];
    if (item.at >= 0 && row.length && x + item.w > room) {
      if (row[row.length - 1].at < 0) row.pop();
      rows.push((row = []));
      x = 0;
    }
    row.push(item);
    x += item.w;
  }
  return rows;
}

// The strip: each method's row of text, wrapped, with the words as words.
export function stripFigure(b: Bench): string {
  const width = 900,
    lines = linesOfBench(b),
    left = 190;
  let y = 30,
    s = text(10, 20, readFromLeft(b.aim.sentence || b.data.sentence), 'font-weight="600"', 14);
  for (const a of b.attributions) {
    const map = b.mapOf(a);
    if (!map) continue;
    const row = b.rowOf(a),
      scale = rowScale(map, row, b.groups);
    y += 12;
    s += text(10, y + 14, a.name, 'font-weight="600"', 12) + text(10, y + 28, place(b, a), "", 10.5, themed("--soft"));
    for (const line of lines)
      for (const items of wrapped(b, line, width - 12 - left)) {
        let x = line.right ? width - 12 - items.reduce((sum, i) => sum + i.w, 0) : left;
        for (const i of visualOrder(items.map((item) => item.level))) {
          const { at, w, size, level } = items[i],
            px = x;
          x += w;
          if (at < 0) continue;
          const g = b.indexOf[at],
            v = g < 0 ? NaN : map.v[row * map.C + g],
            c = v === v ? toned(v, scale, b.tone) : null,
            way = level % 2 && !b.units[at].special ? ' direction="rtl"' : ""; // brackets are mirrored
          if (c) s += `<rect x="${px.toFixed(1)}" y="${y}" width="${w.toFixed(1)}" height="20" rx="2" fill="${css(c)}"/>`;
          s += text(px + w / 2, y + 15, b.units[at].text || "␣", 'text-anchor="middle"' + way, size, c ? inkOn(c) : themed("--soft"));
        }
        y += 26;
      }
  }
  const a = b.current!,
    map = b.mapOf(a)!,
    row = b.rowOf(a);
  return framed(
    width,
    y + 40,
    s + legend(b, a, rowScale(map, row, b.groups), 4, y + 26, `${a.name}; each row scaled to its strongest word`),
    b.data.sentence,
  );
}

export function pictureFigure(b: Bench, picture: HTMLImageElement | null): string {
  const size = 256,
    a = b.current!;
  let s = text(10, 18, headline(b, a), 'font-weight="600"', 13),
    x = 10;
  if (b.data.picture)
    s +=
      `<image x="${x}" y="30" width="${size}" height="${size}" image-rendering="pixelated" href="${b.data.picture}"/>` +
      text(x, size + 46, "what the model saw", "", 11, themed("--soft"));
  b.targets.forEach((t, k) => {
    const own = b.attributionsOf(k).find((o) => o.name === a.name),
      map = own && b.mapOf(own);
    if (!own || !map) return;
    x += size + 14;
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 2 * size;
    const g = canvas.getContext("2d")!;
    g.scale(2, 2);
    paintOverlay(g, b, picture, map, b.rowOf(own), rowScale(map, b.rowOf(own), b.groups), size);
    s +=
      `<image x="${x}" y="30" width="${size}" height="${size}" href="${canvas.toDataURL()}"/>` +
      text(
        x,
        size + 46,
        t.target.label + (t.target.probability !== null ? ` ${(100 * t.target.probability).toFixed(1)} %` : ""),
        'font-weight="600"',
        12,
      );
  });
  const map = b.mapOf(a)!;
  return framed(
    Math.max(640, x + size + 10),
    size + 84,
    s + legend(b, a, rowScale(map, b.rowOf(a), b.groups), 4, size + 70, "each scaled to its strongest patch"),
    headline(b, a),
  );
}

export function blocksFigure(b: Bench): string {
  const a = b.current!,
    map = b.mapOf(a)!,
    cell = 20,
    soft = themed("--soft"),
    room = (from: number, count: number) =>
      Math.min(130, 10 + Math.max(12, ...b.groups.slice(from, from + count).map((g) => widthOf(shownName(g.name), 11))));
  let s = text(10, 18, headline(b, a), 'font-weight="600"', 13),
    x = 10,
    tall = 0;
  for (const block of blocksOf(b, map)) {
    const w = block.columns * cell,
      h = block.rows * cell,
      left = x + room(block.r0, block.rows),
      top = 50 + room(0, b.groups.length);
    s += text(x, 42, block.name, "", 11.5) + cells(b, block.map, block.map.peak, left, top, w, h);
    for (let i = 0; i < block.rows; ++i)
      s += text(left - 5, top + (i + 0.5) * cell + 4, shownName(b.groups[block.r0 + i].name), 'text-anchor="end"', 11, soft);
    for (let i = 0; i < block.columns; ++i) s += turned(left + (i + 0.5) * cell, top - 5, shownName(b.groups[block.c0 + i].name), true);
    x = Math.max(left + w, x + widthOf(block.name, 11.5)) + 28;
    tall = Math.max(tall, top + h);
  }
  return framed(Math.max(640, x), tall + 36, s + legend(b, a, null, 4, tall + 22, "each map on its own scale"), headline(b, a));
}

// A drawing that is on the page as SVG already: its own elements, framed, and what its colours stand for.
export function shownFigure(selector: string, title: string, colours: { colour: string; name: string }[] = []): string {
  const shown = document.querySelector<SVGSVGElement>(selector);
  if (!shown) return "";
  const copy = shown.cloneNode(true) as SVGSVGElement;
  for (const e of copy.querySelectorAll("[style]")) e.removeAttribute("style");
  const box = shown.viewBox.baseVal;
  let key = "",
    x = 10,
    top = 26;
  for (const { colour, name } of colours) {
    const w = 16 + widthOf(name, 11) + 14;
    if (x + w > box.width && x > 10) [x, top] = [10, top + 18];
    key +=
      `<rect x="${x}" y="${top}" width="11" height="11" rx="2" fill="${colour}"/>` +
      text(x + 16, top + 9.5, name, "", 11, themed("--soft"));
    x += w;
  }
  if (colours.length) top += 20;
  return framed(
    box.width,
    box.height + top,
    text(10, 17, title, 'font-weight="600"', 13) + key + `<g transform="translate(0 ${top})">${copy.innerHTML}</g>`,
    title,
  );
}

// The flow as a film: layer after layer appears from the output down, then all stays for a while, for ever.
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
