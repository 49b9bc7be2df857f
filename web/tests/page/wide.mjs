// The model that checks make themselves where none that ships will do.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./harness.mjs";

const classesOf = (D) => ({
  "bert.pooler.dense.weight": [D, D],
  "bert.pooler.dense.bias": [D],
  "classifier.weight": [2, D],
  "classifier.bias": [2],
});
const wordsOf = (D, V) => ({
  "cls.predictions.transform.dense.weight": [D, D],
  "cls.predictions.transform.dense.bias": [D],
  "cls.predictions.transform.LayerNorm.weight": [D],
  "cls.predictions.transform.LayerNorm.bias": [D],
  "cls.predictions.bias": [V],
});

// A BERT of 12 × 12 with narrow layers and small random weights: what the page gets of it has BERT-base's size. With
// `masked` it has the head of a masked language model in place of two classes.
export function writeModel(folder, masked = false) {
  mkdirSync(folder, { recursive: true });
  const D = 48,
    F = 96,
    V = 8829,
    L = 12;
  copyFileSync(join(root, "models/sentiment/tokenizer.json"), join(folder, "tokenizer.json"));
  writeFileSync(
    join(folder, "tokenizer_config.json"),
    JSON.stringify({ ...JSON.parse(readFileSync(join(root, "models/sentiment/tokenizer_config.json"), "utf8")), model_max_length: 512 }),
  );
  writeFileSync(
    join(folder, "config.json"),
    JSON.stringify({
      architectures: [masked ? "BertForMaskedLM" : "BertForSequenceClassification"],
      model_type: "bert",
      hidden_size: D,
      num_hidden_layers: L,
      num_attention_heads: 12,
      intermediate_size: F,
      vocab_size: V,
      max_position_embeddings: 512,
      type_vocab_size: 2,
      hidden_act: "gelu",
      layer_norm_eps: 1e-12,
      ...(masked ? {} : { id2label: { 0: "NO", 1: "YES" }, label2id: { NO: 0, YES: 1 } }),
    }),
  );
  const shapes = {
    "bert.embeddings.word_embeddings.weight": [V, D],
    "bert.embeddings.position_embeddings.weight": [512, D],
    "bert.embeddings.token_type_embeddings.weight": [2, D],
    "bert.embeddings.LayerNorm.weight": [D],
    "bert.embeddings.LayerNorm.bias": [D],
    ...(masked ? wordsOf(D, V) : classesOf(D)),
  };
  for (let l = 0; l < L; ++l) {
    const at = `bert.encoder.layer.${l}.`;
    for (const p of ["query", "key", "value"]) {
      shapes[`${at}attention.self.${p}.weight`] = [D, D];
      shapes[`${at}attention.self.${p}.bias`] = [D];
    }
    Object.assign(shapes, {
      [`${at}attention.output.dense.weight`]: [D, D],
      [`${at}attention.output.dense.bias`]: [D],
      [`${at}attention.output.LayerNorm.weight`]: [D],
      [`${at}attention.output.LayerNorm.bias`]: [D],
      [`${at}intermediate.dense.weight`]: [F, D],
      [`${at}intermediate.dense.bias`]: [F],
      [`${at}output.dense.weight`]: [D, F],
      [`${at}output.dense.bias`]: [D],
      [`${at}output.LayerNorm.weight`]: [D],
      [`${at}output.LayerNorm.bias`]: [D],
    });
  }
  let seed = 1,
    offset = 0;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647 - 0.5,
    head = {},
    parts = [];
  for (const [name, shape] of Object.entries(shapes)) {
    const n = shape.reduce((a, b) => a * b, 1),
      values = Float32Array.from({ length: n }, () => (name.includes("LayerNorm.weight") ? 1 : 0.6 * random()));
    head[name] = { dtype: "F32", shape, data_offsets: [offset, offset + 4 * n] };
    offset += 4 * n;
    parts.push(Buffer.from(values.buffer));
  }
  const json = Buffer.from(JSON.stringify(head).padEnd(Math.ceil(JSON.stringify(head).length / 8) * 8)),
    length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  writeFileSync(join(folder, "model.safetensors"), Buffer.concat([length, json, ...parts]));
}
