// One blue hue, light to dark (dark to light on a dark page), one of orange for what counts against. Text stays
// readable on every cell.
export type RGB = [number, number, number];
export type Palette = "blue" | "captum";

const ramps: Record<string, RGB[]> = {
  blue: [
    [246, 250, 255],
    [222, 235, 249],
    [197, 219, 242],
    [160, 200, 232],
    [109, 172, 218],
    [65, 142, 201],
    [30, 108, 178],
    [12, 78, 146],
    [8, 46, 100],
  ],
  blueDark: [
    [22, 34, 47],
    [24, 48, 74],
    [24, 65, 106],
    [27, 86, 141],
    [38, 110, 176],
    [66, 139, 204],
    [108, 169, 224],
    [156, 200, 240],
    [201, 228, 255],
  ],
  orange: [
    [255, 250, 245],
    [253, 232, 214],
    [251, 212, 180],
    [246, 184, 136],
    [236, 149, 88],
    [217, 115, 48],
    [184, 84, 20],
    [143, 60, 10],
    [98, 38, 6],
  ],
  orangeDark: [
    [42, 30, 22],
    [66, 40, 22],
    [94, 52, 22],
    [125, 67, 24],
    [159, 86, 34],
    [191, 110, 54],
    [218, 142, 88],
    [238, 178, 132],
    [252, 216, 184],
  ],
  green: [
    [247, 252, 247],
    [221, 242, 221],
    [190, 228, 192],
    [146, 208, 152],
    [98, 182, 110],
    [54, 150, 76],
    [28, 116, 54],
    [12, 84, 38],
    [4, 52, 24],
  ],
  greenDark: [
    [22, 38, 28],
    [22, 54, 34],
    [22, 74, 42],
    [26, 98, 54],
    [38, 126, 70],
    [66, 154, 94],
    [108, 182, 130],
    [156, 210, 170],
    [204, 236, 212],
  ],
  red: [
    [255, 248, 247],
    [253, 226, 222],
    [250, 200, 194],
    [244, 164, 156],
    [232, 120, 112],
    [208, 78, 72],
    [174, 46, 44],
    [134, 24, 28],
    [92, 10, 18],
  ],
  redDark: [
    [44, 26, 26],
    [70, 32, 32],
    [98, 38, 38],
    [130, 48, 48],
    [166, 64, 62],
    [198, 92, 86],
    [222, 128, 120],
    [240, 168, 160],
    [252, 210, 204],
  ],
};
const sides: Record<Palette, [string, string]> = { blue: ["blue", "orange"], captum: ["green", "red"] };
export const sideNames = (palette: Palette) => sides[palette];

// Head and series colours that stay apart for colour-blind readers (after Okabe and Ito, darkened for white paper).
export const categories = ["#1e6cb2", "#d97330", "#1c8a6a", "#b3446c", "#7a5fb0", "#8a6d00", "#3f9bc4", "#a14a1c", "#56606b", "#4b7d2a"];

// Ten colours, and from there on dashes, so that no two heads look alike: "" is a line without gaps.
export const headLook = (head: number) => ({
  colour: categories[head % categories.length],
  dashes: ["", "9 3", "12 3 3 3", "3 3"][Math.floor(head / categories.length) % 4],
});
export const negativeDots = "1 4";

export function shade(share: number, dark: boolean, palette: Palette): RGB {
  const ramp = ramps[sides[palette][share < 0 ? 1 : 0] + (dark ? "Dark" : "")];
  const at = Math.min(1, Math.abs(share || 0)) * (ramp.length - 1),
    i = Math.min(ramp.length - 2, Math.floor(at)),
    t = at - i;
  return [0, 1, 2].map((k) => Math.round(ramp[i][k] + (ramp[i + 1][k] - ramp[i][k]) * t)) as RGB;
}

export interface Tone {
  dark: boolean;
  palette: Palette;
  root: boolean;
}
// Linear, or by the square root, which lifts small weights; the legend says which.
export const share = (v: number, scale: number, root: boolean) => {
  const s = scale > 0 ? v / scale : 0;
  return root ? Math.sign(s) * Math.sqrt(Math.abs(s)) : s;
};
export const toned = (v: number, scale: number, tone: Tone): RGB => shade(share(v, scale, tone.root), tone.dark, tone.palette);

// 511 colours from −1 to 1 as little-endian RGBA: a canvas of a million cells is filled by table.
const tables = new Map<string, Uint32Array>();
export function colourTable(tone: Tone): Uint32Array {
  const id = `${tone.dark}/${tone.palette}/${tone.root}`;
  if (!tables.has(id))
    tables.set(
      id,
      Uint32Array.from({ length: 511 }, (_, i) => {
        const [r, g, b] = toned((i - 255) / 255, 1, tone);
        return (0xff000000 | (b << 16) | (g << 8) | r) >>> 0;
      }),
    );
  return tables.get(id)!;
}

export const css = (c: RGB) => `rgb(${c.join(",")})`;
export function luminance(c: RGB): number {
  const f = c.map((x) => {
    const s = x / 255;
    return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * f[0] + 0.7152 * f[1] + 0.0722 * f[2];
}
export const inkOn = (c: RGB) => (luminance(c) > 0.179 ? "#000" : "#fff");
