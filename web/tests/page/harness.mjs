// What the tests share: pages made by the program, a server of its own, a browser that may ask nobody else.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

export const root = join(dirname(fileURLToPath(import.meta.url)), "../../..");
export const text = "The plot is thin, but the actors are so good that you will not mind at all.";
// Where others keep the processors busy, times are printed and not judged.
export const busy = () => loadavg()[0] > 1.2 * availableParallelism();
export const expect = (condition, what) => {
  if (!condition) throw new Error("expected " + what);
};

export class World {
  constructor(program, executable) {
    Object.assign(this, { program, executable, folder: mkdtempSync(join(tmpdir(), "headwater-page-")), asked: [], errors: [] });
  }

  async open() {
    this.browser = await chromium.launch({
      executablePath: this.executable,
      args: ["--no-sandbox", "--disable-background-networking", "--disable-component-update"],
    });
  }
  async close() {
    await this.browser?.close();
    this.server?.kill("SIGTERM");
    rmSync(this.folder, { recursive: true, force: true });
  }

  environment() {
    return { ...process.env, HEADWATER_MODELS: join(root, "models") };
  }
  report(name, ...words) {
    const path = join(this.folder, name);
    execFileSync(this.program, ["explain", "-q", "-o", path, ...words], { env: this.environment() });
    return path;
  }
  run(...words) {
    return execFileSync(this.program, words, { env: this.environment(), maxBuffer: 1 << 28 }).toString();
  }

  // A server at any free port; it names its address on standard error or output.
  async serve(...words) {
    this.server = spawn(this.program, ["serve", "--port", "0", ...words], { env: this.environment() });
    this.address = await new Promise((done, fail) => {
      let said = "";
      const hear = (data) => {
        said += data;
        const found = /http:\/\/127\.0\.0\.1:\d+/.exec(said);
        if (found) done(found[0]);
      };
      this.server.stdout.on("data", hear);
      this.server.stderr.on("data", hear);
      this.server.on("exit", () => fail(new Error("the server ended: " + said)));
    });
    for (let i = 0; i < 200; ++i) {
      const ready = await fetch(this.address + "/health").then(
        (r) => r.ok,
        () => false,
      );
      if (ready) return;
      await new Promise((r) => setTimeout(r, 50));
    }
    throw new Error("the server is not ready");
  }

  // A page that records every request and every error; `zoom` is done as browsers do it: fewer, larger pixels.
  async page(
    where,
    { width = 1280, height = 720, scheme = "light", zoom = 1, motion = "reduce", wait = ".strip-row, .thumbs, #examples, #drawer" } = {},
  ) {
    const context = await this.browser.newContext({
      viewport: { width: Math.round(width / zoom), height: Math.round(height / zoom) },
      deviceScaleFactor: zoom,
      colorScheme: scheme,
      reducedMotion: motion,
      acceptDownloads: true,
      offline: !where.startsWith("http"), // a report opens without a network
    });
    await context.grantPermissions(["clipboard-read", "clipboard-write"]).catch(() => {});
    const page = await context.newPage();
    page.on("response", async (r) => {
      if (r.status() >= 400) this.errors.push(`${r.status()} ${r.url()} ${await r.text().catch(() => "")}`);
    });
    page.on("request", (r) => this.asked.push(r.url()));
    page.on("pageerror", (e) => this.errors.push(String(e)));
    page.on("console", (m) => {
      if (m.type() === "error" && !m.text().startsWith("Failed to load resource")) this.errors.push(m.text());
    });
    await page.goto(
      /^(http|about)/.test(where)
        ? where
        : pathToFileURL(where.split("#")[0]).href + (where.includes("#") ? "#" + where.split("#")[1] : ""),
    );
    if (wait)
      await page.waitForSelector(wait, { timeout: 20000 }).catch(async (error) => {
        const seen = await page.evaluate(() => document.body.innerText.slice(0, 300)).catch(String);
        throw new Error(
          `${error.message.split("\n")[0]} waiting for ${wait}; the page says ${JSON.stringify(seen)} ${this.errors.join(" | ")}`,
        );
      });
    return page;
  }

  // Nothing but files, data and this machine's own server was asked for.
  checkRequests() {
    const strange = this.asked.filter((u) => !/^(file:|data:|blob:|about:)/.test(u) && !(this.address && u.startsWith(this.address)));
    expect(strange.length === 0, `no request to leave the machine, found ${strange.slice(0, 3)}`);
    expect(this.errors.length === 0, `no error on the page, found ${this.errors.slice(0, 3).join(" | ")}`);
    return this.asked.length;
  }
}

export async function saved(page, button) {
  await page.getByRole("button", { name: "Export" }).click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: button }).click()]);
  const stream = await download.createReadStream(),
    parts = [];
  for await (const p of stream) parts.push(p);
  return Buffer.concat(parts);
}
