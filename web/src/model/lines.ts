// The text as it was written, in lines of one sequence each.
import type { Bench } from "../bench";
import type { Token } from "./document";
import { readingLevels } from "./reading";

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
  right: boolean; // runs from the right: its words decide, never a special token
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
      line = { sequence: unit.sequence, pieces: [], after: "", right: false };
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
  for (const l of lines) l.right = readingLevels(l.pieces.map((p) => (units[p.at].special ? "" : units[p.at].text))).right;
  return lines;
}

// The spaces a token begins with, as those of language models do: they stand before its colour, as between other tokens, and
// no coloured space is left at a line's end.
export const spaceBefore = (text: string) => /^\s+(?=\S)/.exec(text)?.[0] ?? "";

export const linesOfBench = (b: Bench) =>
  linesOf(b.units, [b.data.input.text ?? "", b.data.input.pair ?? "", b.data.input.prefix ?? ""], b.view.special === "keep");

// As many in a row as there is room for; a space (at −1) begins and ends none. `parts` says where a row may end: a word's
// pieces stay together if a row can hold them at all.
export function rowsOf<T extends { w: number; at: number }>(items: T[], room: number, parts: (before: T, after: T) => boolean): T[][] {
  const words: T[][] = [];
  items.forEach((item, i) => {
    if (i === 0 || parts(items[i - 1], item)) words.push([]);
    words[words.length - 1].push(item);
  });
  const rows: T[][] = [[]],
    broad = (list: T[]) => list.reduce((sum, i) => sum + i.w, 0);
  for (const word of words)
    for (const part of broad(word) > room ? word.map((i) => [i]) : [word]) {
      let row = rows[rows.length - 1];
      if (part[0].at >= 0 && row.length && broad(row) + broad(part) > room) {
        if (row[row.length - 1].at < 0) row.pop();
        rows.push((row = []));
      }
      row.push(...part);
    }
  return rows;
}
