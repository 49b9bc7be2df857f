// How fast it answers: first paint, and 512 tokens with 12 layers of 12 heads, a layer at a time from the server.
import { join } from "node:path";
import { busy, expect, World } from "./harness.mjs";
import { writeModel } from "./wide.mjs";

// A paint is told some time after it happened.
const painted = async (page) => {
  const paint = () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
  await page.waitForFunction(paint, null, { timeout: 10000 });
  return page.evaluate(paint);
};

export async function checkFirstPaint(world, pages) {
  const times = {};
  for (const [name, where] of [
    ["live", world.address + "/"],
    ["report", pages.text],
  ]) {
    const page = await world.page(where);
    times[name] = await painted(page);
    expect(times[name] < 1000 || busy(), `${name} to paint within 1 s, found ${times[name]} ms`);
  }
  return Object.entries(times)
    .map(([k, v]) => `${k} ${Math.round(v)} ms`)
    .join(", ");
}

// From the event to the frame after the page has changed.
const timed = (page, act, changed) =>
  page.evaluate(
    async ([act, changed]) => {
      const state = new Function("return " + changed),
        go = new Function(act),
        before = state(),
        start = performance.now();
      go();
      while (state() === before) {
        if (performance.now() - start > 20000) return Infinity;
        await new Promise((r) => {
          const c = new MessageChannel();
          c.port1.onmessage = () => {
            c.port1.close();
            r();
          };
          c.port2.postMessage(0);
        });
      }
      await new Promise((r) => requestAnimationFrame(() => r()));
      return performance.now() - start;
    },
    [act, changed],
  );

export async function checkLongInput(world) {
  const folder = join(world.folder, "wide");
  writeModel(folder);
  const own = new World(world.program, world.executable);
  own.browser = world.browser;
  try {
    await own.serve("-m", folder);
    const page = await own.page(own.address + "/", { wait: "#input-text" });
    await page.locator("#input-text").fill("the film"); // methods are chosen of an input
    await page.getByRole("button", { name: /^Methods/ }).click();
    while (await page.getByRole("checkbox", { checked: true }).count())
      await page.getByRole("checkbox", { checked: true }).first().uncheck();
    await page.locator('#method-picker [data-method="attention"] input').check();
    await page.getByRole("button", { name: "Done" }).click();
    await page.locator("#input-text").fill("the actors are so good that you will not mind ".repeat(51));
    const tokens = page.locator(".strip-row").first().locator(".tok");
    await tokens
      .nth(511)
      .waitFor({ timeout: 120000 })
      .catch(() => {});
    expect((await tokens.count()) === 512, `512 tokens, found ${await tokens.count()}`);
    await page.getByRole("tab", { name: "Matrix" }).click();
    await page.waitForSelector("#readout", { timeout: 60000 });
    await page.waitForTimeout(3000); // the first layers, and the statistics of their heads
    const key = (k) => `document.dispatchEvent(new KeyboardEvent("keydown", { key: "${k}", bubbles: true }))`,
      said = "document.querySelector('#readout')?.textContent + document.querySelector('#main-panel .legend')?.textContent";
    const cold = [],
      warm = [],
      heads = [],
      hover = [];
    for (let i = 0; i < 5; ++i)
      cold.push(
        await timed(page, `window.shownBefore = ${said}; ${key("]")}`, `document.querySelector("#readout") ? ${said} : window.shownBefore`),
      );
    await page.waitForTimeout(2500);
    for (let i = 0; i < 4; ++i) warm.push(await timed(page, key(i % 2 ? "]" : "["), said));
    await page.waitForTimeout(500);
    for (let i = 0; i < 5; ++i) heads.push(await timed(page, key("h"), said));
    const box = await page.locator("#main-panel .stacked").boundingBox();
    for (let i = 0; i < 8; ++i)
      hover.push(
        await timed(
          page,
          `document.querySelector("#main-panel .stacked").dispatchEvent(new MouseEvent("mousemove", { bubbles: true, clientX: ${box.x + 160 + 37 * i}, clientY: ${box.y + 150 + 29 * i} }))`,
          "document.querySelector('#readout').textContent",
        ),
      );
    const show = (list) => list.map((x) => Math.round(x)).join(" ");
    const report = `first visit of a layer ${show(cold)}, again ${show(warm)}, head ${show(heads)}, hover ${show(hover)} ms`;
    const middle = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];
    if (busy()) return report + " (not judged: the machine is busy)";
    expect(
      [cold, warm, heads, hover].every((list) => middle(list) < 100),
      `an answer within 100 ms, found ${report}`,
    );
    return report;
  } finally {
    own.server.kill("SIGTERM");
    world.asked.push(...own.asked.filter((u) => !u.startsWith(own.address)));
    world.errors.push(...own.errors);
  }
}
