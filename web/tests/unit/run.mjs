// Bundles each test with the page's own tool chain and hands the lot to node's test runner.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const here = dirname(fileURLToPath(import.meta.url)),
  out = mkdtempSync(join(tmpdir(), "headwater-unit-"));
const tests = readdirSync(here).filter((f) => f.endsWith(".test.ts"));
await build({
  root: here,
  configFile: false,
  logLevel: "error",
  build: {
    ssr: true,
    outDir: out,
    emptyOutDir: true,
    rollupOptions: { input: tests.map((f) => join(here, f)), output: { entryFileNames: "[name].mjs" } },
  },
});
const result = spawnSync(
  process.execPath,
  [
    "--test",
    "--test-reporter=spec",
    ...readdirSync(out)
      .filter((f) => f.endsWith(".test.mjs"))
      .map((f) => join(out, f)),
  ],
  { stdio: "inherit" },
);
rmSync(out, { recursive: true });
process.exit(result.status ?? 1);
