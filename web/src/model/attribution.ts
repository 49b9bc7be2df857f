// One result of one method, seen as [layer, head, query, key]: what is missing of the four has length 1. Its numbers
// are in the document, or come a layer at a time from a server.
import type { AttributionData, PageDocument } from "./document";

export interface Attribution extends AttributionData {
  name: string;
  index: number;
  id: string;
  L: number;
  H: number;
  Q: number;
  T: number;
  layered: boolean;
  digits: number;
  signed: boolean;
  inline: boolean;
  layer: (l: number) => Float32Array | null; // [H, Q, T], or null while it is on its way
}

export type Fetcher = (path: string) => Promise<ArrayBuffer>;
const kept_bytes = 192 << 20; // of a map that comes by layer: 12.6 MB each at 512 tokens and 12 heads

// What was not measured has no number, whatever fills its place; a score per patch begins after the prefix tokens.
function prepared(a: AttributionData, values: Float32Array, prefix: number): Float32Array {
  let v = values;
  if (a.axes.includes("column")) {
    v = new Float32Array(prefix + values.length).fill(NaN);
    v.set(values, prefix);
  }
  return a.measured ? v.map((x, t) => (a.measured![t % a.measured!.length] ? x : NaN)) : v;
}

// Of a method that still runs: a layer that is to come has no number, not even for a row's first key, which nothing masks.
const there = (a: AttributionData, layer: Float32Array) => (a.unfinished && Number.isNaN(layer[0]) ? null : layer);

export function attributionOf(
  a: AttributionData,
  index: number,
  id: string,
  document: PageDocument,
  fetcher: Fetcher | null,
  arrived: (id: string, layer: number, values: Float32Array) => void,
): Attribution {
  const size = (axis: string) => (a.axes.includes(axis) ? a.shape[a.axes.indexOf(axis)] : 1);
  const prefix = a.axes.includes("column") ? (document.data.model.prefix_tokens ?? 0) : 0;
  const T = a.axes.includes("column") ? prefix + size("row") * size("column") : a.shape[a.shape.length - 1];
  const shared = {
    ...a,
    name: a.aggregate ? `${a.method}_${a.aggregate}` : a.method,
    index,
    id,
    L: size("layer"),
    H: size("head"),
    Q: size("query"),
    T,
    layered: a.axes.includes("layer"),
    signed: a.traits.is_signed,
  };
  if (a.scores !== undefined) {
    const numbers = document.numbers(a.scores),
      values = prepared(a, numbers.values, prefix),
      step = shared.H * shared.Q * T;
    return { ...shared, digits: numbers.exact ? 4 : 3, inline: true, layer: (l) => there(a, values.subarray(l * step, (l + 1) * step)) };
  }
  const layers = new Map<number, Float32Array>(),
    asked = new Set<number>();
  return {
    ...shared,
    digits: 4,
    inline: false,
    layer: (l) => {
      const known = layers.get(l);
      if (known) {
        layers.delete(l);
        layers.set(l, known);
        return there(a, known);
      }
      if (!asked.has(l) && fetcher && a.by_layer) {
        asked.add(l);
        fetcher(`${a.by_layer}/${l}`)
          .then((buffer) => {
            const values = new Float32Array(buffer);
            layers.set(l, values);
            while (layers.size > 1 && layers.size * buffer.byteLength > kept_bytes) layers.delete(layers.keys().next().value!);
            arrived(id, l, values);
          })
          .catch(() => {})
          .finally(() => asked.delete(l));
      }
      return null;
    },
  };
}

export const isMap = (a: Attribution) => a.axes.includes("query");

// A result as people read it, with its aggregate behind: "Value zeroing, rollout".
export const titleOf = (a: Attribution) => (a.title ?? a.method) + (a.aggregate ? `, ${a.aggregate}` : "");

// Maps of a layer that another method's correct: both as they are, if a document has both with the same heads.
export function correctedPair(all: Attribution[]): { raw: Attribution; corrected: Attribution } | null {
  for (const corrected of all) {
    const raw = all.find((a) => a.method === corrected.corrects && a.H === corrected.H);
    if (raw) return { raw, corrected };
  }
  return null;
}
