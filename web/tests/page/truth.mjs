// What the page says is so: of the method that is shown, of the input that is there, of all that stands on it.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, root, saved, text } from "./harness.mjs";
import { idle, start } from "./live.mjs";
import { writeModel } from "./wide.mjs";

const h1 = (page) => page.locator("#top h1").innerText();
const row = (page, method) => page.locator(`.strip-row[aria-label="${method}"]`);
async function tick(page, ...methods) {
  await page.getByRole("button", { name: /^Methods/ }).click();
  for (const m of methods) await page.locator(`#method-picker [data-method="${m}"] input`).click();
  await page.keyboard.press("Escape");
  await idle(page);
}
const choose = (page, method) => row(page, method).locator(".method-name").click();
export const tab = (page, name) => page.getByRole("tab", { name, exact: true }).click();

export async function checkTheHeadlineIsOfTheChosenMethod(world) {
  const page = await start(world, "Either or");
  expect((await h1(page)).includes("(integrated_gradients)"), `the first method's name, found ${await h1(page)}`);
  await tick(page, "saliency", "attention");
  for (const m of ["saliency", "attention"]) await row(page, m).waitFor({ timeout: 60000 });
  expect((await h1(page)).includes("(integrated_gradients)"), `the chosen one's sentence when others come, found ${await h1(page)}`);
  await choose(page, "occlusion");
  expect((await h1(page)).includes("(occlusion)"), `the chosen one's sentence, found ${await h1(page)}`);
  await choose(page, "saliency");
  const plain = await h1(page);
  expect(plain.includes("(saliency, unsigned)") && !plain.includes("because"), `no reason without a sign, found ${plain}`);
  await choose(page, "attention");
  expect((await h1(page)).includes("same for every class"), `what a map says, found ${await h1(page)}`);
}

const pairs = async (page) =>
  (await page.locator("#agreement tbody tr").allInnerTexts()).map((line) => line.split("\t").map((cell) => cell.trim()));

export async function checkRecordAndAgreementCoverThePage(world) {
  const page = await start(world, "Either or"),
    all = ["integrated_gradients", "occlusion", "saliency", "attention", "attn_lrp"];
  await tick(page, "saliency", "attention");
  await tick(page, "attn_lrp");
  await row(page, "attn_lrp").waitFor({ timeout: 60000 });
  await idle(page);
  await tab(page, "Run record");
  const command = await page.locator("#record pre").first().innerText(),
    run = /--method[ =]([\w,]+)/.exec(command)?.[1].split(",") ?? [];
  expect(
    all.every((m) => run.includes(m)) && run.length === all.length && command.includes("--contrast"),
    `a command for all methods on the page, found ${command}`,
  );
  await tab(page, "Agreement");
  const said = await pairs(page),
    report = JSON.parse(
      world.run(
        "explain",
        "-q",
        "-m",
        "sentiment",
        "--method",
        all.join(),
        "--target",
        "POSITIVE",
        "--contrast",
        "NEGATIVE",
        "--format",
        "json",
        text,
      ),
    );
  expect(said.length === 10 && report.agreement.length === 10, `ten pairs of five methods, found ${said.length}`);
  for (const pair of report.agreement) {
    const line = said.find((cells) => pair.methods.every((m) => cells[0].split(" · ").includes(m)));
    const wanted = [pair.units, pair.kendall_tau_b.toFixed(3), pair.spearman.toFixed(3)].map((x) => String(x).replace("-", "−")).join();
    expect(line?.slice(1).join() === wanted, `${pair.methods}: ${wanted} as one run of all says, found ${line}`);
  }
}

