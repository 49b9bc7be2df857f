import assert from "node:assert/strict";
import { test } from "node:test";
import { latin, latinWidth } from "../../src/export/helvetica";
import { pathOps } from "../../src/export/pdf";

// Adobe's Helvetica.afm and Helvetica-Bold.afm: C 32 … C 126.
test("letters have Adobe's widths", () => {
  for (const [letter, plain, heavy] of [
    [" ", 278, 278],
    ["?", 556, 611],
    ["@", 1015, 975],
    ["A", 667, 722],
    ["W", 944, 944],
    ["[", 278, 333],
    ["`", 333, 333],
    ["i", 222, 278],
    ["m", 833, 889],
    ["~", 584, 584],
    ["é", 556, 556],
  ] as const) {
    assert.equal(latinWidth(letter, 1000, false), plain, letter);
    assert.equal(latinWidth(letter, 1000, true), heavy, letter);
  }
});

test("Windows' Latin letters are text, others are not", () => {
  assert.deepEqual(latin("a“é−"), [97, 0x93, 0xe9, 0x96]);
  assert.deepEqual(latin("€Ÿ…™"), [0x80, 0x9f, 0x85, 0x99]);
  assert.equal(latin("好"), null);
  assert.equal(latin("τ"), null);
});

test("paths become operators, and what is unknown is refused", () => {
  assert.equal(pathOps("M1 2C3 4 5 6 7 8"), "1 2 m 3 4 5 6 7 8 c");
  assert.equal(pathOps("M1.5-2L1e-1 4Z").replace(/ +/g, " "), "1.5 -2 m 0.1 4 l h");
  assert.throws(() => pathOps("M1 2A1 2 3 4 5 6 7"), /found A/);
});
