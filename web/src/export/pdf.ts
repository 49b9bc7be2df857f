// Our figures as PDF, written by hand because a report from disk has no server: shapes stay vectors and Latin text stays
// text, in Helvetica, which every reader of PDF has. What Helvetica has no letters for (other scripts, emoji, symbols)
// becomes a sharp picture of itself, drawn by the browser as it is typed.
//
// Understands what our figures are made of and no more: g, rect, line, circle, path (M L C, absolute), text, image with
// data inside; fill, stroke, stroke-width, stroke-dasharray, opacity, translate and rotate.

import { latin, latinWidth } from "./helvetica";

const mirrored: Record<string, string> = Object.fromEntries(
  [..."()", ..."[]", ..."{}", ..."<>", ..."«»"].map((c, i, all) => [c, all[i ^ 1]]),
);
const quality = 4; // pixels of a text's picture for each of the drawing's
const points = 0.75; // of a CSS pixel

const fixed = (x: number) => String(Math.round(x * 1000) / 1000);
const ascii = (s: string) => Uint8Array.from(s, (c) => c.charCodeAt(0) & 255);
async function deflated(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new CompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Objects by number, their places written down at the end.
class File {
  private parts: Uint8Array[] = [ascii("%PDF-1.5\n%\xe2\xe3\xcf\xd3\n")];
  private length = this.parts[0].length;
  private places: number[] = [];

  private put(bytes: Uint8Array) {
    this.parts.push(bytes);
    this.length += bytes.length;
  }
  reserve(): number {
    return this.places.push(0);
  }
  object(body: string, id = this.reserve()): number {
    this.places[id - 1] = this.length;
    this.put(ascii(`${id} 0 obj\n${body}\nendobj\n`));
    return id;
  }
  async stream(head: string, bytes: Uint8Array): Promise<number> {
    const small = await deflated(bytes),
      id = this.reserve();
    this.places[id - 1] = this.length;
    this.put(ascii(`${id} 0 obj\n<< ${head} /Filter /FlateDecode /Length ${small.length} >>\nstream\n`));
    this.put(small);
    this.put(ascii("\nendstream\nendobj\n"));
    return id;
  }
  whole(root: number, info: number): Blob {
    const at = this.length,
      rows = this.places.map((p) => `${String(p).padStart(10, "0")} 00000 n \n`).join("");
    this.put(
      ascii(
        `xref\n0 ${this.places.length + 1}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${this.places.length + 1} /Root ${root} 0 R /Info ${info} 0 R >>\nstartxref\n${at}\n%%EOF\n`,
      ),
    );
    return new Blob(this.parts as BlobPart[], { type: "application/pdf" });
  }
}

interface Ink {
  fill: string;
  stroke: string;
  width: number;
  dash: string;
  opacity: number;
}

class Drawing {
  file = new File();
  private ops: string[] = [];
  private images: number[] = [];
  private shades = new Map<number, number>();
  private colours = new Map<string, string>();
  private brush = document.createElement("canvas").getContext("2d", { willReadFrequently: true })!;
  constructor(private family: string) {}

  // "r g b" of whatever CSS calls a colour.
  private colour(css: string): string {
    if (!this.colours.has(css)) {
      this.brush.fillStyle = "#000";
      this.brush.fillStyle = css;
      this.brush.clearRect(0, 0, 1, 1);
      this.brush.fillRect(0, 0, 1, 1);
      const [r, g, b] = this.brush.getImageData(0, 0, 1, 1).data;
      this.colours.set(css, [r, g, b].map((c) => fixed(c / 255)).join(" "));
    }
    return this.colours.get(css)!;
  }
  private paint(shape: string, ink: Ink) {
    const fills = ink.fill !== "none",
      strokes = ink.stroke !== "none" && ink.width > 0;
    if (!fills && !strokes) return;
    this.ops.push(
      "q",
      this.seen(ink.opacity),
      fills ? this.colour(ink.fill) + " rg" : "",
      strokes ? `${this.colour(ink.stroke)} RG ${fixed(ink.width)} w [${ink.dash}] 0 d` : "",
      shape,
      fills ? (strokes ? "B" : "f") : "S",
      "Q",
    );
  }
  private seen(opacity: number): string {
    if (opacity >= 1) return "";
    const share = Math.round(opacity * 1000);
    if (!this.shades.has(share)) this.shades.set(share, this.shades.size);
    return `/G${this.shades.get(share)} gs`;
  }

  private async picture(canvas: HTMLCanvasElement, x: number, y: number, w: number, h: number, opacity: number) {
    const { width, height } = canvas,
      from = canvas.getContext("2d")!.getImageData(0, 0, width, height).data,
      rgb = new Uint8Array(3 * width * height),
      alpha = new Uint8Array(width * height);
    for (let i = 0; i < alpha.length; ++i) {
      rgb.set(from.subarray(4 * i, 4 * i + 3), 3 * i);
      alpha[i] = from[4 * i + 3];
    }
    const size = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /BitsPerComponent 8`,
      mask = await this.file.stream(`${size} /ColorSpace /DeviceGray`, alpha);
    const at = this.images.push(await this.file.stream(`${size} /ColorSpace /DeviceRGB /SMask ${mask} 0 R`, rgb)) - 1;
    this.ops.push("q", this.seen(opacity), `${fixed(w)} 0 0 ${fixed(-h)} ${fixed(x)} ${fixed(y + h)} cm /I${at} Do`, "Q");
  }

  private async text(e: Element, ink: Ink) {
    const number = (name: string) => Number(e.getAttribute(name) ?? 0),
      right = e.getAttribute("direction") === "rtl",
      typed = e.textContent ?? "",
      words = right && latin(typed) ? typed.replace(/[()[\]{}<>«»]/g, (c) => mirrored[c]) : typed,
      size = Number(e.getAttribute("font-size") ?? 12),
      heavy = Number(e.getAttribute("font-weight") ?? 400) >= 600,
      codes = latin(words);
    const style = `${heavy ? 600 : 400} ${size}px ${this.family}`;
    this.brush.font = style;
    const room = this.brush.measureText(words).width,
      own = codes ? latinWidth(words, size, heavy) : room,
      fit = Math.min(1, room / (own || 1)), // never wider than the figure has room for
      anchor = e.getAttribute("text-anchor"),
      x = number("x") - (anchor === "end" ? 1 : anchor === "middle" ? 0.5 : 0) * own * fit,
      y = number("y");
    if (!words.trim()) return;
    if (codes) {
      const hex = codes.map((c) => c.toString(16).padStart(2, "0")).join("");
      this.ops.push(
        `q ${this.seen(ink.opacity)} BT ${this.colour(ink.fill === "none" ? "#000" : ink.fill)} rg /${heavy ? "B" : "R"} ${size} Tf ` +
          `${fixed(100 * fit)} Tz 1 0 0 -1 ${fixed(x)} ${fixed(y)} Tm <${hex}> Tj ET Q`,
      );
      return;
    }
    const canvas = document.createElement("canvas"),
      [w, above, below] = [room + 4, size * 1.3, size * 0.6];
    canvas.width = Math.ceil(w * quality);
    canvas.height = Math.ceil((above + below) * quality);
    const g = canvas.getContext("2d")!;
    g.scale(quality, quality);
    g.font = style;
    g.fillStyle = ink.fill;
    if (right) [g.direction, g.textAlign] = ["rtl", "left"];
    g.fillText(words, 2, above);
    await this.picture(canvas, x - 2, y - above, canvas.width / quality, canvas.height / quality, ink.opacity);
  }

  async draw(e: Element, from: Ink) {
    const own = (name: string, otherwise: string) => e.getAttribute(name) ?? otherwise,
      number = (name: string, otherwise = 0) => Number(e.getAttribute(name) ?? otherwise),
      at = (...v: number[]) => v.map(fixed).join(" ");
    const ink: Ink = {
      fill: own("fill", from.fill),
      stroke: own("stroke", from.stroke),
      width: number("stroke-width", from.width),
      dash: own("stroke-dasharray", from.dash),
      opacity: from.opacity * number("opacity", 1) * number("fill-opacity", 1),
    };
    const moves = [...own("transform", "").matchAll(/(translate|rotate)\(\s*([-\d.e]+)(?:[\s,]+([-\d.e]+))?\s*\)/g)];
    if (moves.length) this.ops.push("q");
    for (const [, what, a, b] of moves) {
      const turn = (Number(a) * Math.PI) / 180;
      this.ops.push(
        what === "translate"
          ? `1 0 0 1 ${at(Number(a), Number(b ?? 0))} cm`
          : `${at(Math.cos(turn), Math.sin(turn), -Math.sin(turn), Math.cos(turn), 0, 0)} cm`,
      );
    }
    const [x, y, w, h] = [number("x"), number("y"), number("width"), number("height")];
    if (e.tagName === "svg" || e.tagName === "g") for (const child of e.children) await this.draw(child, ink);
    else if (e.tagName === "text") await this.text(e, ink);
    else if (e.tagName === "rect") this.paint(roundedBox(x, y, w, h, Math.min(number("rx"), w / 2, h / 2)), ink);
    else if (e.tagName === "circle") {
      const r = number("r");
      this.paint(roundedBox(number("cx") - r, number("cy") - r, 2 * r, 2 * r, r), ink);
    } else if (e.tagName === "line")
      this.paint(`${at(number("x1"), number("y1"))} m ${at(number("x2"), number("y2"))} l`, { ...ink, fill: "none" });
    else if (e.tagName === "path") this.paint(pathOps(own("d", "")), ink);
    else if (e.tagName === "image") {
      const image = new Image();
      image.src = own("href", "");
      await image.decode();
      const canvas = document.createElement("canvas");
      canvas.width = image.naturalWidth;
      canvas.height = image.naturalHeight;
      canvas.getContext("2d")!.drawImage(image, 0, 0);
      await this.picture(canvas, x, y, w, h, ink.opacity);
    } else if (!["title", "desc", "animate"].includes(e.tagName))
      throw new Error(`PDF: expected a shape of our figures, found ${e.tagName}`);
    if (moves.length) this.ops.push("Q");
  }

  async whole(width: number, height: number, title: string): Promise<Blob> {
    const f = this.file,
      list = (ids: number[], letter: string) => ids.map((id, i) => `/${letter}${i} ${id} 0 R`).join(" "),
      font = (name: string) => f.object(`<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`);
    const shades = [...this.shades.keys()].map((s) => f.object(`<< /Type /ExtGState /ca ${s / 1000} /CA ${s / 1000} >>`)),
      [plain, heavy] = [font("Helvetica"), font("Helvetica-Bold")],
      page = `${fixed(points)} 0 0 ${fixed(-points)} 0 ${fixed(points * height)} cm\n`;
    const content = await f.stream("", ascii(page + this.ops.filter(Boolean).join("\n"))),
      pages = f.reserve();
    const sheet = f.object(
      `<< /Type /Page /Parent ${pages} 0 R /MediaBox [0 0 ${fixed(points * width)} ${fixed(points * height)}] /Contents ${content} 0 R ` +
        `/Resources << /Font << /R ${plain} 0 R /B ${heavy} 0 R >> /XObject << ${list(this.images, "I")} >> /ExtGState << ${list(shades, "G")} >> >> >>`,
    );
    f.object(`<< /Type /Pages /Kids [${sheet} 0 R] /Count 1 >>`, pages);
    const wide = [...title].map((c) => [...c].map((u) => u.charCodeAt(0).toString(16).padStart(4, "0")).join("")).join("");
    return f.whole(f.object(`<< /Type /Catalog /Pages ${pages} 0 R >>`), f.object(`<< /Title <feff${wide}> /Producer (Headwater) >>`));
  }
}

function roundedBox(x: number, y: number, w: number, h: number, r: number): string {
  const at = (...v: number[]) => v.map(fixed).join(" "),
    k = 0.4477 * r; // from a corner to where the curve's handle ends
  if (r <= 0) return `${at(x, y, w, h)} re`;
  return (
    `${at(x + r, y)} m ${at(x + w - r, y)} l ${at(x + w - k, y, x + w, y + k, x + w, y + r)} c ` +
    `${at(x + w, y + h - r)} l ${at(x + w, y + h - k, x + w - k, y + h, x + w - r, y + h)} c ` +
    `${at(x + r, y + h)} l ${at(x + k, y + h, x, y + h - k, x, y + h - r)} c ` +
    `${at(x, y + r)} l ${at(x, y + k, x + k, y, x + r, y)} c h`
  );
}

export function pathOps(d: string): string {
  const names: Record<string, [string, number]> = { M: ["m", 2], L: ["l", 2], C: ["c", 6], Z: ["h", 0] };
  return [...d.matchAll(/([A-DF-Za-df-z])([^A-DF-Za-df-z]*)/g)]
    .map(([, letter, rest]) => {
      const known = names[letter],
        numbers = (rest.match(/-?\d*\.?\d+(?:e[-+]?\d+)?/g) ?? []).map(Number);
      if (!known || (known[1] ? numbers.length % known[1] || !numbers.length : numbers.length))
        throw new Error(`PDF: expected M, L or C with their numbers, found ${letter}${rest}`);
      const steps = [];
      for (let i = 0; i < Math.max(1, numbers.length); i += known[1] || 1)
        steps.push(
          `${numbers
            .slice(i, i + known[1])
            .map(fixed)
            .join(" ")} ${i && letter === "M" ? "l" : known[0]}`,
        );
      return steps.join(" ");
    })
    .join(" ");
}

export async function pdfOf(svg: string): Promise<Blob> {
  const root = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement,
    drawing = new Drawing(root.getAttribute("font-family") ?? "sans-serif");
  await drawing.draw(root, { fill: "#000", stroke: "none", width: 1, dash: "", opacity: 1 });
  return drawing.whole(
    Number(root.getAttribute("width")),
    Number(root.getAttribute("height")),
    root.querySelector("title")?.textContent ?? "",
  );
}