// Twelve heads have twelve looks, in the legend and as lines.
export async function checkTwelveHeadsLookUnlike(world) {
  const model = join(world.folder, "twelve");
  writeModel(model);
  const page = await world.page(world.report("twelve.html", "-m", model, "--method", "attention", "a good film") + "#tab=heads"),
    unlike = (looks) => new Set(looks).size === 12;
  await page.getByLabel("Share of the weight that is drawn").fill("1");
  const legend = await page.locator(".swatch").evaluateAll((all) =>
    all.map((e) => {
      const { backgroundColor, borderTopStyle, outlineStyle } = getComputedStyle(e);
      return [backgroundColor, borderTopStyle, outlineStyle].join();
    }),
  );
  expect(legend.length === 12 && unlike(legend), `twelve looks in the legend, found ${legend}`);
  const lines = await page
    .locator("#main-panel svg.figure path")
    .evaluateAll((all) => [...new Set(all.map((e) => [e.getAttribute("stroke"), e.getAttribute("stroke-dasharray")].join()))]);
  expect(unlike(lines), `twelve looks of lines, found ${lines}`);
}

export async function checkScoresShowEveryMethod(world) {
  const page = await start(world, "Either or"),
    more = ["saliency", "input_x_gradient", "attn_lrp", "grad_cam", "chefer", "decompx"];
  await tick(page, ...more);
  for (const m of more) await row(page, m).waitFor({ timeout: 60000 });
  await tab(page, "Scores");
  const heads = await page.locator("table.scores thead th").allInnerTexts();
  const scored = await page.locator(".strip-row[data-method]").count();
  expect(scored === 8 && heads.length === 1 + scored, `a column for each of ${scored} methods, found ${heads}`);
  for (const width of [1280, 400]) {
    await page.setViewportSize({ width, height: 800 });
    const tall = await page.locator("table.scores th[scope=row]").evaluateAll((all) => Math.max(...all.map((th) => th.offsetHeight)));
    expect(tall < 40, `every word in one line at ${width} pixels, found one ${tall} tall`);
  }
}

export async function checkFaithfulnessFollowsTheTarget(world) {
  const page = await start(world, "Either or");
  await page.getByRole("combobox", { name: "Target" }).selectOption("NEGATIVE");
  await page.getByRole("combobox", { name: "compared with" }).selectOption("");
  await page.waitForFunction(() => document.querySelector("#top h1").textContent.startsWith("NEGATIVE"), null, { timeout: 60000 });
  await idle(page);
  await tab(page, "Faithfulness");
  const values = async () => {
    await page.waitForSelector("#faithfulness td.num", { timeout: 120000 });
    return (await page.locator("#faithfulness td.num").allInnerTexts()).join();
  };
  const negative = await values();
  expect((await page.locator(".measured-for").innerText()).includes("“NEGATIVE”"), "whose curves they are");
  await page.getByRole("combobox", { name: "Target" }).selectOption("POSITIVE");
  await page.waitForFunction(() => document.querySelector(".measured-for")?.textContent.includes("“POSITIVE”"), null, { timeout: 60000 });
  await idle(page);
  await page.waitForFunction(
    (old) => {
      const now = [...document.querySelectorAll("#faithfulness td.num")].map((e) => e.innerText).join();
      return now !== "" && now !== old;
    },
    negative,
    { timeout: 120000 },
  );
}

// A score on [SEP] that is larger than any word's is the end of the scale, and in the title.
export async function checkSpecialTokensAreInTheScale(world) {
  let found = null;
  for (const method of ["attn_lrp", "saliency", "input_x_gradient", "decompx"]) {
    const report = JSON.parse(world.run("explain", "-q", "-m", "sentiment", "--method", method, "--format", "json", "the the the")),
      sizes = report.attributions[0].scores.map((v, t) => ({ v: Math.abs(v ?? 0), special: report.tokens[t].special }));
    const most = (special) => Math.max(...sizes.filter((x) => x.special === special).map((x) => x.v));
    if (most(true) > 1.05 * most(false)) found = { method, largest: most(true) };
  }
  expect(found, "a method whose largest score is a special token's");
  const page = await world.page(world.report("special.html", "-m", "sentiment", "--method", found.method, "the the the"));
  expect((await h1(page)).includes("more than any word: ["), `it in the title, found ${await h1(page)}`);
  const end = await page.locator("#text .legend .scale .num").nth(1).innerText();
  expect(end.replace("+", "") === found.largest.toFixed(4), `${found.largest.toFixed(4)} as the end of the scale, found ${end}`);
}

