// Tokens or patches, and the groups of them (words, hidden special tokens) that stand for one row or column.
import type { PageData, Token } from "./document";

export interface Group {
  members: number[];
  name: string;
  word: number; // Token.in_word
  special: boolean;
}
export interface Patches {
  before: number;
  rows: number;
  columns: number;
}

// How an image is cut: from the document, or square.
export function patchesOf(data: PageData): Patches | null {
  if (data.tokens.length > 0 || !data.model.patch_size) return null;
  const before = data.model.prefix_tokens ?? 0,
    sequence = data.sequences?.[0];
  if (sequence?.rows && sequence.columns) return { before, rows: sequence.rows, columns: sequence.columns };
  const side = Math.round((data.model.image_size ?? 0) / data.model.patch_size);
  return { before, rows: side, columns: side };
}

export function unitsOf(data: PageData): Token[] {
  const patches = patchesOf(data);
  if (!patches) return data.tokens;
  const unit = (text: string, special: boolean, word: number): Token => ({
    text,
    begin: 0,
    end: 0,
    word,
    in_word: -1,
    sequence: 0,
    special,
  });
  return Array.from({ length: patches.before + patches.rows * patches.columns }, (_, t) => {
    const p = t - patches.before;
    return p < 0
      ? unit(t === 0 ? "[CLS]" : `[${t}]`, true, -1)
      : unit(`(${Math.floor(p / patches.columns)}, ${p % patches.columns})`, false, t);
  });
}

// The rows that the output was computed from stay, even where special tokens are hidden.
export function groupsOf(units: Token[], words: boolean, special: boolean, read: number[]): Group[] {
  const groups: Group[] = [];
  units.forEach((unit, t) => {
    const last = groups[groups.length - 1];
    if (!special && unit.special && !read.includes(t)) return;
    if (words && last !== undefined && unit.in_word >= 0 && last.word === unit.in_word) {
      last.members.push(t);
      last.name = (last.name === "▁" ? "" : last.name) + unit.text; // that mark is no letter of the word
    } else groups.push({ members: [t], name: unit.text, word: unit.in_word, special: unit.special });
  });
  return groups;
}

export const hasWords = (units: Token[]) => units.some((t, i) => i > 0 && t.in_word >= 0 && t.in_word === units[i - 1].in_word);

export function groupIndex(groups: Group[], count: number): Int32Array {
  const of = new Int32Array(count).fill(-1);
  groups.forEach((g, i) => {
    for (const t of g.members) of[t] = i;
  });
  return of;
}
