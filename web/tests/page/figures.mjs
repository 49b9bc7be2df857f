// A figure of the page and that of `headwater plot` show the same: mark by mark the same words, numbers and colours. A
// mark is a shape with a title of its own.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, root, saved, text } from "./harness.mjs";

const entities = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" },
  plain = (s) =>
    s
      .replace(/&(#x?)?(\w+);/g, (_, kind, name) => (kind ? String.fromCodePoint(parseInt(name, kind === "#x" ? 16 : 10)) : entities[name]))
      .replace(/\u200e/g, ""); // where a text is to be read from the left

const numberOf = (s) => (s === "–" || /^[a-z]/.test(s) ? s : Number(s.replace(/−/g, "-")));
function colourOf(fill) {
  const [, r, g, b] = /^rgb\((\d+), ?(\d+), ?(\d+)\)$/.exec(fill) ?? [];
  if (r !== undefined) return [r, g, b].map(Number);
  const hex = /^#([0-9a-f]{6})$/i.exec(fill)?.[1];
  return hex ? [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16)) : null;
}

// What every mark says, its number apart, and what fills it.
export function marksOf(svg) {
  return [...svg.matchAll(/<(rect|path|circle|line|polygon|polyline)\b([^>]*)>\s*<title>([^<]*)<\/title>/g)].map(([, , shape, title]) => {
    const tip = plain(title),
      [, before, number, after] = /^(.*?)(−?\d[\d.]*(?:e[-−+]?\d+)?|–|masked|not measured)( in all)?$/su.exec(tip) ?? [];
    expect(before !== undefined, `a number at the end of ${tip}`);
    const value = numberOf(number),
      fill = / fill="([^"]*)"/.exec(shape)?.[1] ?? "";
    return { words: before + "…" + (after ?? ""), value, colour: typeof value === "number" ? colourOf(fill) : null };
  });
}

// Four decimals, or three digits of what is smaller: half of the last one on either side.
const near = (a, b) =>
  typeof a === "string" || typeof b === "string"
    ? a === b
    : Math.abs(a - b) <= Math.max(1e-3 * Math.abs(a), Math.abs(a) < 9e-4 ? 0.011 * Math.abs(a) : 1.01e-4);
const close = (a, b) => a === b || (a !== null && b !== null && a.every((c, k) => Math.abs(c - b[k]) <= 3));

const byWords = (marks) => {
  const found = new Map();
  for (const m of marks) found.set(m.words, [...(found.get(m.words) ?? []), m]);
  return found;
};

// One of `list` for which no mate is left when every other has one: mates are exchanged until all have theirs.
function unmatched(list, mates, fits) {
  const taken = new Map();
  const finds = (m, seen) =>
    mates.some((mate) => {
      if (seen.has(mate) || !fits(m, mate)) return false;
      seen.add(mate);
      if (taken.has(mate) && !finds(taken.get(mate), seen)) return false;
      taken.set(mate, m);
      return true;
    });
  return list.find((m) => !finds(m, new Set()));
}

// The same words as often in both, each with a mate of its own: two tokens may have one name.
export function expectSameMarks(page, plot, what, { colours = false } = {}) {
  const [here, there] = [marksOf(page), marksOf(plot)],
    [own, other] = [byWords(here), byWords(there)];
  const lacks = (from, of) => [...from].filter(([words, list]) => (of.get(words)?.length ?? 0) < list.length).map(([words]) => words);
  expect(here.length > 0, `marks in the page's ${what}`);
  for (const [missing, whose] of [
    [lacks(own, other), "plot's"],
    [lacks(other, own), "the page's"],
  ])
    expect(
      missing.length === 0,
      `${what}: equal marks, found ${missing.length} that ${whose} figure lacks: ${missing.slice(0, 3).join(" | ")}`,
    );
  for (const [words, list] of own) {
    const alone = unmatched(list, other.get(words), (a, b) => near(a.value, b.value) && (!colours || close(a.colour, b.colour))),
      said = ({ value, colour }) => value + (colours ? ` in ${colour}` : "");
    expect(!alone, `${what}: ${words} ${alone && said(alone)}, found ${other.get(words).map(said).join(" or ")}`);
  }
  return here.length;
}

