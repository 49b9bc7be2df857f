// A page document: one JSON object and named arrays of numbers beside it. Two containers hold it: the elements of a
// report from disk, and the bytes a server sends ("HWP1", length, JSON, padding, arrays).

import type { components } from "../../types/openapi";

// The fields of a report are as the program says them (npm run types); the other interfaces are the page's own, or say where a
// number may be null.
type Schemas = components["schemas"];
export type Token = Omit<Schemas["Token"], "id" | "piece"> & {
  id?: number; // a patch has none
  piece?: string;
  in_word: number; // the number of its word, through all sequences; −1: it is in none
};
export interface Score {
  label: string;
  index: number;
  probability: number | null;
  logit: number;
}
export interface Check {
  name: string;
  passed: boolean;
  value: number | null;
  bound: number | null;
}
export interface Card {
  summary?: string;
  formula?: string;
  paper?: string;
  cost?: string;
  limits?: string;
}
export interface Detail {
  name: string;
  axes: string[];
  values: (number | null | (number | null)[])[];
}
export interface KindOfMap {
  name: string;
  query_first: number;
  key_first: number;
  rows: number;
  columns: number;
}
// How much of what is explained the scores add up to.
export interface Account {
  sum: number | null;
  of: number | null;
  what: string;
  share: number | null;
}
// What the numbers of a result mean: every question about a result but its numbers is answered here, and none by its name.
export type Traits = Schemas["Traits"];
export interface AttributionData {
  method: string;
  title?: string; // its name in a sentence
  corrects?: string; // the method whose maps these are a corrected form of
  traits: Traits;
  aggregate: string | null;
  options: Record<string, string>;
  axes: string[];
  shape: number[];
  measured?: boolean[];
  checks: Check[];
  notes: string[];
  accounted?: Account;
  seconds: number;
  unfinished?: boolean; // some layers are to come
  card?: Card;
  details?: Detail[];
  sentence?: string; // what this result says of the answer
  shown_layer: number;
  scores?: string;
  by_layer?: string;
  embedded?: string;
  maps?: KindOfMap[];
}
export interface Target {
  label: string;
  index: number;
  position: number;
  logit: number;
  probability: number | null;
  contrast?: string;
  contrast_index?: number;
  tokens?: unknown;
  contrast_tokens?: unknown;
  span?: [number, number];
}
export interface Agreement {
  methods: [string, string];
  units: number;
  kendall_tau_b: number | null;
  spearman: number | null;
  kendall_tau_b_by_layer: (number | null)[];
  spearman_by_layer: (number | null)[];
}
export interface Prediction {
  task: string;
  label?: string;
  probability?: number;
  scores?: Score[];
  truncated?: boolean;
  outcomes?: { position: number; scores: Score[] }[];
  answer?: { text: string; first_token: number; last_token: number; probability: number };
  continuation?: string;
}
export interface Sequence {
  name: string;
  first: number;
  count: number;
  rows?: number;
  columns?: number;
}
export type Model = Schemas["ModelInfo"];
export type RunRecord = Schemas["RunRecord"] & { command: string; python?: string };
export interface Aimed {
  target: Target;
  focus: number; // the row to look at first
  read: number[]; // the rows the output was computed from
  answer?: string; // what the model says, whatever explains it
  sentence: string;
  attributions: AttributionData[];
  agreement?: Agreement[];
}
export interface PageData extends Aimed {
  schema: string;
  input: { text?: string; pair?: string; prefix?: string; image?: string; fitted?: string };
  view: { unit: string; special: string };
  model: Model;
  prediction: Prediction;
  record: RunRecord;
  tokens: Token[];
  sequences?: Sequence[];
  others?: Aimed[];
  picture?: string;
  blobs?: Record<string, { format: "f32" | "f16"; offset: number; bytes: number }>;
}

export interface Numbers {
  values: Float32Array;
  exact: boolean;
}
export interface PageDocument {
  data: PageData;
  numbers: (id: string) => Numbers;
}

let halves: Float32Array | null = null;
// All 65,536 values of IEEE 754 binary16.
export function halfTable(): Float32Array {
  if (halves) return halves;
  halves = new Float32Array(65536);
  for (let b = 0; b < 65536; ++b) {
    const sign = b & 0x8000 ? -1 : 1,
      e = (b >> 10) & 31,
      m = b & 1023;
    halves[b] = e === 0 ? sign * m * 2 ** -24 : e === 31 ? (m ? NaN : sign * Infinity) : sign * (1024 + m) * 2 ** (e - 25);
  }
  return halves;
}

export function decoded(bytes: Uint8Array, format: string): Float32Array {
  const own = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  if (format === "f32") return new Float32Array(own.buffer, own.byteOffset, own.byteLength / 4);
  if (format !== "f16") throw new Error(`numbers: expected f32 or f16, found ${format}`);
  const table = halfTable(),
    raw = new Uint16Array(own.buffer, own.byteOffset, own.byteLength / 2);
  return Float32Array.from(raw, (b) => table[b]);
}

export function bytesOfBase64(text: string): Uint8Array {
  const plain = atob(text.trim()),
    bytes = new Uint8Array(plain.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = plain.charCodeAt(i);
  return bytes;
}

function remembering(read: (id: string) => Numbers): (id: string) => Numbers {
  const known = new Map<string, Numbers>();
  return (id) => {
    if (!known.has(id)) known.set(id, read(id));
    return known.get(id)!;
  };
}

export function embeddedDocument(root: Document): PageDocument | null {
  const script = root.getElementById("report");
  if (!script) return null;
  return {
    data: JSON.parse(script.textContent ?? "") as PageData,
    numbers: remembering((id) => {
      const element = root.getElementById(id),
        format = element?.dataset.format ?? "";
      return { values: decoded(bytesOfBase64(element?.textContent ?? ""), format), exact: format === "f32" };
    }),
  };
}

export function binaryDocument(buffer: ArrayBuffer): PageDocument {
  const bytes = new Uint8Array(buffer),
    view = new DataView(buffer);
  const magic = buffer.byteLength >= 8 ? String.fromCharCode(...bytes.subarray(0, 4)) : "";
  if (magic !== "HWP1") throw new Error(`page document: expected HWP1, found ${JSON.stringify(magic)}`);
  const length = view.getUint32(4, true),
    first = Math.ceil((8 + length) / 8) * 8;
  if (8 + length > buffer.byteLength) throw new Error(`page document: expected ${length} bytes of JSON, found ${buffer.byteLength - 8}`);
  const data = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length))) as PageData;
  return {
    data,
    numbers: remembering((id) => {
      const blob = data.blobs?.[id];
      if (!blob || first + blob.offset + blob.bytes > buffer.byteLength)
        throw new Error(`page document: expected numbers ${id}, found none`);
      return {
        values: decoded(bytes.subarray(first + blob.offset, first + blob.offset + blob.bytes), blob.format),
        exact: blob.format === "f32",
      };
    }),
  };
}
