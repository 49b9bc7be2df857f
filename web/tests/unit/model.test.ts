import assert from "node:assert/strict";
import { test } from "node:test";
import type { Attribution } from "../../src/model/attribution";
import { colourTable, headLook, inkOn, luminance, negativeDots, shade, toned, type RGB } from "../../src/model/colour";
import type { Token } from "../../src/model/document";
import { flowFrom, keptEdges, stagesOf } from "../../src/model/flow";
import { headStatistics, tellsApart } from "../../src/model/heads";
import { grouped, gridMap, rowScale, strongestPairs } from "../../src/model/maps";
import { disagreement, kendall, pearson, ranks, spearman } from "../../src/model/rank";
import { groupsOf } from "../../src/model/units";

const unit = (text: string, word: number, special = false): Token => ({
  text,
  begin: 0,
  end: 0,
  word,
  in_word: word,
  sequence: 0,
  special,
});
const units = [unit("[CLS]", -1, true), unit("un", 0), unit("do", 0), unit("it", 1), unit("[SEP]", -1, true)];
const near = (a: number, b: number) => assert.ok(Math.abs(a - b) < 1e-6, `${a} is not ${b}`);

test("words are joined, special tokens hidden but for the one the answer was read from", () => {
  assert.deepEqual(
    groupsOf(units, true, true, [0]).map((g) => g.name),
    ["[CLS]", "undo", "it", "[SEP]"],
  );
  assert.deepEqual(
    groupsOf(units, true, false, [0]).map((g) => g.name),
    ["[CLS]", "undo", "it"],
  );
  assert.deepEqual(
    groupsOf(units, false, false, [1]).map((g) => g.name),
    ["un", "do", "it"],
  );
});

test("the mark of a word's start is no part of its name", () => {
  assert.deepEqual(
    groupsOf([unit("▁", 0), unit("un", 0), unit("do", 0), unit("▁", 1)], true, true, [0]).map((g) => g.name),
    ["undo", "▁"],
  );
});

test("a word's weight: sum over keys, mean over queries, rows keep their sum", () => {
  const a = { H: 2, Q: 5, T: 5 } as Attribution,
    values = new Float32Array(50);
  for (let h = 0; h < 2; ++h)
    for (let q = 0; q < 5; ++q) for (let k = 0; k < 5; ++k) values[(h * 5 + q) * 5 + k] = ((h + 1) * (q + 1) * (k + 1)) % 7;
  const groups = groupsOf(units, true, true, [0]),
    mean = grouped(a, values, -1, groups),
    one = grouped(a, values, 1, groups);
  const at = (h: number, q: number, k: number) => values[(h * 5 + q) * 5 + k];
  near(one.v[1 * 4 + 1], (at(1, 1, 1) + at(1, 1, 2) + at(1, 2, 1) + at(1, 2, 2)) / 2);
  near(mean.v[0 * 4 + 2], (at(0, 0, 3) + at(1, 0, 3)) / 2);
  for (let k = 0, s = 0; k < 5; ++k) {
    s += at(1, 0, k);
    if (k === 4) near(one.sums[0], s);
  }
});

test("cells nothing was measured for stay NaN and out of the sums", () => {
  const m = gridMap(2, 2, new Float32Array([1, NaN, 3, -4]));
  assert.deepEqual([m.min, m.max, m.peak, m.lowest, m.highest], [-4, 3, 4, -1, 1]);
  assert.equal(gridMap(1, 1, new Float32Array([NaN])).peak, 0);
});

test("the scale of a map's row is its strongest word's, of scores the largest of all", () => {
  const groups = groupsOf(units, false, true, [0]),
    row = [0.9, 0.1, -0.3, 0.2, 0.5];
  const two = gridMap(2, 5, new Float32Array([...row, 0, 0, 0, 0, 1]));
  near(rowScale(two, 0, groups), 0.3);
  near(rowScale(two, 1, groups), 1); // no word: all
  near(rowScale(gridMap(1, 5, new Float32Array(row)), 0, groups), 0.9);
  near(rowScale(gridMap(1, 5, new Float32Array(row)), 0, groups, false), 0.3);
});

test("no two of forty heads look alike", () => {
  const looks = Array.from({ length: 40 }, (_, h) => JSON.stringify(headLook(h)));
  assert.equal(new Set(looks).size, 40);
  assert.ok(!looks.some((look) => look.includes(`"${negativeDots}"`)));
});

test("Spearman's ρ over what both have, by hand", () => {
  near(spearman([1, 2, 3, 4], [10, 20, 40, 30]), 0.8); // 1 − 6·2 / (4·15)
  near(spearman([5, NaN, 1, 3], [1, 9, 5, NaN]), -1);
});

