// Maps as figures: one large one, those of all layers or heads, and the three of an encoder–decoder.
import type { Bench } from "../bench";
import { isMap, type Attribution } from "../model/attribution";
import { css, inkOn, toned } from "../model/colour";
import type { GridMap } from "../model/maps";
import { cellTip, columnSumTip, rowSumTip } from "../model/tips";
import { number, place, placeName, rowSums, shownName } from "../model/words";
import { blocksOf } from "../views/blocks";
import { allPeak, evenRows } from "../views/layers";
import { shownMatrix } from "../views/matrix";
import { themed } from "../views/parts";
import { cellsImage } from "../views/thumbnail";
import { framed, heading, headingRoom, headline, legend, pointed, text, titled, turned, widthOf } from "./svg";

const most_cells = 1 << 14; // of a figure, drawn one by one; maps with more become images inside it

interface Panel {
  map: GridMap;
  scale: number;
  x: number;
  y: number;
  w: number;
  h: number;
  where: string;
  r0?: number; // which of the names the first row and column have
  c0?: number;
  numbers?: boolean;
}
const short = (v: number) =>
  v
    .toFixed(2)
    .replace(/^(-?)0/, "$1")
    .replace("-", "−");

function cells(b: Bench, a: Attribution, { map, scale, x, y, w, h, where, r0 = 0, c0 = 0, numbers }: Panel): string {
  const cw = w / map.C,
    ch = h / map.R,
    gap = cw >= 10 ? 1 : 0;
  let s = "",
    holes = "";
  for (let r = 0; r < map.R; ++r)
    for (let c = 0; c < map.C; ++c) {
      const v = map.v[r * map.C + c],
        px = x + c * cw,
        py = y + r * ch,
        tip = cellTip(a, where, b.groups[r0 + r].name, b.groups[c0 + c].name, v);
      if (v !== v) {
        holes += `M${px.toFixed(2)} ${(py + ch).toFixed(2)}L${(px + cw).toFixed(2)} ${py.toFixed(2)}`;
        s += pointed(px, py, cw, ch, tip);
        continue;
      }
      const colour = toned(v, scale, b.tone);
      s += `<rect x="${px.toFixed(2)}" y="${py.toFixed(2)}" width="${(cw - gap).toFixed(2)}" height="${(ch - gap).toFixed(2)}" fill="${css(colour)}">${titled(tip)}</rect>`;
      if (numbers && cw >= 28)
        s += text(px + cw / 2, py + ch / 2 + 3.5, short(v), 'text-anchor="middle" pointer-events="none"', 10, inkOn(colour));
    }
  return (holes ? `<path d="${holes}" stroke="${themed("--line")}"/>` : "") + s;
}
const image = (b: Bench, { map, scale, x, y, w, h }: Panel) =>
  `<image x="${x}" y="${y}" width="${w}" height="${h}" preserveAspectRatio="none" image-rendering="pixelated" href="${cellsImage(map, scale, b.tone).toDataURL()}"/>`;

// The maps of one figure: all by their cells, or all as images.
function drawnMaps(b: Bench, a: Attribution, panels: Panel[]): string {
  const many = panels.reduce((sum, p) => sum + p.map.v.length, 0) > most_cells;
  return panels.map((p) => (many ? image(b, p) : cells(b, a, p))).join("");
}

// What names need beside a map; above it those that stand upright need a little more.
const namesRoom = (names: string[], above: boolean) => 10 + (above ? 1.1 : 1) * Math.max(12, ...names.map((n) => widthOf(n, 11)));