// One result in both forms, made when it is first asked for: a page, and the JSON that plot reads.
function made(world, name, ...words) {
  const page = join(world.folder, `${name}-figure.html`),
    kept = join(world.folder, `${name}-figure.json`);
  if (!existsSync(page)) {
    world.report(`${name}-figure.html`, ...words);
    writeFileSync(kept, world.run("explain", "-q", "--format", "json", ...words));
  }
  return { page, plot: (...more) => world.run("plot", kept, ...more) };
}
const strips = (world) => made(world, "strip", "-m", "sentiment", "--method", "integrated_gradients,attention,chefer", text);
const attention = (world) => made(world, "attention", "-m", "sentiment", "--method", "attention", text);
const sequences = (world) =>
  made(
    world,
    "sequences",
    "-m",
    join(root, "tests/golden/encoder_decoder_models/t5_v1_1"),
    "--method",
    "attention",
    "--prefix",
    "w2 w4",
    "w3 w5 w7 w9",
  );

async function figureOf(world, where, panel = "Figure") {
  const page = await world.page(where),
    svg = (await saved(page, `${panel} as SVG`)).toString();
  await page.context().close();
  return svg;
}
const agreements = (svg) => [...svg.matchAll(/>(τ [^<]*)<\/text>/g)].map((m) => m[1]);

// Without those that have colours of their own: the line of disagreement, and the sums beside a map.
const scoresOf = (svg) => svg.replace(/<title>disagreement: [^<]*<\/title>/g, ""),
  cellsOf = (svg) => svg.replace(/<title>[^<]* in all<\/title>/g, "");

async function sameStrip(world, { page, plot }, what) {
  const [here, there] = [await figureOf(world, page, "Text strip"), plot("--kind", "strip")];
  const count = expectSameMarks(here, there, what);
  expectSameMarks(scoresOf(here), scoresOf(there), what, { colours: true });
  expect(
    agreements(here).length > 0 && agreements(here).join() === agreements(there).join(),
    `${what}: ${agreements(here)}, found ${agreements(there)}`,
  );
  return { here, count };
}

export async function checkStrip(world) {
  const { here, count } = await sameStrip(world, strips(world), "strip"),
    marks = marksOf(here),
    below = marks.filter((m) => m.value < 0).length;
  expect(
    below > 3 && (here.match(/<line [^>]*stroke-dasharray/g) ?? []).length === below,
    `a dashed line under all ${below} that count against`,
  );
  const differ = marks.filter((m) => m.words.startsWith("disagreement: ")).length;
  expect(differ === 20, `a line of disagreement for all but [CLS], which attention alone measures, found ${differ}`);
  expect(marks.filter((m) => m.value === "not measured").length >= 2, "what was not measured to say so");
  return `${count} marks, ${agreements(here)}`;
}

// Words from the right, Chinese, an emoji and what XML has a meaning for.
export async function checkStripOfManyScripts(world) {
  const many = "هذا الفيلم רائع 😀 好看的电影 #great & <b>fun</b>";
  const { count } = await sameStrip(
    world,
    made(world, "scripts", "-m", "sentiment", "--method", "integrated_gradients,attention", many),
    "strip",
  );
  return `${count} marks`;
}

export async function checkMatrix(world) {
  const { page, plot } = attention(world);
  const same = async (address, words, what) => {
    const [here, there] = [await figureOf(world, page + "#tab=matrix" + address), plot("--kind", "matrix", ...words)],
      count = expectSameMarks(here, there, what);
    expect(count === 441 + 42, `441 cells and the sums of 21 rows and columns, found ${count}`);
    expectSameMarks(cellsOf(here), cellsOf(there), what, { colours: true });
  };
  await same("", [], "matrix");
  await same("&layer=2&head=1&own=1", ["--layer", "2", "--head", "1"], "matrix of one head");
  return "441 cells and 42 sums";
}

export async function checkGrid(world) {
  const { page, plot } = attention(world),
    counts = [expectSameMarks(await figureOf(world, page + "#tab=layers"), plot("--kind", "grid"), "grid", { colours: true })];
  for (const [own, scale] of [
    [0, "shared"],
    [1, "panel"],
  ])
    counts.push(
      expectSameMarks(
        await figureOf(world, `${page}#tab=layers&own=${own}`),
        plot("--kind", "grid", "--scale", scale),
        `grid, scale ${scale}`,
        { colours: true },
      ),
    );
  expect(
    counts.every((n) => n === 4 * 441),
    `441 cells of every layer, found ${counts}`,
  );
  return `${counts[0]} marks`;
}