test("strongest pairs leave out the diagonal and keep the order", () => {
  const n = 40,
    v = new Float32Array(n * n).map((_, i) => ((i * 7919) % 1009) / 1009),
    m = gridMap(n, n, v);
  const all = [...v.keys()]
    .filter((i) => Math.floor(i / n) !== i % n)
    .sort((a, b) => v[b] - v[a] || a - b)
    .slice(0, 10);
  assert.deepEqual(
    strongestPairs(m, 10).map((p) => p.row * n + p.key),
    all,
  );
});

test("Kendall's τ-b with ties, by hand", () => {
  near(kendall([1, 2, 3], [1, 2, 3]), 1);
  near(kendall([1, 2, 3], [3, 2, 1]), -1);
  near(kendall([1, 2, 2, 3], [1, 3, 2, 4]), 5 / Math.sqrt(5 * 6));
  assert.ok(Number.isNaN(kendall([1, 1], [1, 2])));
  near(kendall([1, NaN, 2], [5, 9, 6]), 1);
  assert.deepEqual([...ranks([10, 30, 10, NaN])], [1.5, 3, 1.5, NaN]);
  assert.deepEqual(
    [
      ...disagreement([
        [1, 2, 3],
        [3, 2, 1],
      ]),
    ],
    [1, 0, 1],
  );
  near(pearson([1, 2, 3], [2, 4, 7]), 5 / Math.sqrt(2 * (114 / 9)));
});

test("every colour leaves its text readable, and zero is neutral", () => {
  const contrast = (a: RGB, ink: string) => {
    const [x, y] = [luminance(a), ink === "#000" ? 0 : 1].sort((p, q) => p - q);
    return (y + 0.05) / (x + 0.05);
  };
  for (const dark of [false, true])
    for (const palette of ["blue", "captum"] as const)
      for (let s = -1; s <= 1; s += 0.01) {
        const c = shade(s, dark, palette);
        assert.ok(contrast(c, inkOn(c)) >= 4.5);
      }
  assert.deepEqual(toned(0.25, 1, { dark: false, palette: "blue", root: true }), shade(0.5, false, "blue"));
  assert.equal(colourTable({ dark: false, palette: "blue", root: false })[510], 0xff642e08);
});

test("flow: what starts at the output arrives at the inputs, layer by layer", () => {
  const m0 = gridMap(2, 2, new Float32Array([0.5, 0.5, 0.25, 0.75])),
    m1 = gridMap(2, 2, new Float32Array([0.2, 0.8, 1, 0]));
  const f = flowFrom(stagesOf([m0, m1], ["L0", "L1"], 0, [2, 2]), 0, 0);
  near(f.reached[0], 0.2 * 0.5 + 0.8 * 0.25);
  near(f.reached[1], 0.2 * 0.5 + 0.8 * 0.75);
  const half = flowFrom(stagesOf([m0], ["L0"], 0, [1, 1]), 0, 0.5);
  near(half.reached[0], 0.75);
  assert.equal(keptEdges(f, 0.79, 2000).filter((e) => e.stage === 1).length, 1);
  assert.equal(keptEdges(f, 1, 3).length, 3);
});

test("flow of an encoder–decoder: cross attention reads the encoder's top", () => {
  // Units 0 and 1 are the source, 2 the output. It reads source 1 with 0.6 and itself with 0.4.
  const v = new Float32Array([0.5, 0.5, NaN, 1, 0, NaN, 0, 0.6, 0.4]),
    m = gridMap(3, 3, v);
  const f = flowFrom(stagesOf([m], ["L0"], 2, [1, 1]), 2, 0);
  near(f.reached[0], 0.6);
  near(f.reached[1], 0);
  near(f.reached[2], 0.4);
});

test("head statistics by hand", () => {
  const a = { H: 1, Q: 2, T: 2 } as Attribution,
    even = new Float32Array([0.5, 0.5, 1, 0]),
    two = [unit("[CLS]", -1, true), unit("a", 0)];
  near(headStatistics(even, a, 0, two).entropy, 0.5);
  near(headStatistics(even, a, 0, two).distance, (0.5 + 1) / 2);
  near(headStatistics(even, a, 0, two).special, 0.75);
  near(headStatistics(even, a, 0, two).strength, 1);
  const signed = new Float32Array([-0.9, 0.25, 0.5, NaN]);
  near(headStatistics(signed, a, 0, two).strength, 0.9);
  near(headStatistics(signed, a, 0, two).importance, 0.5);
});

test("a statistic that is the same for every head tells nothing; one on its way may yet", () => {
  assert.equal(tellsApart([[1, 1, 0.9999]]), false);
  assert.equal(tellsApart([[1], [0.5]]), true);
  assert.equal(tellsApart([[-0.2, 0.2]]), true);
  assert.equal(
    tellsApart([
      [1, 1],
      [1, null],
    ]),
    true,
  );
  assert.equal(tellsApart([[0, 0]]), false);
});
