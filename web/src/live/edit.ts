// Edits of the text by token: spans are bytes of UTF-8.
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