// Checks may pass under scores that account for little of what they explain: then the page says so, and gives no green mark.
export async function checkWhatScoresLeaveOut(world) {
  const words = ["-m", "sentiment", "--method", "attn_lrp,integrated_gradients", "not bad"],
    [little, all] = JSON.parse(world.run("explain", "-q", "--format", "json", ...words)).attributions.map((a) => a.accounted);
  expect(
    Math.abs(little.share - 1) > 0.25 && Math.abs(all.share - 1) < 0.25,
    `a method of each kind, found ${little.share} and ${all.share}`,
  );
  const page = await world.page(world.report("left-out.html", ...words));
  const said = await page.locator("#trust .shortfall").innerText(),
    mark = (method) => row(page, method).locator(".tau span[title]").last().innerText();
  expect(said.includes(`${(100 * little.share).toFixed(1).replace("-", "−")} %`), `how much of it there is, found ${said}`);
  expect((await mark("attn_lrp")).startsWith("!"), `no tick, found ${await mark("attn_lrp")}`);
  await choose(page, "integrated_gradients");
  expect((await page.locator("#trust .shortfall").count()) === 0, "nothing of it where the scores account for all");
  expect((await mark("integrated_gradients")).startsWith("✓"), `a tick, found ${await mark("integrated_gradients")}`);
}

export async function checkNothingOfAnotherInputStays(world) {
  const page = await start(world, "Either or"),
    before = world.errors.length;
  await tick(page, "integrated_gradients", "occlusion"); // off
  await page.waitForFunction(() => !document.querySelector(".strip-row"), null, { timeout: 10000 });
  expect(
    /^(POSITIVE|NEGATIVE)[^:;]*$/.test(await h1(page)) && !(await h1(page)).includes("because"),
    `the answer alone, found ${await h1(page)}`,
  );
  expect((await page.locator("#drawer").innerText()).includes("No method is chosen"), "why there is nothing else");
  await tick(page, "saliency");
  await row(page, "saliency").waitFor({ timeout: 60000 });
  await page.locator("#input-text").fill("long ".repeat(700));
  await page.waitForSelector("#input .error", { timeout: 60000 });
  expect((await page.locator(".strip-row, #top").count()) === 0, "no picture of the text before under one that was refused");
  const { y, height } = await page.locator("#input .error").boundingBox();
  expect(y + height <= page.viewportSize().height, `the error on the screen under a long text, found it at ${y}`);
  expect(
    !(await page.locator("#input .error").innerText()).includes("--"),
    `no option of the command line, found ${await page.locator("#input .error").innerText()}`,
  );
  await page.getByRole("button", { name: /Cut it/ }).click();
  await row(page, "saliency").waitFor({ timeout: 60000 });
  expect((await page.locator("#top").innerText()).includes("cut to the model's limit"), "that it was cut");
  world.errors.splice(before); // the refused requests themselves
}

export async function checkASavedPageOpensAsItWasLeft(world) {
  const page = await start(world, "How a negation");
  await tab(page, "Matrix");
  const path = join(world.folder, "left.html");
  writeFileSync(path, await saved(page, "The page as one HTML file"));
  const again = await world.page(path);
  expect((await again.getByRole("tab", { name: "Matrix" }).getAttribute("aria-selected")) === "true", "the tab it was saved from");
}

export async function checkUndoBringsTheWordBackFirst(world) {
  const page = await start(world, "Either or");
  await row(page, "integrated_gradients")
    .locator(".tok", { hasText: /^good$/ })
    .dblclick();
  await page.waitForFunction(() => document.querySelector("#input-text").value.includes("[MASK]"));
  await idle(page);
  for (const name of ["Agreement", "Compare A and B", "Run record", "Numbers"]) await tab(page, name);
  await page.locator("h1").click();
  await page.keyboard.press("Control+z");
  await page.waitForFunction((whole) => document.querySelector("#input-text").value === whole, text, { timeout: 5000 });
}

