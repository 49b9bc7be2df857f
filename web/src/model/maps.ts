// The map of one layer and head over the groups. A group's weight is the sum over its keys and the mean over its
// queries, so that rows keep their sum; cells nothing was measured for are NaN.
import type { Attribution } from "./attribution";
import type { Group } from "./units";

export interface GridMap {
  R: number;
  C: number;
  v: Float32Array;
  min: number;
  max: number;
  peak: number;
  lowest: number;
  highest: number;
  sums: Float32Array;
  holes: boolean;
}

export function gridMap(R: number, C: number, v: Float32Array): GridMap {
  let min = Infinity,
    max = -Infinity,
    lowest = Infinity,
    highest = -Infinity;
  const sums = new Float32Array(R);
  let holes = false;
  for (let r = 0; r < R; ++r) {
    let sum = 0;
    for (let c = 0; c < C; ++c) {
      const x = v[r * C + c];
      if (x !== x) {
        holes = true;
        continue;
      }
      sum += x;
      if (x < min) min = x;
      if (x > max) max = x;
    }
    sums[r] = sum;
    if (sum < lowest) lowest = sum;
    if (sum > highest) highest = sum;
  }
  if (min > max) min = max = NaN;
  return { R, C, v, min, max, lowest, highest, sums, holes, peak: min !== min ? 0 : Math.max(Math.abs(min), Math.abs(max)) };
}

// Mean over heads (head −1) or one head of [H, Q, T], no grouping: the fast way for long inputs.
function fused(values: Float32Array, H: number, cells: number, head: number): Float32Array {
  if (head >= 0) return values.subarray(head * cells, (head + 1) * cells);
  if (H === 1) return values.subarray(0, cells);
  const sum = new Float64Array(cells),
    seen = new Uint8Array(cells);
  for (let h = 0; h < H; ++h)
    for (let i = 0, o = h * cells; i < cells; ++i, ++o) {
      const x = values[o];
      if (x === x) {
        sum[i] += x;
        seen[i] = 1;
      }
    }
  const mean = new Float32Array(cells);
  for (let i = 0; i < cells; ++i) mean[i] = seen[i] ? sum[i] / H : NaN;
  return mean;
}

export function grouped(a: Attribution, values: Float32Array, head: number, groups: Group[]): GridMap {
  const cells = a.Q * a.T,
    flat = fused(values, a.H, cells, a.H > 1 ? head : 0);
  const C = groups.length,
    R = a.Q > 1 ? C : 1;
  if (groups.every((g) => g.members.length === 1) && C === a.T) return gridMap(R, C, flat);
  const rows = a.Q > 1 ? groups.map((g) => g.members) : [[0]],
    v = new Float32Array(R * C);
  for (let r = 0; r < R; ++r)
    for (let c = 0; c < C; ++c) {
      let sum = 0,
        seen = 0;
      for (const q of rows[r])
        for (const k of groups[c].members) {
          const x = flat[q * a.T + k];
          if (x === x) {
            sum += x;
            ++seen;
          }
        }
      v[r * C + c] = seen ? sum / rows[r].length : NaN;
    }
  return gridMap(R, C, v);
}

// Maps as asked for, kept while the grouping stands. Large ones: the newest only.
export class MapStore {
  private kept = new Map<string, GridMap>();
  private cells = 0;
  constructor(
    public groups: Group[],
    private room = 24 << 20,
  ) {}

  // What is there already: asks for nothing.
  peek(a: Attribution, layer: number, head: number): GridMap | null {
    return a.inline ? this.get(a, layer, head) : (this.kept.get(`${a.id}/${layer}/${head}`) ?? null);
  }

  get(a: Attribution, layer: number, head: number): GridMap | null {
    const id = `${a.id}/${layer}/${head}`,
      known = this.kept.get(id);
    if (known) return known;
    const values = a.layer(layer);
    if (!values) return null;
    const map = grouped(a, values, head, this.groups);
    this.kept.set(id, map);
    this.cells += map.v.length;
    while (this.cells > this.room && this.kept.size > 1) {
      const oldest = this.kept.keys().next().value!;
      this.cells -= this.kept.get(oldest)!.v.length;
      this.kept.delete(oldest);
    }
    return map;
  }

  // The largest weight of what is compared on one scale: all layers of one head, and those still to come left out.
  peak(a: Attribution, head: number): number {
    let peak = 0;
    for (let l = 0; l < a.L; ++l) peak = Math.max(peak, this.get(a, l, head)?.peak ?? 0);
    return peak;
  }

  // A map whose largest weight is under half of the common scale never reaches the darker colours and looks blank.
  blank(a: Attribution, head: number): number {
    const peak = this.peak(a, head);
    for (let l = 0; l < a.L; ++l) {
      const map = this.get(a, l, head);
      if (map && map.peak > 0 && map.peak < peak / 2) return l;
    }
    return -1;
  }
}

export const rowOf = (map: GridMap, row: number) => map.v.subarray(row * map.C, (row + 1) * map.C);

// Of a score per token the largest of all. Of a map's row the largest weight on a word, as what is read of [CLS] and [SEP]
// would wash out the text: beyond the scale they take the darkest colour, and the legend says so.
export function rowScale(map: GridMap, row: number, groups: Group[], special = map.R === 1): number {
  let words = 0,
    all = 0;
  for (let c = 0; c < map.C; ++c) {
    const v = Math.abs(map.v[row * map.C + c]);
    if (v !== v) continue;
    if (v > all) all = v;
    if ((special || !groups[c].special) && v > words) words = v;
  }
  return words || all;
}

export interface Ranked {
  index: number;
  value: number;
}
export function strongest(values: ArrayLike<number>, count: number): Ranked[] {
  const found: Ranked[] = [];
  for (let i = 0; i < values.length; ++i) if (values[i] === values[i]) found.push({ index: i, value: values[i] });
  return found.sort((a, b) => Math.abs(b.value) - Math.abs(a.value) || a.index - b.index).slice(0, count);
}

export interface Pair {
  row: number;
  key: number;
  value: number;
}
const known_pairs = new WeakMap<GridMap, Pair[]>();
const most_pairs = 10;
// The strongest pairs, a unit reading itself left out; found once for every map.
export function strongestPairs(map: GridMap, count: number): Pair[] {
  if (!known_pairs.has(map)) known_pairs.set(map, searched(map, most_pairs));
  return known_pairs.get(map)!.slice(0, count);
}
function searched(map: GridMap, count: number): Pair[] {
  const found: Pair[] = [];
  let floor = 0;
  for (let r = 0; r < map.R; ++r)
    for (let c = 0; c < map.C; ++c) {
      const value = map.v[r * map.C + c];
      if (value !== value || (r === c && map.R > 1) || (found.length >= count && Math.abs(value) <= floor)) continue;
      found.push({ row: r, key: c, value });
      if (found.length > 4 * count + 64) {
        found.sort(byStrength);
        found.length = count;
        floor = Math.abs(found[count - 1].value);
      }
    }
  return found.sort(byStrength).slice(0, count);
}
const byStrength = (a: Pair, b: Pair) => Math.abs(b.value) - Math.abs(a.value) || a.row - b.row || a.key - b.key;