// What every row reads and every column is read in all, as bars beside the map.
const margin = 30;
function profiles(b: Bench, map: GridMap, x: number, y: number, cell: number): string {
  const columns = new Float64Array(map.C);
  map.v.forEach((v, i) => (columns[i % map.C] += v === v ? v : 0));
  const colour = (v: number) => themed(v < 0 ? "--against" : "--track-strong"),
    thick = Math.max(0.8, cell - 1).toFixed(2),
    shares = (sums: ArrayLike<number>) => {
      const top = Array.from(sums).reduce((t, v) => Math.max(t, Math.abs(v)), 0);
      return Array.from(sums, (v) => Math.max(0.5, top > 0 ? ((margin - 8) * Math.abs(v)) / top : 0));
    };
  const bar = (px: number, py: number, w: string, h: string, v: number, tip: string) =>
    `<rect x="${px.toFixed(2)}" y="${py.toFixed(2)}" width="${w}" height="${h}" fill="${colour(v)}">${titled(tip)}</rect>`;
  return (
    shares(map.sums)
      .map((w, r) => bar(x + cell * map.C + 4, y + r * cell, w.toFixed(2), thick, map.sums[r], rowSumTip(b.groups[r].name, map.sums[r])))
      .join("") +
    shares(columns)
      .map((h, c) => bar(x + c * cell, y - 4 - h, thick, h.toFixed(2), columns[c], columnSumTip(b.groups[c].name, columns[c])))
      .join("")
  );
}

export function matrixFigure(b: Bench): string {
  const { a, map, difference } = shownMatrix(b);
  if (!map) return "";
  const names = b.groups.map((g) => shownName(g.name)),
    left = isMap(a) ? namesRoom(names, false) : 20,
    cell = Math.max(3, Math.min(32, 760 / map.C)),
    bars = isMap(a) ? margin : 0,
    top = 30 + namesRoom(names, true) + bars,
    tall = Math.max(18, cell * map.R),
    bottom = top + tall,
    scale = difference ? map.peak : b.scaleOf(b.current!, map),
    every = Math.ceil(11 / cell);
  let s =
    heading(headline(b, a)) +
    drawnMaps(b, a, [{ map, scale, x: left, y: top, w: cell * map.C, h: tall, where: place(b, a), numbers: true }]) +
    (bars ? profiles(b, map, left, top, cell) : "");
  names.forEach((n, i) => {
    if (i % every) return;
    if (isMap(a)) s += text(left - 5, top + (i + 0.5) * cell + 4, n, 'text-anchor="end"', 11, themed("--soft"));
    s += turned(left + (i + 0.5) * cell, top - 5 - bars, n, true);
  });
  const key = legend(
    b,
    a,
    scale,
    4,
    bottom + 24,
    `raw ${number(map.min)} … ${number(map.max)}, ${rowSums(map.lowest, map.highest, a.digits)}` +
      (bars ? "; bars: sums of rows and columns" : ""),
  );
  return framed(
    Math.ceil(Math.max(left + cell * map.C + bars + 16, headingRoom(headline(b, a)), key.room)),
    Math.ceil(bottom + 38),
    s + key.drawn,
    headline(b, a),
  );
}

// As the panel shows them: a map for every layer, or for every head of every layer.
export function layersFigure(b: Bench): string {
  return b.view.allHeads && b.current!.H > 1 ? headsFigure(b) : oneHeadFigure(b);
}

const scaleWords = (shared: boolean) => (shared ? "one scale for all maps" : "every map on its own scale");

