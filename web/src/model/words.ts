// Words that fit what is shown. A map's row reads its columns; a score per token counts for the target.
import type { Bench } from "../bench";
import { isMap, type Attribution } from "./attribution";
import { sideNames } from "./colour";
import type { Prediction, Target } from "./document";
import type { GridMap } from "./maps";
import { readFromLeft } from "./reading";

export const number = (x: number | null | undefined): string =>
  (x === null || x === undefined || x !== x ? "–" : Math.abs(x) >= 0.001 || x === 0 ? x.toFixed(4) : x.toExponential(2)).replace(/-/g, "−");
// What a map's rows sum to: one number where they agree.
export const rowSums = (low: number, high: number, digits: number) =>
  `rows sum to ${[...new Set([low, high].map((x) => x.toFixed(digits)))].join(" … ")}`;
export const signedNumber = (a: Attribution, x: number) => (a.signed && x > 0 ? "+" : "") + number(x);
// As many letters as there is room for; what one sees as a letter, an emoji of several parts too, is never cut in two.
const letters = new Intl.Segmenter();
export function cutName(name: string, most: number): string {
  if (name.length <= most) return name;
  const all = [...letters.segment(name)].map((x) => x.segment);
  return all.length > most ? all.slice(0, most - 1).join("") + "…" : name;
}
export const shownName = (name: string, most = 24) => readFromLeft(cutName(name.replace(/\n/g, "⏎").trim(), most)) || "␣";
export const probability = (p: number | null | undefined) =>
  p === null || p === undefined ? "" : p >= 0.0001 && p <= 0.9999 ? (100 * p).toFixed(2) + " %" : p > 0.5 ? "> 99.99 %" : "< 0.01 %";
export const percent = (p: number) => (100 * p).toFixed(p < 0.0995 ? 1 : 0) + " %";
// What a prediction says, before anything is explained.
export function answerText(p: Prediction): string {
  if (p.answer) return `answer “${p.answer.text}” ${probability(p.answer.probability)}`;
  const best = p.scores?.[0] ?? p.outcomes?.[0]?.scores[0];
  if (!best) return p.task;
  const word = p.task === "fill-mask" || (p.task.startsWith("text-") && p.task !== "text-classification");
  const name = word ? `“${best.label.trim()}”` : best.label;
  return best.probability === null ? `${name} ${number(best.logit)}` : `${name} ${percent(best.probability)}`;
}
export const placeName = (a: Attribution, l: number, h: number) =>
  [a.layered ? "L" + l : "", a.H > 1 ? (h < 0 ? "mean of heads" : "H" + h) : ""].filter(Boolean).join(" ");
export const place = (b: Bench, a: Attribution) => placeName(a, b.layerOf(a), b.headOf(a));
export const absence = (a: Attribution) => (isMap(a) ? "masked" : "not measured");
export const aimText = (t: Target) => (t.contrast ? `“${t.label}” rather than “${t.contrast}”` : `“${t.label}”`);
export const unitWord = (b: Bench) => (b.isImage ? "patch" : b.view.words ? "word" : "token");
export const plural = (n: number, word: string) => `${n} ${word}${n === 1 ? "" : word.endsWith("ch") ? "es" : "s"}`;

export function question(b: Bench, a: Attribution, row: number): string {
  const target = b.aim.target;
  if (isMap(a))
    return (
      `what “${shownName(b.groups[row]?.name ?? "")}” reads` + (a.traits.of_target ? `, and what that counts for ${aimText(target)}` : "")
    );
  if (a.layered) return `how far each ${unitWord(b)} moves`;
  return `how much each ${unitWord(b)} counts` + (a.traits.of_target ? ` for ${aimText(target)}` : "");
}

export function rankOf(map: GridMap, row: number, key: number) {
  const v = map.v[row * map.C + key];
  let rank = 1,
    sum = 0,
    count = 0;
  for (let c = 0; c < map.C; ++c) {
    const w = map.v[row * map.C + c];
    if (w === w) {
      sum += w;
      ++count;
      if (Math.abs(w) > Math.abs(v)) ++rank;
    }
  }
  return { rank, sum, count };
}

const shareOf = (v: number, sum: number) => (v > 0 && v < 0.0005 * sum ? "< 0.1 %" : `${((100 * v) / sum).toFixed(1)} %`);

export function describe(b: Bench, a: Attribution, map: GridMap, row: number, key: number, target = b.aim.target): string {
  const v = map.v[row * map.C + key],
    name = shownName(b.groups[key]?.name ?? "");
  const pair = isMap(a) ? `“${shownName(b.groups[row]?.name ?? "")}” reads “${name}”` : `“${name}”`;
  if (v !== v) return `${pair}: ${absence(a)}`;
  const { rank, sum, count } = rankOf(map, row, key);
  const counts = !isMap(a) && a.signed && v !== 0 ? (v > 0 ? " for " : " against ") + aimText(target) : "";
  return (
    `${pair}: ${signedNumber(a, v)}${counts}, rank ${rank} of ${count}` +
    (sum > 0 && !a.signed && isMap(a) ? `, ${shareOf(v, sum)} of its row` : "")
  );
}

// What the colours mean, with the sign in words.
export function signWords(b: Bench, a: Attribution): string {
  if (!a.signed) return "";
  const [plus, minus] = sideNames(b.view.palette),
    t = b.aim.target;
  if (!a.traits.of_target) return `${minus} is negative`;
  return `${plus} counts for “${t.label}”, ${minus} ${t.contrast ? `for “${t.contrast}”` : "against it"}`;
}

export const aggregates: Record<string, string> = {
  rollout: "rollout: the maps multiplied from layer to layer",
  flow: "flow: the maximum flow through the maps of all layers",
};

// A method's text without what it says of the command line, whose options mean nothing on a page: in a sentence that names
// one, what comes before it stays.
export const withoutOptions = (text: string) =>
  text
    .split(/(?<=\.)\s+/)
    .map((sentence) => {
      const parts = sentence.split(";"),
        first = parts.findIndex((part) => /--[a-z]/.test(part));
      return first < 0 ? sentence : first === 0 ? "" : parts.slice(0, first).join(";") + ".";
    })
    .filter(Boolean)
    .join(" ");

// Scores that should add up to what is explained and do not, by so much: passed checks say nothing about that.
const enough = 0.25;
export function shortfall(a: Attribution): string {
  const { sum, of, what, share } = a.accounted ?? { sum: null, of: null, what: "", share: null };
  if (sum === null || of === null || share === null || Math.abs(share - 1) <= enough) return "";
  return `The scores add up to ${number(sum)} of ${what} of ${number(of)}: ${(100 * share).toFixed(1).replace("-", "−")} %. They do not say where the rest comes from.`;
}

// As much of it as there is room for beside a small picture.
export const checkMark = (a: Attribution) =>
  shortfall(a) && a.checks.every((c) => c.passed)
    ? `! accounts for ${(100 * a.accounted!.share!).toFixed(0).replace("-", "−")} %`
    : checkText(a);
export const checkText = (a: Attribution) => {
  const failed = a.checks.filter((c) => !c.passed).length,
    short = shortfall(a);
  if (short && !failed) return `Computed correctly, but: ${short}`;
  return a.checks.length === 0
    ? "no checks"
    : failed
      ? `✗ ${failed} of ${a.checks.length} checks failed`
      : `✓ ${plural(a.checks.length, "check")} passed`;
};
