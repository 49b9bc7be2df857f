// What can be taken away: figures of every panel in three forms, numbers, the page.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { expect, saved } from "./harness.mjs";

export async function checkExports(world, { text: path, picture, blocks }) {
  const seen = [];
  for (const [file, tabs] of [
    [path + "#method=3", ["layers", "matrix", "flow", "heads"]],
    [picture, ["image"]],
    [blocks, ["blocks"]],
  ])
    for (const tab of tabs) {
      const page = await world.page(file + (file.includes("#") ? "&" : "#") + "tab=" + tab),
        svg = (await saved(page, "Figure as SVG")).toString();
      expect(
        svg.startsWith("<svg") && svg.includes("<text") && !/href="(?!data:)/.test(svg),
        `${tab} as SVG with text and nothing outside`,
      );
      expect(
        svg.includes("target ") === (file === picture), // chefer's; attention is the same for every class
        `a target where the method knows it, and nowhere else: ${tab}`,
      );
      if (tab === "heads") expect(svg.includes(">head 5</text>"), "what the colours of heads stand for");
      if (tab === "matrix") expect(svg.includes(">good</text>") && svg.includes("rows sum to"), "names and row sums in the figure");
      expect(
        await page.evaluate((s) => new DOMParser().parseFromString(s, "image/svg+xml").querySelector("parsererror") === null, svg),
        `${tab} as well-formed XML`,
      );
      const png = await saved(page, "Figure as PNG");
      expect(png.subarray(1, 4).toString() === "PNG" && png.length > 3000, `${tab} as PNG`);
      seen.push(`${tab} ${(svg.length / 1024).toFixed(0)} kB`);
    }
  const page = await world.page(path + "#method=3");
  expect((await saved(page, "Text strip as SVG")).toString().includes(">actors</text>"), "the strip with its words");
  const film = (await saved(page, "Flow as animated SVG")).toString();
  expect((film.match(/<animate /g) ?? []).length >= 5, "a film of the flow");
  const json = JSON.parse((await saved(page, "This map as JSON")).toString());
  expect(json.method === "attention" && json.scores.length === 21, "the map as JSON");
  const npz = await saved(page, "All results as npz");
  expect(npz.subarray(0, 2).toString() === "PK" && npz.includes("value_zeroing.npy"), "every result as npz");
  const whole = (await saved(page, "The page as one HTML file")).toString();
  expect(whole.includes('id="report"') && !whole.includes('strip-row"'), "the page as it came");
  return seen.join(", ");
}

// A PDF read back: every object where the table says it is, and the drawing's operators.
function operatorsOf(pdf, what) {
  const plain = pdf.toString("latin1"),
    at = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(plain)[1]),
    places = [...plain.slice(at).matchAll(/^(\d{10}) 00000 n $/gm)].map((m) => Number(m[1]));
  places.forEach((p, i) => expect(plain.startsWith(`${i + 1} 0 obj`, p), `${what}: object ${i + 1} at ${p}`));
  const id = /\/Contents (\d+) 0 R/.exec(plain)[1],
    begin = places[id - 1],
    length = Number(/\/Length (\d+)/.exec(plain.slice(begin))[1]),
    data = plain.indexOf("stream\n", begin) + 7;
  return inflateSync(pdf.subarray(data, data + length)).toString("latin1");
}
const textsOf = (operators) => [...operators.matchAll(/<([0-9a-f]*)> Tj/g)].map((m) => Buffer.from(m[1], "hex").toString("latin1"));

let painter = null; // pdftoppm, where it is installed
try {
  execFileSync("pdftoppm", ["-v"], { stdio: "ignore" });
  painter = "pdftoppm";
} catch {
  // then the operators are looked at alone
}

// How far a figure's PDF, drawn by another program, is from the browser's own picture: mean difference of a channel where
// either has ink, after a blur that forgives another font's letters.
async function difference(world, page, name, pdf, png) {
  const file = join(world.folder, name);
  writeFileSync(file + ".pdf", pdf);
  execFileSync(painter, ["-r", "96", "-png", "-singlefile", file + ".pdf", file]);
  return page.evaluate(
    async ([one, other]) => {
      const images = await Promise.all(
        [one, other].map(async (data) => {
          const image = new Image();
          image.src = "data:image/png;base64," + data;
          await image.decode();
          return image;
        }),
      );
      const width = Math.round(images[0].naturalWidth / 6),
        height = Math.round(images[0].naturalHeight / 6);
      const [a, b] = images.map((image) => {
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [width, height];
        const g = canvas.getContext("2d");
        g.imageSmoothingQuality = "high";
        g.drawImage(image, 0, 0, width, height);
        return g.getImageData(0, 0, width, height).data;
      });
      let sum = 0,
        inked = 0;
      for (let i = 0; i < a.length; i += 4)
        if ([a, b].some((d) => Math.abs(d[i] - a[0]) + Math.abs(d[i + 1] - a[1]) + Math.abs(d[i + 2] - a[2]) > 24)) {
          ++inked;
          for (let c = 0; c < 3; ++c) sum += Math.abs(a[i + c] - b[i + c]) / 3;
        }
      return sum / Math.max(1, inked);
    },
    [readFileSync(file + ".png").toString("base64"), png.toString("base64")],
  );
}

export async function checkPdf(world, { text: path, picture, blocks, scripts, hebrew }) {
  const seen = [];
  for (const [file, panels] of [
    [path + "#method=3&tab=matrix", ["Figure", "Text strip", "Layers × heads"]],
    [path + "#method=3&tab=layers", ["Figure"]],
    [path + "#method=3&tab=flow&theme=dark", ["Figure"]],
    [path + "#method=1&tab=heads", ["Figure"]],
    [path + "#method=3&drawer=agreement", ["Charts"]],
    [path + "#tab=tree", ["Figure"]],
    [picture + "#tab=image", ["Figure"]],
    [blocks + "#tab=blocks", ["Figure"]],
    [scripts + "#tab=scores", ["Text strip"]],
    [hebrew + "#tab=matrix&method=1", ["Text strip", "Figure"]],
  ]) {
    const page = await world.page(file);
    for (const panel of panels) {
      const what = `${file.split("#")[1]} ${panel}`,
        svg = (await saved(page, `${panel} as SVG`)).toString(),
        pdf = await saved(page, `${panel} as PDF`),
        operators = operatorsOf(pdf, what),
        texts = textsOf(operators);
      const count = (pattern, where) => (where.match(pattern) ?? []).length;
      expect(
        texts.length + count(/ Do$/gm, operators) === count(/<text[^>]*>[^<]*[^<\s]/g, svg) + count(/<image/g, svg),
        `${what}: every text and picture, found ${texts.length} and ${count(/ Do$/gm, operators)}`,
      );
      expect(
        count(/^(f|S|B)$/gm, operators) === count(/<(rect|path|line|circle)\b(?![^>]* fill="none" pointer-events="all">)/g, svg),
        `${what}: every shape, found ${count(/^(f|S|B)$/gm, operators)}`,
      );
      if (file.startsWith(path) && panel === "Text strip") expect(texts.includes("actors"), "words as text");
      if (!painter) continue;
      const apart = await difference(world, page, `figure-${seen.length}`, pdf, await saved(page, `${panel} as PNG`));
      expect(apart < 40, `${what}: the picture the browser draws, found one ${apart.toFixed(1)} apart`);
      seen.push(apart.toFixed(1));
    }
    await page.context().close();
  }
  return painter ? `mean difference from the browser's picture ${seen.join(" ")} of 255` : "not drawn without pdftoppm";
}
