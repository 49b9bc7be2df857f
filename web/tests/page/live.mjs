// The live face: what a server answers to what a reader does.
import { join } from "node:path";
import { expect, root, saved, text } from "./harness.mjs";

export const idle = (page) =>
  page.waitForFunction(() => !document.querySelector("#input .status")?.textContent && !document.querySelector("#input progress"), null, {
    timeout: 60000,
  });
export const start = async (world, title) => {
  const page = await world.page(world.address + "/", { wait: "#examples" });
  if (title) {
    await page.getByRole("button", { name: title }).first().click();
    await page.waitForSelector(".strip-row, .thumbs", { timeout: 60000 });
    await idle(page);
  }
  return page;
};

export async function checkExamples(world) {
  const page = await start(world),
    titles = await page.locator(".example b").allTextContents();
  for (const word of ["The pronoun study", "Either or", "A head that matters", "Two classes of one picture"])
    expect(
      titles.some((t) => t.includes(word)),
      `${word} among ${titles}`,
    );
  await page.getByRole("button", { name: "Two classes" }).click();
  await page.waitForFunction(() => document.querySelectorAll(".pictures figure").length === 3, null, { timeout: 60000 });
  const seen = (await page.locator(".pictures figcaption").allTextContents()).slice(1).map((t) => t.split(/\s/)[0]),
    asked = ["-m", "vision", "--image", join(root, "docs/pets.jpg"), "--format", "json"],
    best = JSON.parse(world.run("predict", ...asked)).scores.slice(0, 2);
  expect(seen.join() === best.map((s) => s.label).join(), `the two best classes side by side, found ${seen}`);
  const pronoun = await start(world, "The pronoun study");
  expect((await pronoun.getByRole("tab", { name: "Layers" }).getAttribute("aria-selected")) === "true", "the layers of the pronoun study");
  expect((await pronoun.locator("#selection").innerText()).includes("What “she” reads"), "the pronoun to be held");
  return titles.join(" · ");
}

export async function checkTyping(world) {
  const page = await world.page(world.address + "/", { wait: "#examples" });
  await page.locator("#input-text").fill("a wonderful film");
  await page.waitForSelector(".strip-row", { timeout: 60000 });
  expect((await page.locator("h1").innerText()).startsWith("POSITIVE"), "an answer without pressing anything");
  await page.locator("#input-text").fill("a terrible film");
  await page.waitForFunction(() => document.querySelector("h1").textContent.startsWith("NEGATIVE"), null, { timeout: 60000 });
  await idle(page);
  expect(/▲ \+\d/.test(await page.locator("#top .bars").innerText()), "the change of the probability");
  expect(!decodeURIComponent(page.url()).includes("terrible"), "no text in the address");
  await page.getByLabel("with the text").check();
  await page.getByRole("button", { name: "Share" }).click();
  expect(
    decodeURIComponent(await page.evaluate(() => navigator.clipboard.readText())).includes("a terrible film"),
    "the text in a link on request",
  );
}

// What the server answers before the first frame is painted is shown too.
export async function checkAnswersBeforeTheFirstFrame(world) {
  const context = await world.browser.newContext(),
    page = await context.newPage();
  await page.addInitScript(() => {
    const later = globalThis.setTimeout;
    globalThis.requestAnimationFrame = () => 0; // a frame that never comes, and what is done instead of it late
    globalThis.setTimeout = (f, ms = 0, ...rest) => later(f, ms + 1000, ...rest);
  });
  await page.goto(world.address + "/");
  await page.waitForSelector("#examples", { timeout: 10000 });
}

export async function checkMaskDeleteUndo(world) {
  const page = await start(world, "Either or"),
    box = page.locator("#input-text"),
    good = () => page.locator(".strip-row .tok", { hasText: /^good$/ }).first();
  await good().dblclick();
  await page.waitForFunction(() => document.querySelector("#input-text").value.includes("[MASK]"));
  await idle(page);
  expect(
    (await page.locator("#top").innerText()).includes("masked “good”") && /▼ −\d/.test(await page.locator("#top .bars").innerText()),
    "what was masked and what it changed",
  );
  await page.getByRole("button", { name: "↶ Undo" }).click();
  await idle(page);
  expect((await box.inputValue()) === text, "undo to bring the word back");
  await good().click({ modifiers: ["Alt"] });
  await idle(page);
  expect((await box.inputValue()) === text.replace("good ", ""), `alt-click to delete, found ${await box.inputValue()}`);
}

