// The text with every method's scores, as a figure.
import type { Bench } from "../bench";
import { agreementText, othersFor, shownFor, spreadOf } from "../model/agreement";
import { isMap } from "../model/attribution";
import { css, inkOn, toned } from "../model/colour";
import { linesOfBench, rowsOf, type Line } from "../model/lines";
import { rowScale } from "../model/maps";
import { readFromLeft, readingLevels, uprightLetters, visualOrder } from "../model/reading";
import { rowHead, scoreTip, spreadTip } from "../model/tips";
import { cutName, place } from "../model/words";
import { themed } from "../views/parts";
import { framed, legend, pointed, text, titled, widthOf } from "./svg";

const width = 960,
  left = 180,
  right = width - 66; // behind it stands τ
const tall = 20;

interface Item {
  at: number; // −1: a space
  w: number;
  size: number;
  level: number;
}

// A line's tokens and the spaces between them with their widths and levels.
function itemsOf(b: Bench, line: Line): Item[] {
  const items: Item[] = [],
    pieces: string[] = [];
  for (const { before, at } of line.pieces) {
    const unit = b.units[at],
      size = unit.special ? 10.5 : 15,
      gap = before ? widthOf(before.replace(/\s+/g, " "), 15) : unit.special || b.units[items[items.length - 1]?.at]?.special ? 4 : 0;
    if (gap && items.length) {
      items.push({ at: -1, w: gap, size, level: 0 });
      pieces.push(before || " ");
    }
    items.push({ at, w: widthOf(unit.text || "␣", size) + (unit.special ? 8 : 2), size, level: 0 });
    pieces.push(unit.special ? "" : unit.text);
  }
  readingLevels(pieces).levels.forEach((l, i) => (items[i].level = l));
  return items;
}

// Between words, and between letters that no space stands between in any text.
const parted = (b: Bench) => (before: Item, after: Item) =>
  before.at < 0 || after.at < 0 || [before, after].some((i) => uprightLetters(b.units[i.at].text).length > 0);

// Every token of the lines at its place, from `y` down; gives where the next one begins.
function eachToken(b: Bench, lines: Line[], y: number, draw: (item: Item, x: number, y: number) => void): number {
  for (const line of lines)
    for (const items of rowsOf(itemsOf(b, line), right - left, parted(b))) {
      let x = line.right ? right - items.reduce((sum, i) => sum + i.w, 0) : left;
      for (const i of visualOrder(items.map((item) => item.level))) {
        if (items[i].at >= 0) draw(items[i], x, y);
        x += items[i].w;
      }
      y += 27;
    }
  return y;
}

const word = (b: Bench, { at, w, size, level }: Item, x: number, y: number, fill: string) =>
  text(
    x + w / 2,
    y + 15,
    b.units[at].text || "␣",
    'text-anchor="middle" pointer-events="none"' + (level % 2 && !b.units[at].special ? ' direction="rtl"' : ""), // brackets are mirrored
    size,
    fill,
  );

// What is read out above, over as many lines as it needs.
function sentence(words: string): { drawn: string; bottom: number } {
  const rows = [""];
  for (const w of words.split(" ")) {
    const longer = (rows[rows.length - 1] + " " + w).trim();
    if (rows[rows.length - 1] && 1.1 * widthOf(longer, 14) > width - 20) rows.push(w);
    else rows[rows.length - 1] = longer;
  }
  return {
    drawn: rows.map((r, i) => text(10, 20 + 18 * i, readFromLeft(r), 'font-weight="600"', 14)).join(""),
    bottom: 12 + 18 * rows.length,
  };
}

function disagreementRow(b: Bench, lines: Line[], y: number): { drawn: string; bottom: number } {
  const spread = spreadOf(b);
  if (!spread || b.attributions.length < 3) return { drawn: "", bottom: y };
  let drawn =
    text(10, y + 14, "disagreement", "", 12, themed("--soft")) + text(10, y + 28, "of the methods' ranks", "", 10.5, themed("--soft"));
  const bottom = eachToken(b, lines, y, (item, px, py) => {
    const g = b.indexOf[item.at],
      s = g < 0 ? NaN : spread[g];
    drawn += word(b, item, px, py, themed("--ink"));
    if (s !== s) return;
    drawn +=
      `<rect x="${px.toFixed(1)}" y="${(py + tall - 1).toFixed(1)}" width="${(item.w - 1).toFixed(1)}" height="${(0.4 + 5 * s * s).toFixed(1)}" fill="${themed("--differ")}"/>` +
      pointed(px, py, item.w, tall + 5, spreadTip(b.groups[g].name, s));
  });
  return { drawn, bottom };
}

// Each method's row of text, wrapped, with the words as words; below, how far apart the methods rank them.
export function stripFigure(b: Bench): string {
  const lines = linesOfBench(b),
    above = sentence(b.headline),
    ink = themed("--ink"),
    soft = themed("--soft");
  let y = above.bottom,
    s = above.drawn;
  const rows = b.attributions.flatMap((method) => {
    const own = shownFor(b, method, b.view.target);
    return own ? [{ ...own, tau: agreementText(b, method) }, ...othersFor(b, method).map((x) => ({ ...x, tau: "" }))] : [];
  });
  for (const { a, target, map, row, tau } of rows) {
    const scale = rowScale(map, row, b.groups),
      head = rowHead(a, place(b, a), b.targets[target].target.label);
    y += 12;
    s +=
      (target === b.view.target ? text(10, y + 14, a.name, 'font-weight="600"', 12) : "") +
      text(10, y + (target === b.view.target ? 28 : 14), cutName(head.slice(a.name.length + 1), 32), "", 10.5, soft) +
      (tau ? text(width - 12, y + 14, `τ ${tau}`, 'text-anchor="end"', 11, soft) : "");
    y = eachToken(b, lines, y, (item, px, py) => {
      const g = b.indexOf[item.at],
        v = g < 0 ? NaN : map.v[row * map.C + g],
        c = v === v ? toned(v, scale, b.tone) : null,
        tip = g < 0 ? "" : titled(scoreTip(a, head, b.groups[g].name, v)),
        box = `<rect x="${px.toFixed(1)}" y="${py}" width="${item.w.toFixed(1)}" height="${tall}" rx="2"`;
      if (c) s += `${box} fill="${css(c)}">${tip}</rect>`;
      else if (tip) s += `${box} fill="none" pointer-events="all" stroke="${themed("--line")}">${tip}</rect>`;
      if (v < 0)
        s += `<line x1="${(px + 1).toFixed(1)}" x2="${(px + item.w - 1).toFixed(1)}" y1="${py + tall + 2}" y2="${py + tall + 2}" stroke="${ink}" stroke-width="1.2" stroke-dasharray="3 2"/>`;
      s += word(b, item, px, py, c ? inkOn(c) : soft);
    });
  }
  const differ = disagreementRow(b, lines, y + 12),
    a = b.current!,
    map = b.mapOf(a)!,
    key = legend(
      b,
      a,
      rowScale(map, b.rowOf(a), b.groups),
      4,
      differ.bottom + 26,
      `${a.name}; each row scaled to its strongest ${isMap(a) ? "word" : "token"}${b.attributions.some((x) => x.signed) ? "; dashed: negative" : ""}`,
    );
  return framed(Math.ceil(Math.max(width, key.room)), differ.bottom + 40, s + differ.drawn + key.drawn, b.headline);
}
