// What the page says of models that are served by their folders, beside those that ship.
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, root, saved, text, World } from "./harness.mjs";
import { idle, start } from "./live.mjs";
import { broad, tab } from "./truth.mjs";
import { writeModel } from "./wide.mjs";

// A server of its own; only its own machine knows the folders.
async function served(world, models, check) {
  const own = new World(world.program, world.executable);
  try {
    own.browser = world.browser;
    await own.serve(...models(own.folder).flatMap((folder) => ["-m", folder]));
    await check(own);
  } finally {
    world.errors.push(...own.errors);
    own.server?.kill("SIGTERM");
    rmSync(own.folder, { recursive: true, force: true });
  }
}

export async function checkSharedPagesNameNoFolder(world) {
  await served(
    world,
    () => [join(root, "models/sentiment")],
    async (own) => {
      const page = await start(own, "Either or"),
        whole = (await saved(page, "The page as one HTML file")).toString(),
        at = whole.indexOf(root);
      expect(at < 0, `no folder of this machine in a saved page, found ${whole.slice(at - 60, at + 60)}`);
      await tab(page, "Compare A and B");
      await page.getByRole("button", { name: "Keep as A" }).click();
      expect(!(await page.locator("#compare").innerText()).includes(root), "none in a title of Compare");
      await tab(page, "Run record");
      const command = await page.locator("#record pre").first().innerText();
      expect(command.includes(root), `where it runs, the command to name it, found ${command}`);
    },
  );
}

// A model that refuses the text shows no picture of the model before it: here one that wants a mask.
export async function checkAnErrorShowsNoOtherModelsPicture(world) {
  await served(
    world,
    (folder) => {
      writeModel(join(folder, "masked"), true);
      return [join(root, "models/sentiment"), join(folder, "masked")];
    },
    async (own) => {
      const page = await start(own, "Either or");
      await tab(page, "Run record");
      await page.getByRole("combobox", { name: "Model" }).selectOption("masked");
      await page.waitForSelector("#input .error", { timeout: 60000 });
      expect((await page.locator("#input-text").inputValue()) === text, "the same text");
      expect((await page.locator("#input .error").innerText()).includes("[MASK]"), "what the model wants");
      expect((await page.locator(".strip-row, #top, #record, #main-panel").count()) === 0, "nothing of the model before");
      own.errors.length = 0; // the refused requests themselves
    },
  );
}

// A processor that cuts the middle out, as DeiT's does, is told apart from one that squeezes.
export async function checkACutPictureIsSaid(world) {
  await served(
    world,
    (folder) => {
      const model = join(folder, "cutting"),
        processor = join(model, "preprocessor_config.json");
      cpSync(join(root, "models/vision"), model, { recursive: true });
      const { size, ...rest } = JSON.parse(readFileSync(processor, "utf8"));
      writeFileSync(processor, JSON.stringify({ ...rest, size: { shortest_edge: size.height }, do_center_crop: true, crop_size: size }));
      return [model];
    },
    async (own) => {
      const page = await start(own);
      await page
        .locator("input[type=file]")
        .setInputFiles({ name: "broad.png", mimeType: "image/png", buffer: Buffer.from(await broad(page), "base64") });
      const caption = page.locator("#main-panel figcaption").first();
      await caption.waitFor({ timeout: 60000 });
      expect((await caption.innerText()).includes("cut to its middle"), `that it was cut, found ${await caption.innerText()}`);
      await idle(page);
    },
  );
}