export async function checkMaskAndDeleteByKeys(world) {
  const page = await start(world, "Either or"),
    box = page.locator("#input-text"),
    good = () => page.locator(".strip-row .tok", { hasText: /^good$/ }).first();
  await good().focus();
  await page.keyboard.press("m");
  await idle(page);
  expect((await box.inputValue()) === text.replace("good", "[MASK]"), `m to mask, found ${await box.inputValue()}`);
  await page.locator("h1").click();
  await page.keyboard.press("Control+z");
  await idle(page);
  await good().focus();
  await page.keyboard.press("Delete");
  await idle(page);
  expect((await box.inputValue()) === text.replace("good ", ""), `Delete to delete, found ${await box.inputValue()}`);
}

export async function checkTargetAndContrast(world) {
  const page = await start(world, "Either or");
  await page.getByRole("combobox", { name: "Target" }).selectOption("NEGATIVE");
  await page.getByRole("combobox", { name: "compared with" }).selectOption("");
  await page.waitForFunction(() => document.querySelector("h1").textContent.startsWith("NEGATIVE"), null, { timeout: 60000 });
  await idle(page);
  await page.getByRole("combobox", { name: "compared with" }).selectOption("POSITIVE");
  await page.waitForFunction(
    () => /^POSITIVE rather than NEGATIVE .*; for POSITIVE: /.test(document.querySelector("h1").textContent),
    null,
    { timeout: 60000 },
  );
  await idle(page);
  expect(
    (await page.locator("#text .legend").innerText()).includes("blue counts for “NEGATIVE”, orange for “POSITIVE”"),
    "what the signs stand for",
  );
  await page.getByRole("button", { name: "side by side" }).click();
  const both = page.getByRole("group", { name: "Target" }).getByRole("button");
  await both.first().waitFor({ timeout: 60000 });
  expect((await both.allTextContents()).join() === "NEGATIVE,POSITIVE", `two targets, found ${await both.allTextContents()}`);
}

export async function checkMethodsAndCost(world) {
  const page = await start(world, "Either or");
  await page.getByRole("button", { name: /^Methods/ }).click();
  await page.locator('#method-picker [data-method="attention"] input').check();
  await page.getByRole("button", { name: "Done" }).click();
  await page.waitForSelector('.strip-row[aria-label="attention"]', { timeout: 60000 });
  expect(await page.getByRole("tab", { name: "Flow" }).isVisible(), "what was there stays, and maps come with their tabs");
  await idle(page);
  // A method that takes long says so before its first run, and waits for a click; what is there stays.
  await page.route("**/v1/plan", async (route) => {
    const r = await route.fetch(),
      j = await r.json();
    for (const p of j.data) if (p.method === "kernel_shap") Object.assign(p, { seconds: 42, basis: "estimated" });
    await route.fulfill({ json: j });
  });
  await page.getByRole("button", { name: /^Methods/ }).click();
  await page.locator('#method-picker [data-method="kernel_shap"] input').check();
  await page.getByRole("button", { name: "Done" }).click();
  const dear = page.getByRole("button", { name: /Add KernelSHAP · estimated 42 s/ });
  await dear.waitFor({ timeout: 60000 });
  await dear.click();
  await page.waitForSelector('.strip-row[aria-label="kernel_shap"]', { timeout: 60000 });
  expect((await page.locator('.strip-row[aria-label="attention"]').count()) === 1, "what was there before");
}

