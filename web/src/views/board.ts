// The matrix on its canvas: how large its cells are, what part of the map is seen, names and cells.
import type { Bench } from "../bench";
import { css, inkOn, toned } from "../model/colour";
import type { GridMap } from "../model/maps";
import { uprightLetters } from "../model/reading";
import { hatch, themed } from "./parts";
import { drawMap } from "./thumbnail";

export interface Box {
  left: number;
  top: number;
  cell: number;
  rows: number;
  columns: number;
  r0: number;
  c0: number;
  width: number;
  height: number;
  margin: number;
}

export function boxOf(width: number, map: GridMap, names: string[], zoom: number, r0: number, c0: number): Box {
  const g = document.createElement("canvas").getContext("2d")!;
  g.font = "12px system-ui, sans-serif";
  const label = Math.min(112, Math.max(30, ...names.slice(0, 600).map((n) => g.measureText(n).width)) + 12),
    margin = map.R > 1 ? 44 : 0;
  const columns = Math.max(4, Math.ceil(map.C / zoom)),
    rows = map.R > 1 ? Math.max(4, Math.ceil(map.R / zoom)) : 1;
  const room = width - label - margin - 10,
    raw = Math.min(44, room / Math.min(columns, map.C));
  const cell = raw >= 8 ? Math.floor(raw) : raw,
    shownColumns = Math.min(columns, map.C),
    shownRows = Math.min(rows, map.R);
  return {
    left: label,
    top: Math.min(label, 92),
    cell,
    rows: shownRows,
    columns: shownColumns,
    r0: Math.max(0, Math.min(r0, map.R - shownRows)),
    c0: Math.max(0, Math.min(c0, map.C - shownColumns)),
    margin,
    width: label + cell * shownColumns + margin + 10,
    height: Math.min(label, 92) + Math.max(cell * shownRows, 18) + (margin ? margin + 6 : 4),
  };
}

export function windowOf(map: GridMap, box: Box): GridMap {
  if (box.rows === map.R && box.columns === map.C) return map;
  const v = new Float32Array(box.rows * box.columns);
  for (let r = 0; r < box.rows; ++r)
    v.set(map.v.subarray((box.r0 + r) * map.C + box.c0, (box.r0 + r) * map.C + box.c0 + box.columns), r * box.columns);
  return { ...map, R: box.rows, C: box.columns, v };
}

// A name above its column, read from below; Chinese and the like stand upright, one letter below another. Either ends at y.
export function fillTurned(g: CanvasRenderingContext2D, name: string, x: number, y: number, room: number) {
  const upright = uprightLetters(name),
    size = parseFloat(/(\d+(?:\.\d+)?)px/.exec(g.font)?.[1] ?? "12"),
    step = Math.min(size * 1.1, room / Math.max(1, upright.length));
  g.save();
  g.translate(x, y);
  if (upright.length) {
    g.textAlign = "center";
    upright.forEach((letter, i) => g.fillText(letter, 0, (i + 0.5 - upright.length) * step));
  } else {
    g.rotate(-Math.PI / 2);
    g.textAlign = "left";
    g.fillText(name, 0, 0, room);
  }
  g.restore();
}

export function drawLabels(g: CanvasRenderingContext2D, box: Box, names: string[], hasRows: boolean) {
  const every = Math.max(1, Math.ceil(12 / box.cell));
  g.fillStyle = themed("--soft");
  g.font = `${Math.min(12, Math.max(10, box.cell - 1))}px system-ui, sans-serif`;
  g.textBaseline = "middle";
  if (hasRows) {
    g.textAlign = "right";
    for (let i = 0; i < box.rows; i += every) g.fillText(names[box.r0 + i], box.left - 6, box.top + (i + 0.5) * box.cell, box.left - 10);
  }
  for (let i = 0; i < box.columns; i += every) {
    fillTurned(g, names[box.c0 + i], box.left + (i + 0.5) * box.cell, box.top - 6, box.top - 8);
  }
}

export function drawCells(g: CanvasRenderingContext2D, b: Bench, box: Box, map: GridMap, scale: number) {
  const w = box.cell * map.C,
    h = Math.max(box.cell * map.R, map.R === 1 ? 18 : 0);
  g.fillStyle = hatch(g);
  g.fillRect(box.left, box.top, w, h);
  if (box.cell < 10) {
    drawMap(g, map, scale, b.tone, box.left, box.top, w, h);
    return;
  }
  g.font = "11px system-ui, sans-serif";
  g.textAlign = "center";
  g.textBaseline = "middle";
  for (let r = 0; r < map.R; ++r)
    for (let c = 0; c < map.C; ++c) {
      const v = map.v[r * map.C + c];
      if (v !== v) continue;
      const colour = toned(v, scale, b.tone),
        x = box.left + c * box.cell,
        y = box.top + r * box.cell;
      g.fillStyle = css(colour);
      g.fillRect(x, y, box.cell - 1, box.cell - 1);
      if (box.cell < 30) continue;
      g.fillStyle = inkOn(colour);
      g.fillText(
        v
          .toFixed(2)
          .replace(/^(-?)0/, "$1")
          .replace("-", "−"),
        x + box.cell / 2,
        y + box.cell / 2,
      );
    }
}