export async function checkGridOfHeads(world) {
  const { page, plot } = attention(world);
  let count = 0;
  for (const [own, scale] of [
    [0, "shared"],
    [1, "panel"],
  ])
    count = expectSameMarks(
      await figureOf(world, `${page}#tab=layers&heads=1&own=${own}`),
      plot("--kind", "grid", "--head", "all", "--scale", scale),
      `grid of heads, scale ${scale}`,
      { colours: true },
    );
  expect(count === 4 * 7 * 441, `441 cells of the mean and each of six heads in four layers, found ${count}`);
  return `${count} marks`;
}

export async function checkHeads(world) {
  const { page, plot } = attention(world);
  const counts = [
    expectSameMarks(await figureOf(world, page + "#tab=heads"), plot("--kind", "heads"), "heads"),
    expectSameMarks(
      await figureOf(world, page + "#tab=heads&layer=1&kept=0.2"),
      plot("--kind", "heads", "--layer", "1", "--share", "0.2"),
      "heads of another layer",
    ),
  ];
  return `${counts.join(" and ")} lines`;
}

// One number for every head: what attattr gives a single input is that input's importance.
export async function checkHeadMap(world, { text: path }) {
  const inputs = join(world.folder, "one.csv"),
    kept = join(world.folder, "heads-figure.json");
  writeFileSync(inputs, `text,label\n"${text}",POSITIVE\n`);
  world.run("heads", "-q", "-m", "sentiment", "--by", "attattr", "-f", inputs, "-o", kept);
  const here = await figureOf(world, path + "#method=1", "Layers × heads");
  return `${expectSameMarks(here, world.run("plot", kept), "layers × heads", { colours: true })} heads`;
}

export async function checkFlow(world) {
  const { page, plot } = attention(world);
  const counts = [
    expectSameMarks(await figureOf(world, page + "#tab=flow"), plot("--kind", "flow"), "flow"),
    expectSameMarks(
      await figureOf(world, page + "#tab=flow&kept=0.4"),
      plot("--kind", "flow", "--share", "0.4"),
      "flow of a smaller share",
    ),
  ];
  return `${counts.join(" and ")} marks`;
}

export async function checkFlowOfTwoSequences(world) {
  const { page, plot } = sequences(world),
    here = await figureOf(world, page + "#tab=flow");
  expect(
    marksOf(here).some((m) => m.words.startsWith("decoder L")),
    "edges of the decoder",
  );
  return `${expectSameMarks(here, plot("--kind", "flow"), "flow")} marks`;
}

export async function checkBlocks(world) {
  const { page, plot } = sequences(world),
    maps = ["encoder", "cross", "decoder"].map((map) => cellsOf(plot("--kind", "matrix", "--map", map)));
  const here = await figureOf(world, page + "#tab=blocks");
  expect(
    marksOf(here).some((m) => m.value === "masked"),
    "what is masked to say so",
  );
  return `${expectSameMarks(here, maps.join(""), "blocks", { colours: true })} marks`;
}

export async function checkTree(world, { text: path }) {
  const kept = join(world.folder, "tree-figure.json"),
    counts = [];
  for (const [k, target] of ["POSITIVE", "NEGATIVE"].entries()) {
    world.run("tree", "-q", "-m", "sentiment", "--target", target, "-o", kept, text);
    counts.push(expectSameMarks(await figureOf(world, `${path}#tab=tree&target=${k}`), world.run("plot", kept), `tree for ${target}`));
  }
  return `${counts.join(" and ")} edges`;
}

