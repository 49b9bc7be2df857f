import assert from "node:assert/strict";
import { test } from "node:test";
import { binaryDocument, decoded, halfTable } from "../../src/model/document";
import { attributionOf, isMap } from "../../src/model/attribution";
import type { PageData } from "../../src/model/document";

test("halves are IEEE 754 binary16", () => {
  const t = halfTable();
  for (const [bits, value] of [
    [0, 0],
    [0x3c00, 1],
    [0xc000, -2],
    [0x7bff, 65504],
    [0x0400, 2 ** -14],
    [0x0001, 2 ** -24],
    [0x2e66, 0.0999755859375],
  ])
    assert.equal(t[bits], value);
  assert.equal(t[0x7c00], Infinity);
  assert.ok(Number.isNaN(t[0x7e00]));
});

function hwp1(json: object, blobs: Uint8Array[]): ArrayBuffer {
  const text = new TextEncoder().encode(JSON.stringify(json)),
    up = (n: number) => Math.ceil(n / 8) * 8;
  const out = new Uint8Array(up(8 + text.length) + blobs.reduce((s, b) => s + up(b.length), 0));
  out.set([0x48, 0x57, 0x50, 0x31]);
  new DataView(out.buffer).setUint32(4, text.length, true);
  out.set(text, 8);
  let at = up(8 + text.length);
  for (const b of blobs) {
    out.set(b, at);
    at += up(b.length);
  }
  return out.buffer;
}

test("HWP1: JSON, then arrays at their offsets", () => {
  const f32 = new Uint8Array(new Float32Array([1.5, -2, NaN]).buffer),
    f16 = new Uint8Array(new Uint16Array([0x3c00, 0xc000]).buffer);
  const d = binaryDocument(
    hwp1({ name: "é", blobs: { a: { format: "f32", offset: 0, bytes: 12 }, b: { format: "f16", offset: 16, bytes: 4 } } }, [f32, f16]),
  );
  assert.equal((d.data as unknown as { name: string }).name, "é");
  assert.deepEqual([...d.numbers("a").values], [1.5, -2, NaN]);
  assert.deepEqual([...d.numbers("b").values], [1, -2]);
  assert.equal(d.numbers("b").exact, false);
  assert.throws(() => d.numbers("c"), /expected numbers c/);
});

test("what is no page document is refused", () => {
  assert.throws(() => binaryDocument(new TextEncoder().encode("HWP2 and more").buffer as ArrayBuffer), /expected HWP1/);
  assert.throws(() => binaryDocument(new ArrayBuffer(2)), /expected HWP1/);
  const cut = new Uint8Array(hwp1({ a: 1 }, []));
  new DataView(cut.buffer).setUint32(4, 999, true);
  assert.throws(() => binaryDocument(cut.buffer), /expected 999 bytes/);
  assert.throws(() => decoded(new Uint8Array(4), "f64"), /f32 or f16/);
});

const traits = { of_target: false, by_layer: false, attention_alone: false, is_signed: false, rows_sum_to_one: false };
const shared = { method: "m", traits, aggregate: null, options: {}, checks: [], notes: [], seconds: 0, shown_layer: 0 };
test("a score per patch begins after the prefix tokens; what was not measured has no number", () => {
  const document = {
    data: { model: { prefix_tokens: 1 } } as PageData,
    numbers: () => ({ values: new Float32Array([1, 2, 3, 4]), exact: true }),
  };
  const grid = attributionOf({ ...shared, axes: ["row", "column"], shape: [2, 2], scores: "x" }, 0, "0", document, null, () => {});
  assert.equal(grid.T, 5);
  assert.deepEqual([...grid.layer(0)!], [NaN, 1, 2, 3, 4]);
  const tokens = attributionOf(
    { ...shared, axes: ["token"], shape: [4], measured: [false, true, true, false], scores: "x" },
    0,
    "0",
    document,
    null,
    () => {},
  );
  assert.deepEqual([...tokens.layer(0)!], [NaN, 2, 3, NaN]);
  assert.equal(tokens.signed, false);
});

test("layers of a large map are asked for one at a time, and told when they come", async () => {
  const asked: string[] = [],
    came: number[] = [];
  const a = attributionOf(
    { ...shared, traits: { ...traits, is_signed: true }, axes: ["layer", "head", "query", "key"], shape: [2, 1, 1, 2], by_layer: "/s/0" },
    0,
    "0",
    {
      data: { model: {} } as PageData,
      numbers: () => {
        throw new Error("none");
      },
    },
    async (path) => {
      asked.push(path);
      return new Float32Array([0.25, -0.75]).buffer;
    },
    (_, l) => came.push(l),
  );
  assert.equal(a.signed, true); // before any number is there
  assert.equal(isMap(a), true); // of a single token
  assert.equal(a.layer(1), null);
  assert.equal(a.layer(1), null);
  await new Promise((r) => setTimeout(r, 5));
  assert.deepEqual(asked, ["/s/0/1"]);
  assert.deepEqual(came, [1]);
  assert.deepEqual([...a.layer(1)!], [0.25, -0.75]);
});
