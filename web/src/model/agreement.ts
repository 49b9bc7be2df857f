// How far methods agree, and one method's scores for several targets.
import type { Bench } from "../bench";
import { isMap, type Attribution } from "./attribution";
import type { Agreement } from "./document";
import { rowOf, type GridMap } from "./maps";
import { disagreement, kendall, spearman } from "./rank";

// What a method says of every unit where the output was read, in its last layer: the mean over heads and over those
// rows. Null while the layer is on its way.
function answerOf(b: Bench, a: Attribution): Float64Array | null {
  const values = a.layer(a.L - 1);
  if (!values) return null;
  const rows = !isMap(a) ? [0] : b.aim.read.length ? b.aim.read : [b.aim.focus],
    last = rows[rows.length - 1],
    sum = new Float64Array(a.T);
  for (let h = 0; h < a.H; ++h)
    for (const r of rows)
      for (let k = 0; k < a.T; ++k) {
        const v = values[(h * a.Q + r) * a.T + k];
        if (v === v || r === last) sum[k] += v; // cells that an earlier row may not read add nothing
      }
  return sum.map((x) => x / (a.H * rows.length));
}

const most_ranked = 1024; // units; more take long
const known_pairs = new WeakMap<Attribution, WeakMap<Attribution, Agreement>>();
// How far two methods agree: as the run that had both measured it, or from the numbers of two runs.
export function pairOf(b: Bench, a: Attribution, other: Attribution): Agreement {
  const told = (b.aim.agreement ?? []).find((p) => p.methods.includes(a.name) && p.methods.includes(other.name)),
    known = told ?? known_pairs.get(a)?.get(other);
  if (known) return known;
  const [x, y] = [answerOf(b, a), answerOf(b, other)],
    there = x !== null && y !== null && x.length <= most_ranked,
    finite = (v: number) => (v === v ? v : null);
  const pair: Agreement = {
    methods: [a.name, other.name],
    units: there ? x.reduce((n, v, t) => n + (v === v && y[t] === y[t] ? 1 : 0), 0) : 0,
    kendall_tau_b: there ? finite(kendall(x, y)) : null,
    spearman: there ? finite(spearman(x, y)) : null,
    kendall_tau_b_by_layer: [],
    spearman_by_layer: [],
  };
  if (there) {
    if (!known_pairs.has(a)) known_pairs.set(a, new WeakMap());
    known_pairs.get(a)!.set(other, pair);
  }
  return pair;
}
// Of every two methods on the page.
export const pairsOf = (b: Bench): Agreement[] =>
  b.attributions.flatMap((a, i) => b.attributions.slice(i + 1).map((other) => pairOf(b, a, other)));

export const tau = (b: Bench, a: Attribution, other: Attribution): number =>
  a === other ? NaN : (pairOf(b, a, other).kendall_tau_b ?? NaN);

// A method's scores for one of the targets: the chosen one's, or another's beside it.
export interface Shown {
  a: Attribution;
  target: number;
  map: GridMap;
  row: number;
}
export function shownFor(b: Bench, method: Attribution, target: number): Shown | null {
  const a = b.attributionsOf(target).find((x) => x.name === method.name),
    map = a && b.mapOf(a);
  if (!a || !map) return null;
  const focus = Math.max(0, b.indexOf[b.targets[target].focus] ?? 0);
  return { a, target, map, row: isMap(a) ? (b.view.row ?? focus) : 0 };
}
// Of a method that knows the class the other targets too.
export const othersFor = (b: Bench, method: Attribution): Shown[] =>
  method.traits.of_target
    ? b.targets.map((_, k) => (k === b.view.target ? null : shownFor(b, method, k))).filter((x): x is Shown => x !== null)
    : [];

// τ-b of a method's scores for two targets.
export function tauOfTargets(b: Bench, method: Attribution, other: Shown): number {
  const own = shownFor(b, method, b.view.target);
  return own && own.map.C <= 1024 ? kendall(rowOf(own.map, own.row), rowOf(other.map, other.row)) : NaN;
}

export const tauText = (t: number) => (t === t ? (t < 0 ? "−" : "") + Math.abs(t).toFixed(2) : "–");

// τ-b with the chosen method as it is shown: nothing for that one, nor for one alone.
export function agreementText(b: Bench, a: Attribution): string {
  if (b.attributions.length < 2 || a === b.current) return "";
  return tauText(tau(b, a, b.current!));
}

// How far apart the methods rank every unit; null where there are not two.
export function spreadOf(b: Bench): Float64Array | null {
  const rows = b.attributions
    .map((a) => {
      const m = b.mapOf(a);
      return m ? Float32Array.from(rowOf(m, b.rowOf(a)), Math.abs) : null;
    })
    .filter((r) => r !== null);
  return rows.length < 2 ? null : disagreement(rows);
}
