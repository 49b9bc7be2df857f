// The numbers of what is shown: CSV and JSON of one map, npz of every result.
import type { Bench } from "../bench";
import { isMap, type Attribution } from "../model/attribution";
import { zipOf } from "./zip";

const quoted = (s: string) => (/[",\n\r]/.test(s) ? `"${s.replace(/"/g, '""')}"` : s);
const plain = (v: number) => (v === v ? String(v) : "");

export function csvOf(b: Bench): string {
  const a = b.current!,
    map = b.mapOf(a)!,
    names = b.groups.map((g) => g.name);
  const head = [isMap(a) ? "query" : "target", ...names].map(quoted).join(",");
  const rows = Array.from({ length: map.R }, (_, r) =>
    [quoted(isMap(a) ? names[r] : b.aim.target.label), ...Array.from(map.v.subarray(r * map.C, (r + 1) * map.C), plain)].join(","),
  );
  return [head, ...rows].join("\r\n") + "\r\n";
}

export function jsonOf(b: Bench): string {
  const a = b.current!,
    map = b.mapOf(a)!;
  return JSON.stringify(
    {
      schema: "headwater.map/1",
      method: a.name,
      options: a.options,
      layer: a.layered ? b.layerOf(a) : null,
      head: a.H > 1 ? b.headOf(a) : null,
      target: b.aim.target,
      units: b.groups.map((g) => g.name),
      scores: Array.from({ length: map.R }, (_, r) => Array.from(map.v.subarray(r * map.C, (r + 1) * map.C), (v) => (v === v ? v : null))),
      checks: a.checks,
      record: b.data.record,
    },
    null,
    1,
  );
}

// A NumPy array: magic, version 1.0, header padded to a multiple of 64, the numbers.
export function npyOf(type: string, shape: number[], bytes: Uint8Array): Uint8Array {
  const tuple = shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(", ")})`,
    head = `{'descr': '${type}', 'fortran_order': False, 'shape': ${tuple}, }`;
  const length = Math.ceil((10 + head.length + 1) / 64) * 64 - 10,
    out = new Uint8Array(10 + length + bytes.length);
  out.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, length & 255, length >> 8]);
  out.set(new TextEncoder().encode(head.padEnd(length - 1) + "\n"), 10);
  out.set(bytes, 10 + length);
  return out;
}

const bytesOf = (v: Float32Array) => new Uint8Array(v.buffer.slice(v.byteOffset, v.byteOffset + v.byteLength) as ArrayBuffer);
function whole(a: Attribution): Float32Array | null {
  const step = a.H * a.Q * a.T,
    all = new Float32Array(a.L * step);
  for (let l = 0; l < a.L; ++l) {
    const v = a.layer(l);
    if (!v) return null;
    all.set(v.subarray(0, step), l * step);
  }
  return all;
}

export function npzOf(b: Bench): Uint8Array {
  const files: [string, Uint8Array][] = [];
  for (const a of b.attributions) {
    const values = whole(a);
    if (values)
      files.push([
        `${a.name}.npy`,
        npyOf(
          "<f4",
          [a.L, a.H, a.Q, a.T].filter((n, i) => n > 1 || i === 3),
          bytesOf(values),
        ),
      ]);
  }
  const names = b.units.map((u) => u.text),
    most = Math.max(1, ...names.map((n) => [...n].length)),
    codes = new Uint32Array(names.length * most);
  names.forEach((n, i) =>
    [...n].forEach((c, k) => {
      codes[i * most + k] = c.codePointAt(0)!;
    }),
  );
  files.push(["tokens.npy", npyOf(`<U${most}`, [names.length], new Uint8Array(codes.buffer))]);
  return zipOf(files);
}
