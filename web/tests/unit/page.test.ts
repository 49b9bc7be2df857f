import assert from "node:assert/strict";
import { test } from "node:test";
import { npyOf } from "../../src/export/numbers";
import { crc32, zipOf } from "../../src/export/zip";
import { removed, replaced } from "../../src/live/edit";
import { merged } from "../../src/live/merge";
import type { Attribution } from "../../src/model/attribution";
import type { AttributionData, PageDocument, Token } from "../../src/model/document";
import { linesOf, rowsOf, spaceBefore } from "../../src/model/lines";
import { readFromLeft, readingLevels, uprightLetters, visualOrder } from "../../src/model/reading";
import { cellTip, columnSumTip, pointTip, readsTip, rowHead, rowSumTip, scoreTip } from "../../src/model/tips";
import { checkMark, number, rowSums, shownName, withoutOptions } from "../../src/model/words";
import { addressOf, initial, viewOf } from "../../src/view";

test("the view goes through the address and back; nothing else gets in", () => {
  const view = {
    ...initial,
    tab: "flow" as const,
    target: 1,
    method: 2,
    layers: { 2: 3 },
    heads: { 2: -1 },
    row: 4,
    keys: [1, 2],
    words: true,
    special: "drop" as const,
    kept: 0.5,
    theme: "dark" as const,
    statistic: "detail:head_importance" as const,
  };
  assert.deepEqual(viewOf("#" + addressOf(view)), view);
  assert.equal(addressOf(initial), "");
  assert.deepEqual(viewOf("#tab=<script>&layer=-4&row=1e9&theme=pink&kept=7&key=a,b&target=1.5"), { ...initial, layers: {}, heads: {} });
});

test("edits by bytes of UTF-8", () => {
  assert.equal(replaced("é 好 x", 3, 6, "[MASK]"), "é [MASK] x");
  assert.equal(removed("not bad at all", 4, 7), "not at all");
  assert.equal(removed("bad at all", 0, 3), "at all");
  assert.equal(removed("at all", 3, 6), "at");
  assert.equal(removed("unhappy", 0, 2), "happy");
});

test("text between tokens stands as it was typed, # and all", () => {
  const token = (text: string, begin: number, end: number) => ({ text, begin, end, word: 0, in_word: 0, sequence: 0, special: false });
  const [line] = linesOf([{ ...token("[CLS]", 0, 0), special: true }, token("é", 2, 4), token("好", 6, 9)], ["  é #好"], true);
  assert.deepEqual(
    line.pieces.map((p) => p.before),
    ["", "  ", " #"],
  );
});

test("the space a token begins with, and no other", () => {
  assert.deepEqual([" her", "\n\n a", "her ", " ", ""].map(spaceBefore), [" ", "\n\n ", "", "", ""]);
});

test("CRC-32 and a zip that starts and ends as one", () => {
  assert.equal(crc32(new TextEncoder().encode("123456789")), 0xcbf43926);
  const zip = zipOf([["a.npy", npyOf("<f4", [2], new Uint8Array(8))]]),
    view = new DataView(zip.buffer);
  assert.equal(view.getUint32(0, true), 0x04034b50);
  assert.equal(view.getUint32(zip.length - 22, true), 0x06054b50);
  const npy = npyOf("<f4", [2, 3], new Uint8Array(24));
  assert.equal((npy.length - 24) % 64, 0);
  assert.match(
    new TextDecoder("latin1").decode(npy),
    /^\x93NUMPY\x01\x00..\{'descr': '<f4', 'fortran_order': False, 'shape': \(2, 3\), \} *\n/,
  );
});

test("answers of one input are joined, the newer of a name wins", () => {
  const of = (methods: string[], seconds: number): PageDocument => ({
    data: {
      target: { label: "A" },
      record: { seconds },
      attributions: methods.map((method) => ({ method, aggregate: null, scores: method, seconds }) as AttributionData),
    } as PageDocument["data"],
    numbers: (id) => ({ values: new Float32Array([seconds, id.length]), exact: true }),
  });
  const both = merged(of(["x", "yy"], 1), of(["yy", "z"], 2), ["z", "yy", "x"]);
  assert.deepEqual(
    both.data.attributions.map((a) => [a.method, a.seconds]),
    [
      ["z", 2],
      ["yy", 2],
      ["x", 1],
    ],
  );
  assert.equal(both.data.record.seconds, 3); // of both runs
  assert.deepEqual([...both.numbers(both.data.attributions[2].scores!).values], [1, 1]);
  assert.deepEqual([...both.numbers(both.data.attributions[1].scores!).values], [2, 2]);
});

// By hand from UAX #9; the same lines stand in src/drawing/reading_order_test.cpp. A | says that the line runs from the right.
test("pieces stand as they are typed, from the right or from the left", () => {
  const shown = (...pieces: string[]) => {
    const { right, levels } = readingLevels(pieces);
    return (
      (right ? "|" : "") +
      visualOrder(levels)
        .map((i) => pieces[i])
        .join("")
    );
  };
  assert.equal(shown("a", " ", "b", "!"), "a b!");
  assert.equal(shown("א", " ", "ב", " ", "ג"), "|ג ב א");
  assert.equal(shown("هذا", " ", "فيلم"), "|فيلم هذا");
  assert.equal(shown("", " ", "א", " ", "ב"), "|ב א ");
  assert.equal(shown("א", " ", "good", " ", "film", " ", "ב"), "|ב good film א");
  assert.equal(shown("good", " ", "א", " ", "ב", " ", "film"), "good ב א film");
  assert.equal(shown("א", "!", " ", "good"), "|good !א");
  assert.equal(shown("10", " ", "א", " ", "20"), "|20 א 10");
  assert.equal(shown("א", " ", "3", ".", "5", " ", "ב"), "|ב 3.5 א");
  assert.equal(shown("א", " ", "10", "%"), "|10% א");
  assert.equal(shown("هذا", " ", "10", "%"), "|%10 هذا");
  assert.equal(shown("film", " ", "א", " ", "10", " ", "b"), "film 10 א b");
  assert.equal(shown("film", " ", "10", " ", "א"), "film 10 א");
  // Signs between the two sides follow the line.
  assert.equal(shown("רע", "😀", "好", "看", "#", "great", "טוב"), "|טוב好看#great😀רע");
});

