// The text as it was written, in lines of one sequence each.
import type { Bench } from "../bench";
import type { Token } from "./document";

const encoder = new TextEncoder(),
  decoder = new TextDecoder();

interface Piece {
  before: string;
  at: number;
}
export interface Line {
  sequence: number;
  pieces: Piece[];
  after: string;
}

// What stands between tokens stays as it was typed.
export function linesOf(units: Token[], sources: string[], special: boolean): Line[] {
  const bytes = sources.map((s) => encoder.encode(s)),
    lines: Line[] = [];
  let line: Line | null = null,
    end = 0;
  units.forEach((unit, t) => {
    if (!special && unit.special) return;
    if (line === null || (unit.sequence !== line.sequence && (!unit.special || unit.sequence === 2))) {
      line = { sequence: unit.sequence, pieces: [], after: "" };
      lines.push(line);
      end = 0;
    }
    let before = "";
    if (!unit.special && unit.end > unit.begin) {
      if (unit.begin > end) before = decoder.decode((bytes[line.sequence] ?? bytes[0]).slice(end, unit.begin));
      end = Math.max(end, unit.end);
    }
    line.pieces.push({ before, at: t });
  });
  return lines;
}

export const linesOfBench = (b: Bench) =>
  linesOf(b.units, [b.data.input.text ?? "", b.data.input.pair ?? "", b.data.input.prefix ?? ""], b.view.special === "keep");

// Pieces of a line as they stand from left to right (Unicode's bidirectional algorithm, a piece for a letter): whether the
// line begins at the right, and for each place which piece stands there and whether that is written from the right.
export function visualOrder(pieces: string[]): { right: boolean; order: number[]; reversed: boolean[] } {
  const strong = pieces.map((p) => (/[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(p) ? 1 : /[\p{L}\p{N}]/u.test(p) ? 0 : null));
  const base = strong.find((s) => s !== null) ?? 0,
    level = (s: number) => (base === 1 && s === 0 ? 2 : s);
  const levels = strong.map((s, i) => {
    if (s !== null) return level(s);
    const before =
        strong
          .slice(0, i)
          .reverse()
          .find((x) => x !== null) ?? base,
      after = strong.slice(i).find((x) => x !== null) ?? base;
    return before === after ? level(before) : base;
  });
  const order = pieces.map((_, i) => i);
  for (const least of [2, 1])
    for (let i = 0; i < order.length; ++i) {
      let end = i;
      while (end < order.length && levels[order[end]] >= least) ++end;
      if (end > i) order.splice(i, end - i, ...order.slice(i, end).reverse());
      i = Math.max(i, end - 1);
    }
  return { right: base === 1, order, reversed: order.map((i) => levels[i] === 1) };
}
