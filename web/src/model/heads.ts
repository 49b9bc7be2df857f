// One number per head, from its map alone or from a detail the method brought.
//   entropy   mean over rows of −Σ_k p ln p / ln n, p = |w| / Σ|w|, n the keys the row may read: 1 is even, 0 one key
//   distance  mean over rows of Σ_k p |q − k|, in units
//   special   mean over rows of the share that goes to special tokens
//   strength  largest |w|
//   importance  of attention attribution: the largest attribution, max Attr[h] (Hao et al. 2021, on this input alone)
import type { Attribution } from "./attribution";
import type { Token } from "./document";

export type Measured = "strength" | "importance" | "entropy" | "distance" | "special";
export type HeadStatistic = Measured | `detail:${string}`;
export const statisticNames: Record<string, string> = {
  strength: "largest weight",
  importance: "importance",
  entropy: "entropy",
  distance: "distance",
  special: "share to special tokens",
};

export type Statistics = Record<Measured, number>;

// All of them in one walk over the head's cells of [H, Q, T].
export function headStatistics(values: Float32Array, a: Attribution, head: number, units: Token[]): Statistics {
  const start = head * a.Q * a.T,
    special = Uint8Array.from(units, (u) => +u.special);
  let strength = 0,
    importance = 0,
    entropies = 0,
    distances = 0,
    shares = 0,
    rows = 0;
  for (let q = 0; q < a.Q; ++q) {
    const from = start + q * a.T;
    let sum = 0,
      n = 0,
      wlog = 0,
      far = 0,
      toSpecial = 0;
    for (let k = 0; k < a.T; ++k) {
      const v = values[from + k],
        w = Math.abs(v);
      if (w !== w) continue;
      ++n;
      if (w === 0) continue;
      sum += w;
      wlog += w * Math.log(w);
      far += w * Math.abs(q - k);
      if (special[k]) toSpecial += w;
      if (w > strength) strength = w;
      if (v > importance) importance = v;
    }
    if (!(sum > 0)) continue;
    // −Σ (w/s) ln (w/s) = ln s − Σ w ln w / s
    entropies += n > 1 ? (Math.log(sum) - wlog / sum) / Math.log(n) : 0;
    distances += far / sum;
    shares += toSpecial / sum;
    ++rows;
  }
  const mean = (x: number) => (rows ? x / rows : NaN);
  return { strength, importance, entropy: mean(entropies), distance: mean(distances), special: mean(shares) };
}

// Whether some head stands out. The first token of a causal model reads itself alone: its largest weight is 1 in every head.
export function tellsApart(values: (number | null)[][]): boolean {
  const known = values.flat().filter((v): v is number => v !== null && v === v);
  if (known.length < 2 || values.flat().includes(null)) return true; // on its way: what is shown first stays
  const [low, high] = [Math.min(...known), Math.max(...known)];
  return high - low > 0.01 * Math.max(Math.abs(low), Math.abs(high));
}

// Details that hold a value per layer and head: importance and the like.
export function headDetails(a: Attribution): { name: string; values: (number | null)[][] }[] {
  return (a.details ?? [])
    .filter((d) => d.axes.length === 2 && d.axes[0] === "layer" && d.axes[1] === "head")
    .map((d) => ({ name: d.name, values: d.values as (number | null)[][] }));
}
