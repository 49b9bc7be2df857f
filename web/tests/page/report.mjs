// The report's face: every panel, every rule of interaction that needs no server.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, root, saved, text } from "./harness.mjs";

const hebrew = "הסרט הזה wonderful film ממש טוב (באמת) כן";

export function pages(world) {
  return {
    text: world.report(
      "text.html",
      "-m",
      "sentiment",
      "--method",
      "integrated_gradients,attattr,value_zeroing,attention,effective_attention,chefer,attention_rollout",
      "--target",
      "POSITIVE",
      "--target",
      "NEGATIVE",
      text,
    ),
    numbers: JSON.parse(world.run("explain", "-q", "-m", "sentiment", "--method", "attention", "--format", "json", text)),
    picture: world.report(
      "picture.html",
      "-m",
      "vision",
      "--method",
      "chefer,attention_rollout,attention",
      "--target",
      "cat",
      "--target",
      "dog",
      "--image",
      join(root, "docs/pets.jpg"),
    ),
    blocks: world.report(
      "blocks.html",
      "-m",
      join(root, "tests/golden/encoder_decoder_models/t5_v1_1"),
      "--method",
      "attention,integrated_gradients",
      "--prefix",
      "w2 w4",
      "w3 w5 w7 w9",
    ),
    words: world.report("words.html", "-m", "sentiment", "--method", "attention", "She hated the script."),
    hebrew: world.report("hebrew.html", "-m", "sentiment", "--method", "integrated_gradients,attention", hebrew),
    scripts: world.report(
      "scripts.html",
      "-m",
      "sentiment",
      "--method",
      "integrated_gradients,attention",
      "هذا الفيلم رائع 😀 好看的电影 #great & <b>fun</b>",
    ),
  };
}

const tokens = (page, method) => page.locator(`.strip-row[aria-label="${method}"] .tok`);
const names = (page) => page.getByRole("tablist", { name: "Main view" }).getByRole("tab").allTextContents();

export async function checkStrip(world, { text: path }) {
  const page = await world.page(path),
    rows = await page.locator(".strip-row .method-name").allTextContents();
  expect(
    rows.join() === "integrated_gradients,attattr,value_zeroing,attention,effective_attention,chefer,attention_rollout,disagreement",
    `a row per method and one of disagreement, found ${rows}`,
  );
  expect(
    (await page.locator(`.strip-row[aria-label="chefer"] .what`).innerText()).includes("The plot is thin, but the actors are so good"),
    "the text as it was written",
  );
  const taus = await page.locator(".strip-row .tau .num").allTextContents();
  expect(
    (await page.locator(".strip-row.chosen .tau .num").count()) === 0 && taus.slice(0, 6).every((t) => /^τ −?[01]\.\d\d$/.test(t)),
    `τ at the end of every other row, found ${taus}`,
  );
  expect(
    (await page.locator("#text .legend").innerText()).includes("blue counts for “POSITIVE”, orange against it"),
    "a legend with the sign",
  );
  expect(/raw −?\d.*….*sum/.test(await page.locator("#text .legend").innerText()), "the raw numbers beside the scale");
  expect(
    (await tokens(page, "integrated_gradients").first().getAttribute("aria-label")).endsWith("not measured"),
    "what was not measured to say so",
  );
}

export async function checkHoverLockEscape(world, { text: path }) {
  const page = await world.page(path + "#method=3&tab=matrix");
  await tokens(page, "attention").filter({ hasText: "good" }).hover();
  expect(/“\[CLS\]” reads “good”: 0\.\d+, rank 1 of/.test(await page.locator("#tip").innerText()), "the number under the pointer");
  await tokens(page, "attention").filter({ hasText: "thin" }).click();
  expect((await tokens(page, "attention").filter({ hasText: "thin" }).getAttribute("aria-pressed")) === "true", "a click to lock");
  await tokens(page, "attention").filter({ hasText: "plot" }).hover();
  expect((await page.locator(".strip-row.chosen .who").innerText()).includes("“thin” reads"), "a hover not to override the lock");
  await tokens(page, "attention")
    .filter({ hasText: "mind" })
    .click({ modifiers: ["Shift"] });
  await tokens(page, "attention")
    .filter({ hasText: "good" })
    .click({ modifiers: ["Shift"] });
  expect((await page.locator("#selection .reading").innerText()).includes("2 selected: together"), "shift-click to add");
  await page.keyboard.press("Escape");
  expect((await tokens(page, "attention").filter({ hasText: "thin" }).getAttribute("aria-pressed")) === "false", "Escape to clear");
  await page.keyboard.press("Control+z");
  expect((await page.locator("#selection .reading").innerText()).includes("2 selected"), "undo to bring it back");
}

