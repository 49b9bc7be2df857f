// The tokens × layers graph back from one output. Weight 1 starts at the chosen position of the top level and goes down
// along the rows of each layer's map, divided in proportion to |w|; an edge's weight is what passes through it:
//   mass[l−1, k] = Σ_q mass[l, q] · |w[l, q, k]| / Σ_k |w[l, q, k]|.
// With a residual share r the map is (1 − r) w + r I first (rows of w summing to 1), as in attention rollout.
import type { GridMap } from "./maps";

export interface Edge {
  stage: number;
  from: number;
  to: number;
  upper: number;
  lower: number;
  weight: number;
  sign: number;
}
export interface Stage {
  map: GridMap;
  rows: [number, number];
  name: string;
  reads: (key: number) => number;
  level: number;
}
export interface Flow {
  edges: Edge[];
  total: number;
  reached: Float64Array;
  levels: number;
}

// Levels of a stack: 0 is the input of its first layer. A decoder stands above its encoder and reads the encoder's top.
export function stagesOf(maps: GridMap[], names: string[], split: number, layers: [number, number]): Stage[] {
  if (split <= 0) return maps.map((map, l) => ({ map, rows: [0, map.R], name: names[l], level: l + 1, reads: () => l }));
  const [encoder, decoder] = layers;
  const below = maps
    .slice(0, encoder)
    .map((map, l): Stage => ({ map, rows: [0, split], name: `encoder L${l}`, level: l + 1, reads: () => l }));
  const above = maps
    .slice(0, decoder)
    .map((map, l): Stage => ({
      map,
      rows: [split, map.R],
      name: `decoder L${l}`,
      level: encoder + l + 1,
      reads: (key) => (key < split ? encoder : encoder + l),
    }));
  return [...below, ...above];
}

export function flowFrom(stages: Stage[], row: number, residual: number): Flow {
  const top = stages.length,
    C = stages[0].map.C,
    mass = Array.from({ length: top + 1 }, () => new Float64Array(C));
  const reached = new Float64Array(C),
    edges: Edge[] = [];
  const start = stages.reduce((best, s) => (row >= s.rows[0] && row < s.rows[1] ? Math.max(best, s.level) : best), 0);
  mass[start][row] = 1;
  for (let s = stages.length - 1; s >= 0; --s) {
    const { map, rows, level, reads } = stages[s];
    for (let q = rows[0]; q < rows[1]; ++q) {
      const here = mass[level][q];
      if (!(here > 0)) continue;
      let sum = 0;
      for (let k = 0; k < C; ++k) {
        const w = Math.abs(map.v[q * C + k]);
        if (w === w) sum += w;
      }
      for (let k = 0; k < C; ++k) {
        const v = map.v[q * C + k],
          w = v === v && sum > 0 ? Math.abs(v) / sum : 0;
        const part = here * ((sum > 0 ? 1 - residual : 0) * w + (k === q ? (sum > 0 ? residual : 1) : 0));
        if (part <= 0) continue;
        mass[reads(k)][k] += part;
        edges.push({ stage: s, from: q, to: k, upper: level, lower: reads(k), weight: part, sign: v < 0 ? -1 : 1 });
      }
    }
  }
  reached.set(mass[0]);
  // The decoder's own first tokens are inputs too.
  const decoder = stages.find((s) => s.rows[0] > 0);
  if (decoder) for (let k = decoder.rows[0]; k < C; ++k) reached[k] += mass[decoder.level - 1][k];
  return { edges, total: edges.length, reached, levels: top + 1 };
}

// The strongest edges of every layer until `kept` of its weight is there, and no more than `most` in all.
export function keptEdges(flow: Flow, kept: number, most: number): Edge[] {
  const stages = new Map<number, Edge[]>();
  for (const e of flow.edges) {
    const list = stages.get(e.stage);
    if (list) list.push(e);
    else stages.set(e.stage, [e]);
  }
  const chosen: Edge[] = [];
  for (const list of stages.values()) {
    list.sort((a, b) => b.weight - a.weight || a.from - b.from || a.to - b.to);
    const sum = list.reduce((s, e) => s + e.weight, 0);
    let seen = 0;
    for (const e of list) {
      if (seen >= kept * sum - 1e-12) break;
      chosen.push(e);
      seen += e.weight;
    }
  }
  return chosen.length <= most ? chosen : chosen.sort((a, b) => b.weight - a.weight).slice(0, most);
}
