// Unicode's bidirectional algorithm (UAX #9) over pieces of a line, a piece for a letter: rules P2, W2 to W7, N1, N2, I1,
// I2 and L2, without embeddings. Spaces between pieces are pieces of their own. src/report/reading_order.h is the same for
// `headwater plot`.

type Kind = "left" | "right" | "arabic" | "number" | "arabic number" | "separator" | "terminator" | "neutral";

const hebrew = "\\u0590-\\u05ff\\u07c0-\\u085f\\ufb1d-\\ufb4f\\u{10800}-\\u{10cff}\\u{10d40}-\\u{10eff}\\u{1e800}-\\u{1ebff}",
  arabic = "\\u0600-\\u07bf\\u0860-\\u08ff\\ufb50-\\ufdff\\ufe70-\\ufefc\\u{10d00}-\\u{10d3f}\\u{10f00}-\\u{10fff}\\u{1ec00}-\\u{1efff}";
const isArabic = new RegExp(`[${arabic}]`, "u"),
  isHebrew = new RegExp(`[${hebrew}]`, "u"),
  run = new RegExp(`(?=\\p{L})[${hebrew}${arabic}](?:[${hebrew}${arabic}\\p{M}]|[^\\S\\n]+(?=[${hebrew}${arabic}]))*`, "gu");

// By the first letter, without one by the first digit; separators and terminators (%, €) alone are neither.
function kindOf(piece: string): Kind {
  const letter = /\p{L}/u.exec(piece)?.[0];
  if (letter) return isArabic.test(letter) ? "arabic" : isHebrew.test(letter) ? "right" : "left";
  const digit = /\p{Nd}/u.exec(piece)?.[0];
  if (digit) return /[\u0660-\u0669]/.test(digit) ? "arabic number" : "number";
  return /^[-+−.,:/]$/.test(piece) ? "separator" : /^[#$%¢-¥°±٪‰€]/.test(piece) ? "terminator" : "neutral";
}
const isNumber = (k?: Kind) => k === "number" || k === "arabic number";

// Odd levels are written from the right. A line runs from the right when its first letter does.
export function readingLevels(pieces: string[]): { right: boolean; levels: number[] } {
  const kinds = pieces.map(kindOf),
    strong = kinds.find((k) => k === "left" || k === "right" || k === "arabic"),
    base: Kind = strong === undefined || strong === "left" ? "left" : "right";
  let last: Kind = base;
  kinds.forEach((k, i) => {
    if (k === "left" || k === "right" || k === "arabic") last = k;
    if (k === "number" && last === "arabic") kinds[i] = "arabic number";
    if (k === "arabic") kinds[i] = "right";
  });
  kinds.forEach((k, i) => {
    if (k === "separator") kinds[i] = isNumber(kinds[i - 1]) && kinds[i + 1] === kinds[i - 1] ? kinds[i - 1] : "neutral";
    if (k === "terminator" && kinds[i - 1] === "number") kinds[i] = "number";
  });
  for (let i = kinds.length - 1; i >= 0; --i) if (kinds[i] === "terminator") kinds[i] = kinds[i + 1] === "number" ? "number" : "neutral";
  last = base;
  kinds.forEach((k, i) => {
    if (k === "left" || k === "right") last = k;
    if (k === "number" && last === "left") kinds[i] = "left";
  });
  const side = (k?: Kind) => (k === undefined ? base : isNumber(k) ? "right" : k);
  for (let i = 0, end = 0; i < kinds.length; i = end + 1) {
    for (end = i; kinds[end] === "neutral";) ++end;
    const before = side(kinds[i - 1]),
      after = side(kinds[end]);
    kinds.fill(before === after ? before : base, i, end);
  }
  const right = base === "right";
  return { right, levels: kinds.map((k) => (k === "right" ? 1 : k === "left" && !right ? 0 : 2)) };
}

// Which piece stands first, second, … from the left on one row.
export function visualOrder(levels: number[]): number[] {
  const order = levels.map((_, i) => i);
  for (const least of [2, 1])
    for (let i = 0, end = 0; i < order.length; i = end + 1) {
      for (end = i; end < order.length && levels[order[end]] >= least;) ++end;
      if (end > i) order.splice(i, end - i, ...order.slice(i, end).reverse());
    }
  return order;
}

// A text of ours with words of any script in it, to be read from the left: numbers and commas behind a word that is
// written from the right stay behind it, by a mark (U+200E) after such words. Texts without one stay as they are.
export const readFromLeft = (s: string) => s.replace(run, "$&\u200e");

// The letters of a text that has none but Chinese, Japanese, Korean ones and emoji: those stand upright, one below another,
// where other texts are turned. Empty for others.
const wide =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\u30fc\uff01-\uff60\p{Emoji_Presentation}]/u;
export function uprightLetters(s: string): string[] {
  const letters = [...new Intl.Segmenter().segment(s)].map((x) => x.segment);
  return letters.every((l) => wide.test(l) || /^\p{Emoji}\ufe0f/u.test(l)) ? letters : [];
}
