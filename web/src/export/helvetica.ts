// The letters every reader of PDF has: which there are, and how wide they are.

// Widths of the letters from space to tilde, in thousandths of the size (Adobe's metrics of the standard fonts).
const regular =
  "278278355556556889667191333333389584278333278278556556556556556556556556556556278278584584584556" +
  "1015" +
  "667667722722667611778722278500667556833722778667778722667611722667944667667611278278278469556" +
  "333556556500556556278556556222222500222833556556556556333500278556500722500500500334260334584";
const bold =
  "278333474556556889722238333333389584278333278278556556556556556556556556556556333333584584584611" +
  "975 " +
  "722722722722667611778722278556722611833722778667778722667611722667944667667611333278333584556" +
  "333556611556611556333611611278278556278889611611611611389556333611556778556556500389280389584";
function widthsOf(digits: string): number[] {
  const at = 3 * 32, // where the only number of four digits stands: @
    three = (s: string) => (s.match(/\d{3}/g) ?? []).map(Number);
  return [...three(digits.slice(0, at)), Number(digits.slice(at, at + 4)), ...three(digits.slice(at + 4))];
}
const widths = { regular: widthsOf(regular), bold: widthsOf(bold) };

// Windows' Latin alphabet, beyond Latin-1; the minus sign has none there and looks like a dash.
const others: Record<string, number> = Object.fromEntries(
  [..."€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ"].map((c, i) => [c, 128 + i] as const).filter(([c]) => c !== " "),
);
others["−"] = others["–"];

// The bytes of a text, or null if a letter is missing.
export function latin(text: string): number[] | null {
  const codes = [...text.normalize("NFC")].map((c) => {
    const code = c.codePointAt(0)!;
    return (code >= 32 && code < 127) || (code >= 160 && code < 256) ? code : (others[c] ?? -1);
  });
  return codes.includes(-1) ? null : codes;
}
export function latinWidth(text: string, size: number, heavy: boolean): number {
  const table = heavy ? widths.bold : widths.regular;
  let sum = 0;
  for (const c of text.normalize("NFC")) sum += table[c.normalize("NFD").charCodeAt(0) - 32] ?? (c === "…" || c === "—" ? 1000 : 556);
  return (sum * size) / 1000;
}
