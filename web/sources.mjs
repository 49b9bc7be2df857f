// Writes dist/sources.sha256: what the bundle was made of, as `sha256sum` writes it. tests/web/bundle.py holds it true.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(fileURLToPath(import.meta.url));
const under = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((e) =>
    e.isDirectory() ? under(`${folder}/${e.name}`) : [`${folder}/${e.name}`],
  );
const files = [...under("src"), "package-lock.json", "package.json", "tsconfig.json", "vite.config.ts"].sort();
const hash = (file) =>
  createHash("sha256")
    .update(readFileSync(join(root, file)))
    .digest("hex");
writeFileSync(join(root, "dist/sources.sha256"), files.map((f) => `${hash(f)}  ${f}\n`).join(""));