// What takes minutes is stopped by a click: its job ends, the page says so and goes on with what is there.
// Layers of a method that takes long are seen before it ends; of one that is cancelled nothing stays.
export async function checkLayersOnTheWay(world) {
  const page = await start(world, "Either or");
  await page.route("**/v1/explain", async (route) => {
    const body = route.request().postDataJSON();
    const slow = body.methods.map((m) => (m === "attattr" ? { name: m, options: { rule: "right", steps: 10000 } } : m));
    await route.continue({ postData: JSON.stringify({ ...body, methods: slow }) });
  });
  const rows = async () =>
      (await page.locator(".strip-row[data-method]").evaluateAll((all) => all.map((row) => row.dataset.method))).join(),
    before = await rows();
  await page.getByRole("button", { name: /^Methods/ }).click();
  await page.locator('#method-picker [data-method="attattr"] input').check();
  await page.keyboard.press("Escape");
  const row = page.locator('.strip-row[aria-label="attattr"]'),
    run = page.getByRole("button", { name: /Add Attention attribution/ });
  await row.or(run).first().waitFor({ timeout: 300000 }); // a quarter of 40,000 passes, on a machine that may be busy
  if (await run.count()) await run.click();
  await row.waitFor({ timeout: 300000 });
  await page.getByRole("combobox", { name: "Method" }).selectOption("attattr");
  await page.getByRole("tab", { name: "Layers" }).click();
  const summary = await page.locator("#main-panel .summary").innerText(),
    running = await page.evaluate(() => document.querySelector("#input progress") !== null);
  expect(
    running && /^L0 strongest/.test(summary) && !summary.includes("L3"),
    `the first layers while the last are computed, found ${summary}`,
  );
  const heads = await page.locator("#headmap .caption").innerText();
  expect(heads.includes("Largest so far: L0"), `the largest of the layers that are there, found ${heads}`);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.locator("#input .status", { hasText: "Cancelled." }).waitFor({ timeout: 5000 });
  expect((await rows()) === before, `only what had finished, found ${await rows()}`);
}

export async function checkCancel(world) {
  const page = await start(world, "Either or");
  let job = "";
  page.on("response", async (r) => {
    if (r.url().endsWith("/v1/explain")) job = (await r.json()).id;
  });
  await page.route("**/v1/explain", async (route) => {
    const body = route.request().postDataJSON();
    const slow = body.methods.map((m) => (m === "smooth_grad" ? { name: m, options: { samples: 100000 } } : m));
    await route.continue({ postData: JSON.stringify({ ...body, methods: slow }) });
  });
  await page.getByRole("button", { name: /^Methods/ }).click();
  await page.locator('#method-picker [data-method="smooth_grad"] input').check();
  await page.keyboard.press("Escape");
  await page
    .locator("#input progress")
    .or(page.getByRole("button", { name: /Add SmoothGrad/ }))
    .first()
    .waitFor({ timeout: 60000 });
  if (await page.getByRole("button", { name: /Add SmoothGrad/ }).count())
    await page.getByRole("button", { name: /Add SmoothGrad/ }).click();
  await page.waitForSelector("#input progress", { timeout: 60000 });
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.locator("#input .status", { hasText: "Cancelled." }).waitFor({ timeout: 5000 });
  let state = "running";
  for (let i = 0; i < 100 && state === "running"; ++i) {
    await page.waitForTimeout(100);
    state = await page.evaluate(async (id) => (await (await fetch(`/v1/jobs/${id}`)).json()).status, job);
  }
  expect(state === "cancelled", `the job to end, found ${state}`);
  expect((await page.locator(".strip-row[data-method]").count()) === 2, "both methods that were there before");
  await page.locator("#input-text").fill("a dull film");
  await page
    .locator(".strip-row .tok", { hasText: /^dull$/ })
    .first()
    .waitFor({ timeout: 60000 });
  await page.getByRole("button", { name: "Cancel" }).click();
}

// Nobody stands between: a long text, a method that never ran, the server's own trial.
export async function checkEstimateBeforeTheFirstRun(world) {
  const page = await start(world);
  await page.getByRole("combobox", { name: "Model" }).selectOption("sentiment");
  await page.locator("#input-text").fill("It is not bad at all, and never dull. ".repeat(11));
  await page.waitForSelector(".strip-row", { timeout: 60000 });
  await idle(page);
  await page.getByRole("button", { name: /^Methods/ }).click();
  await page.locator('#method-picker [data-method="hidden_token_attribution"] input').check();
  await page.getByRole("button", { name: "Done" }).click();
  const dear = page.getByRole("button", { name: /Add Hidden token attribution · estimated/ });
  await dear.waitFor({ timeout: 60000 });
  await idle(page);
  expect((await page.locator('.strip-row[aria-label="hidden_token_attribution"]').count()) === 0, "it to wait");
  expect((await dear.getAttribute("title")).includes("short trial"), "where the time comes from");
  return dear.innerText();
}