export async function checkCompareSaysWhatItCannot(world) {
  const page = await start(world, "Either or");
  await tab(page, "Compare A and B");
  await page.getByRole("button", { name: "Keep as A" }).click();
  await row(page, "integrated_gradients")
    .locator(".tok", { hasText: /^good$/ })
    .dblclick();
  await page.waitForFunction(() => document.querySelector("#input-text").value.includes("[MASK]"));
  await idle(page);
  await tab(page, "Numbers");
  await tab(page, "Compare A and B");
  const titles = (await page.locator("#compare h3").allInnerTexts()).map((t) => t.slice(3)),
    said = await page.locator("#compare").innerText();
  expect(titles.length === 2 && titles[0] !== titles[1], `what was kept, told apart by its text, found ${titles}`);
  expect(said.includes("“good” in A is “[MASK]” in B"), `why there is no difference, found ${said.slice(-200)}`);
}

export async function checkUnknownWordsAreMarked(world) {
  const page = await start(world);
  await page.getByRole("combobox", { name: "Model" }).selectOption("sentiment");
  await page.locator("#input-text").fill("a فيلم film");
  await page.waitForSelector(".strip-row", { timeout: 60000 });
  await idle(page);
  expect((await page.locator(".strip-row .tok.unknown").count()) > 0, "the word marked");
  const said = await page.locator(".unknown-words").innerText();
  expect(said.includes("فيلم") && said.includes("[UNK]"), `what the model reads instead, found ${said}`);
}

// A picture of other proportions, drawn here.
export const broad = (page) =>
  page.evaluate(() => {
    const c = Object.assign(document.createElement("canvas"), { width: 320, height: 200 }),
      g = c.getContext("2d");
    g.fillStyle = "#3a7";
    g.fillRect(0, 0, 320, 200);
    g.fillStyle = "#a33";
    g.fillRect(40, 40, 90, 120);
    return c.toDataURL("image/png").split(",")[1];
  });

export async function checkAnotherPictureIsAskedAfresh(world) {
  const page = await start(world, "Two classes"),
    target = page.getByRole("combobox", { name: "Target" });
  await page.waitForFunction(() => document.querySelectorAll(".pictures figure").length === 3, null, { timeout: 60000 });
  await idle(page);
  expect((await target.inputValue()) !== "", "classes that are asked for");
  await page
    .locator("input[type=file]")
    .setInputFiles({ name: "broad.png", mimeType: "image/png", buffer: Buffer.from(await broad(page), "base64") });
  await page.waitForFunction(
    () => /squeezed|cut to its middle/.test(document.querySelector("#main-panel figcaption")?.textContent ?? ""),
    null,
    { timeout: 60000 },
  );
  await idle(page);
  expect((await target.inputValue()) === "", `no class of the picture before, found ${await target.inputValue()}`);
  expect(!(await h1(page)).includes("the answer is"), `the prediction of this one, found ${await h1(page)}`);
}

const state = async (page) => ({
  model: await page.getByRole("combobox", { name: "Model" }).inputValue(),
  text: await page.locator("#input-text").inputValue(),
  target: await page.getByRole("combobox", { name: "Target" }).inputValue(),
  against: await page.getByRole("combobox", { name: "compared with" }).inputValue(),
  methods: (await page.locator(".strip-row[data-method]").evaluateAll((all) => all.map((r) => r.getAttribute("aria-label")))).join(),
  tab: await page.locator("#main [role=tab][aria-selected=true]").innerText(),
});
export async function checkReloadBackAndLinksRestore(world) {
  const page = await start(world, "Either or");
  await tick(page, "attention");
  await row(page, "attention").waitFor({ timeout: 60000 });
  await page.getByRole("combobox", { name: "Target" }).selectOption("NEGATIVE");
  await idle(page);
  await choose(page, "attention");
  await tab(page, "Flow");
  const before = JSON.stringify(await state(page));
  await page.reload();
  await row(page, "attention").waitFor({ timeout: 60000 });
  await idle(page);
  expect(JSON.stringify(await state(page)) === before, `a reload to change nothing: ${before}, found ${JSON.stringify(await state(page))}`);
  expect(!page.url().includes("plot"), "no text in the address");
  await page.getByLabel("with the text").check();
  await page.getByRole("button", { name: "Share" }).click();
  const link = await page.evaluate(() => navigator.clipboard.readText()),
    other = await world.page(link, { wait: ".strip-row" });
  await row(other, "attention").waitFor({ timeout: 60000 });
  await idle(other);
  expect(JSON.stringify(await state(other)) === before, `a link to bring the same: ${before}, found ${JSON.stringify(await state(other))}`);
  await page.goBack();
  await page.waitForSelector("#examples", { timeout: 10000 });
  expect((await page.locator(".strip-row").count()) === 0, "Back to lead to the examples");
  await page.goForward();
  await row(page, "attention").waitFor({ timeout: 60000 });
}

