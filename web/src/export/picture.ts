// A picture under its weights, one overlay for every target.
import type { Bench } from "../bench";
import type { Attribution } from "../model/attribution";
import { rowScale, type GridMap } from "../model/maps";
import { rowHead, scoreTip } from "../model/tips";
import { place } from "../model/words";
import { paintOverlay } from "../views/image";
import { themed } from "../views/parts";
import { framed, heading, headingRoom, headline, legend, pointed, text } from "./svg";

const size = 256;

// Whether drawn smooth or not, every patch can be pointed at.
function patches(b: Bench, a: Attribution, map: GridMap, target: string, x: number, y: number): string {
  const { before, rows, columns } = b.patches!,
    head = rowHead(a, place(b, a), target),
    [w, h] = [size / columns, size / rows];
  let s = "";
  b.groups.forEach((g, c) => {
    const p = g.members[0] - before;
    if (p >= 0)
      s += pointed(x + (p % columns) * w, y + Math.floor(p / columns) * h, w, h, scoreTip(a, head, g.name, map.v[b.rowOf(a) * map.C + c]));
  });
  return s;
}

export function pictureFigure(b: Bench, picture: HTMLImageElement | null): string {
  const a = b.current!;
  let s = heading(headline(b, a)),
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
    paintOverlay(g, b, picture, map, b.rowOf(own), rowScale(map, b.rowOf(own), b.groups, false), size);
    s +=
      `<image x="${x}" y="30" width="${size}" height="${size}" href="${canvas.toDataURL()}"/>` +
      patches(b, own, map, t.target.label, x, 30) +
      text(
        x,
        size + 46,
        t.target.label + (t.target.probability !== null ? ` ${(100 * t.target.probability).toFixed(1)} %` : ""),
        'font-weight="600"',
        12,
      );
  });
  const map = b.mapOf(a)!,
    key = legend(b, a, rowScale(map, b.rowOf(a), b.groups, false), 4, size + 70, "each scaled to its strongest patch");
  return framed(Math.ceil(Math.max(x + size + 10, headingRoom(headline(b, a)), key.room)), size + 84, s + key.drawn, headline(b, a));
}
