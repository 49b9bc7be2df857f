// How far methods agree, and one method's scores for several targets.
import type { Bench } from "../bench";
import { isMap, type Attribution } from "./attribution";
import { rowOf, type GridMap } from "./maps";
import { disagreement, kendall } from "./rank";

// The numbers a method is compared by: the row the output was read from, as its document says, or as shown.
export function tau(b: Bench, a: Attribution, other: Attribution): number {
  const named = (b.aim.agreement ?? []).find((p) => p.methods.includes(a.name) && p.methods.includes(other.name) && a.name !== other.name);
  if (named) return named.kendall_tau_b ?? NaN;
  const rows = [a, other].map((x) => {
    const m = b.maps.get(x, x.L - 1, x.H > 1 ? -1 : 0);
    return m && rowOf(m, isMap(x) ? b.defaultRow : 0);
  });
  return rows[0] && rows[1] && rows[0].length <= 1024 ? kendall(rows[0], rows[1]) : NaN;
}

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
  method.knows_class
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
