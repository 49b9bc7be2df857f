// What a mark of a figure says of itself. `headwater plot` writes the same sentences, so that a figure of either can be
// held beside the other mark by mark.
import { absence, number } from "./words";
import { isMap, type Attribution } from "./attribution";

// The whole name, never cut.
export const quoted = (name: string) => `“${name.replace(/\n/g, "⏎").trim() || "␣"}”`;
const valued = (a: Attribution, v: number) => (v === v ? number(v) : absence(a));

export const readsTip = (where: string, from: string, to: string, v: number) =>
  `${where}: ${quoted(from)} reads ${quoted(to)} ${number(v)}`;
export const cellTip = (a: Attribution, where: string, row: string, column: string, v: number) =>
  (where ? where + ": " : "") + (isMap(a) ? `${quoted(row)} reads ` : "") + `${quoted(column)} ${valued(a, v)}`;
export const rowSumTip = (name: string, sum: number) => `${quoted(name)} reads ${number(sum)} in all`;
export const columnSumTip = (name: string, sum: number) => `${quoted(name)} is read ${number(sum)} in all`;

// Of a row of scores: the method, where in the model it looks, and the class it speaks of.
export const rowHead = (a: Attribution, where: string, target: string) =>
  [a.name, where, a.traits.of_target && target ? `for ${target}` : ""].filter(Boolean).join(" ");
export const scoreTip = (a: Attribution, head: string, name: string, v: number) => `${head}: ${quoted(name)} ${valued(a, v)}`;
export const spreadTip = (name: string, spread: number) => `disagreement: ${quoted(name)} ${number(spread)}`;

export const givesTip = (name: string, share: number) => `${quoted(name)} gives ${number(share)}`;
export const pointTip = (metric: string, method: string, x: number, v: number) =>
  `${metric}: ${method} at ${+(100 * x).toFixed(1)} %: ${number(v)}`;
export const headTip = (layer: number, head: number, v: number) => `L${layer} H${head}: ${number(v)}`;