// The page has both classes side by side, plot a figure for each.
// The mean colour of every patch of the images in a figure, side × side patches each.
async function patchColours(world, svg, side) {
  const page = await world.page(world.report("empty-figure.html", "-m", "sentiment", "--method", "attention", "fun")),
    sources = [...svg.matchAll(/<image [^>]*href="([^"]*)"/g)].map((m) => m[1]);
  const colours = await page.evaluate(
    async ([all, n]) => {
      const wide = 32 * n;
      const colour = (data, row, column) => {
        const sum = [0, 0, 0];
        for (let y = 0; y < 32; ++y)
          for (let x = 0; x < 32; ++x) for (let c = 0; c < 3; ++c) sum[c] += data[4 * ((32 * row + y) * wide + 32 * column + x) + c];
        return sum.map((v) => v / 1024);
      };
      return Promise.all(
        all.map(async (source) => {
          const image = new Image();
          image.src = source;
          await image.decode();
          const canvas = document.createElement("canvas");
          canvas.width = canvas.height = wide;
          const g = canvas.getContext("2d");
          g.drawImage(image, 0, 0, wide, wide);
          const { data } = g.getImageData(0, 0, wide, wide);
          return Array.from({ length: n * n }, (_, p) => colour(data, Math.floor(p / n), p % n));
        }),
      );
    },
    [sources, side],
  );
  await page.context().close();
  return colours;
}

// One enlarges the picture smoothly, the other by its pixels: patch by patch that is a few levels.
async function expectSamePictures(world, page, plot, what) {
  const [here, there] = [await patchColours(world, page, 8), await patchColours(world, plot, 8)];
  expect(here.length === there.length && here.length > 1, `${what}: ${there.length} images, found ${here.length}`);
  here.forEach((patches, i) =>
    patches.forEach((colour, p) => {
      const apart = Math.max(...colour.map((c, k) => Math.abs(c - there[i][p][k])));
      expect(apart < 8, `${what}: image ${i}, patch ${p} in ${there[i][p].map(Math.round)}, found ${colour.map(Math.round)}`);
    }),
  );
}

export async function checkOverlay(world) {
  const labels = ["cat", "dog"],
    asked = ["-m", "vision", "--method", "chefer,attention", "--image", join(root, "docs/pets.jpg")],
    page = world.report("overlay-figure.html", ...asked, ...labels.flatMap((label) => ["--target", label]));
  const kept = labels.map((label) => {
    const path = join(world.folder, `overlay-${label}.json`);
    writeFileSync(path, world.run("explain", "-q", "--format", "json", ...asked, "--target", label));
    return path;
  });
  const there = (method) => kept.map((path) => world.run("plot", path, "--kind", "overlay", "--method", method)).join(""),
    smooth = await figureOf(world, page + "#tab=image"),
    count = expectSameMarks(smooth, there("chefer"), "overlay");
  expect(
    labels.every((label) => marksOf(smooth).some((m) => m.words.startsWith(`chefer for ${label}: `))),
    "both classes",
  );
  expectSameMarks(await figureOf(world, page + "#tab=image&patches=1"), smooth, "overlay drawn by patches");
  expectSameMarks(await figureOf(world, page + "#tab=image&method=1"), there("attention"), "overlay of attention");
  const alone = made(world, "picture", ...asked, "--target", "dog");
  for (const [k, method] of ["chefer", "attention"].entries())
    await expectSamePictures(
      world,
      await figureOf(world, `${alone.page}#tab=image&method=${k}`),
      alone.plot("--method", method),
      `overlay of ${method}`,
    );
  return `${count} patches`;
}

export async function checkCurves(world) {
  const page = await world.page(world.address + "/", { wait: "#examples" }),
    kept = join(world.folder, "curves-figure.json");
  page.on("response", async (r) => {
    if (r.url().endsWith("/v1/evaluate") && r.ok()) writeFileSync(kept, await r.text());
  });
  await page.getByRole("button", { name: "Either or" }).first().click();
  await page.waitForSelector(".strip-row .tok", { timeout: 60000 });
  await page.getByRole("tab", { name: "Faithfulness" }).click();
  await page.waitForSelector("#faithfulness svg", { timeout: 120000 });
  const here = (await saved(page, "Charts as SVG")).toString(),
    shapes = (method) => new Set(here.match(new RegExp(`<(circle|path)[^>]*><title>\\w+: ${method} at `, "g"))?.map((m) => m.slice(1, 5)));
  expect(
    marksOf(here).some((m) => m.words.startsWith("deletion: random at 10 %: ")),
    "the points of the random order",
  );
  expect(shapes("integrated_gradients").size === 1 && /stroke-dasharray="6 4"/.test(here), "marks by shape, the random order dashed");
  return `${expectSameMarks(here, world.run("plot", kept, "--kind", "curves"), "curves")} points`;
}