export async function checkTree(world) {
  const page = await start(world, "A head that matters");
  await page.getByRole("tab", { name: "Tree" }).click();
  await page.waitForSelector("#main-panel svg.figure path", { timeout: 60000 });
  const edges = () => page.locator("#main-panel svg.figure path").count(),
    before = await edges();
  const wanted = JSON.parse(
    world.run("tree", "-q", "-m", "sentiment", "--tau", "0.05", "--format", "json", "It is not bad at all, and never dull."),
  ).edges.length;
  await page.getByLabel("τ: share").fill("0.05");
  await page.waitForFunction((n) => document.querySelectorAll("#main-panel svg.figure path").length !== n, before, { timeout: 30000 });
  expect((await edges()) === wanted, `the ${wanted} edges of headwater tree for a smaller τ, found ${await edges()}`);
  await page.getByLabel("τ: share").fill("0.1");
  await page.waitForSelector("[role=treeitem]", { timeout: 30000 });
  await page.getByRole("tree").focus();
  await page.keyboard.press("ArrowDown");
  expect((await page.evaluate(() => document.activeElement.getAttribute("role"))) === "treeitem", "arrows in the tree");
}

// Where there is no attattr yet, the tab asks for it, as a tick under Methods would.
export async function checkTreeAsksForItsMethod(world) {
  const page = await start(world, "Either or");
  expect((await page.locator('.strip-row[aria-label="attattr"]').count()) === 0, "an example without attattr");
  await page.getByRole("tab", { name: "Tree" }).click();
  const grown = page.locator("#main-panel svg.figure path").first();
  await grown
    .or(page.getByRole("button", { name: /Add Attention attribution/ }))
    .first()
    .waitFor({ timeout: 60000 });
  if (!(await grown.count())) await page.getByRole("button", { name: /Add Attention attribution/ }).click();
  await grown.waitFor({ timeout: 60000 });
  expect((await page.locator('.strip-row[aria-label="attattr"]').count()) === 1, "its row beside the others");
}

export async function checkFaithfulness(world) {
  const page = await start(world, "Either or");
  await page.getByRole("tab", { name: "Faithfulness" }).click();
  await page.waitForSelector("#faithfulness svg", { timeout: 120000 });
  const said = await page.locator("#faithfulness").innerText();
  for (const word of ["deletion", "insertion", "random", "integrated_gradients"])
    expect(said.includes(word), `${word} in ${said.slice(0, 80)}`);
}

export async function checkUpload(world) {
  const page = await world.page(world.address + "/", { wait: "#examples" });
  await page.getByRole("combobox", { name: "Model" }).selectOption("vision");
  await page.locator("input[type=file]").setInputFiles(join(root, "tests/golden/images/exif1.jpg"));
  await page.waitForSelector(".thumbs", { timeout: 60000 });
  expect((await page.getByRole("tab", { name: "Image" }).getAttribute("aria-selected")) === "true", "the picture first");
}

export async function checkErrors(world) {
  const page = await start(world, "Either or"),
    before = world.errors.length;
  await page.locator("#input-text").fill("long ".repeat(400));
  await page.waitForSelector("#input .error", { timeout: 60000 });
  const said = await page.locator("#input .error").innerText();
  expect(/expected .*found/.test(said), `the server's words, found ${said}`);
  await page.getByRole("button", { name: "Dismiss" }).click();
  await page.waitForTimeout(100);
  world.errors.splice(before); // the refused requests themselves
  return said.split("\n")[0].slice(0, 90);
}

export async function checkWholePage(world) {
  const page = await start(world, "Either or"),
    whole = (await saved(page, "The page as one HTML file")).toString();
  expect(
    whole.startsWith("<!doctype html>") && whole.includes('id="report"') && whole.includes("default-src 'none'"),
    "a report that needs no server",
  );
  const npz = await saved(page, "All results as npz");
  expect(npz.subarray(0, 2).toString() === "PK", "npz from the server");
}

export async function checkNotebook(world, { text: path }) {
  // A notebook shows the report inside a frame of its own, from a string.
  const page = await world.page("about:blank", { wait: null });
  const html = (await import("node:fs")).readFileSync(path, "utf8");
  await page.setContent("<iframe style='width:1000px;height:700px'></iframe>");
  await page.evaluate((h) => {
    document.querySelector("iframe").srcdoc = h;
  }, html);
  const frame = page.frameLocator("iframe");
  await frame.locator(".strip-row").first().waitFor({ timeout: 20000 });
  await frame.getByRole("tab", { name: "Flow" }).click();
  expect((await frame.locator("#main-panel svg.figure path").count()) > 10, "the flow inside a frame");
}
