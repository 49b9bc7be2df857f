// Figures as SVG of their own: explicit colours, text that stays text, a title and the numbers' origin inside.
import type { Bench } from "../bench";
import type { Attribution } from "../model/attribution";
import { css, shade } from "../model/colour";
import { readFromLeft, uprightLetters } from "../model/reading";
import { number, place, signWords } from "../model/words";
import { themed } from "../views/parts";

const space = "http://www.w3.org/2000/svg";
export const escaped = (s: string) => s.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
const font = "system-ui, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', sans-serif";

export function framed(width: number, height: number, body: string, title: string): string {
  return (
    `<svg xmlns="${space}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${font}"><title>${escaped(title)}</title>` +
    `<rect width="${width}" height="${height}" fill="${themed("--card")}"/>${body}</svg>`
  );
}

export const text = (x: number, y: number, s: string, more = "", size = 12, fill = themed("--ink")) =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" font-size="${size}" fill="${fill}" ${more}>${escaped(s)}</text>`;
// What a mark says of itself, for whoever points at it.
export const titled = (tip: string) => `<title>${escaped(readFromLeft(tip))}</title>`;
// Nothing to see, but something to point at.
export const pointed = (x: number, y: number, w: number, h: number, tip: string) =>
  `<rect x="${x.toFixed(2)}" y="${y.toFixed(2)}" width="${w.toFixed(2)}" height="${h.toFixed(2)}" fill="none" pointer-events="all">${titled(tip)}</rect>`;
let measure: CanvasRenderingContext2D | null = null;
export function widthOf(s: string, size: number): number {
  measure ??= document.createElement("canvas").getContext("2d")!;
  measure.font = `${size}px ${font}`;
  return measure.measureText(s).width;
}

// A name on its side, from (x, y) up or down; Chinese and the like stand upright, one letter below another.
export function turned(x: number, y: number, name: string, up: boolean, fill = themed("--soft"), size = 11): string {
  const letters = uprightLetters(name),
    step = 1.1 * size;
  if (!letters.length)
    return `<text transform="translate(${(x + (up ? 4 : -4)).toFixed(1)} ${y.toFixed(1)}) rotate(${up ? -90 : 90})" font-size="${size}" fill="${fill}">${escaped(name)}</text>`;
  return letters
    .map((l, i) => text(x, y + (up ? i - letters.length : i) * step + 0.9 * size, l, 'text-anchor="middle"', size, fill))
    .join("");
}

const modelName = (b: Bench) => b.data.record.model.split("/").pop() ?? "";
export const headline = (b: Bench, a: Attribution, where = place(b, a)) =>
  [a.name, where, a.traits.of_target && b.aim.target.label ? `target ${b.aim.target.label}` : "", modelName(b)].filter(Boolean).join(" · ");

// What stands above a figure, and the room it needs.
export const heading = (words: string) => text(10, 18, words, 'font-weight="600"', 13);
export const headingRoom = (words: string) => 24 + 1.1 * widthOf(words, 13);

// The scale below a figure, and the room it needs. `high` is what the darkest colour stands for; null where every map
// has its own.
export function legend(b: Bench, a: Attribution, high: number | null, x: number, y: number, raw: string): { drawn: string; room: number } {
  const words = [signWords(b, a), raw, b.view.root ? "square root" : ""].filter(Boolean).join("; "),
    largest = high === null ? "max" : number(high),
    [low, top] = a.signed ? ["−" + largest, "+" + largest] : ["0", largest],
    ramp = x + 12 + widthOf(low, 10.5),
    behind = ramp + 126,
    said = behind + widthOf(top, 10.5) + 14,
    soft = themed("--soft");
  let s = "";
  for (let i = 0; i < 40; ++i)
    s += `<rect x="${(ramp + 3 * i).toFixed(1)}" y="${y - 8}" width="3.2" height="9" fill="${css(shade(a.signed ? (i - 19.5) / 19.5 : i / 39, b.dark, b.view.palette))}"/>`;
  return {
    drawn: s + text(x + 6, y, low, "", 10.5, soft) + text(behind, y, top, "", 10.5, soft) + text(said, y, words, "", 10.5, soft),
    room: said + 1.05 * widthOf(words, 10.5) + 12,
  };
}

// The elements of a drawing on the page, as a file has them: what the page's own tip would say becomes a title.
export function drawnOf(shown: SVGSVGElement): string {
  const copy = shown.cloneNode(true) as SVGSVGElement;
  for (const e of copy.querySelectorAll("[style]")) e.removeAttribute("style");
  for (const e of copy.querySelectorAll("[data-tip]")) {
    const title = document.createElementNS(space, "title");
    title.textContent = readFromLeft(e.getAttribute("data-tip")!);
    e.prepend(title);
    e.removeAttribute("data-tip");
  }
  return copy.innerHTML.replace(/&nbsp;/g, "&#160;"); // HTML's names mean nothing in a file
}

// A drawing that is on the page as SVG already: its own elements, framed, and what its colours stand for.
export function shownFigure(selector: string, title: string, colours: { colour: string; name: string; dashes?: string }[] = []): string {
  const shown = document.querySelector<SVGSVGElement>(selector);
  if (!shown) return "";
  const box = shown.viewBox.baseVal;
  let key = "",
    x = 10,
    top = 26;
  for (const { colour, name, dashes } of colours) {
    const w = 16 + widthOf(name, 11) + 14;
    if (x + w > box.width && x > 10) [x, top] = [10, top + 18];
    key +=
      (dashes
        ? `<line x1="${x - 2}" x2="${x + 13}" y1="${top + 5.5}" y2="${top + 5.5}" stroke="${colour}" stroke-width="4" stroke-dasharray="${dashes}"/>`
        : `<rect x="${x}" y="${top}" width="11" height="11" rx="2" fill="${colour}"/>`) +
      text(x + 16, top + 9.5, name, "", 11, themed("--soft"));
    x += w;
  }
  if (colours.length) top += 20;
  return framed(
    box.width,
    box.height + top,
    text(10, 17, title, 'font-weight="600"', 13) + key + `<g transform="translate(0 ${top})">${drawnOf(shown)}</g>`,
    title,
  );
}
