// The worked example of the specification, as src/heads/tree_test.cpp has it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Attribution } from "../../src/model/attribution";
import { growsFrom, headSums, treeOf } from "../../src/model/tree";

const example = [
  [0, 0, 0, 0, 0.6, 0, 0, 0, 0, 0, 0, 0, 0.1, 0.5, 0, 0],
  [0, 0, 0, 0, 0, 0, 0.1, 0.2, 0.1, 0, 0, 0.8, 0, 0, 0, 0.2],
  [0.1, 0, 0, 0, 0, 0.1, 0.9, 0, 0, 0.2, 0.1, 0.3, 0, 0, 0.1, 0.1],
  [0, 0.4, 0.3, 0.2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
].map((layer) => Float64Array.from(layer));
const edges = (tau: number, lambda: number) => treeOf(example, 0, tau, lambda).edges.map((e) => [e.parent, e.child, e.layer]);

test("a tree ties the token the output is read from", () => {
  assert.equal(treeOf(example, 0, 0.4, 0).root, 1);
  assert.deepEqual(edges(0.4, 0), [
    [1, 2, 2],
    [2, 3, 1],
    [1, 0, 0],
    [0, 1, 3],
    [0, 2, 3],
    [0, 3, 3],
  ]);
});

test("an edge must pay", () => {
  assert.equal(edges(0.4, 1).length, 1);
});

test("heads are summed; a mean over heads counts as often as there were heads; what is masked counts nothing", () => {
  const layers = [Float32Array.of(1, NaN, 3, 4, 10, 20, 30, 40), Float32Array.of(0, 1, 0, 0, 0, 0, 0, 0)];
  const traits = { of_target: true, by_layer: true, attention_alone: false, is_signed: true, rows_sum_to_one: false };
  const of = (over: Partial<Attribution>) =>
    ({ traits, axes: ["layer", "head", "query", "key"], L: 2, H: 2, Q: 2, T: 2, layer: (l: number) => layers[l], ...over }) as Attribution;
  assert.deepEqual(
    headSums(of({}), 2)!.map((s) => [...s]),
    [
      [11, 20, 33, 44],
      [0, 1, 0, 0],
    ],
  );
  assert.deepEqual([...headSums(of({ axes: ["layer", "query", "key"], H: 1 }), 3)![0]], [3, 0, 9, 12]);
  assert.equal(headSums(of({ layer: (l) => (l ? null : layers[0]) }), 2), null);
  assert.ok(growsFrom(of({})) && !growsFrom(of({ traits: { ...traits, of_target: false } })) && !growsFrom(of({ L: 1 })));
});
