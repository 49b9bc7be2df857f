import assert from "node:assert/strict";
import { test } from "node:test";
import { npyOf } from "../../src/export/numbers";
import { crc32, zipOf } from "../../src/export/zip";
import { removed, replaced } from "../../src/live/edit";
import { merged } from "../../src/live/merge";
import type { AttributionData, PageDocument } from "../../src/model/document";
import { linesOf, visualOrder } from "../../src/model/lines";
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
  const token = (text: string, begin: number, end: number) => ({ text, begin, end, word: 0, sequence: 0, special: false });
  const [line] = linesOf([{ ...token("[CLS]", 0, 0), special: true }, token("é", 2, 4), token("好", 6, 9)], ["  é #好"], true);
  assert.deepEqual(
    line.pieces.map((p) => p.before),
    ["", "  ", " #"],
  );
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
  assert.deepEqual([...both.numbers(both.data.attributions[2].scores!).values], [1, 1]);
  assert.deepEqual([...both.numbers(both.data.attributions[1].scores!).values], [2, 2]);
});

test("pieces stand as they are typed, from the right or from the left", () => {
  const shown = (words: string[]) =>
    visualOrder(words)
      .order.map((i) => words[i])
      .join(" ");
  assert.equal(shown(["a", "b", "!"]), "a b !");
  assert.equal(shown(["רע", "טוב"]), "טוב רע");
  // A line from the right keeps what is written from the left in its order; signs between the two follow the line.
  assert.equal(shown(["רע", "😀", "好", "看", "#", "great", "טוב"]), "טוב 好 看 # great 😀 רע");
  assert.equal(shown(["so", "רע", "טוב", "it", "is"]), "so טוב רע it is");
  assert.deepEqual(visualOrder(["", "רע", "a"]), { right: true, order: [2, 1, 0], reversed: [false, true, true] });
});