export async function checkDrag(world, { text: path }) {
  const page = await world.page(path),
    from = await tokens(page, "chefer").filter({ hasText: "plot" }).boundingBox(),
    to = await tokens(page, "chefer").filter({ hasText: "thin" }).boundingBox();
  await page.mouse.move(from.x + 4, from.y + 6);
  await page.mouse.down();
  await page.mouse.move(to.x + 4, to.y + 6, { steps: 4 });
  await page.mouse.up();
  expect((await page.locator("#selection .reading").innerText()).includes("3 selected"), "dragging to select a span");
}

export async function checkNumbersAreTheProgrammes(world, { text: path, numbers }) {
  const page = await world.page(path + "#method=3&layer=2&head=1&row=3&key=9"),
    said = await page.locator("#selection .reading").innerText();
  const value = numbers.attributions[0].scores[2][1][3][9];
  expect(said.includes(value.toFixed(4)), `${value.toFixed(4)} of L2 H1, row 3, column 9, found ${said}`);
  const csv = (await saved(page, "This map as CSV"))
    .toString()
    .split("\r\n")
    .map((l) => l.split(","));
  expect(Math.abs(Number(csv[4].slice(-21)[9]) - value) < 1e-6, `the same number in the CSV, found ${csv[4]}`);
}

// A text from the right stands as it is typed, on the page, in its figure and in that of `headwater plot`: by hand, from
// the left, what a reader of Hebrew expects. Brackets are one behind each other here, mirrored by their direction.
export async function checkTextFromTheRight(world, { hebrew: path }) {
  const wanted = "[SEP] כן ) באמת ( טוב ממש wonderful film הזה הסרט [CLS]",
    fromLeft = (items) =>
      items
        .sort((a, b) => a[1] - b[1])
        .map((i) => i[0])
        .join(" ");
  const page = await world.page(path, { width: 1600 }),
    row = page.locator(".strip-row .running").first(),
    shown = await row
      .locator(".tok")
      .evaluateAll((all) => all.map((e) => [e.textContent, e.getBoundingClientRect().left + e.getBoundingClientRect().right]));
  expect(fromLeft(shown) === wanted, `${wanted} on the page, found ${fromLeft(shown)}`);
  const gap = await row.evaluate((e) => e.getBoundingClientRect().right - e.querySelector(".tok").getBoundingClientRect().right);
  expect(gap >= 0 && gap < 12, `the line to begin at the right edge, found ${gap} pixels before it`);
  const placed = (svg, method) => {
    const texts = [...svg.matchAll(/<text x="([-\d.]+)" y="([-\d.]+)"([^>]*)>([^<]*)<\/text>/g)],
      at = texts.findIndex((t) => t[4] === method),
      line = Number(texts[at][2]);
    return texts.filter((t, i) => i > at && Math.abs(Number(t[2]) - line) < 6 && t[3].includes("middle")).map((t) => [t[4], Number(t[1])]);
  };
  const kept = join(world.folder, "hebrew.json");
  writeFileSync(
    kept,
    world.run("explain", "-q", "-m", "sentiment", "--method", "integrated_gradients,attention", "--format", "json", hebrew),
  );
  const figures = { "the page's figure": (await saved(page, "Text strip as SVG")).toString(), plot: world.run("plot", kept) };
  for (const [what, svg] of Object.entries(figures)) {
    const found = placed(svg, "attention");
    expect(fromLeft(found) === wanted, `${wanted} in ${what}, found ${fromLeft(found)}`);
    expect(/direction="rtl"[^>]*>\(<\/text>/.test(svg), `a mirrored bracket in ${what}`);
    expect(found[found.length - 1][1] > 0.75 * Number(/width="(\d+)"/.exec(svg)[1]), `${what} to begin at the right`);
  }
}

export async function checkTargets(world, { text: path }) {
  const page = await world.page(path),
    tone = async (m) =>
      tokens(page, m)
        .filter({ hasText: /^good$/ })
        .evaluate((e) => e.style.backgroundColor);
  const before = [await tone("integrated_gradients"), await tone("attention")];
  await page.getByRole("group", { name: "Target" }).getByRole("button", { name: "NEGATIVE" }).click();
  const after = [await tone("integrated_gradients"), await tone("attention")];
  expect(before[0] !== after[0] && before[1] === after[1], `only what knows a class to change, found ${before} ${after}`);
  expect((await page.locator("h1").innerText()).startsWith("NEGATIVE"), "the other target's sentence");
  expect(page.url().includes("target=1"), "the target in the address");
  expect(!decodeURIComponent(page.url()).includes("plot"), "no text in the address");
}

// Targets stand beside each other: of what knows a class every row once for each, of two labels one the other's opposite.
export async function checkTargetsBesides(world, { text: path }) {
  const page = await world.page(path),
    scores = (row) =>
      tokens(page, row).evaluateAll((all) => all.map((e) => Number(e.getAttribute("aria-label").split("score ")[1]?.replace(/−/g, "-"))));
  const [own, other] = [await scores("integrated_gradients"), await scores("integrated_gradients for NEGATIVE")];
  expect(own.length === 21 && other.length === 21, `21 tokens for either, found ${own.length} and ${other.length}`);
  const good = own.indexOf(Math.max(...own.filter((v) => v === v)));
  expect(own[good] > 0 && other[good] < 0, `what counts for one to count against the other, found ${own[good]} and ${other[good]}`);
  expect((await tokens(page, "attention for NEGATIVE").count()) === 0, "one row of what knows no class");
  const tau = await page.locator('.strip-row[aria-label="integrated_gradients for NEGATIVE"] .tau').innerText();
  expect(/^τ −?[01]\.\d\d$/.test(tau.trim()), `how far the two agree, found ${tau}`);
  await tokens(page, "integrated_gradients for NEGATIVE")
    .filter({ hasText: /^good$/ })
    .hover();
  expect((await page.locator("#tip").innerText()).includes("against “NEGATIVE”"), "its own target under the pointer");
  await tokens(page, "integrated_gradients for NEGATIVE")
    .filter({ hasText: /^good$/ })
    .click();
  expect(page.url().includes("target=1"), "a click to choose that target");
  expect((await tokens(page, "integrated_gradients for POSITIVE").count()) === 21, "the other one beside it now");
}

export async function checkAddress(world, { text: path }) {
  const page = await world.page(path + "#tab=heads&method=3&layer=1&words=1&special=hide&theme=dark");
  expect((await page.getByRole("tab", { name: "Heads" }).getAttribute("aria-selected")) === "true", "the tab of the address");
  expect((await page.evaluate(() => document.documentElement.dataset.theme)) === "dark", "the theme of the address");
  expect(
    (await tokens(page, "attention").allTextContents()).every((t) => t !== "[SEP]"),
    "special tokens hidden",
  );
  const hostile = await world.page(path + "#tab=%3Cscript%3E&layer=99&method=77&row=99999&key=5000&target=9");
  expect((await hostile.locator(".strip-row.chosen").count()) === 1, "a page for any address");
}

export async function checkKeyboard(world, { text: path }) {
  const page = await world.page(path + "#method=3");
  const layer = () => page.locator("#controls select").nth(1).inputValue(),
    head = () => page.locator("#controls select").nth(2).inputValue();
  const at = Number(await layer());
  await page.keyboard.press("[");
  expect(Number(await layer()) === at - 1, "[ to go a layer down");
  await page.keyboard.press("]");
  expect(Number(await layer()) === at, "] to go up");
  await page.keyboard.press("h");
  expect((await head()) === "0", "h for the next head");
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor({ timeout: 5000 }); // ? for help
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden", timeout: 5000 });
  await page.keyboard.press("/");
  await page.locator(".search input:focus").waitFor({ timeout: 5000 });
  await page.keyboard.type("goo");
  await page.locator(".search button", { hasText: /^good$/ }).waitFor({ timeout: 5000 });
  await page.keyboard.press("Enter");
  expect((await page.locator("#selection .reading").innerText()).includes("“good”"), "/ to search");
  await page.locator(".skip").focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  expect(page.url().includes("row=1"), `arrows and Enter in the text, found ${page.url()}`);
  await page.getByRole("tab", { name: "Layers" }).focus();
  await page.keyboard.press("ArrowRight");
  expect((await page.getByRole("tab", { name: "Matrix" }).getAttribute("aria-selected")) === "true", "arrows between tabs");
  await page.locator("#main-panel .stacked").focus();
  await page.keyboard.press("ArrowDown");
  expect(page.url().includes("row=2"), "arrows in the matrix");
}

// What is opened is closed by Escape, which gives the focus back and leaves the selection, and by a press elsewhere.
export async function checkMenusClose(world, { text: path }) {
  const page = await world.page(path + "#method=3&row=4");
  for (const name of ["Export", "Appearance"]) {
    const button = page.locator("#controls").getByRole("button", { name }),
      popup = page.locator("#controls .popup");
    await button.click();
    await popup.waitFor({ timeout: 5000 });
    await page.keyboard.press("Escape");
    await popup.waitFor({ state: "detached", timeout: 5000 });
    expect(page.url().includes("row=4"), `Escape to close ${name} and nothing else`);
    expect(await button.evaluate((e) => e === document.activeElement), "the focus back");
    await button.click();
    await popup.waitFor({ timeout: 5000 });
    await page.locator("h1").click();
    await popup.waitFor({ state: "detached", timeout: 5000 });
  }
  await page.getByRole("button", { name: "Export" }).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await page.keyboard.press("ArrowDown");
  const at = await page.evaluate(() => document.activeElement.getAttribute("aria-label"));
  expect(at === "Figure as PDF", `arrows in the menu, found ${at}`);
}

// By hand of the numbers of the program: what is dropped leaves rows that sum to 1.
export async function checkSpecialTokens(world, { text: path, numbers }) {
  const page = await world.page(path + "#method=3&layer=2&head=1"),
    row = numbers.attributions[0].scores[2][1][3],
    good = numbers.tokens.findIndex((t) => t.text === "good"),
    kept = row.filter((_, k) => !numbers.tokens[k].special).reduce((a, b) => a + b, 0);
  const said = () =>
    tokens(page, "attention")
      .filter({ hasText: /^good$/ })
      .getAttribute("aria-label");
  const choose = (name) => page.getByRole("group", { name: "Special tokens" }).getByRole("button", { name }).click();
  for (const [name, value, count] of [
    ["show", row[good], 21],
    ["hide", row[good], 19],
    ["leave out", row[good] / kept, 19],
  ]) {
    await choose(name);
    await tokens(page, "attention").filter({ hasText: /^is$/ }).click();
    expect((await said()).includes(value.toFixed(4)), `${value.toFixed(4)} for ${name}, found ${await said()}`);
    expect((await tokens(page, "attention").count()) === count, `${count} tokens, found ${await tokens(page, "attention").count()}`);
    await page.keyboard.press("Escape");
  }
}

export async function checkWords(world, { words: path }) {
  const page = await world.page(path),
    sources = () => page.locator("#selection").innerText(),
    apart = () =>
      tokens(page, "attention").evaluateAll((all) => Math.abs(all[3].getBoundingClientRect().left - all[2].getBoundingClientRect().right));
  expect(/\bhate\b/.test(await sources()), `pieces first, found ${await sources()}`);
  await page.keyboard.press("w");
  expect(/\bhated\b/.test(await sources()), `words for w, found ${await sources()}`);
  const piece = (text) => tokens(page, "attention").filter({ hasText: new RegExp(`^${text}$`) });
  expect(
    (await piece("hate").evaluate((e) => getComputedStyle(e).borderTopRightRadius)) === "0px" && (await apart()) < 0.5,
    "a word's pieces without a seam",
  );
  await piece("d").click();
  expect((await piece("hate").getAttribute("aria-pressed")) === "true", "a click on a piece to hold its word");
  await page.getByRole("group", { name: "Unit" }).getByRole("button", { name: "tokens" }).click();
  expect(/\bhate\b/.test(await sources()), "tokens again");
}

export async function checkLayers(world, { text: path }) {
  const page = await world.page(path + "#method=3&tab=layers");
  expect((await page.locator(".thumb").count()) === 4, "one map per layer");
  expect(
    (await page.locator("#main-panel .caption").first().innerText()).includes("Every map on its own scale: on a common one"),
    "its own scale where a common one leaves one blank, said",
  );
  await page.getByRole("group", { name: "Scale" }).getByRole("button", { name: "shared" }).click();
  expect(
    (await page.locator("#main-panel .caption").first().innerText()).includes("One scale for all maps."),
    "the common scale on request",
  );
  await page.locator(".thumb").nth(1).click();
  expect(page.url().includes("layer=1"), "a click to choose the layer");
  await page.getByRole("button", { name: "layers × heads" }).click();
  expect((await page.locator(".thumb").count()) === 4 * 7, "every head and their mean");
  expect((await page.locator("#main-panel .summary").innerText()).includes("L0 strongest:"), "a summary in words");
}

export async function checkMatrix(world, { text: path }) {
  const page = await world.page(path + "#method=3&tab=matrix");
  const readout = page.locator("#readout");
  await page.locator("#main-panel .stacked").hover();
  expect(/reads “.*”: \d/.test(await readout.innerText()), `a reading for the cell under the pointer, found ${await readout.innerText()}`);
  await page.getByRole("group", { name: "Weights" }).getByRole("button", { name: "difference" }).click();
  expect((await page.locator("#main-panel .legend").innerText()).includes("difference"), "raw minus effective");
  await page.getByRole("group", { name: "Weights" }).getByRole("button", { name: "effective" }).click();
  expect((await page.locator(".strip-row.chosen .method-name").innerText()) === "effective_attention", "the effective weights");
  const weights = (name) => page.getByRole("group", { name: "Weights" }).getByRole("button", { name }).getAttribute("aria-pressed");
  expect((await weights("effective")) === "true" && (await weights("raw")) === "false", "what is shown to be marked");
  await page.getByRole("group", { name: "Weights" }).getByRole("button", { name: "difference" }).click();
  await page.locator(".strip-row .method-name", { hasText: /^effective_attention$/ }).click();
  expect((await weights("effective")) === "true", "the same for a method chosen in the text");
  await page.locator(".strip-row .method-name", { hasText: /^attention$/ }).click();
  expect((await weights("raw")) === "true", "and for attention");
  await page.getByRole("button", { name: "Zoom in" }).click();
  expect((await page.getByRole("button", { name: "Whole map" }).innerText()) === "1.5×", "zoom");
}

// Names below the flow's columns stand in their middle, turned or upright.
export async function checkNamesStandInTheMiddle(world, { scripts }) {
  const page = await world.page(scripts + "#method=1&tab=flow");
  const apart = await page.locator("#main-panel svg.figure > g").evaluateAll((groups) =>
    groups
      .filter((g) => g.querySelector(":scope > rect") && g.querySelector("text"))
      .map((g) => {
        const middle = (e) => (e.getBoundingClientRect().left + e.getBoundingClientRect().right) / 2;
        return [g.textContent, middle(g.querySelector("text")) - middle(g.querySelector("rect"))];
      }),
  );
  expect(apart.length > 15, `a name for every column, found ${apart.length}`);
  const off = apart.filter((a) => Math.abs(a[1]) > 3.5);
  expect(off.length === 0, `names in the middle of their columns, found ${off.map((a) => a.join(" "))}`);
  expect(
    (await page.locator("#main-panel svg.figure text", { hasText: /^影$/ }).getAttribute("transform")) === null,
    "Chinese to stand upright",
  );
}

export async function checkFlow(world, { text: path }) {
  const page = await world.page(path + "#method=3&tab=flow"),
    edges = () => page.locator("#main-panel svg.figure path").count();
  const many = await edges();
  await page.getByLabel("Share of the weight that is drawn").fill("0.3");
  expect((await edges()) < many, "fewer edges for a smaller share");
  expect(
    /\d+ of 1,344 edges/.test(await page.locator("#main-panel .caption").innerText()),
    `a counter, found ${await page.locator("#main-panel .caption").innerText()}`,
  );
  await page.getByRole("button", { name: "Step one layer back" }).click();
  expect(
    (await page.locator("#main-panel [role=status]").innerText()).includes("down to L3"),
    "a step of one layer where motion is reduced",
  );
  const moving = await world.page(path + "#method=3&tab=flow", { motion: "no-preference" });
  await moving.getByRole("button", { name: "Play layer by layer" }).click();
  const first = await moving.locator("#main-panel svg.figure path").count();
  await moving.waitForTimeout(1000);
  expect((await moving.locator("#main-panel svg.figure path").count()) > first, "a play that goes on");
  const carried = await world.page(path + "#method=6&tab=flow");
  expect((await carried.locator("#main-panel .caption").innerText()).includes("Traced by value_zeroing"), "no second rollout of a rollout");
}

export async function checkHeads(world, { text: path }) {
  const page = await world.page(path + "#method=3&tab=heads"),
    lines = () => page.locator("#main-panel svg.figure path").count();
  const all = await lines();
  await page.getByRole("button", { name: "head 2" }).click();
  expect(
    (await page.getByRole("button", { name: "head 2" }).getAttribute("aria-pressed")) === "false" && (await lines()) !== all,
    "a head switched off",
  );
  await page
    .locator("#main-panel svg text", { hasText: /^good$/ })
    .first()
    .click();
  expect((await lines()) < all && page.url().includes("row="), "a token held");
}

export async function checkHeadMap(world, { text: path }) {
  const page = await world.page(path + "#method=1");
  const select = page.locator("#headmap select"),
    choices = await select.locator("option").allTextContents();
  for (const word of ["entropy", "distance", "share to special tokens"]) expect(choices.includes(word), `${word} among ${choices}`);
  expect(choices[0] === "importance", `importance first among ${choices}`);
  await select.selectOption({ label: "entropy" });
  const label = await page.locator("#headmap .cell").nth(7).getAttribute("aria-label");
  expect(/L1 H1 entropy 0\.\d+/.test(label), `a number in every cell, found ${label}`);
  await page.locator("#headmap .cell").nth(7).click();
  expect(page.url().includes("layer=1") && page.url().includes("head=1"), "a click to choose the head");
}

export async function checkPicture(world, { picture }) {
  const page = await world.page(picture);
  expect((await names(page))[0] === "Image", "the image first");
  expect((await page.locator(".pictures figure").count()) === 3, "the picture and both classes side by side");
  expect((await page.locator(".thumbcard").count()) === 3, "a picture per method");
  const caption = await page.locator(".pictures figcaption").nth(2).innerText(),
    asked = ["-m", "vision", "--image", join(root, "docs/pets.jpg"), "--format", "json"],
    dog = JSON.parse(world.run("predict", ...asked)).scores.find((s) => s.label === "dog").probability,
    shown = Number(/^dog\s+([\d.]+) %.*correlation with cat/s.exec(caption)?.[1]);
  expect(Math.abs(shown - 100 * dog) <= 0.5, `the class, its probability of ${dog} and its likeness, found ${caption}`);
  const box = await page.locator(".pictures .stacked").first().boundingBox();
  await page.mouse.move(box.x + 100, box.y + 100);
  expect(/“\(\d, \d\)”/.test(await page.locator("#tip").innerText()), "a number for the patch");
  await page.getByRole("button", { name: "patches" }).click();
  await page.locator(".pictures .stacked").first().focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  expect(page.url().includes("key="), "arrows and Enter over patches");
}

export async function checkBlocks(world, { blocks }) {
  const page = await world.page(blocks + "#tab=blocks");
  expect(
    (await page.locator("#main-panel figcaption").allTextContents()).map((t) => t.replace(/.*\(|\)/g, "")).join() ===
      "encoder,cross,decoder",
    "three maps",
  );
  expect((await page.locator(".strip-row").first().locator(".running").count()) === 2, "source and output on lines of their own");
  await page.getByRole("tab", { name: "Flow" }).click();
  const levels = await page.locator("#main-panel svg.figure text").allTextContents();
  expect(levels.includes("dec L0") && levels.includes("enc L0"), `decoder above encoder, found ${levels}`);
}

export async function checkTextAsTyped(world, { scripts }) {
  const page = await world.page(scripts),
    shown = await page.locator(".strip-row .what").first().innerText();
  for (const part of ["هذا", "رائع", "😀", "好看的电影", "#great & <b>fun</b>"])
    expect(shown.replace(/\s+/g, "").includes(part.replace(/\s+/g, "")), `${part} as typed, found ${shown}`);
}

export async function checkDrawer(world, { text: path }) {
  const page = await world.page(path + "#method=0");
  await page.getByRole("tab", { name: "Agreement" }).click();
  expect((await page.locator("#agreement tbody tr").count()) === 21, "every pair of seven methods");
  await page.getByRole("tab", { name: "Faithfulness" }).click();
  expect((await page.locator("#drawer-panel").innerText()).includes("holds no faithfulness"), "what a page in a file cannot measure");
  await page.getByRole("tab", { name: "Run record" }).click();
  const record = await page.locator("#record").innerText();
  expect(record.includes("headwater explain -m sentiment") && record.includes("import headwater"), "the command and the Python lines");
  await page.getByRole("tab", { name: "Compare" }).click();
  await page.getByRole("button", { name: "Keep as A" }).click();
  await page.getByRole("button", { name: "chefer", exact: true }).click();
  expect((await page.locator("#compare").innerText()).includes("A − B"), "a difference of A and B");
}

// From disk, without a server: the tree of headwater tree, whatever the sliders say, for either target.
export async function checkTree(world, { text: path }) {
  const page = await world.page(path + "#tab=tree"),
    panel = page.locator("#main-panel");
  const edges = async () =>
    ((await panel.locator("svg.figure").count()) ? await panel.locator("svg.figure").getAttribute("aria-label") : "")
      .split("; ")
      .map((e) => e.match(/L(\d+): “(.*)” reads “(.*)” (\S+)$/)?.slice(1))
      .filter(Boolean);
  const wanted = (...words) => {
    const tree = JSON.parse(world.run("tree", "-q", "-m", "sentiment", "--format", "json", ...words, text)),
      names = tree.tokens.map((t) => t.text ?? t);
    return tree.edges.map((e) => [String(e.layer), names[e.parent], names[e.child], e.score]);
  };
  const same = async (what, ...words) => {
    const found = await edges(),
      right = wanted(...words);
    expect(found.length === right.length, `${right.length} edges of ${what}, found ${found.length}`);
    right.forEach(([layer, parent, child, score], i) => {
      expect(found[i].slice(0, 3).join() === [layer, parent, child].join(), `${layer} ${parent} ${child}, found ${found[i]}`);
      expect(Math.abs(Number(found[i][3].replace(/−/g, "-")) - score) < 0.01 * Math.abs(score) + 1e-4, `${score}, found ${found[i][3]}`);
    });
    const listed = (await panel.getByRole("tree").innerText()).match(/ in L\d+, /g).length;
    expect(listed === right.length, `each of ${right.length} edges in the list, found ${listed}`);
    return right.length;
  };
  const counts = [await same("the tree", "--target", "POSITIVE")];
  await page.getByLabel("τ: share").fill("0.1");
  counts.push(await same("a smaller τ", "--target", "POSITIVE", "--tau", "0.1"));
  await page.getByLabel("λ: cost").fill("0.3");
  counts.push(await same("a larger λ", "--target", "POSITIVE", "--tau", "0.1", "--lambda", "0.3"));
  await page.getByRole("group", { name: "Target" }).getByRole("button", { name: "NEGATIVE" }).click();
  counts.push(await same("the other target", "--target", "NEGATIVE", "--tau", "0.1", "--lambda", "0.3"));
  return counts.join(", ") + " edges";
}

export async function checkSize(world, { text: path }) {
  const html = readFileSync(path, "utf8"),
    data = [...html.matchAll(/<script type="[^"]+" id="[^"]+"[^>]*>([\s\S]*?)<\/script>/g)].reduce((s, m) => s + m[1].length, 0);
  expect(html.length - data < 2e6, `under 2 MB beside the data, found ${html.length - data}`);
  return `${((html.length - data) / 1e3).toFixed(0)} kB beside ${(data / 1e3).toFixed(0)} kB of data`;
}
