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

export const linesOfBench = (b: Bench) =>
  linesOf(b.units, [b.data.input.text ?? "", b.data.input.pair ?? "", b.data.input.prefix ?? ""], b.view.special === "keep");
