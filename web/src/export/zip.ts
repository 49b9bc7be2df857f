// A zip archive of stored files (no compression): local headers, central directory, end record.
const table = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c >>> 0;
});
export function crc32(bytes: Uint8Array): number {
  let c = 0xffffffff;
  for (let i = 0; i < bytes.length; ++i) c = table[(c ^ bytes[i]) & 255] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

export function zipOf(files: [string, Uint8Array][]): Uint8Array {
  const encoder = new TextEncoder(),
    named = files.map(([name, bytes]) => ({ name: encoder.encode(name), bytes, crc: crc32(bytes) }));
  const size = named.reduce((s, f) => s + 76 + 2 * f.name.length + f.bytes.length, 22),
    out = new Uint8Array(size),
    view = new DataView(out.buffer);
  let at = 0;
  const u16 = (v: number) => {
      view.setUint16(at, v, true);
      at += 2;
    },
    u32 = (v: number) => {
      view.setUint32(at, v, true);
      at += 4;
    };
  const common = (f: (typeof named)[0]) => {
    u16(20);
    u16(0x0800);
    u16(0);
    u16(0);
    u16(0x21);
    u32(f.crc);
    u32(f.bytes.length);
    u32(f.bytes.length);
    u16(f.name.length);
    u16(0);
  };
  const places = named.map((f) => {
    const place = at;
    u32(0x04034b50);
    common(f);
    out.set(f.name, at);
    at += f.name.length;
    out.set(f.bytes, at);
    at += f.bytes.length;
    return place;
  });
  const start = at;
  named.forEach((f, i) => {
    u32(0x02014b50);
    u16(20);
    common(f);
    u16(0);
    u16(0);
    u16(0);
    u32(0);
    u32(places[i]);
    out.set(f.name, at);
    at += f.name.length;
  });
  const length = at - start;
  u32(0x06054b50);
  u16(0);
  u16(0);
  u16(named.length);
  u16(named.length);
  u32(length);
  u32(start);
  u16(0);
  return out;
}