export async function checkTheFirstScreenRuns(world) {
  const page = await world.page(world.address + "/", { wait: ".hero .tok", motion: "no-preference" });
  const coloured = await page.locator(".hero .tok").evaluateAll((all) => new Set(all.map((t) => t.style.background).filter(Boolean)).size);
  expect(coloured >= 4, `a coloured sentence, found ${coloured} colours`);
  expect(/\d %|difference/.test(await page.locator(".hero-answer").innerText()), "its answer");
  await page.waitForSelector(".hero-flow animate", { state: "attached", timeout: 20000 });
  expect((await page.locator(".welcome h1, .welcome p").allInnerTexts()).join(" ").length > 60, "a sentence that says what the page does");
  const cards = await page.locator(".example").count(),
    drawn = await page.locator(".example .card-picture").count();
  expect(cards > 4 && drawn === cards, `a picture on each of ${cards} cards, found ${drawn}`);
  const titles = await page.locator(".example b").allInnerTexts();
  expect(new Set(titles).size === titles.length, `each once, found ${titles}`);
  await page.getByRole("button", { name: "Take this sentence apart" }).click();
  await page.waitForSelector("#main-panel svg.figure path", { timeout: 60000 });
  const still = await world.page(world.address + "/", { wait: ".hero-flow path", motion: "reduce" });
  expect((await still.locator(".hero-flow animate").count()) === 0, "nothing to move for who wants no motion");
}

// The explanation comes late; the prediction does not wait for it.
export async function checkThePredictionIsThereFirst(world) {
  const page = await start(world);
  let let_go = null;
  await page.route("**/v1/explain", async (route) => {
    await new Promise((done) => (let_go = done));
    await route.continue();
  });
  await page.getByRole("combobox", { name: "Model" }).selectOption("sentiment");
  await page.locator("#input-text").fill("a wonderful film");
  await page.waitForSelector("#top.early h1", { timeout: 20000 });
  expect(/^POSITIVE \d/.test(await h1(page)), `the answer, found ${await h1(page)}`);
  expect((await page.locator("#early").innerText()).includes("wonderful"), "the text");
  expect((await page.locator(".strip-row").count()) === 0, "and no explanation yet");
  let_go();
  await page.waitForSelector(".strip-row", { timeout: 60000 });
  expect((await page.locator("#early, #top.early").count()) === 0, "one header");
}

// The notebook's frame, with what the Python package allows it.
export async function checkTheNotebooksExport(world, { text: path }) {
  const sandbox = /sandbox="([^"]*)"/.exec(readFileSync(join(root, "python/headwater/display.py"), "utf8"))[1];
  const page = await world.page("about:blank", { wait: null });
  await page.setContent("<iframe style='width:1000px;height:700px'></iframe>");
  await page.evaluate(
    ([html, allowed]) => {
      const frame = document.querySelector("iframe");
      frame.setAttribute("sandbox", allowed);
      frame.src = "data:text/html;base64," + btoa(unescape(encodeURIComponent(html)));
    },
    [readFileSync(path, "utf8"), sandbox],
  );
  const frame = page.frameLocator("iframe");
  await frame.locator(".strip-row").first().waitFor({ timeout: 20000 });
  await frame.getByRole("button", { name: "Export" }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download", { timeout: 10000 }),
    frame.getByRole("menuitem", { name: "This map as CSV" }).click(),
  ]);
  expect((await download.suggestedFilename()).endsWith(".csv"), "a file");
}