function oneHeadFigure(b: Bench): string {
  const a = b.current!,
    shared = b.shares(a),
    columns = isMap(a) ? evenRows(a.L, 4) : 1,
    size = isMap(a) ? 190 : 780,
    tall = isMap(a) ? size : 16,
    title = headline(b, a, placeName(a, 0, b.headOf(a)).replace(/^L0 ?/, "")),
    panels: Panel[] = [];
  let s = heading(title);
  for (let l = 0; l < a.L; ++l) {
    const x = 10 + (l % columns) * (size + 12),
      y = 32 + Math.floor(l / columns) * (tall + 24),
      map = b.mapOf(a, l);
    if (!map) continue;
    panels.push({ map, scale: b.scaleOf(a, map), x, y, w: size, h: tall, where: placeName(a, l, b.headOf(a)) });
    s +=
      text(x, y + tall + 14, `L${l}`, 'font-weight="600"', 11) +
      text(x + size, y + tall + 14, `max ${number(map.max)}`, 'text-anchor="end"', 10.5, themed("--soft"));
  }
  const h = 32 + Math.ceil(a.L / columns) * (tall + 24),
    key = legend(b, a, shared ? b.maps.peak(a, b.headOf(a)) : null, 4, h + 18, scaleWords(shared));
  return framed(
    Math.ceil(Math.max(8 + columns * (size + 12), headingRoom(title), key.room)),
    h + 34,
    s + drawnMaps(b, a, panels) + key.drawn,
    title,
  );
}

function headsFigure(b: Bench): string {
  const a = b.current!,
    peak = b.shares(a) ? allPeak(b, a) : null,
    columns = a.H + 1,
    size = Math.max(44, Math.min(120, Math.floor(960 / columns) - 6)),
    tall = isMap(a) ? size : 16,
    left = 36,
    top = 50,
    soft = themed("--soft"),
    title = headline(b, a, "layers × heads"),
    panels: Panel[] = [];
  let s = heading(title);
  for (let h = -1; h < a.H; ++h)
    s += text(left + (h + 1) * (size + 6) + size / 2, top - 7, h < 0 ? "mean" : `H${h}`, 'text-anchor="middle"', 11, soft);
  for (let l = 0; l < a.L; ++l) {
    const y = top + l * (tall + 6);
    s += text(left - 7, y + tall / 2 + 4, `L${l}`, 'text-anchor="end"', 11, soft);
    for (let h = -1; h < a.H; ++h) {
      const map = b.mapOf(a, l, h);
      if (map)
        panels.push({ map, scale: peak ?? map.peak, x: left + (h + 1) * (size + 6), y, w: size, h: tall, where: placeName(a, l, h) });
    }
  }
  const bottom = top + a.L * (tall + 6),
    key = legend(b, a, peak, 4, bottom + 20, scaleWords(peak !== null));
  return framed(
    Math.ceil(Math.max(left + columns * (size + 6) + 10, headingRoom(title), key.room)),
    bottom + 34,
    s + drawnMaps(b, a, panels) + key.drawn,
    title,
  );
}

export function blocksFigure(b: Bench): string {
  const a = b.current!,
    map = b.mapOf(a)!,
    cell = 20,
    soft = themed("--soft"),
    names = b.groups.map((g) => shownName(g.name)),
    top = 50 + namesRoom(names, true),
    panels: Panel[] = [];
  let s = heading(headline(b, a)),
    x = 10,
    bottom = 0;
  for (const { name, rows, columns, r0, c0, map: part } of blocksOf(b, map)) {
    const w = columns * cell,
      h = rows * cell,
      left = x + namesRoom(names.slice(r0, r0 + rows), false);
    panels.push({ map: part, scale: part.peak, x: left, y: top, w, h, where: place(b, a), r0, c0 });
    s += text(x, 42, name, "", 11.5);
    for (let i = 0; i < rows; ++i) s += text(left - 5, top + (i + 0.5) * cell + 4, names[r0 + i], 'text-anchor="end"', 11, soft);
    for (let i = 0; i < columns; ++i) s += turned(left + (i + 0.5) * cell, top - 5, names[c0 + i], true);
    x = Math.max(left + w, x + widthOf(name, 11.5)) + 28;
    bottom = Math.max(bottom, top + h);
  }
  const key = legend(b, a, null, 4, bottom + 22, "each map on its own scale");
  return framed(
    Math.ceil(Math.max(x - 18, headingRoom(headline(b, a)), key.room)),
    Math.ceil(bottom + 36),
    s + drawnMaps(b, a, panels) + key.drawn,
    headline(b, a),
  );
}
