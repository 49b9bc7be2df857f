// A map in few pixels: the largest weight (without its sign) under each, so that a single strong cell never vanishes.
import { colourTable, type Tone } from "../model/colour";
import type { GridMap } from "../model/maps";

// 0…510 of the colour table; the table itself holds the tone's root, so that this is linear.
export const slot = (v: number, scale: number) => (scale > 0 ? 255 + Math.round(255 * Math.max(-1, Math.min(1, v / scale))) : 255);

export function cellsImage(map: GridMap, scale: number, tone: Tone): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = map.C;
  canvas.height = map.R;
  const g = canvas.getContext("2d")!,
    image = g.createImageData(map.C, map.R),
    out = new Uint32Array(image.data.buffer),
    table = colourTable(tone);
  for (let i = 0; i < map.v.length; ++i) {
    const v = map.v[i];
    if (v === v) out[i] = table[slot(v, scale)];
  }
  g.putImageData(image, 0, 0);
  return canvas;
}

export function pooledImage(map: GridMap, scale: number, tone: Tone, W: number, H: number): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = W;
  canvas.height = H;
  const g = canvas.getContext("2d")!,
    image = g.createImageData(W, H),
    out = new Uint32Array(image.data.buffer),
    table = colourTable(tone);
  const best = new Float32Array(W * H).fill(NaN);
  const column = Int32Array.from({ length: map.C }, (_, c) => Math.floor((c * W) / map.C));
  for (let r = 0; r < map.R; ++r) {
    const line = Math.floor((r * H) / map.R) * W;
    for (let c = 0; c < map.C; ++c) {
      const v = map.v[r * map.C + c],
        o = line + column[c];
      if (v === v && !(Math.abs(v) <= Math.abs(best[o]))) best[o] = v;
    }
  }
  for (let i = 0; i < out.length; ++i) if (best[i] === best[i]) out[i] = table[slot(best[i], scale)];
  g.putImageData(image, 0, 0);
  return canvas;
}

// The last picture of every map: most renders change nothing about it.
const pictures = new WeakMap<GridMap, { key: string; picture: HTMLCanvasElement }>();
function pictureOf(map: GridMap, scale: number, tone: Tone, W: number, H: number): HTMLCanvasElement {
  const pooled = map.C > W || map.R > H,
    key = [scale, tone.dark, tone.palette, tone.root, pooled ? `${W}/${H}` : ""].join(),
    known = pictures.get(map);
  if (known?.key === key) return known.picture;
  const picture = pooled ? pooledImage(map, scale, tone, Math.min(W, map.C), Math.min(H, map.R)) : cellsImage(map, scale, tone);
  pictures.set(map, { key, picture });
  return picture;
}

// Draws the map into a box: pooled where cells are smaller than pixels, enlarged where they are not.
export function drawMap(
  g: CanvasRenderingContext2D,
  map: GridMap,
  scale: number,
  tone: Tone,
  x: number,
  y: number,
  width: number,
  height: number,
) {
  const dots = g.getTransform().a,
    W = Math.round(width * dots),
    H = Math.round(height * dots);
  g.imageSmoothingEnabled = false;
  g.drawImage(pictureOf(map, scale, tone, W, H), x, y, width, height);
}