test("numbers stay behind the words they belong to", () => {
  assert.equal(readFromLeft("good +1, bad −1"), "good +1, bad −1");
  assert.equal(readFromLeft("because of טוב +1, רע מאוד −1"), "because of טוב\u200e +1, רע מאוד\u200e −1");
});

test("what stands upright where names are turned, and where names are cut", () => {
  assert.deepEqual(uprightLetters("电影"), ["电", "影"]);
  assert.deepEqual(uprightLetters("👩‍👩‍👧👍🏽"), ["👩‍👩‍👧", "👍🏽"]);
  for (const other of ["film", "טוב", "影a", "10", "…"]) assert.deepEqual(uprightLetters(other), []);
  assert.equal(shownName("👩‍👩‍👧👍🏽电影abc", 4), "👩‍👩‍👧👍🏽电…");
  assert.equal(shownName("  ", 4), "␣");
});

test("a line's words decide its direction, not the special tokens around them", () => {
  const token = (text: string, special = false): Token => ({ text, begin: 0, end: 0, word: 0, in_word: 0, sequence: 0, special });
  const right = (...units: Token[]) => linesOf(units, [""], true)[0].right;
  assert.equal(right(token("[CLS]", true), token("هذا"), token("[SEP]", true)), true);
  assert.equal(right(token("[CLS]", true), token("this"), token("هذا")), false);
});

test("a word's pieces stay in one row if it can hold them", () => {
  const item = (at: number, w: number) => ({ at, w }),
    rows = (items: { at: number; w: number }[]) =>
      rowsOf(items, 10, (a, b) => a.at < 0 || b.at < 0).map((row) => row.map((i) => i.at).join(" "));
  const space = item(-1, 1);
  assert.deepEqual(rows([item(0, 4), space, item(1, 3), item(2, 3), space, item(3, 3)]), ["0", "1 2 -1 3"]);
  assert.deepEqual(rows([item(0, 2), space, item(1, 6), item(2, 3), item(3, 6)]), ["0 -1 1", "2 3"], "longer than a row: where it must");
  assert.deepEqual(rows([]), [""]);
});

test("marks say who reads whom, how much, and what was never measured", () => {
  const a = (rank: number, of_target: boolean) =>
    ({ name: "chefer", axes: rank > 1 ? ["query", "key"] : ["token"], traits: { of_target } }) as Attribution;
  assert.equal(cellTip(a(2, false), "L2 H1", " a\nb ", "", 0.5), "L2 H1: “a⏎b” reads “␣” 0.5000");
  assert.equal(cellTip(a(2, false), "", "a", "b", NaN), "“a” reads “b” masked");
  assert.equal(cellTip(a(1, false), "L0", "", "b", -0.25), "L0: “b” −0.2500");
  assert.equal(rowHead(a(1, true), "", "POSITIVE"), "chefer for POSITIVE");
  assert.equal(rowHead(a(2, false), "L2 mean of heads", "POSITIVE"), "chefer L2 mean of heads");
  assert.equal(scoreTip(a(1, true), "chefer for cat", "(0, 1)", NaN), "chefer for cat: “(0, 1)” not measured");
  assert.equal(pointTip("deletion", "random", 0.125, 1 / 3), "deletion: random at 12.5 %: 0.3333");
  assert.equal(readsTip("encoder L0", "a".repeat(40), "b", 2e-5), `encoder L0: “${"a".repeat(40)}” reads “b” 2.00e−5`, "names whole");
  assert.equal(rowSumTip("a", 1), "“a” reads 1.0000 in all");
  assert.equal(columnSumTip("a", 0), "“a” is read 0.0000 in all");
});

test("numbers and rows' sums as they are written", () => {
  assert.deepEqual([-0.5, -3.84e-4, 0, NaN, null].map(number), ["−0.5000", "−3.84e−4", "0.0000", "–", "–"]);
  assert.equal(rowSums(0.99999, 1.00001, 4), "rows sum to 1.0000");
  assert.equal(rowSums(1, 2, 3), "rows sum to 1.000 … 2.000");
});

test("a method's text without the options of the command line", () => {
  assert.equal(
    withoutOptions("Each layer is measured alone; --aggregate rollout multiplies them. The cosine sees only directions."),
    "Each layer is measured alone. The cosine sees only directions.",
  );
  assert.equal(withoutOptions("It magnifies rounding. check_rounding=yes or --verify shows that; so it is."), "It magnifies rounding.");
  assert.equal(withoutOptions("With ε = 0 it conserves; else not. It is fast."), "With ε = 0 it conserves; else not. It is fast.");
});

test("beside a small picture a few words say what the scores account for", () => {
  const of = (share: number, passed: boolean) =>
    ({
      checks: [{ name: "sum", passed, value: 0, bound: 1 }],
      accounted: { sum: share, of: 1, what: "the logit", share },
    }) as unknown as Attribution;
  assert.equal(checkMark(of(0.424, true)), "! accounts for 42 %");
  assert.equal(checkMark(of(-0.1, true)), "! accounts for −10 %");
  assert.equal(checkMark(of(0.9, true)), "✓ 1 check passed");
  assert.equal(checkMark(of(0.4, false)), "✗ 1 of 1 checks failed");
});
