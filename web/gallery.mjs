// The pictures of docs/gallery, made anew: node web/gallery.mjs PROGRAM CHROMIUM. Smaller where pngquant is installed; in
// the fonts of the machine it runs on (Noto Sans, with its Hebrew, Arabic, Chinese and emoji, looks best).
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { root, text, World } from "./tests/page/harness.mjs";

const [program, executable] = process.argv.slice(2),
  world = new World(resolve(program), executable),
  gallery = join(root, "docs/gallery");
process.chdir(root); // what is drawn keeps the command that made it, and its paths

function smaller(path, name) {
  try {
    execFileSync("pngquant", ["--force", "--skip-if-larger", "--output", path, "128", path]);
  } catch {
    console.log(`${name}: as it was taken, larger than need be`);
  }
}

async function shoot(page, name, from) {
  if (from) await page.evaluate((selector) => scrollBy(0, document.querySelector(selector).getBoundingClientRect().top - 60), from);
  await page.mouse.move(2, 2);
  await page.waitForTimeout(400);
  const path = join(gallery, `workbench-${name}.png`);
  await page.screenshot({ path });
  smaller(path, name);
  await page.context().close();
}

await world.open();
try {
  const methods = ["--method", "chefer,integrated_gradients,value_zeroing,attention,attattr"];
  const report = world.report("text.html", "-m", "sentiment", ...methods, text);
  for (const [tab, method] of [
    ["layers", 3],
    ["matrix", 3],
    ["flow", 2],
    ["heads", 3],
    ["tree", 4],
  ])
    await shoot(await world.page(`${report}#tab=${tab}&method=${method}`, { height: 860 }), tab, ".bench");

  const picture = world.report(
    ...["picture.html", "-m", "vision", "--method", "chefer,attention_rollout,attention"],
    ...["--target", "cat", "--target", "dog", "--image", "docs/pets.jpg"],
  );
  await shoot(await world.page(picture, { height: 860 }), "image");

  const model = "tests/golden/encoder_decoder_models/t5_v1_1";
  const both = world.report(
    ...["blocks.html", "-m", model, "--method", "attention,integrated_gradients"],
    ...["--prefix", "das Haus und der Garten", "the old house was sold and the garden reads the river"],
  );
  await shoot(await world.page(`${both}#tab=blocks`, { height: 960, scheme: "dark" }), "encoder-decoder");

  const hebrew = "הסרט הזה פשוט wonderful, וגם השחקנים (כולם) טובים: 9 מתוך 10! 👍🏽 强烈推荐";
  const right = world.report("right.html", "-m", "sentiment", "--method", "integrated_gradients,chefer,value_zeroing", hebrew);
  await shoot(await world.page(`${right}#tab=matrix&method=2`, { height: 900 }), "scripts");

  await world.serve();
  await shoot(await world.page(world.address + "/", { height: 860, wait: ".hero-flow path" }), "first");
  const live = await world.page(world.address + "/", { height: 860, wait: "#examples" });
  const idle = () =>
    live.waitForFunction(() => !document.querySelector("#input .status")?.textContent && !document.querySelector("#input progress"));
  await live.getByRole("button", { name: "Either or" }).first().click();
  await live.waitForSelector(".strip-row", { timeout: 60000 });
  await idle();
  await live.getByRole("button", { name: /^Methods/ }).click();
  for (const method of ["value_zeroing", "chefer"]) await live.locator(`#method-picker [data-method="${method}"] input`).check();
  await live.getByRole("button", { name: "Done" }).click();
  await live.waitForFunction(() => document.querySelectorAll(".strip-row[data-method] .tok[data-at='0']").length === 4);
  await idle();
  await live
    .locator(".strip-row .tok", { hasText: /^good$/ })
    .first()
    .dblclick();
  await live.waitForFunction(() => document.querySelector("#input-text").value.includes("[MASK]"));
  await idle();
  await shoot(live, "live");

  const kept = join(world.folder, "kept.json"),
    explained = ["explain", "-q", "-m", "sentiment", "--method", "chefer,integrated_gradients,value_zeroing,attention"];
  writeFileSync(kept, world.run(...explained, "--target", "POSITIVE", "--format", "json", text));
  for (const [name, ...words] of [
    ["strip"],
    ["grid", "--kind", "grid", "--method", "value_zeroing"],
    ["matrix", "--kind", "matrix", "--method", "value_zeroing", "--layer", "3"],
    ["flow", "--kind", "flow", "--method", "value_zeroing"],
    ["heads", "--kind", "heads", "--method", "attention", "--share", "0.25"],
  ])
    writeFileSync(join(gallery, name + ".svg"), world.run("plot", kept, ...words));
  // Of twelve thousand cells the picture is smaller than the drawing.
  const heads = join(gallery, "grid-heads.png");
  world.run("plot", kept, "-q", "--kind", "grid", "--method", "attention", "--head", "all", "-o", heads);
  smaller(heads, "grid-heads");
  const seen = ["explain", "-q", "-m", "vision", "--method", "chefer,attention_rollout,attention", "--target", "dog"];
  writeFileSync(kept, world.run(...seen, "--image", "docs/pets.jpg", "--format", "json"));
  writeFileSync(join(gallery, "overlay.svg"), world.run("plot", kept));
  const classes = ["--method", "attn_lrp,generic_attention", "--target", "cat", "--target", "dog"];
  world.run("explain", "-q", "-m", "vision", ...classes, "--image", "docs/pets.jpg", "-o", join(gallery, "pets.svg"));
  writeFileSync(kept, world.run(...explained, "--format", "json", hebrew));
  writeFileSync(join(gallery, "strip-scripts.svg"), world.run("plot", kept));
  console.log("written: docs/gallery");
} finally {
  await world.close();
}
