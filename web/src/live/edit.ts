// Edits of the text by token: spans are bytes of UTF-8.
import type { Bench } from "../bench";
import type { Input } from "./api";

export type Change = (text: string, begin: number, end: number) => string;

// The input with a token, or the word it belongs to, changed; null where it has no place in a text.
export function edited(b: Bench, input: Input, t: number, how: Change): { input: Input; word: string } | null {
  const unit = b.units[t];
  if (!unit || unit.special || unit.end <= unit.begin) return null;
  const members = b.groups[b.indexOf[t]]?.members ?? [t],
    begin = Math.min(...members.map((m) => b.units[m].begin)),
    end = Math.max(...members.map((m) => b.units[m].end)),
    field = (["text", "pair", "prefix"] as const)[unit.sequence] ?? "text";
  return { input: { ...input, [field]: how(input[field], begin, end) }, word: members.map((m) => b.units[m].text).join("") };
}

const encoder = new TextEncoder(),
  decoder = new TextDecoder();

export function replaced(text: string, begin: number, end: number, by: string): string {
  const bytes = encoder.encode(text);
  return decoder.decode(bytes.subarray(0, begin)) + by + decoder.decode(bytes.subarray(end));
}

// Without the span, and without the blank it leaves double or at an edge.
export function removed(text: string, begin: number, end: number): string {
  const bytes = encoder.encode(text),
    left = decoder.decode(bytes.subarray(0, begin)),
    right = decoder.decode(bytes.subarray(end));
  if ((left === "" || /\s$/.test(left)) && /^\s/.test(right)) return left + right.replace(/^\s/, "");
  return right === "" ? left.replace(/\s$/, "") : left + right;
}
