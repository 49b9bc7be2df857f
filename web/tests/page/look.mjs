// How it looks to everybody: both themes, small windows, 200 %, contrast, and what axe finds.
import { createRequire } from "node:module";
import { expect } from "./harness.mjs";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

async function serious(page) {
  // The page's own policy forbids foreign scripts, so axe comes in through the debugger.
  await page.evaluate(require_text);
  const found = await page.evaluate(async () =>
    (await window.axe.run(document, { resultTypes: ["violations"] })).violations
      .filter((v) => ["serious", "critical"].includes(v.impact))
      .map(
        (v) =>
          `${v.id}: ${v.nodes
            .slice(0, 2)
            .map((n) => n.target.join(" ") + " " + (n.any[0]?.message ?? ""))
            .join("; ")}`,
      ),
  );
  return found;
}
import { readFileSync } from "node:fs";
const require_text = readFileSync(axe, "utf8");

const faces = (pages, address) => [
  [pages.text + "#method=3&tab=layers", "layers"],
  [pages.text + "#method=3&tab=matrix", "matrix"],
  [pages.text + "#method=3&tab=flow", "flow"],
  [pages.text + "#method=1&tab=heads", "heads"],
  [pages.text + "#tab=tree&drawer=agreement", "tree"],
  [pages.text + "#drawer=record", "record"],
  [pages.picture, "image"],
  [pages.picture + "#tab=layers&method=2", "layers of a picture"],
  [pages.picture + "#tab=flow&method=2", "flow of a picture"],
  [pages.picture + "#tab=heads&method=2", "heads of a picture"],
  [pages.hebrew + "#tab=flow&method=1", "text from the right"],
  [pages.blocks + "#tab=blocks", "blocks"],
  [address + "/", "live"],
  [address + "/", "live, an answer with its curves", answerWithCurves],
];

async function answerWithCurves(page) {
  await page.getByRole("button", { name: "Either or" }).first().click();
  await page.waitForSelector(".strip-row .tok", { timeout: 60000 });
  await page.getByRole("tab", { name: "Faithfulness" }).click();
  await page.waitForSelector("#faithfulness svg", { timeout: 120000 });
}

export async function checkAxe(world, pages) {
  let count = 0;
  for (const [where, name, prepare] of faces(pages, world.address)) {
    const page = await world.page(where);
    await prepare?.(page);
    for (const scheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme: scheme });
      await settled(page);
      const found = await serious(page);
      expect(found.length === 0, `no serious finding in ${name}, ${scheme}, found ${found.join(" | ")}`);
      ++count;
    }
    await page.context().close();
  }
  return `${count} pages without a serious finding`;
}

// At 200 % a page has half the pixels of its window, at 400 % a quarter.
export async function checkNothingIsCutOff(world, pages) {
  for (const [where, name, prepare] of faces(pages, world.address)) {
    const page = await world.page(where);
    await prepare?.(page);
    for (const scheme of ["light", "dark"])
      for (const [width, height] of [
        [1280, 720],
        [640, 360],
        [320, 180],
      ]) {
        await page.emulateMedia({ colorScheme: scheme });
        await page.setViewportSize({ width, height });
        await settled(page);
        const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        expect(wide <= room, `${name} within ${room} pixels (${scheme}), found ${wide}`);
        const hidden = await page.evaluate(() =>
          [...document.querySelectorAll("#main-panel .grid, #main-panel .pictures, #main-panel .scroll")]
            .filter((e) => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1)
            .map((e) => `${e.className} ${e.scrollWidth} × ${e.scrollHeight} of ${e.clientWidth} × ${e.clientHeight}`),
        );
        expect(width < 1280 || hidden.length === 0, `all of ${name} in its panel (${scheme}), found ${hidden}`);
      }
    await page.context().close();
  }
}

// An open menu makes no window wider, wherever its button stands.
export async function checkMenusStayWithin(world) {
  const page = await world.page(world.address + "/");
  await page.getByRole("button", { name: "Either or" }).first().click();
  await page.waitForSelector(".strip-row .tok", { timeout: 60000 });
  for (const width of [1280, 1000, 821, 640, 320]) {
    await page.setViewportSize({ width, height: 500 });
    for (const name of [/^Methods/, "Appearance", "Export"]) {
      await page.getByRole("button", { name }).click();
      await settled(page);
      const [wide, left, right] = await page.evaluate(() => {
        const box = document.querySelector(".popup").getBoundingClientRect();
        return [document.documentElement.scrollWidth, box.left, box.right];
      });
      expect(wide <= width && left >= 0 && right <= width, `${name} within ${width} pixels, found ${left} … ${right} of ${wide}`);
      await page.keyboard.press("Escape");
    }
  }
}

// What follows a new size or theme has been drawn.
const settled = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50)))));

export async function checkContrastOfTokens(world, pages) {
  let worst = 21;
  for (const scheme of ["light", "dark"]) {
    const page = await world.page(pages.text + "#colours=captum", { scheme });
    worst = Math.min(
      worst,
      await page.evaluate(() => {
        const f = (x) => (x / 255 <= 0.04045 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4),
          L = (t) => {
            const [r, g, b] = t.match(/\d+/g).map(Number);
            return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b);
          };
        return Math.min(
          ...[...document.querySelectorAll(".tok")]
            .map((t) => getComputedStyle(t))
            .filter((s) => s.backgroundColor.startsWith("rgb("))
            .map((s) => {
              const [a, b] = [L(s.color), L(s.backgroundColor)].sort((x, y) => x - y);
              return (b + 0.05) / (a + 0.05);
            }),
        );
      }),
    );
  }
  expect(worst >= 4.5, `a contrast of 4.5 on every word, found ${worst}`);
  return `lowest contrast ${worst.toFixed(2)}`;
}
